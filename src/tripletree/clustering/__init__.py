"""The one call: comparisons in, a tree out, with how good it is.

`call` is `cluster`, `result` what it returns; `choosing` compares methods on held-out
answers.
"""
