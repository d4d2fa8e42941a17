"""Triplets from a model, by the hundred thousand: Parquet files, pair sums, a tree.

Writes part-0.parquet, part-1.parquet and so on into the present folder. Scaled down to
seconds: the same lines serve for thousands of times as many answers.
"""

from typing import Any

import numpy as np

import tripletree as tt

N_CONCEPTS, N_TOPICS, N_PARTS, PER_PART = 2_000, 20, 4, 100_000


def ask_model(part: int) -> tt.Triplets:
    """What a language model might say: right about topics, wrong one time in five."""
    rng = np.random.default_rng(part)
    rows = rng.integers(N_CONCEPTS, size=(7 * PER_PART, 3))
    topic = rows % N_TOPICS  # concept 0, 20, 40, ... are about topic 0, and so on
    # Ask where just one of the two is on the topic of the first.
    is_asked = (topic[:, 0] == topic[:, 1]) ^ (topic[:, 0] == topic[:, 2])
    is_asked |= rng.random(len(rows)) < 0.1
    is_asked &= (rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2])
    is_asked &= rows[:, 1] != rows[:, 2]
    rows, topic = rows[is_asked][:PER_PART], topic[is_asked][:PER_PART]
    is_turned = topic[:, 0] == topic[:, 2]
    is_turned ^= rng.random(len(rows)) < 0.2
    rows[is_turned] = rows[is_turned][:, [0, 2, 1]]
    labels = [f"concept {at}" for at in range(N_CONCEPTS)]
    return tt.Triplets(rows, N_CONCEPTS, labels=labels)


# A model writes its answers in parts. Parquet is small, and quick to read.
for part in range(N_PARTS):
    tt.write_comparisons(ask_model(part), f"part-{part}.parquet")

# All that a tree needs from the answers are the sums of pairs: near minus far. Sums
# of parts add up, so answers need not be in memory all at once.
items = [f"concept {at}" for at in range(N_CONCEPTS)]
similarity: Any = 0
n_answers = 0
for part in range(N_PARTS):
    answers = tt.read_comparisons(f"part-{part}.parquet", items=items)
    similarity = similarity + tt.adds_similarity(answers, sparse=True)
    n_answers += len(answers)
n_pairs = similarity.nnz // 2
print(f"{n_answers:,} answers about {N_CONCEPTS:,} concepts are {n_pairs:,} pair sums")

# Average linkage, then moves of subtrees for twenty seconds at most.
start = tt.sparse_average_linkage(similarity, labels=items)
better = tt.climb(start, similarity, time_limit=20).tree
topics = np.arange(N_CONCEPTS) % N_TOPICS
for name, tree in (("average linkage", start), ("after climbing", better)):
    cut = tt.best_cut(tree, similarity)
    found = tt.adjusted_rand_index(cut.labels, topics)
    print(
        f"{name:16} revenue {tt.revenue(tree, similarity):>13,}, {cut.n_clusters} "
        f"clusters, adjusted Rand index with the topics {found:.2f}"
    )
