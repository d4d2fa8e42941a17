"""The commands of the command line, one module each; `cli.py` puts them together.

All of them: `cluster`, `report`, `summary`, `revenue`, `compare`, `convert`, `pairs`,
`plan`, `simulate`, `datasets`, `reproduce`, `demo`. They share `console` (how they
speak), `reading` (how they read answers), `finding` (how they find a tree) and `worth`
(how good one is).
"""
