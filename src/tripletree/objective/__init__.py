"""How good a tree is.

`value` (the paper's objective) and `dasgupta` (its twin), `levels` (split by split),
`flat` (flat clusters), `bounds` (what any tree can earn at most),
`subsets` (the largest revenue, for few objects).
"""
