"""The paper again: one module for each table and figure.

Each has `cells` (pieces that run by themselves), `run_cell` (one of them, to records)
and `report` (all records to tables and figures): `table1`, `figure1`, `figure2` (of the
cells of `table1`), `real`, `theorem2`; and one that is not in the paper: `calibration`
(are stable clusters found again?). `reproduce` runs them. They share
`paper_methods` and `reporting`: what they are asked for, tables beside the printed
numbers, and figures.
"""
