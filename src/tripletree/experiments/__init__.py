"""The paper again: one module per table or figure.

Each of `table1`, `figure1`, `figure2`, `real` and `theorem2` lists its cells (small,
independent, deterministic pieces of work), runs one, and reports on all of them;
`reproduce` puts them together. The printed numbers are in `published.toml`.
"""
