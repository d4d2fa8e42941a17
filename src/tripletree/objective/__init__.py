"""How good a tree is.

`value` (the paper's objective, and Dasgupta's cost, its twin), `flat` (flat clusters,
and revenue level by level), `bounds` (what any tree can earn at most, and the largest
revenue for few objects), `groups` (that bound for hundreds of objects).
"""
