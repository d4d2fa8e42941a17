"""Bigger than memory: pair sums where the answers are.

`summing` steers: `questions` understands the table, `survey` looks at all rows once,
`expressions` is the one expression, run by `on_duckdb` or `on_spark` within `limits`.
`pair_files` reads and writes what comes out.
"""
