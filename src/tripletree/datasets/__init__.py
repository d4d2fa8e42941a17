"""Answers to start from: made up with a known tree, or given by people.

Models: `planted`, `latent`, `published_draws` (the paper's own random numbers). Built
in: `animals`, `digits`. Public ones: `catalogue` and `feature_tables`, which return
`data_sets`; their files come by `downloads` from `sources`, through `archives`,
`raw_answers` and `parsing`.
"""
