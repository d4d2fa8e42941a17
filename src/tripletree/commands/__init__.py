"""The commands of the command line; `cli.py` puts them together.

`trees` builds trees of answers (the commands cluster, report, demo), `describe` says
how things are (summary, revenue, compare), `files` writes them in another form
(convert, pairs), and `studies` is for studies and experiments (plan, simulate,
datasets, reproduce). They share `console` (how they speak) and `reading` (how they read
answers).
"""
