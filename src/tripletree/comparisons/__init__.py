"""What was observed: which pair is near, and which is far.

Read in this order: `triplets`, with both kinds of comparisons, which share the checks
of `row_checks` and `annotator_ids` (who answered); `combining` (join, vote, drop
duplicates); `summary` (counts).
Where comparisons come from: `question_types` and `rankings`, checked by
`question_checks` (what people were asked); `cblearn_arrays`; `sampling` and `features`
(simulated). Comparisons from files are read by `tripletree.answers`.
"""
