"""An odd-one-out study, from the raw file of answers to a figure.

Writes answers.csv, the folder results and odd_one_out_study.png.
"""

import csv
from pathlib import Path

import matplotlib.pyplot as plt
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
print(*Path("answers.csv").read_text(encoding="utf-8").splitlines()[:3], sep="\n")

# 1. Read it. The header says what the columns are; clicks below 0.5 s do not count.
answers = tt.read_comparisons("answers.csv", min_response_time=0.5)
print(f"\n{tt.summarise(answers)}")

# 2. Who answers unlike all others? Leave out who agrees with them far less than usual.
people = tt.annotator_agreement(answers)
is_careless = people.z < -4
careless = [people.names[at] for at in np.flatnonzero(is_careless)]
print(f"\nleft out: {careless}")
answers = tt.read_comparisons(
    "answers.csv", min_response_time=0.5, drop={"worker": careless}
)

# 3. The tree, how good it is, and which clusters other people would give as well.
result = tt.cluster(answers)
print(f"\n{result}\n")
for at, node in enumerate(result.clusters.nodes):
    members = [result.labels[leaf] for leaf in result.tree.leaves(node)]
    print(f"cluster {at}: {' '.join(members)}")

# 4. Files for other programs, and one page to look at, with all of the above.
written = result.write("results", title="Odd ones out among animals", overwrite=True)
print(f"\nin the folder results: {', '.join(written)}")

# 5. A figure.
figure, (left, right) = plt.subplots(
    ncols=2, figsize=(7.5, 3.8), width_ratios=(2, 3), layout="constrained"
)
colours = np.where(is_careless, "#d55e00", "#0072b2")
agree = people.n_agreeing / (people.n_agreeing + people.n_against)
left.scatter(agree, np.arange(len(agree)), c=colours, s=16)
for who in np.flatnonzero(is_careless):
    left.annotate(people.names[who], (agree[who] + 0.02, who), va="center", fontsize=8)
left.set(xlabel="answers that agree with the others", ylabel="people", yticks=[])
left.xaxis.set_major_formatter("{x:.0%}")
left.spines[["top", "right"]].set_visible(False)
result.plot(ax=right)
figure.savefig("odd_one_out_study.png", dpi=200)
