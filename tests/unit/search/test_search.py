from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.sparse import csr_array

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
from tripletree.search import climb as climbing


@pytest.fixture
def answers():
    rng = np.random.default_rng(5)
    rows = rng.permuted(np.tile(np.arange(30), (400, 1)), axis=1)[:, :3]
    return Triplets(rows, 30, labels=[f"object {i}" for i in range(30)])


def test_climb_gains_and_says_so(answers):
    start = average_linkage(adds_similarity(answers))
    result = climb(start, answers)
    assert result.revenue > revenue(start, answers)
    assert result.revenue == revenue(result.tree, answers)
    assert result.is_optimal
    assert result.n_moves > 0
    assert result.tree.labels == answers.labels
    assert climb(result.tree, answers).n_moves == 0


def test_scipy_takes_a_climbed_tree(answers):
    matrix = climb(caterpillar_tree(30), answers).tree.to_linkage()
    assert hierarchy.is_valid_linkage(matrix, throw=True)
    assert hierarchy.is_monotonic(matrix)
    assert len(set(hierarchy.fcluster(matrix, 3, "maxclust"))) <= 3
    assert len(hierarchy.dendrogram(matrix, no_plot=True)["leaves"]) == 30
    assert hierarchy.cophenet(matrix).shape == (435,)


def test_restarts_are_no_worse_and_follow_the_seed(answers):
    once = climb(average_linkage(adds_similarity(answers)), answers)
    best = maximise_revenue(answers, n_restarts=30, seed=1)
    again = maximise_revenue(answers, n_restarts=30, seed=1)
    assert best.revenue >= once.revenue
    assert best.is_optimal
    assert best.tree.to_newick() == again.tree.to_newick()
    assert maximise_revenue(answers, n_restarts=0).revenue == once.revenue


def test_forms_of_data_agree(answers):
    s = adds_similarity(answers)
    start = caterpillar_tree(30)
    results = [climb(start, data) for data in (answers, s, csr_array(s), s * 2**33)]
    assert len({str(result.tree.children) for result in results[:3]}) == 1
    assert results[3].revenue == results[0].revenue * 2**33
    floats = climb(start, s / 4)
    assert floats.revenue == results[0].revenue / 4


def test_pricing_on_threads_changes_nothing_but_time(monkeypatch):
    rng = np.random.default_rng(3)
    rows = rng.permuted(np.tile(np.arange(120), (30_000, 1)), axis=1)[:, :3]
    answers = Triplets(np.sort(rows, axis=1), 120)
    start = average_linkage(adds_similarity(answers))
    monkeypatch.setattr(climbing, "MANY_NODES", 0)
    monkeypatch.setattr(climbing, "SUMS_PER_STEP", 10_000)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
        found.append(climb(start, answers))
        best = maximise_revenue(answers, n_restarts=3)
        found.append(climb(best.tree, answers))
        assert found[-1].n_moves == 0
    assert found[0].is_optimal
    assert climb(found[0].tree, answers).n_moves == 0
    for again in found[2:]:
        first = found[0] if again.n_moves else found[1]
        assert np.array_equal(first.tree.children, again.tree.children)


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


def test_diagonal_does_not_matter(answers):
    s = adds_similarity(answers)[:9, :9].astype(float)
    dressed = s + np.diag([np.nan, np.inf, *range(7)])
    assert exact_optimum(dressed).revenue == exact_optimum(s).revenue
    assert maximise_revenue(dressed, n_restarts=5).revenue == (
        maximise_revenue(s, n_restarts=5).revenue
    )
    assert upper_bound(dressed) == upper_bound(s)
    assert np.isnan(dressed[0, 0])


def test_no_time_at_all(answers):
    start = random_tree(30, rng=np.random.default_rng(0))
    result = climb(start, answers, time_limit=0)
    assert result.tree.is_same_hierarchy(start)
    assert not result.is_optimal
    assert result.n_moves == 0
    stopped = maximise_revenue(answers, time_limit=0)
    linkage = average_linkage(adds_similarity(answers))
    assert stopped.tree.is_same_hierarchy(linkage)
    assert not stopped.is_optimal


def test_ctrl_c_keeps_the_best_so_far(answers, monkeypatch):
    monkeypatch.setattr(climbing, "SUMS_PER_STEP", 1)
    seen = []

    def stop(progress):
        seen.append(progress)
        if progress.n_moves >= 5:
            raise KeyboardInterrupt

    start = random_tree(30, rng=np.random.default_rng(0))
    result = climb(start, answers, progress=stop)
    assert not result.is_optimal
    assert result.n_moves == 5
    assert result.revenue == seen[-1].revenue > revenue(start, answers)
    assert [p.revenue for p in seen] == sorted(p.revenue for p in seen)
    assert [p.elapsed for p in seen] == sorted(p.elapsed for p in seen)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_smallest(n):
    s = np.zeros((n, n), int)
    for result in (
        climb(caterpillar_tree(n), s),
        maximise_revenue(s),
        exact_optimum(s),
    ):
        assert result.revenue == 0
        assert result.is_optimal
        assert result.tree.n_leaves == n


def test_wrong_input(answers):
    tree = caterpillar_tree(30)
    with pytest.raises(Mismatch, match="a tree of 4 leaves and data about 30"):
        climb(caterpillar_tree(4), answers)
    with pytest.raises(InvalidSimilarity, match="symmetric"):
        climb(tree, np.triu(np.ones((30, 30))))
    with pytest.raises(InvalidSimilarity, match="finite"):
        maximise_revenue(np.full((3, 3), np.nan))
    with pytest.raises(InvalidSimilarity, match="too large for exact"):
        climb(caterpillar_tree(3), np.full((3, 3), 2**61))
    with pytest.raises(InvalidOption, match="cannot search with list"):
        maximise_revenue([[0, 1, 2]])
    for limit in (-1, "soon", np.nan, -(10**400)):
        with pytest.raises(InvalidOption, match="give seconds"):
            climb(tree, answers, time_limit=limit)
    for option in ({"seed": -1}, {"seed": 1.5}, {"n_restarts": -1}):
        with pytest.raises(InvalidOption, match="give an integer"):
            maximise_revenue(answers, **option)
    with pytest.raises(InvalidOption, match="at most 16, or use climb"):
        exact_optimum(np.zeros((17, 17)))


def test_wrong_bounds():
    s = np.zeros((17, 17))
    with pytest.raises(InvalidOption, match="choose"):
        upper_bound(s, method="all subsets")
    with pytest.raises(InvalidOption, match="choose"):
        upper_bound(s, method="best")
    with pytest.raises(InvalidOption, match="give seconds"):
        upper_bound(s, time_limit=-1)
    with pytest.raises(InvalidOption, match="n_sampled"):
        estimated_bound(s, n_sampled=0)
    with pytest.raises(Mismatch, match="4 leaves and data about 17"):
        optimality_gap(caterpillar_tree(4), s)
    assert optimality_gap(caterpillar_tree(17), s).gap == 0
