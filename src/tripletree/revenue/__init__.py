"""How good a tree is.

`value` (the paper's objective) and `dasgupta` (its twin), `levels` (split by split),
`flat` (the clusters that answers ask for), `bounds` (what any tree can earn at most),
`subsets` (the largest revenue, for few objects).
"""
