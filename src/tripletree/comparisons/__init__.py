"""What was observed: which pair is near, and which is far.

Read in this order: `triplets`, with both kinds of comparisons, which share the checks
of `row_checks`; `combining` (join, vote, drop duplicates); `summary` (counts).
Where comparisons come from: `question_types`, checked by `answer_checks` (what people
were asked, and cblearn's arrays); `sampling` (simulated). Comparisons from files are
read by `tripletree.answers`.
"""
