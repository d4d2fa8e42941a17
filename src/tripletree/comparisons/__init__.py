"""What was observed: which pair is near, and which is far.

Read in this order: `triplets`, with both kinds of comparisons, which share the checks
of `rows` and `annotator_codes` (who answered); `answers` (join, vote, drop); `summary`
(what there is).
Where comparisons come from: `queries` and `rankings`, checked by `query_checks` (what
people were asked), `cblearn_forms`, `sampling` and `features` (simulated); those of
files come from `tripletree.answers`. `label_order`: as people would list labels.
"""
