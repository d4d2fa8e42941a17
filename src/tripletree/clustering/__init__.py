"""The one call: comparisons in; a tree and everything known about it out.

`workflow` has `cluster`, `result` what it returns, `method_choice` the comparison of
methods on held-out answers, `levels` the cuts that hold, and `advice` the one
recommendation.
"""
