"""Triplets from a language model, by the hundred thousand: a sparse tree of concepts.

Writes triplets.parquet and llm_triplets_at_scale.png. Scaled down to seconds: the same
lines serve for hundreds of times as many answers.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import tripletree as tt

FIELDS = {
    "living": "birds fish plants",
    "made": "clothes tools vehicles",
    "places": "cities rooms waters",
    "people": "crafts families sports",
}
TOPICS = [topic for topics in FIELDS.values() for topic in topics.split()]
N_CONCEPTS, N_ANSWERS = 1_200, 400_000


def ask_model() -> tt.Triplets:
    """What a model might say: same topic, else same field; wrong one time in ten."""
    rng = np.random.default_rng(0)
    rows = rng.integers(N_CONCEPTS, size=(6 * N_ANSWERS, 3))
    a, b, c = rows.T
    topic = rows % len(TOPICS)  # concept 0, 12, 24, ... are about topic 0, and so on
    near, far = (
        (topic[:, 0] == topic[:, at]).astype(int)
        + (topic[:, 0] // 3 == topic[:, at] // 3)
        for at in (1, 2)
    )
    # A question that the model could not answer is not asked.
    is_asked = (near != far) & (a != b) & (a != c) & (b != c)
    is_turned = (near < far) ^ (rng.random(len(rows)) < 0.1)
    rows[is_turned] = rows[is_turned][:, [0, 2, 1]]
    names = [f"{TOPICS[at % len(TOPICS)]} {at // 12}" for at in range(N_CONCEPTS)]
    return tt.Triplets(rows[is_asked][:N_ANSWERS], N_CONCEPTS, labels=names)


# A model writes its answers to Parquet: small, and quick to read.
tt.write_comparisons(ask_model(), "triplets.parquet")

# All that a tree needs are the sums of pairs: near minus far. In the sparse form, pairs
# that were never compared take no room.
answers = tt.read_comparisons("triplets.parquet")
similarity: Any = tt.adds_similarity(answers, sparse=True)
compared = similarity.nnz / N_CONCEPTS / (N_CONCEPTS - 1)
print(f"{len(answers):,} answers; {compared:.0%} of the pairs were compared")

# Average linkage, then moves of subtrees as long as they earn revenue.
start = tt.sparse_average_linkage(similarity, labels=answers.labels)
tree = tt.climb(start, similarity).tree
topics = [label.split()[0] for label in answers.labels or ()]
topic = np.array([TOPICS.index(name) for name in topics])
for name, one in (("average linkage", start), ("after climbing", tree)):
    levels = [
        tt.adjusted_rand_index(one.cut(len(set(truth))), truth)
        for truth in (topic // 3, topic)
    ]
    print(
        f"{name:15}  revenue {tt.revenue(one, similarity):>12,}; agreement (ARI) with "
        f"the 4 fields {levels[0]:.2f}, with the {len(TOPICS)} topics {levels[1]:.2f}"
    )

tt.plot_dendrogram(
    tree.with_heights(None), groups=topics, clusters=tree.cut(4), layout="circular"
)
plt.savefig("llm_triplets_at_scale.png", dpi=200, bbox_inches="tight")
