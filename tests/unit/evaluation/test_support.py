import math
from unittest.mock import Mock

import numpy as np
import pytest

from tests import definitions
from tests.definitions import triplet_questions
from tests.strategies import induced, random_rows
from tripletree import (
    InvalidComparisons,
    InvalidOption,
    Mismatch,
    Tree,
    Triplets,
    adds_similarity,
    average_linkage,
    balanced_tree,
    bootstrap_support,
    caterpillar_tree,
    climb,
    odd_one_out,
    random_tree,
)
from tripletree._progress import ignore
from tripletree.datasets.animals import animals
from tripletree.evaluation.support import renumbered, support_by_replicates

STAR = caterpillar_tree(20).collapse(np.arange(19) < 18)


def linked(train):
    return average_linkage(adds_similarity(train), labels=train.labels)


@pytest.fixture(scope="module")
def tree_and_answers():
    answers = animals(300).answers
    return linked(answers), answers


def test_support_is_the_share_of_trees_with_the_cluster():
    answers = animals(200).answers
    tree, method = linked(answers), Mock(wraps=linked)
    found = bootstrap_support(tree, answers, method=method, n_replicates=31)
    replicates = [linked(*call.args) for call in method.call_args_list]
    has = [*map(definitions.hierarchy, replicates)]
    clusters = definitions.clusters(tree)[tree.n_leaves :]
    expected = [sum(c in h for h in has) / 31 for c in clusters]
    assert found.support.tolist() == expected
    assert 0.1 < np.mean(expected) < 0.9  # else the test says little
    assert (found.n_replicates, found.drawn) == (31, "questions")
    is_asked = [True] * tree.n_leaves
    assert found.stability == pytest.approx(
        definitions.stability(tree, replicates, is_asked)
    )
    again = Tree.from_newick(found.tree.to_newick(), labels=tree.labels)
    read = zip(definitions.clusters(again)[tree.n_leaves :], again.support, strict=True)
    assert dict(read) == dict(zip(clusters, found.stability, strict=True))
    agreed = found.consensus()
    shared = {c for c, share in zip(clusters, expected, strict=True) if share > 0.5}
    assert shared <= {*definitions.shown_clusters(agreed)}
    assert found.replicates.shape == (31, tree.n_leaves - 1, 2)


@pytest.mark.parametrize("method", ["climb", "adds-al"])
def test_threads_change_nothing(method, tree_and_answers, monkeypatch):
    results = []
    for n_threads, seed in (("1", 7), ("2", 7), ("3", 7), ("3", 8)):
        monkeypatch.setenv("NUMBA_NUM_THREADS", n_threads)
        found = bootstrap_support(
            *tree_and_answers, method=method, n_replicates=25, seed=seed
        )
        results.append(found.support.tolist())
    assert results[0] == results[1] == results[2] != results[3]


@pytest.mark.parametrize(
    ("method", "make"),
    [
        ("adds-al", linked),
        ("climb", lambda train: climb(linked(train), train).tree),
    ],
)
def test_named_methods_are_what_they_say(method, make, tree_and_answers):
    named = bootstrap_support(*tree_and_answers, method=method, n_replicates=20)
    same = renumbered(lambda train, _: make(train))  # ties are broken at random
    given = support_by_replicates(*tree_and_answers, same, 20, 0, math.inf, ignore)
    assert named.support.tolist() == given.support.tolist()
    assert named.stability.tolist() == given.stability.tolist()


def test_all_answers_of_a_hierarchy_bear_it_out():
    tree = balanced_tree(8)
    right, wrong = (
        bootstrap_support(one, induced(tree), method="climb", n_replicates=50).support
        for one in (tree, caterpillar_tree(8))
    )
    assert right.min() > 0.7
    assert right[4:].min() > 0.95
    assert right[-1] == 1
    assert wrong[[0, 2]].min() > 0.7  # {0, 1} and {0, 1, 2, 3} are right
    assert wrong[[1, 3, 4, 5]].max() < 0.3


def drawn_once(answers, **options):
    """The weights of one replicate, and what was resampled."""
    tree = caterpillar_tree(answers.n_objects)
    method = Mock(return_value=tree)
    found = bootstrap_support(tree, answers, method=method, n_replicates=1, **options)
    return method.call_args.args[0].weights, found.drawn


@pytest.mark.parametrize("of_answers", [False, True])
@pytest.mark.parametrize("weights", [None, [1, 5], [1.0, 5.0]])
def test_answers_are_drawn_with_poisson_weights(weights, of_answers):
    """Rows, or the two rows of an odd-one-out answer together."""
    shown = np.tile([[0, 1, 2], [1, 2, 0]], (2_000, 1))
    given = None if weights is None else np.tile(weights, 2_000)
    if of_answers:
        answers = odd_one_out(shown, shown[:, 2], 3, weights=given)
    else:
        answers = Triplets(shown, 3, given)
    drawn, what = drawn_once(answers)
    assert what == "answers"
    drawn = drawn.reshape(2_000, 2, -1)
    assert (drawn == drawn[:, :, :1]).all()
    drawn, means = drawn[:, :, 0], weights or (1, 1)
    assert drawn.mean(axis=0) == pytest.approx(means, rel=0.1)
    # Five equal answers vary as 5, one answer of five times the weight as 25.
    spread = (1, 25) if isinstance(means[1], float) else means
    assert drawn.var(axis=0) == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize(
    ("n_kinds", "kind", "expected"),
    [
        (20, "annotators", "annotators"),
        (9, "annotators", "questions"),
        (9, "groups", 0),
    ],
)
def test_annotators_and_groups_are_drawn_whole(n_kinds, kind, expected):
    """Annotators only if there are ten or more."""
    rows, codes = animals(360).answers.rows, np.arange(360) % n_kinds
    is_group = kind == "groups"
    answers = Triplets(rows, 20, annotators=None if is_group else codes)
    groups = [f"screen {x}" for x in codes] if is_group else None
    weights, drawn = drawn_once(answers, groups=groups)
    assert drawn == (expected or "groups")
    weights = weights.reshape(-1, n_kinds)
    assert (weights == weights[0]).all() == (drawn != "questions")
    assert len(set(weights[0])) > 1


@pytest.mark.parametrize(
    ("times", "n_people", "weight", "expected"),
    [
        (1, 0, None, "answers"),
        (4, 0, None, "questions"),
        (4, 9, None, "questions"),
        (1, 0, 4, "questions"),
        (1, 0, 4.0, "answers"),
        (2, 10, None, "annotators"),  # 20 rows of 10 people, of 1.8 answers a question
        (4, 10, None, "annotators and questions"),
    ],
)
def test_answers_to_the_same_question_are_drawn_together(
    times, n_people, weight, expected
):
    rows = np.tile(np.arange(30).reshape(-1, 3), (times, 1))
    if expected == "annotators":
        rows[0] = [0, 3, 6]
    weights = None if weight is None else np.full(len(rows), weight)
    people = np.arange(len(rows)) // times % n_people if n_people else None
    found, what = drawn_once(Triplets(rows, 30, weights, annotators=people))
    assert what == expected
    rng, draws = np.random.default_rng((0, 0)), np.ones(len(rows), int)
    if "annotators" in expected:
        draws *= rng.poisson(1.0, 10)[people]
    if "questions" in expected:
        draws *= rng.poisson(1.0, 10)[np.arange(len(rows)) % 10]
    if expected == "answers":
        draws = rng.poisson(1.0, 10)
    assert found.tolist() == (draws * (weight or 1)).tolist()


@pytest.mark.parametrize("groups", [False, True])
def test_rows_of_weight_0_are_as_if_not_given(groups):
    """Neither people nor questions that count for nothing decide what is drawn."""
    asked, others = animals(150).answers.rows, np.array(triplet_questions(20))
    rows, weights = np.concatenate([others, asked]), np.ones(len(asked), int)
    weights = np.concatenate([np.zeros(len(others), int), weights])
    people = np.where(weights, 0, np.arange(len(rows)) % 30)
    many = Triplets(rows, 20, weights, annotators=people)
    few = Triplets(asked, 20, weights[len(others) :], annotators=people[len(others) :])
    found = [
        drawn_once(x, groups=np.arange(len(rows))[-len(x) :] // 2 if groups else None)
        for x in (few, many)
    ]
    assert found[0][1] == found[1][1] == ("groups" if groups else "questions")
    assert groups or (found[0][0] == found[1][0]).all()


@pytest.mark.parametrize("n_asked", [0, 1, 2, 5, 9, 10])
def test_objects_without_answers_are_not_counted(n_asked):
    rng = np.random.default_rng(n_asked)
    places = rng.permutation(10)[:n_asked]
    rows = places[random_rows(rng, 40, n_asked)] if n_asked > 2 else np.empty((0, 3))
    answers = Triplets(rows.astype(int), 10)
    tree, trees = random_tree(10, rng=rng), [random_tree(10, rng=rng) for _ in range(8)]
    given = iter(trees)
    found = bootstrap_support(
        tree, answers, method=lambda _: next(given), n_replicates=8
    )
    is_asked = np.isin(np.arange(10), answers.rows)
    assert found.stability == pytest.approx(
        definitions.stability(tree, trees, is_asked)
    )
    assert (found.stability[found.support == 1] == 1).all()


def test_rows_of_an_answer_may_differ_in_weight():
    trials, weights = np.arange(600) // 2, np.tile([1, 2], 300)
    rows = np.tile([[0, 1, 2], [1, 0, 2]], (300, 1))
    drawn, _ = drawn_once(Triplets(rows, 3, weights, trials=trials))
    one, two = drawn.reshape(-1, 2).T
    assert (two == 2 * one).all()
    assert len({*one.tolist()}) > 2


def test_a_weight_that_differs_changes_no_other_answer():
    rows = np.tile([[0, 1, 2], [1, 0, 2]], (2_000, 1))
    weights = np.full(4_000, 1_000)
    weights[0] = 999
    drawn, _ = drawn_once(Triplets(rows, 3, weights, trials=np.arange(4_000) // 2))
    drawn = drawn.reshape(-1, 2)
    assert drawn[1:, 0].std() == pytest.approx(1_000**0.5, rel=0.1)
    assert drawn[0, 0] * 1_000 == drawn[0, 1] * 999


def test_progress_and_time_limit(tree_and_answers, monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "2")
    seen, options = [], {"method": "climb", "n_replicates": 5}
    bootstrap_support(*tree_and_answers, progress=seen.append, **options)
    assert [(p.done, p.total) for p in seen] == [(2, 5), (4, 5), (5, 5)]
    found = bootstrap_support(*tree_and_answers, time_limit=0, **options)
    assert found.n_replicates == 2


@pytest.mark.parametrize("n", [1, 2])
def test_small(n):
    answers = Triplets(np.empty((0, 3), int), n)
    found = bootstrap_support(balanced_tree(n), answers, method="climb", n_replicates=3)
    assert found.support.tolist() == [1.0] * (n - 1)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"method": None}, InvalidOption, "give the method that made the tree, one of"),
        ({"method": "AL"}, InvalidOption, "give the method that made the tree, one of"),
        ({"method": "cosine-al"}, InvalidOption, "cosine-al does not use the answers"),
        *(
            ({"method": method}, InvalidOption, "it must return a binary Tree")
            for method in (lambda _: None, lambda _: STAR)
        ),
        ({"n_replicates": 0}, InvalidOption, "n_replicates"),
        ({"progress": 3}, InvalidOption, "progress"),
        ({"groups": [1, 2]}, InvalidComparisons, "^groups of comparisons have shape"),
        (
            {"groups": [None] * 50},
            InvalidComparisons,
            r"^groups\[0\] = None of comparisons",
        ),
    ],
)
def test_wrong_input(options, error, words):
    answers, options = animals(50).answers, {"method": "climb", **options}
    with pytest.raises(error, match=words):
        bootstrap_support(linked(answers), answers, **options)
    with pytest.raises(Mismatch, match="about the same"):
        bootstrap_support(balanced_tree(3), answers, method="climb")


@pytest.mark.parametrize("groups", [None, [0]])
def test_drawn_weights_do_not_wrap(groups):
    """Four times 2^62 would be 0: the answer would be gone without a word."""
    exact, rounded = (Triplets([[0, 1, 2]], 3, weights=[w]) for w in (2**58, 2.0**58))
    options = {"groups": groups, "method": "climb", "n_replicates": 9}
    with pytest.raises(InvalidComparisons, match=r"add up to more than 2\^50"):
        bootstrap_support(balanced_tree(3), exact, **options)
    assert bootstrap_support(balanced_tree(3), rounded, **options).n_replicates == 9


@pytest.mark.parametrize("method", ["adds-al", "climb"])
def test_ties_are_not_certain(method):
    """Without answers, and where they cancel, the tie rule alone makes the tree."""
    both = [[0, 1, 2], [0, 2, 1], [3, 4, 5], [3, 5, 4]]
    for rows in (np.empty((0, 3), int), both * 5):
        answers = Triplets(rows, n_objects=12)
        tree = linked(answers)
        found = bootstrap_support(tree, answers, method=method, n_replicates=40)
        assert (found.stability[:-1] < 0.8).all()
        assert found.stability[:-1].mean() < 0.5
