"""The dendrogram: one array of merges, and what is computed from it.

Read in this order: `tree` (the class and its invariants, checked by `invariants`; cuts
into flat clusters), `ancestors` (where pairs of leaves meet), `shapes` (balanced,
random, all trees), `distances` (how different two trees are), `consensus` (what many
trees share). To and from other programs: `linkage_matrix` (SciPy), `newick`,
`nested_json`; `text_formats` is what both text formats share, and draws trees;
`tree_files` reads and writes files.
"""
