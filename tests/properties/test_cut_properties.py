"""Cuts of a tree into clusters, and what they earn."""

import numpy as np
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from tests import definitions
from tests.strategies import comparisons, seeds, similarities, trees
from tripletree import (
    adds_similarity,
    adjusted_rand_index,
    best_cut,
    revenue,
    revenue_per_level,
)
from tripletree.objective.flat import STABLE, cut_of_sums, stable_cuts
from tripletree.objective.value import merge_sums

trees_and_similarities = st.integers(1, 8).flatmap(
    lambda n: st.tuples(trees(n_leaves=n), similarities(n_objects=n))
)


def check_labels(tree, cut):
    """The label of each leaf is the number of its node in the cut."""
    below = definitions.clusters(tree)
    for number, node in enumerate(cut.nodes):
        assert np.flatnonzero(cut.labels == number).tolist() == sorted(below[node])


@given(trees_and_similarities)
def test_no_cut_is_better_and_none_as_good_has_fewer_clusters(given):
    tree, s = given
    found = best_cut(tree, s)
    worth = {
        tuple(cut): definitions.similarity_within(tree, s.tolist(), cut)
        for cut in definitions.all_cuts(tree)
    }
    best = max(worth.values())
    fewest = min(len(cut) for cut in worth if worth[cut] == best)
    assert found.within == best
    assert found.n_clusters == fewest == found.labels.max() + 1
    chosen = [cut for cut in worth if worth[cut] == best and len(cut) == fewest]
    assert len(chosen) == 1  # as the module says
    drawn = sorted(chosen[0], key=lambda node: tree.interval_start[node])
    assert found.nodes.tolist() == drawn
    check_labels(tree, found)


@given(trees_and_similarities, st.data())
def test_a_given_number_of_clusters_is_the_cut_of_the_tree(given, data):
    tree, s = given
    k = data.draw(st.integers(1, tree.n_leaves))
    found = cut_of_sums(tree, merge_sums(tree, s), k)
    assert found.n_clusters == k
    assert adjusted_rand_index(found.labels, tree.cut(k)) == 1
    assert found.labels[tree.leaf_order].tolist() == sorted(found.labels)
    check_labels(tree, found)
    expected = definitions.similarity_within(tree, s.tolist(), found.nodes.tolist())
    assert np.isclose(found.within, expected)


@given(comparisons(), st.data())
def test_answers_dense_and_sparse_sums_give_the_same_cut(answers, data):
    tree = data.draw(trees(n_leaves=answers.n_objects))
    dense = adds_similarity(answers, sparse=False)
    cuts = [best_cut(tree, x) for x in (answers, dense, csr_array(dense))]
    for cut in cuts:
        assert cut.labels.tolist() == cuts[0].labels.tolist()
        assert cut.within == cuts[0].within
        assert cut.within >= 0  # each object by itself earns 0


@given(comparisons(), st.data())
def test_from_nothing_to_the_revenue_of_the_tree(answers, data):
    tree = data.draw(trees(n_leaves=answers.n_objects))
    levels = revenue_per_level(tree, answers)
    assert (levels[0], levels[-1]) == (0, revenue(tree, answers))  # AddS sums to 0


@st.composite
def trees_with_stabilities(draw):
    """Many small stable clusters, or else there would seldom be a cut."""
    tree = draw(trees(min_leaves=2, max_leaves=40))
    some = st.sampled_from([0.0, 0.5, 0.79, 0.8, 0.9, 1.0, 1.0, 1.0])
    n_merges = tree.n_leaves - 1
    found = draw(st.lists(some, min_size=n_merges, max_size=n_merges))
    return tree, np.array([*found[:-1], 1.0])


@given(trees_with_stabilities(), st.data())
def test_stable_cuts_are_those_of_the_definition(given, data):
    tree, stability = given
    n = tree.n_leaves
    s = data.draw(similarities(n_objects=n))
    share = data.draw(st.sampled_from([1.0, 0.9, 0.5]))
    is_asked = np.random.default_rng(data.draw(seeds)).random(n) < share
    is_asked[0] = True
    found = stable_cuts(tree, stability, merge_sums(tree, s), is_asked=is_asked)
    levels = definitions.stable_cuts(tree, stability, s.tolist(), is_asked=is_asked)
    asked = {*np.flatnonzero(is_asked).tolist()}
    below = [cluster & asked for cluster in definitions.clusters(tree)]
    assert [{below[node] for node in cut.nodes} for cut in found] == levels
    coarser = np.zeros(n, int)
    for cut in found:
        assert cut.rule == STABLE
        assert cut.n_clusters > max(coarser) + 1  # finer from level to level
        assert min(np.bincount(cut.labels[cut.labels >= 0])) >= 3
        assert (cut.labels[~is_asked] == -1).all()
        assert cut.n_unassigned - (n - len(asked)) <= len(asked) / 10
        for number, node in enumerate(cut.nodes):
            inside = np.flatnonzero(cut.labels == number)
            assert inside.tolist() == sorted(below[node])
            assert len({*coarser[inside].tolist()}) == 1  # one cluster, or strays
        drawn = cut.labels[tree.leaf_order]
        assert sorted(drawn[drawn >= 0]) == drawn[drawn >= 0].tolist()
        within = definitions.similarity_within(tree, s.tolist(), cut.nodes.tolist())
        assert np.isclose(cut.within, within)
        coarser = cut.labels
