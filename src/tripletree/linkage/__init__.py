"""From a similarity to a tree: average linkage, exact on integers.

`average` for dense similarities, `sparse_average` for those that store few pairs.
"""
