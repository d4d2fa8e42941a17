"""An odd-one-out study, from the file of answers to a tree with its support.

Writes answers.csv and the folder results.
"""

import csv
from pathlib import Path

import numpy as np

import tripletree as tt
from tripletree.datasets.animals import animals


def make_up_answers(path: Path) -> None:
    """Thirty workers, 100 screens each; w07 and w23 click without looking."""
    truth, rng = animals().truth, np.random.default_rng(1)
    assert truth.labels is not None
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["image_1", "image_2", "image_3", "odd", "worker", "rt"])
        for number in range(3000):
            shown = rng.choice(truth.n_leaves, 3, replace=False)
            pairs = shown[[[1, 2], [0, 2], [0, 1]]]
            odd = int(np.argmin(tt.common_ancestors(truth, pairs)))
            worker = number % 30
            if worker in (7, 23) or rng.random() < 0.1:
                odd = int(rng.integers(3))
            names = [truth.labels[at] for at in shown]
            seconds = round(float(rng.gamma(4, 0.5)) + 0.2, 2)
            writer.writerow([*names, names[odd], f"w{worker:02}", seconds])


# In a study of yours this file is there already.
make_up_answers(Path("answers.csv"))
print(*Path("answers.csv").read_text().splitlines()[:3], sep="\n")

# 1. Read it. The header says what the columns are; clicks below 0.5 s do not count.
answers = tt.read_comparisons("answers.csv", min_response_time=0.5)
print(f"\n{tt.summarise(answers)}")

# 2. Who answers unlike all others? Leave out who agrees with them far less than usual.
agreement = tt.annotator_agreement(answers)
print("\n" + "\n".join(str(agreement).splitlines()[:6]))
scores = zip(agreement.names, agreement.z, strict=True)
careless = [name for name, z in scores if z < -4]
print(f"left out: {careless}")
answers = tt.read_comparisons(
    "answers.csv", min_response_time=0.5, drop={"worker": careless}
)

# 3. The tree, and how good it is.
result = tt.cluster(answers)
print(f"\n{result}")

# 4. Would other people have given the same clusters? Workers were drawn again.
tree, support = result.tree, result.support
assert support is not None
print(f"\nstability of the clusters, by drawing {support.drawn} again:")
for merge, share in enumerate(support.stability[:-1]):
    members = tree.leaves(tree.n_leaves + merge)
    if len(members) > 2:
        print(f"    {share:4.0%}  {' '.join(result.labels[leaf] for leaf in members)}")

# 5. The flat clusters, their number chosen from the data.
print(f"\n{result.clusters.n_clusters} clusters:")
for node in result.clusters.nodes:
    print("   ", *(result.labels[leaf] for leaf in tree.leaves(node)))

# 6. Files for other programs, and one page to look at, with all of the above.
written = result.write("results", title="Odd ones out among animals", overwrite=True)
print(f"\nin the folder results: {', '.join(written)}")
