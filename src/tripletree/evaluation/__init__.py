"""Is the tree right: compared with a truth, unseen answers, replicates, other people.

`agreement` (with a known truth), `holdout` (on unseen answers; would more answers
help), `support` (how certain each cluster is), `noise` (how well any predictor could
do), `tree_fit` (is it a tree: compared with points and with flat clusters),
`annotators` (who disagrees with the others), `score` (of a tree, for answers that do
not fit into memory).
"""
