"""The dendrogram: one array of merges, and everything one asks of it.

Read in this order: `tree` (the class and its invariants, checked by `checks`; cuts into
flat clusters), `ancestors` (where pairs of leaves meet), `shapes` (balanced, random,
all of them), `distances` (how different two trees are). To and from other programs:
`linkage_matrix` (SciPy), `newick`, `nested_json`, both by way of `nested`, which also
draws trees as text; `files`.
"""
