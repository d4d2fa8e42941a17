"""From answers to points: t-STE.

`tste` embeds; `loss` is what it makes small, `descent` goes downhill on it.
"""
