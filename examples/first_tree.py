"""From answers to a tree and its revenue: what `make demo` runs."""

import tripletree as tt
from tripletree.datasets.animals import animals

example = animals()
answers = example.answers
print(f"{len(answers)} answers about {answers.n_objects} animals, about 10 % wrong:")
for i, j, k in answers.rows[:3]:
    a, b, c = (answers.labels[x] for x in (i, j, k))  # type: ignore[index]
    print(f"    a {a} is closer to a {b} than to a {c}")

similarity = tt.adds_similarity(answers)
tree = tt.average_linkage(similarity, labels=answers.labels)
print("\nThe tree of average linkage on their AddS similarity:\n")
print(tree.to_text())

earned = tt.revenue(tree, answers)
assert earned == tt.revenue(tree, similarity) == -tt.dasgupta_cost(tree, similarity)
by_chance = tt.revenue(tt.caterpillar_tree(tree.n_leaves), answers)
fits = tt.satisfaction(tree, answers)
print(f"\nrevenue             {earned} (a caterpillar: {by_chance})")
print(f"answers             {fits.satisfied} satisfied, {fits.tied} tied, ", end="")
print(f"{fits.violated} violated")
print(f"revenue of truth    {tt.revenue(example.truth, answers)}")
best = tt.maximise_revenue(answers)
print(f"after searching     {best.revenue}")
print(f"AARI with truth     {tt.aari(tree, example.truth, n_levels=3):.3f}")
print("\nAll in one call, the method chosen by what it earns on answers not seen:\n")
print(tt.cluster(answers))
print(f"\nas Newick: {tree.with_heights(None).to_newick()}")
