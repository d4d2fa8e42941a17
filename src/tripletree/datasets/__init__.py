"""Answers to start from: simulated from a known tree, or given by people.

Models: `planted`, `latent`, `published_draws` (the paper's own random numbers). Built
in: `animals`, and `everyday`, the example of the demo. Public ones: `catalogue`, `food`
and `feature_tables`; `data_sets` says what they return and reads tables, `files` says
where files are and gets them.
"""
