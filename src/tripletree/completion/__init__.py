"""Answers to questions that were never asked, from those that were.

`posterior` completes them by a model of clusters in clusters; by points, that is done
in `embedding.completion`.
"""
