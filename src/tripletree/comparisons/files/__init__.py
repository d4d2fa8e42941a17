"""Answers in files: any table, understood by its header, read exactly.

`reading` steers: `paths` and `sources` say what is read, `separators` and `tables` open
it, `headers` says which column is which, `filters` what is left out, `spoken` what an
answer means, `decoding` makes numbers of labels, in `label_order`, after `spelling` has
looked at them. Errors: `engine_errors`, `line_numbers`. Also `items` (the objects),
`npz`, and `writing`.
"""
