"""The paper again: one module for each table and figure.

Each has `cells` (pieces that run by themselves), `run_cell` (one of them, to records)
and `report` (all records to tables and figures): `table1`, `figure1`, `figure2` (of the
cells of `table1`), `real` (with `real_data`), `theorem2`. `reproduce` runs them in
`processes` and keeps `cells`; `plan` is what they are asked for. They share `methods`,
`published` (the printed numbers), `tables` and `drawing`.
"""
