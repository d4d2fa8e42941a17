"""What was observed: which pair is near, and which is far.

Read in this order: `triplets` and `quadruplets`, which are both `observed` and share
the checks of `rows`; `answers` (join, vote, drop); `annotator_codes` (who answered);
`coverage` and `summary` (what there is).
Where comparisons come from: `queries` and `rankings`, checked by `query_checks` (what
people were asked), `cblearn_forms`, `sampling` and `features` (simulated); those of
files come from `tripletree.answers`. `label_order`: as people would list labels.
"""
