import itertools
import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.strategies import random_rows, random_similarity
from tripletree import (
    InvalidOption,
    InvalidSimilarity,
    Mismatch,
    Triplets,
    adds_similarity,
    average_linkage,
    caterpillar_tree,
    climb,
    estimated_bound,
    exact_optimum,
    maximise_revenue,
    optimality_gap,
    random_tree,
    revenue,
    upper_bound,
)
from tripletree.linkage import average, sparse_average
from tripletree.search import (
    _climb_kernel as kernels,
    climb as doors,
    moves as climbing,
)
from tripletree.search.moves import new_climber, new_scratch
from tripletree.similarity import matrix


@pytest.fixture
def keep_sparse(monkeypatch):
    """What is small would be made dense."""
    monkeypatch.setattr(matrix, "ENTRIES_PER_STORED", 0)


@pytest.fixture
def answers():
    return Triplets(
        random_rows(5, 400, 30), 30, labels=[f"object {i}" for i in range(30)]
    )


def test_climb_gains_and_says_so(answers):
    start = average_linkage(adds_similarity(answers))
    result = climb(start, answers)
    assert result.revenue > revenue(start, answers)
    assert result.revenue == revenue(result.tree, answers)
    assert (result.is_optimal, result.is_stopped) == (True, False)
    assert result.n_moves > 0
    assert result.tree.labels == answers.labels
    assert climb(result.tree, answers).n_moves == 0


@pytest.mark.usefixtures("keep_sparse")
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_restarts_are_no_worse_and_follow_the_seed(answers, form):
    s = form(adds_similarity(answers))
    once = maximise_revenue(s, n_restarts=0)
    assert once.revenue == climb(average_linkage(adds_similarity(answers)), s).revenue
    best, again = (maximise_revenue(s, n_restarts=20, seed=1) for _ in range(2))
    assert (best.is_optimal, best.is_stopped) == (True, False)
    assert best.revenue == revenue(best.tree, s) >= once.revenue
    assert best.tree.to_newick() == again.tree.to_newick()
    assert best.n_moves == again.n_moves > once.n_moves


def test_forms_of_data_agree(answers):
    s = adds_similarity(answers)
    start = caterpillar_tree(30)
    results = [climb(start, data) for data in (answers, s, csr_array(s), s * 2**33)]
    assert len({str(result.tree.children) for result in results[:3]}) == 1
    assert results[3].revenue == results[0].revenue * 2**33
    assert climb(start, s / 4).revenue == results[0].revenue / 4


@pytest.mark.compiled
def test_pricing_on_threads_changes_nothing_but_time(monkeypatch):
    answers = Triplets(np.sort(random_rows(3, 30_000, 120), axis=1), 120)
    start = average_linkage(adds_similarity(answers))
    monkeypatch.setattr(climbing, "MANY_NODES", 0)
    monkeypatch.setattr(climbing, "SUMS_PER_STEP", 10_000)
    climbed, searched = set(), set()
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
        for found, kept in (
            (climb(start, answers), climbed),
            (maximise_revenue(answers, n_restarts=3), searched),
        ):
            assert found.is_optimal
            assert climb(found.tree, answers).n_moves == 0
            kept.add(found.tree.children.tobytes())
    assert len(climbed) == len(searched) == 1


@pytest.mark.parametrize("largest", [1, 1000, 2**20])
def test_denoised_linkage_is_of_the_exact_product(largest):
    rng = np.random.default_rng(largest)
    s = np.triu(rng.integers(-largest, largest + 1, (40, 40)), 1)
    s += s.T
    product = (s.astype(object) @ s).astype(np.int64)
    expected = average_linkage(product.astype(np.float64))
    assert climbing.denoised_linkage(s).is_same_hierarchy(expected)
    assert climbing.denoised_linkage(s * 2.0**-900).is_same_hierarchy(expected)
    assert climbing.denoised_linkage(np.zeros((3, 3))).n_leaves == 3


def test_floats_that_are_no_multiples_of_a_power_of_two():
    rng = np.random.default_rng(4)
    s = rng.integers(-3, 4, (25, 25)) * 0.1 + rng.normal(size=(25, 25)) * 1e-9
    s = s + s.T
    for scale in (1e-200, 1.0, 1e200):
        result = climb(random_tree(25, rng=np.random.default_rng(0)), s * scale)
        assert result.is_optimal
        assert result.revenue == pytest.approx(
            climb(random_tree(25, rng=np.random.default_rng(0)), s).revenue * scale
        )


@pytest.mark.usefixtures("keep_sparse")
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_no_time_at_all(answers, form):
    start, s = random_tree(30, rng=np.random.default_rng(0)), adds_similarity(answers)
    stopped = climb(start, form(s), time_limit=0)
    assert stopped.tree.is_same_hierarchy(start)
    assert stopped.n_moves == 0
    linked = maximise_revenue(form(s), time_limit=0)
    assert linked.tree.is_same_hierarchy(average_linkage(s))
    for result in (stopped, linked):
        assert (result.is_stopped, result.is_optimal) == (True, False)


def test_progress_never_falls(answers, monkeypatch):
    monkeypatch.setattr(climbing, "SUMS_PER_STEP", 1)
    seen = []
    start = random_tree(30, rng=np.random.default_rng(0))
    result = climb(start, answers, progress=seen.append)
    assert result.revenue == seen[-1].value > revenue(start, answers)
    assert result.n_moves == seen[-1].done
    restarts = []
    best = maximise_revenue(answers, n_restarts=30, progress=restarts.append)
    assert best.revenue == restarts[-1].value
    assert [*dict.fromkeys(map(str, restarts))] == [
        f"search: {at} of 31" for at in range(31)
    ]
    for run in (seen, restarts):
        assert [p.value for p in run] == sorted(p.value for p in run)


@pytest.mark.usefixtures("keep_sparse")
@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("scale", [0.25, 1e-300])
def test_progress_of_floats_is_in_their_own_units(answers, form, scale):
    seen, s = [], form(adds_similarity(answers) * scale)
    result = climb(caterpillar_tree(30), s, progress=seen.append)
    assert seen[-1].value == pytest.approx(result.revenue, rel=1e-9)
    assert seen[-1].value > 0


@pytest.mark.parametrize("bits", [29, 30, 31, 33, -40])
def test_sums_near_the_edge_of_32_bits_and_floats_of_very_different_sizes(bits):
    rng = np.random.default_rng(2)
    for _ in range(20):
        n = int(rng.integers(5, 20))
        s = random_similarity(rng, n, 3)
        factor = 2.0**bits
        if bits < 0:
            s[[0, 1], [1, 0]] += 2**-bits
        else:
            factor = 2**bits // int(np.abs(np.triu(s)).sum()) - 1
        start = random_tree(n, rng=rng)
        one, scaled = climb(start, s), climb(start, s * factor)
        assert np.array_equal(one.tree.children, scaled.tree.children)


def test_idle_subtrees_gain_nothing_in_the_tree_as_it_is():
    """After a batch priced beforehand, only what is known to be idle counts so."""
    rng = np.random.default_rng(0)
    n_seen = 0
    for _ in range(60):
        n = int(rng.integers(8, 30))
        s = random_similarity(rng, n, 2)
        climber, _ = new_climber(random_tree(n, rng=rng), s)
        scratch, order = new_scratch(n), rng.permutation(2 * n - 1)
        gains = np.zeros(2 * n - 1, np.int64)
        kernels.price(climber, order, 0, 2 * n - 1, scratch, gains)
        _, n_moves, n_idle = kernels.climb(
            climber, order, 0, 2 * n - 1, scratch, gains, 0
        )
        again = np.zeros(2 * n - 1, np.int64)
        kernels.price(climber, order, 0, 2 * n - 1, scratch, again)
        assert not again[2 * n - 1 - n_idle :].any()
        n_seen += n_moves > 0 and n_idle > 0
    assert n_seen > 10


@pytest.mark.compiled
def test_default_number_of_restarts(monkeypatch):
    numbers = []
    monkeypatch.setattr(
        climbing.Run, "search", lambda run, rng, n_restarts: numbers.append(n_restarts)
    )
    for n in (3, 200, 2_000):
        maximise_revenue(np.zeros((n, n), np.int64))
    assert numbers == [3_000, 1_000, 10]
    maximise_revenue(np.zeros((200, 200), np.int64), time_limit=5)
    assert numbers[3:] == [100_000]


@pytest.mark.usefixtures("keep_sparse")
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_time_limit_is_used_and_kept(answers, form, monkeypatch):
    s = form(adds_similarity(answers))
    once = maximise_revenue(s, n_restarts=0)
    now = itertools.count()  # a second goes by between two glances at the clock
    for module in (doors, climbing, average, sparse_average):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=now.__next__))
    stopped = maximise_revenue(s, time_limit=100, seed=2)
    assert next(now) == 101  # began at 0
    # The best tree so far is optimal, though the search was stopped.
    assert (stopped.is_optimal, stopped.is_stopped) == (True, True)
    assert stopped.revenue >= once.revenue
    assert stopped.n_moves > once.n_moves


def test_of_equal_splits_the_first_has_the_largest_half():
    tree = exact_optimum(np.zeros((5, 5), int)).tree
    assert tree.with_heights(None).to_newick() == "((((4,3),2),1),0);"


@pytest.mark.usefixtures("keep_sparse")
@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize(("n", "earned"), [(1, 0), (2, -2), (3, -8)])
def test_smallest(n, earned, form):
    s = form(np.ones((n, n), int))
    tree = caterpillar_tree(n)
    for result in (climb(tree, s), maximise_revenue(s), exact_optimum(s)):
        assert (result.revenue, result.tree.n_leaves) == (earned, n)
        assert (result.is_optimal, result.is_stopped) == (True, False)


NOTHING, SECONDS = np.zeros((17, 17)), "give seconds"
HALF = csr_array(([1], ([0], [1])), shape=(400, 400))


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (
            Mismatch,
            "a tree of 4 leaves and data about 30",
            lambda answers: climb(caterpillar_tree(4), answers),
        ),
        (
            Mismatch,
            "a tree of 4 leaves and data about 400",
            lambda answers: climb(caterpillar_tree(4), csr_array((400, 400))),
        ),
        (
            InvalidSimilarity,
            "symmetric",
            lambda answers: climb(caterpillar_tree(30), np.triu(np.ones((30, 30)))),
        ),
        (
            InvalidSimilarity,
            "symmetric",
            lambda answers: climb(caterpillar_tree(400), HALF),
        ),
        (
            InvalidSimilarity,
            "too large for exact",
            lambda answers: climb(caterpillar_tree(400), (HALF + HALF.T) * 2**62),
        ),
        (
            InvalidSimilarity,
            "finite",
            lambda answers: maximise_revenue(np.full((3, 3), np.nan)),
        ),
        (
            InvalidSimilarity,
            "too large for exact",
            lambda answers: climb(caterpillar_tree(3), np.full((3, 3), 2**61)),
        ),
        (
            InvalidOption,
            "cannot search with list",
            lambda answers: maximise_revenue([[0, 1, 2]]),
        ),
        (
            InvalidOption,
            "progress = 3: give a function",
            lambda answers: climb(caterpillar_tree(30), answers, progress=3),
        ),
        (
            InvalidOption,
            "at most 16, or use climb",
            lambda answers: exact_optimum(NOTHING),
        ),
        (
            InvalidOption,
            "choose",
            lambda answers: upper_bound(NOTHING, method="all subsets"),
        ),
        (InvalidOption, "choose", lambda answers: upper_bound(NOTHING, method="best")),
        (InvalidOption, SECONDS, lambda answers: upper_bound(NOTHING, time_limit=-1)),
        (
            InvalidOption,
            "n_sampled",
            lambda answers: estimated_bound(NOTHING, n_sampled=0),
        ),
        (
            Mismatch,
            "4 leaves and data about 17",
            lambda answers: optimality_gap(caterpillar_tree(4), NOTHING),
        ),
        (
            InvalidOption,
            SECONDS,
            lambda answers: optimality_gap(
                caterpillar_tree(17), NOTHING, time_limit="5"
            ),
        ),
        *[
            (InvalidOption, SECONDS, partial(climb, caterpillar_tree(30), time_limit=x))
            for x in (-1, "soon", "5", b"5", True, np.nan, -(10**400))
        ],
        *[
            (InvalidOption, "give an integer", partial(maximise_revenue, **option))
            for option in ({"seed": -1}, {"seed": 1.5}, {"seed": 2**63 + 1})
        ],
        (InvalidOption, "give an integer", partial(maximise_revenue, n_restarts=-1)),
    ],
)
def test_wrong_input(answers, error, message, call):
    with pytest.raises(error, match=message):
        call(answers)


def test_all_trees_earn_0_where_nothing_is_known():
    assert optimality_gap(caterpillar_tree(17), NOTHING).gap == 0


def test_beyond_the_usual_restarts_pairs_are_doubled(monkeypatch):
    """The same number of rounds gives the same tree, and never a worse one."""
    monkeypatch.setattr(climbing, "FEWEST_TO_RATCHET", 30)
    monkeypatch.setattr(climbing, "PAIRS_PER_SEARCH", 0)
    s = random_similarity(np.random.default_rng(5), 40, 3)
    usual = maximise_revenue(s, n_restarts=1)
    found = [maximise_revenue(s, n_restarts=12, seed=seed) for seed in (0, 0, 1)]
    assert found[0].revenue == found[1].revenue
    assert (found[0].tree.children == found[1].tree.children).all()
    assert all(one.is_optimal and one.revenue >= usual.revenue for one in found)
    assert found[0].n_moves > usual.n_moves
    huge = maximise_revenue(s * 2**45, n_restarts=3)
    assert huge.revenue == revenue(huge.tree, s) * 2**45
    floats = maximise_revenue(s / 3, n_restarts=3)
    assert floats.revenue == pytest.approx(revenue(floats.tree, s) / 3)


def test_a_ratchet_that_does_not_fit_costs_no_tree(monkeypatch):
    """Another climber is as large as the first: then moves are random ones."""
    monkeypatch.setattr(climbing, "FEWEST_TO_RATCHET", 30)
    monkeypatch.setattr(climbing, "PAIRS_PER_SEARCH", 0)
    s = random_similarity(np.random.default_rng(5), 40, 3)
    fits, n_asked = climbing.check_fits, iter(range(10))

    def check_fits(n_bytes, *words):
        fits(n_bytes if next(n_asked) == 0 else math.inf, *words)

    monkeypatch.setattr(climbing, "check_fits", check_fits)
    found = maximise_revenue(s, n_restarts=4)
    assert found.is_optimal
    assert (found.revenue, next(n_asked)) == (revenue(found.tree, s), 4)
