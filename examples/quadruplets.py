"""Quadruplets: which of two pairs is more alike? Instruments, and their families.

Writes quadruplets.png.
"""

import numpy as np

import tripletree as tt

FAMILIES = {
    "strings": "violin viola cello double-bass harp guitar",
    "woodwind": "flute oboe clarinet bassoon saxophone",
    "brass": "trumpet horn trombone tuba",
    "percussion": "timpani snare-drum cymbals triangle xylophone",
}
names = [name for family in FAMILIES.values() for name in family.split()]
families = [family for family, members in FAMILIES.items() for _ in members.split()]

# What listeners hear, which we pretend not to know: places in a space of three
# dimensions, near the middle of the family; wind instruments are near each other.
rng = np.random.default_rng(5)
middles = {
    "strings": (0, 0, 0),
    "woodwind": (1.5, 2, 0),
    "brass": (3, 1, 0),
    "percussion": (0, 3, 3),
}
places = np.array([middles[family] for family in families])
places = places + rng.normal(0, 0.35, places.shape)

# Each question shows two pairs of instruments, drawn at random. The pair that is heard
# as more alike is the near one; what is heard varies from time to time.
shown = np.array([rng.choice(len(names), 4, replace=False) for _ in range(6_000)])
heard = np.linalg.norm(places[shown[:, ::2]] - places[shown[:, 1::2]], axis=2)
is_first_nearer = np.diff(heard + rng.normal(0, 0.4, heard.shape), axis=1)[:, 0] > 0
answers = tt.pairs_of_pairs(shown, is_first_nearer, len(names), labels=names)
print(f"{answers}, the first: which is more alike,")
print("    {} and {}, or {} and {}?".format(*(names[at] for at in shown[0])))

# Everything goes as with triplets.
result = tt.cluster(answers)
print(f"\n{result}\n")
for at, node in enumerate(result.clusters.nodes):
    members = [names[leaf] for leaf in result.tree.leaves(node)]
    print(f"cluster {at}: {' '.join(members)}")
found = tt.adjusted_rand_index(result.clusters.labels, families)
print(f"agreement with the families (adjusted Rand index): {found:.2f}")

figure = tt.plot_clustermap(result, groups=families)
figure.savefig("quadruplets.png", dpi=200)
