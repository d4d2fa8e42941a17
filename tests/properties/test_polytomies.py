"""Trees with collapsed merges are the trees that are shown, in every respect."""

import warnings
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster.hierarchy import fcluster, is_valid_linkage

from tests import definitions
from tests.strategies import comparisons, seeds, similarities, trees
from tripletree import (
    InvalidOption,
    InvalidTree,
    Mismatch,
    Tree,
    adds_similarity,
    best_cut,
    consensus,
    induced_similarity,
    induced_triplets,
    revenue,
    revenue_per_level,
    robinson_foulds,
    satisfaction,
    triplet_distance,
)


@st.composite
def collapsed(draw, **options):
    """Trees of which some merges are collapsed: none, some, or all but the root."""
    tree = draw(trees(**options))
    rng = np.random.default_rng(draw(seeds))
    mask = rng.random(tree.n_leaves - 1) < draw(st.sampled_from([0.0, 0.3, 0.7, 1.0]))
    mask[-1:] = False
    return tree.collapse(mask)


some_trees = collapsed()
two_trees = st.integers(1, 9).flatmap(lambda n: st.tuples(*2 * [collapsed(n_leaves=n)]))


@given(st.data())
def test_revenue_and_satisfaction(data):
    tree = data.draw(collapsed(min_leaves=3, max_leaves=9))
    answers = data.draw(comparisons(n_objects=tree.n_leaves))
    sizes = [
        [len(definitions.shown_ancestor(tree, *pair)) for pair in (near, far)]
        for near, far in zip(answers.near.tolist(), answers.far.tolist(), strict=True)
    ]
    near, far = np.array(sizes, np.int64).reshape(-1, 2).T
    weights = (
        np.ones(len(near), np.int64) if answers.weights is None else answers.weights
    )
    assert revenue(tree, answers) == ((far - near) * weights).sum()
    for s in (adds_similarity(answers, sparse=True), adds_similarity(answers)):
        assert revenue(tree, s) == revenue(tree, answers)
    found = satisfaction(tree, answers)
    counts = [weights[x].sum() for x in (near < far, near == far, near > far)]
    assert [found.satisfied, found.tied, found.violated] == counts


@given(two_trees)
def test_distances(two):
    one, other = two
    clades, triples = definitions.shown_distances(one, other)
    found, most = robinson_foulds(one, other), 2 * max(one.n_leaves - 2, 0)
    assert found.distance == clades <= found.most <= most
    assert (
        one.collapsed is not None or other.collapsed is not None or found.most == most
    )
    assert robinson_foulds(other, one) == found
    assert 0 <= found.normalised <= 1
    found = triplet_distance(one, other)
    assert (found.distance, found.most) == (triples, comb(one.n_leaves, 3))
    assert triplet_distance(other, one) == found
    assert 0 <= found.normalised <= 1
    assert one.is_same_hierarchy(other) == (clades == 0)
    assert (
        robinson_foulds(one, one).distance == triplet_distance(one, one).distance == 0
    )


def cut_quietly(tree, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return tree.cut(k)


def as_sets(labels):
    return {
        frozenset(np.flatnonzero(labels == c).tolist()) for c in set(labels.tolist())
    }


@given(some_trees)
def test_cuts(tree):
    """Of the cuts that there are, the finest into at most k; as SciPy has it."""
    n = tree.n_leaves
    cuts = definitions.shown_cuts(tree)
    matrix = tree.to_linkage()
    assert n == 1 or is_valid_linkage(matrix)
    for k in range(1, n + 1):
        found = cut_quietly(tree, k)
        assert as_sets(found) == max((c for c in cuts if len(c) <= k), key=len)
        assert tree.coarser_cut(k) == found.max() + 1
        assert [*dict.fromkeys(found.tolist())] == [*range(found.max() + 1)]
        if n > 1:
            assert as_sets(fcluster(matrix, k, "maxclust")) == as_sets(found)
    ranked = Tree(tree.children, np.arange(1, n), collapsed=tree.collapsed)
    for height in range(n + 1):
        expected = fcluster(matrix, height, "distance") if n > 1 else np.zeros(1)
        assert as_sets(ranked.cut_at(height)) == as_sets(expected)


@given(st.data())
def test_flat_cuts(data):
    s = data.draw(similarities(max_objects=8))
    tree = data.draw(collapsed(n_leaves=len(s)))
    shown = definitions.shown_clusters(tree)
    found = best_cut(tree, s)
    best = [frozenset(tree.leaves(int(v)).tolist()) for v in found.nodes]
    assert {*best} <= {*shown}

    def within(cut):
        return sum(s[i, j] for c in cut for i in c for j in c if i < j)

    def best_of(cluster):
        inside = [c for c in shown if c < cluster]
        parts = [c for c in inside if not any(c < d for d in inside)]
        whole = within([cluster])
        return max(whole, sum(map(best_of, parts))) if parts else whole

    assert found.within == within(best) == best_of(shown[-1])
    levels = revenue_per_level(tree, s).tolist()
    cuts = definitions.shown_cuts(tree)
    for k, level in enumerate(levels, 1):
        cut = max((c for c in cuts if len(c) <= k), key=len)
        above = [c for c in shown if not any(c < d for d in cut)]
        sizes = {
            (i, j): min(len(c) for c in above if {i, j} <= c)
            for i in range(len(s))
            for j in range(i)
        }
        assert level == -sum(s[i, j] * size for (i, j), size in sizes.items())


@given(st.integers(2, 8).flatmap(lambda n: st.lists(collapsed(n_leaves=n), min_size=1)))
def test_consensus(several):
    n = several[0].n_leaves
    for kind, weights in (
        ("majority", None),
        ("greedy", None),
        ("greedy", np.arange(len(several)) % 3 + 1),
    ):
        found = consensus(several, kind, weights=weights)
        given_weights = [1] * len(several) if weights is None else weights.tolist()
        expected = definitions.consensus(several, kind, given_weights)
        shown = found.shown[n:] == np.arange(n, 2 * n - 1)
        clusters = definitions.shown_clusters(found)[n:]
        assert set(clusters) == set(expected)
        shares = [float(expected[cluster]) for cluster in clusters]
        assert np.allclose(found.support[shown], shares, rtol=1e-12)


def test_equal_weights_are_a_tie():
    """In whole numbers as in halves of the largest float."""
    names = ["((0,1),2);", "((0,2),1);", "((0,1),2);", "((0,2),1);"]
    several = [Tree.from_newick(name) for name in names]
    for weights in ([1, 2, 2, 1], [1e308] * 4):
        found = consensus(several, "greedy", weights=weights)
        assert found.is_same_hierarchy(several[0])
        assert found.support.tolist() == [0.5, 1.0]


def test_consensus_of_labels():
    one, two = map(Tree.from_newick, ("((a,b),c);", "(c,(b,a));"))
    assert consensus([one, two]).to_newick() == "((a,b)1.0,c)1.0;"


def test_collapse_by_a_number():
    shown = FIVE.collapse([0.3, np.nan, 0.7, 0.1], below=0.5)
    assert shown.collapsed.tolist() == [True, False, False, False]
    assert repr(shown) == "Tree(5 leaves; 3 of 4 merges shown)"
    assert shown.collapse(np.zeros(4, bool)).collapsed is None
    with pytest.warns(UserWarning, match="the next coarser one, with 2"):
        shown.cut(3)


FIVE = Tree([[0, 1], [3, 4], [5, 2], [7, 6]])
STAR = Tree([[0, 1], [3, 2]], collapsed=[True, False])
ABC, ABD = map(Tree.from_newick, ("((a,b),c);", "((a,b),d);"))


@pytest.mark.parametrize(
    ("error", "words", "function", "given", "options"),
    [
        # Latent hierarchies are binary.
        (InvalidTree, "resolves all triples", induced_triplets, [STAR], {}),
        (InvalidTree, "resolves all triples", induced_similarity, [STAR], {}),
        (
            InvalidTree,
            "root cannot be collapsed",
            Tree,
            [STAR.children],
            {"collapsed": [False, True]},
        ),
        *(
            (error, words, FIVE.collapse, [values], {"below": below})
            for error, words, values, below in (
                (InvalidOption, "below is for numbers", [True] * 4, 0.5),
                (InvalidOption, "give a number", [0.5] * 4, "x"),
                (InvalidTree, "each of the 4 merges", [0.5] * 3, 0.5),
            )
        ),
        (Mismatch, "'d', is not in the first", consensus, [[ABC, ABD]], {}),
        *(
            (InvalidOption, words, consensus, [several], options)
            for words, several, options in (
                ("at least one", [], {}),
                ("majority", [ABC], {"kind": "strict"}),
                ("all of them are 0", [ABC], {"weights": [0]}),
                ("0 or more", [ABC], {"weights": [-1]}),
            )
        ),
    ],
)
def test_what_is_refused(error, words, function, given, options):
    with pytest.raises(error, match=words):
        function(*given, **options)
