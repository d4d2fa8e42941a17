"""What there is among the answers."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tests import definitions
from tests.strategies import comparisons, random_rows
from tripletree import Quadruplets, Triplets, coverage, summarise
from tripletree.comparisons.summary import Spread, count_different
from tripletree.datasets.animals import animals
from tripletree.datasets.everyday import everyday


@given(comparisons(), st.sampled_from([0, 2**16 - 7, 2**16 - 1, 2**31 - 30]))
def test_counts_are_their_definitions(answers, shift):
    """With few objects, around the largest with one integer per question, and many."""
    n = answers.n_objects
    names = np.arange(n) + shift * (np.arange(n) >= n // 2)  # keeps some small ids
    large = type(answers)(names[answers.rows], n + shift)
    n_unique, n_questions = count_different(large.rows, large.n_objects)
    expected = definitions.kinds(answers.near.tolist(), answers.far.tolist())
    assert (n_unique, n_questions, n_unique - n_questions) == expected
    found = summarise(answers)
    assert (found.n_unique, found.n_questions, found.n_contradictory) == expected
    assert found.n_comparisons == len(answers)
    assert found.n_groups == coverage(answers).n_groups
    counts = [sum(x in row for row in answers) for x in range(n)]
    spread = Spread(min(counts), np.median(counts), max(counts))
    assert found.comparisons_per_object == spread
    if answers.weights is not None:
        assert found.total_weight == sum(answers.weights.tolist())


def test_questions_that_one_integer_would_confuse():
    """2 x (far x pairs + near) is the same for both, modulo 2^64."""
    n = 2**30
    high, low = 185364, 55623  # pair number 5 + 2^34; that of (3, 2) is 5
    assert high * (high - 1) // 2 + low == 5 + 2**34
    assert 2 * 2**34 * (n * (n - 1) // 2) % 2**64 == 0
    rows = np.array([[0, 1, 3, 2], [0, 1, high, low]], np.int32)
    assert count_different(rows, n) == (2, 2)


@given(comparisons(max_rows=6))
def test_groups_are_the_components_of_the_graph(answers):
    n, rows = answers.n_objects, answers.rows
    others = rows[:, 1:]
    edges = (
        np.ones(others.size),
        (rows[:, [0]].repeat(others.shape[1]), others.ravel()),
    )
    n_components, labels = connected_components(coo_array(edges, (n, n)), False)
    found = coverage(answers)
    assert np.array_equal(found.group, labels)  # SciPy numbers them by first object too
    assert found.counts.tolist() == [(rows == x).any(axis=1).sum() for x in range(n)]
    assert found.n_groups + len(found.never_compared) == n_components


@pytest.mark.parametrize(
    ("n_often", "n_seldom", "is_rare"),
    [
        (40, 2, True),  # the average object is in some 32 comparisons
        (40, 3, True),
        (40, 4, False),
        (4, 1, False),  # few comparisons of any object
        (1000, 39, True),
        (1000, 40, False),
    ],
)
def test_objects_in_far_fewer_comparisons_than_others(n_often, n_seldom, is_rare):
    often, seldom = [[0, 1, 2]] * n_often, [[0, 1, 3]] * n_seldom
    answers = Triplets(often + seldom, 5, labels=["ape", "bat", "cat", "catt", "dog"])
    found = coverage(answers)
    assert found.rarely_compared.tolist() == [3] * is_rare
    _, *rest = found.warnings(answers.labels)  # of the dog, which is in no answer
    assert len(rest) == is_rare
    assert list(summarise(answers).warnings) == rest
    average = f"{(3 * n_often + 3 * n_seldom) / 4:,.0f}"
    for text in rest:
        n = f"{n_seldom} comparisons"
        words = f"1 of 5 objects occurs in {n} (catt), the average object in {average}"
        assert text.startswith(f"{words}: its place in a tree is left to chance")


def test_several_objects_in_few_comparisons_are_told_of_together():
    rows = [[0, 1, 2]] * 60 + [[0, 1, 3]] * 2 + [[0, 1, 4]]
    (text,) = coverage(Triplets(rows, 5)).warnings()
    assert text.startswith(
        "2 of 5 objects occur in at most 2 comparisons each (3, 4), the average object "
        "in 38: their places in a tree are left to chance, and they can blur"
    )


def test_examples_have_no_objects_in_few_comparisons():
    assert not coverage(animals().answers).warnings()
    assert not coverage(everyday().answers).warnings()


def test_chunks_change_nothing(monkeypatch):
    answers = Triplets(random_rows(0, 90, 6), 9)
    whole, parts = summarise(answers), coverage(answers)
    assert whole.n_contradictory > 0
    monkeypatch.setattr("tripletree.comparisons.summary.ROWS_PER_CHUNK", 7)
    assert summarise(answers) == whole
    assert coverage(answers).group.tolist() == parts.group.tolist()
    assert coverage(answers).counts.tolist() == parts.counts.tolist()


def test_text():
    answers = Quadruplets(
        [[0, 1, 2, 3], [3, 2, 1, 0], [0, 1, 2, 3], [5, 6, 6, 7]],
        9,
        weights=[1, 0.5, 2, 1],
        annotators=["ann", "eve", "ann", "ann"],
        dropped={"undecided": 3, "too fast": 1200},
        notes=["no\nheader"],
    )
    assert str(summarise(answers)).splitlines() == [
        "4 quadruplets about 9 objects",
        "  answers                 4",
        "  different comparisons   3",
        "  questions               2",
        "  answered both ways      1",
        "  comparisons per object  0 to 3, median 1",
        "  never compared          2 objects",
        "  groups                  2 (no answer tells how they join)",
        "  total weight            4.5",
        "  people                  2",
        "  answers per person      1 to 3, median 2",
        "  left out, undecided     3 answers",
        "  left out, too fast      1,200 answers",
        r"  note                    no\nheader",
    ]


def test_answers_of_several_rows_are_counted():
    rows = [[0, 1, 2], [1, 0, 2], [2, 1, 0]]
    assert summarise(Triplets(rows, 3)).n_answers == 3
    who = ["ann", "ann", "eve"]
    found = summarise(Triplets(rows, 3, trials=[0, 0, 1], annotators=who))
    assert (found.n_answers, found.n_comparisons, found.n_people) == (2, 3, 2)
    assert found.answers_per_person == Spread(1, 1.0, 1)


def test_text_of_one():
    text = str(summarise(Triplets([[0, 1, 2]], 4, dropped={"too fast": 1})))
    assert text.startswith("1 triplet about 4 objects\n")
    assert "never compared          1 object\n" in text
    assert text.endswith("left out, too fast      1 answer")
    assert str(Spread(0, 1234567.5, 2 * 10**6)) == "0 to 2,000,000, median 1,234,567.5"


def test_annotators_without_answers_do_not_count():
    answers = Triplets([[0, 1, 2]] * 3, 3, annotators=["ann", "eve", "ann"])
    found = summarise(answers[[0, 2]])
    assert (found.n_people, found.answers_per_person.smallest) == (1, 2)


def test_no_answers():
    answers = Triplets([], 3, annotators=[])
    found = summarise(answers)
    assert (found.n_comparisons, found.n_unique, found.n_questions) == (0, 0, 0)
    assert (found.n_groups, found.n_never_compared) == (0, 3)
    assert (found.n_people, found.answers_per_person) == (0, None)
    assert summarise(Triplets([], 3)).n_people is None
    assert "0 triplets about 3 objects" in str(found)
    assert coverage(answers).group.tolist() == [0, 1, 2]
    assert coverage(answers).never_compared.tolist() == [0, 1, 2]
