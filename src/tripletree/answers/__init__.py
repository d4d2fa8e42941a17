"""Tables of answers: any file or frame, understood once, read exactly.

`sources` says what can be read, and `dialect` how a text file is written. `tables`
opens it (errors of DuckDB: `duckdb_errors`), and `exports` makes ordinary tables of
those of other programs. `header` says
which column is which, `labels`, `answer_rules` and `filters` what labels, answers and
options mean: together they make the `layout`, before a row is read. The `relation`
gives each row its objects and what is wrong with it, in the `sql` that both `engines`
understand: DuckDB, or Spark (`on_spark`). The `first_look` at all rows finds the
labels; `unused_columns` and `checking` refuse what could be misread. From it come rows
of ids (`read`) or pair sums (`sums`, with their files). Also `items` (the
objects), `npz`, and `write`.
"""
