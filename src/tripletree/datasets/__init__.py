"""Answers to start from: simulated from a known tree, or given by people.

Models: `planted` (with the paper's own random numbers) and `latent`. Built in:
`animals`, and `everyday`, the example of the demo. Public ones: `catalogue`, `food` and
`feature_tables`; `data_sets` says what they return and reads tables, `data_files` says
where files are and gets them.
"""
