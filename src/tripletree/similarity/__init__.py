"""From answers to similarities of objects.

`adds` is the sufficient statistic of the answers; `mulk` and `cosine` are the paper's
others. `matrix` checks a similarity, and turns answers into one that a search works on;
`pair_table` keeps near and far apart, to add and take away.
"""
