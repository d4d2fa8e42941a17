"""Is it right: against a truth, unseen answers, other draws, other people.

`agreement` (with a truth), `holdout` (on unseen answers, and would more answers help),
`support` (how certain is each cluster), `annotators` (who disagrees), `score` (of a
tree, for answers that stay on an engine).
"""
