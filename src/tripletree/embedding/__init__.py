"""From answers to points, and from points to all answers.

`tste` embeds; `objective` is its loss, `descent` goes downhill on it. `completion` has
similarities of the points: their distances, or AddS if they are asked every question.
"""
