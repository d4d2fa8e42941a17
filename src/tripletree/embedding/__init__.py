"""From answers to points: t-STE.

`tste` embeds; `objective` is its loss, `descent` goes downhill on it.
"""
