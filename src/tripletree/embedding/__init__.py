"""From answers to points, and from points to the answers nobody gave.

`tste` embeds; `objective` is its loss, `descent` goes downhill on it. `completion` asks
the points every question; `points` makes similarities of them.
"""
