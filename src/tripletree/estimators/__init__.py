"""Estimators for scikit-learn: pipelines, clones, grid searches over comparisons.

`clustering` and `points` are the two of them; `answers` is how both read X and y.

One thing is unlike other estimators. The rows of X are answers, not objects: m answers
about n objects, each row three or four object ids. So a split of X holds out answers,
as cross-validation should, while what is fitted is about objects: `labels_` has one
entry per object, and so have the points of `TSTE`. The objects must be the same in each
split: give `n_objects` where the last of them could be missing from some.

X and y may have any form that cblearn documents:

==============  =============================  ====================================
form            X                              y
==============  =============================  ====================================
list-order      (m, 3): i is closer to j       None
list-boolean    (m, 3): is it?                 True or False
list-count      (m, 3)                         +1, -1, a signed count, 0: undecided
tensor-count    sparse (n, n, n), signed       None
                counts; or (n, n * n)
==============  =============================  ====================================

Quadruplets are (m, 4), with the same y.
"""

from tripletree.estimators.clustering import RevenueClustering
from tripletree.estimators.points import TSTE

__all__ = ["TSTE", "RevenueClustering"]
