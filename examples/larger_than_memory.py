"""Answers larger than memory: pair sums of many files, added up and taken away.

Writes day-1.parquet to day-5.parquet, the pair sums of each, sums-1.parquet to
sums-5.parquet, sums.parquet, and larger_than_memory.png. Scaled down to seconds.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import tripletree as tt

DAYS, PER_DAY, N = range(1, 6), 150_000, 40
SHELVES = "bread cheese fish fruit herbs meat nuts vegetables".split()
shelf = np.arange(N) % len(SHELVES)
labels = [f"{SHELVES[at]} {number // len(SHELVES)}" for number, at in enumerate(shelf)]


def answers_of(day: int) -> tt.Triplets:
    """What came in on a day. On the third, a robot answered at random."""
    rng = np.random.default_rng(day)
    rows = rng.integers(N, size=(PER_DAY, 3))
    rows = rows[(np.diff(np.sort(rows)) > 0).all(axis=1)]  # three different things
    is_like = shelf[rows[:, :1]] == shelf[rows[:, 1:]]
    seen = is_like + rng.normal(0, 1, is_like.shape)
    is_turned = seen[:, 0] < seen[:, 1]
    if day == 3:
        is_turned = rng.random(len(rows)) < 0.5
    rows[is_turned] = rows[is_turned][:, [0, 2, 1]]
    return tt.Triplets(rows, N, labels=labels)


# In a study of yours these files are there already, and too large to be read at once.
for day in DAYS:
    tt.write_comparisons(answers_of(day), f"day-{day}.parquet")

# Sum each file by pair of objects, once, with little memory. The sums have at most a
# row for each pair, however many answers there are.
for day in DAYS:
    tt.write_pair_sums(f"day-{day}.parquet", f"sums-{day}.parquet", memory="200MB")
for name in ("day", "sums"):
    size = sum(path.stat().st_size for path in Path().glob(f"{name}-*.parquet"))
    print(f"{name}-*.parquet: {size / 1e6:5.2f} MB")

# Sums add up. A tree of all days: does it fit the answers of each?
sums = tt.read_pairs("sums-*.parquet", items=labels)
tree = tt.cluster(sums, "climb").tree
per_day = [tt.read_pairs(f"sums-{day}.parquet", items=labels) for day in DAYS]
earned = [int(tt.revenue(tree, one.similarity)) for one in per_day]
for day, revenue in zip(DAYS, earned, strict=True):
    print(f"revenue of the answers of day {day}: {revenue:>9,}")

# The third day is noise: take it away, without reading any answer again.
tt.merge_pair_files("sums-*.parquet", "sums.parquet", without="sums-3.parquet")
result = tt.cluster(tt.read_pairs("sums.parquet", items=labels), "climb")
found = tt.adjusted_rand_index(result.clusters.labels, shelf)
print(f"{result.clusters.n_clusters} clusters; agreement with the shelves: {found:.2f}")

figure, (left, right) = plt.subplots(ncols=2, figsize=(8, 5), layout="constrained")
colours = ["#d55e00" if day == 3 else "#0072b2" for day in DAYS]
left.bar(DAYS, np.array(earned) / 1e6, color=colours)
left.set(title="the tree of all days", xlabel="day", ylabel="revenue, in millions")
left.spines[["top", "right"]].set_visible(False)
left.set_xticks(DAYS)
tt.plot_dendrogram(result.tree, clusters=result.clusters.labels, ax=right)
right.set_title("the tree without day 3")
figure.savefig("larger_than_memory.png", dpi=200)
