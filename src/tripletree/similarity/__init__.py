"""From answers to similarities of objects.

`adds` is the sufficient statistic of the answers; `mulk` and `cosine` are the paper's
other similarities. `sums_by_pair` keeps near and far sums of pairs, to add and
subtract. `matrix` makes one checked similarity of whatever a user gives: comparisons,
sums of pairs or a matrix.
"""
