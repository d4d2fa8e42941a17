"""How many clusters, and how sure? The same objects with more and more answers.

Writes how_many_clusters.png.
"""

import matplotlib.pyplot as plt
import numpy as np

import tripletree as tt

# 48 stimuli in two kinds, four sorts and eight families, which we pretend not to know.
N = 48
levels = [np.arange(N) // size for size in (24, 12, 6)]
alike = sum((level[:, None] == level).astype(float) for level in levels)


def ask(n_answers: int) -> tt.Triplets:
    """What people say: alike things are alike, but one does not see that every time."""
    rng = np.random.default_rng(2)
    rows = np.array([rng.choice(N, 3, replace=False) for _ in range(n_answers)])
    i, j, k = rows.T
    seen = alike[i, j] - alike[i, k] + rng.normal(0, 1, n_answers)
    rows[seen < 0] = rows[seen < 0][:, [0, 2, 1]]
    return tt.Triplets(rows, N)


figure, sheets = plt.subplots(ncols=3, figsize=(8, 5), layout="constrained")
print("answers  clusters  in families  stable joins  unseen answers right")
for axes, n_answers in zip(sheets, (800, 4_000, 40_000), strict=True):
    result = tt.cluster(ask(n_answers), support=30)
    clusters, support = result.clusters, result.support
    assert support is not None
    found = max(tt.adjusted_rand_index(clusters.labels, level) for level in levels)
    right = result.held_out[result.method].accuracy
    is_stable = support.stability >= 0.8
    print(
        f"{n_answers:7,}  {clusters.n_clusters:8}  {found:11.2f}  "
        f"{is_stable.sum():6} of {len(is_stable)}  {right:20.0%}"
    )
    stable = result.tree.collapse(support.stability, below=0.8)
    tt.plot_dendrogram(stable, clusters=clusters.labels, ax=axes)
    title = f"{n_answers:,} answers: {clusters.n_clusters} clusters"
    axes.set(title=title, xlabel="", yticks=[], xticks=[])
    axes.spines[:].set_visible(False)
figure.savefig("how_many_clusters.png", dpi=200)
