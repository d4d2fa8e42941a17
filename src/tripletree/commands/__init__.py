"""The commands of the command line; `cli.py` puts them together.

`trees` builds trees of answers (the commands cluster, report, demo), `data` describes
and converts files of answers and of trees (summary, revenue, compare, convert, pairs),
and `studies` is for studies and experiments (plan, simulate, datasets, reproduce). They
share `console` (how they speak) and `reading` (how they read answers).
"""
