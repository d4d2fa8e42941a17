"""Answers to questions that were never asked, from those that were.

`by_embedding` completes them by the distances of points, `posterior` by a model of
clusters in clusters; `ranks` takes the likelier answers for certain.
"""
