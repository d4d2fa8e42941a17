"""Rooted triples to a tree, as for a phylogeny, and how far it is from the truth.

Writes rooted_triples_to_tree.png.
"""

import matplotlib.pyplot as plt
import numpy as np

import tripletree as tt

N, N_LOCI = 40, 6_000

# A tree of 40 species that we pretend not to know.
rng = np.random.default_rng(4)
species = [f"sp{number:02}" for number in range(N)]
truth = tt.random_tree(N, rng=rng).with_labels(species)

# Each locus resolves three species, ab|c: a and b join before c does. One in ten
# is misled (incomplete lineage sorting, say) and joins two others.
triples = []
for a, b, c in (rng.choice(N, 3, replace=False) for _ in range(N_LOCI)):
    pairs = np.array([[a, b], [a, c], [b, c]])
    first = int(np.argmin(tt.common_ancestors(truth, pairs)))
    if rng.random() < 0.1:
        first = int(rng.integers(3))
    triples.append([[a, b, c], [a, c, b], [b, c, a]][first])

# ab|c says two things: a is closer to b than to c, and b is closer to a than to c.
answers = tt.rooted_triples(triples, N, labels=species)
print(f"{len(triples)} rooted triples, {answers}\n")

found = {
    "average linkage": tt.average_linkage(tt.adds_similarity(answers), labels=species),
    "largest revenue": tt.maximise_revenue(answers).tree,
    "completed": tt.cluster(answers, "complete", n_folds=0).tree,
    "unrelated": tt.random_tree(N, rng=rng).with_labels(species),
}
print("                 revenue  Robinson-Foulds  triplet distance")
for name, tree in {"truth": truth, **found}.items():
    clades = tt.robinson_foulds(tree, truth)
    threes = tt.triplet_distance(tree, truth)
    earned = tt.revenue(tree, answers)
    print(
        f"{name:16} {earned:7}  {clades.distance:5} of {clades.most:3}     "
        f"{threes.normalised:10.1%}"
    )

# Which clades do the triples bear out? The two rows of a triple are drawn together.
tree = found["largest revenue"]
loci = np.repeat(np.arange(len(triples)), 2)
support = tt.bootstrap_support(
    tree, answers, method="climb", groups=loci, n_replicates=100
)
is_certain = support.support >= 0.9
print(f"\n{is_certain[:-1].sum()} of {len(is_certain) - 1} clades have 90 % support")

text = support.tree.with_heights(None).to_newick()
print(f"Newick with support: {text[:60]}...")
assert tt.robinson_foulds(tt.Tree.from_newick(text), tree).distance == 0

# Draw the clades with some support; the strip shows six clades of the true tree.
true_clades = [f"clade {'ABCDEF'[at]}" for at in truth.cut(6)]
shown = support.tree.with_heights(None).collapse(support.support, below=0.5)
axes = tt.plot_dendrogram(shown, groups=true_clades)
axes.set_xlabel("number of clades at each level; numbers: support in %")
plt.savefig("rooted_triples_to_tree.png", dpi=200)
