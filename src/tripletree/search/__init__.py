"""Make it better: trees that earn more.

`climb` has what to call: climbs, and the best of all trees for few objects. `moves` has
the mathematics of moving a subtree and the search itself, `sparse_moves` does so
without any table of n x n. `result` is what comes back.
"""
