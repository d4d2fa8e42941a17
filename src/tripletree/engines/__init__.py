"""Bigger than memory: pair sums where the answers are.

`summing` steers: `questions` understands the table, `survey` looks at all rows once,
`expressions` turns rows into pairs, `sums` adds them up in one expression, run by
`on_duckdb` or `on_spark` within `limits`. `pair_files` reads and writes what comes out;
`scoring` says what a tree earns over answers that stay on the engine.
"""
