"""Tables of answers: any file or frame, understood once, read exactly.

`sources` and `tables` say what is read, `exports` makes ordinary tables of those of
other programs, `header` says which column is which, `labels` and `rules` what labels
and answers mean; `questions` is all of this before a row is read.
The `relation` gives each row its objects and what is wrong with it, in the `sql` of
`on_duckdb` (whose errors are `duckdb_errors`) or `on_spark`, one of which `engines`
opens; `checking` says it in words. From it come rows of ids (`read`) or pair sums
(`sums`; files of them: `pair_files`). Also `items` (the objects), `npz`, and `write`.
"""
