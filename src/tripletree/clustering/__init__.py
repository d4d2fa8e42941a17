"""The one call: comparisons in; a tree and everything known about it out.

`workflow` has `cluster`, `result` what it returns, `method_choice` the comparison of
methods on held-out answers, and `levels` the cuts that hold.
"""
