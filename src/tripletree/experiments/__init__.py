"""The paper again: one module for each table and figure.

Each has `cells` (pieces that run by themselves), `run_cell` (one of them, to records)
and `report` (all records to tables and figures): `table1`, `figure1`, `figure2` (of the
cells of `table1`), `real`, `theorem2`. `reproduce` runs them, and says what they are
asked for and hand back. They share `methods`, `tables` (beside the printed numbers) and
`drawing`.
"""
