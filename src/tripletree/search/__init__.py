"""Make it better: trees that earn more.

`moves` has the mathematics of moving a subtree, `climb` makes moves until none gains,
`sparse_moves` and `sparse_climb` do so without any table of n x n, `exact` finds the
best of all trees for few objects. `result` is what comes back.
"""
