from fractions import Fraction

import numpy as np
import pytest

from tests import definitions
from tests.strategies import random_similarity, symmetric
from tripletree import average_linkage
from tripletree.linkage import average

LOWER = [[], [1], [2, 2], [0, 0, 2], [2, 2, 0, 1], [0, 2, 1, 2, 2]]


@pytest.mark.parametrize(
    ("n", "pairs", "children", "heights"),
    [
        # 0-1 join at 4; then {0,1}-2 averages (3 + 0)/2 = 1.5, and 2-3 has 1.
        (
            4,
            [(0, 1, 4), (0, 2, 3), (2, 3, 1)],
            [[0, 1], [4, 2], [5, 3]],
            [-4, -1.5, -1 / 3],
        ),
        (6, [], [[0, 1], [6, 2], [7, 3], [8, 4], [9, 5]], [0] * 5),  # smallest ids
        # {0,1}-2 averages (2 + 0)/2, which ties with 2-3 at 1: exactly, as integers.
        (
            4,
            [(0, 1, 18), (0, 2, 2), (0, 3, -18), (1, 3, -18), (2, 3, 1)],
            [[0, 1], [4, 2], [5, 3]],
            [-18, -1, 35 / 3],
        ),
        # {0, 1, 2}-3 averages (3 + 0 + 0)/3, which ties with 4-5 at 1, exactly.
        (
            6,
            [
                *((i, j, -30) for j in range(6) for i in range(j)),
                *((0, 1, 27), (0, 2, 27), (1, 2, 27)),
                *((0, 3, 3), (1, 3, 0), (2, 3, 0), (4, 5, 1)),
            ],
            [[0, 1], [6, 2], [7, 3], [4, 5], [8, 9]],
            [-27, -27, -1, -1, 30],
        ),
        # The root and its child {0, 2, 3} are both at 0.1, rounded; by leaves alone the
        # root would come first.
        (
            6,
            [(i, j, x * 0.1) for i, row in enumerate(LOWER) for j, x in enumerate(row)],
            [[0, 2], [1, 4], [7, 5], [6, 3], [9, 8]],
            None,
        ),
    ],
)
def test_by_hand(n, pairs, children, heights):
    s = symmetric(n, pairs, float if heights is None else int)
    tree = average_linkage(s, labels=range(n))
    assert tree.children.tolist() == children
    assert heights is None or tree.heights.tolist() == heights
    assert tree.labels == tuple(map(str, range(n)))


def test_smallest():
    assert average_linkage([[0]]).n_leaves == 1
    assert average_linkage([[0, -3], [-3, 0]]).heights.tolist() == [3]
    assert str(average_linkage([[0, 0], [0, 0]]).heights.tolist()) == "[0.0]"


@pytest.fixture
def packed(monkeypatch):
    """Small matrices are treated as large ones; what was packed: size and bytes."""
    seen, whole = [], average.packed_clusters

    def spy(*args):
        clusters = whole(*args)
        seen.append((len(clusters.sums), clusters.sums.itemsize))
        return clusters

    monkeypatch.setattr(average, "FEW_SUMS", 0)
    monkeypatch.setattr(average, "FEWEST_NEW", 1)
    monkeypatch.setattr(average, "packed_clusters", spy)
    return seen


@pytest.mark.parametrize(
    ("factor", "n_bytes"), [(1, [2]), (2**9, [2, 4]), (2**20, [4]), (2**40, [8])]
)
def test_narrow_and_wide_sums_agree(packed, factor, n_bytes):
    """Sums have as many bits as they need, more when clusters grow."""
    s = random_similarity(np.random.default_rng(3), 60, 3)
    few = definitions.average_linkage(s[:9, :9])
    assert definitions.merged_pairs(average_linkage(s[:9, :9] * factor)) == few
    once = average_linkage(s.astype(float))
    packed.clear()
    tree = average_linkage(s * factor)
    assert np.array_equal(tree.children, once.children)
    assert np.array_equal(tree.heights, once.heights * factor)
    assert sorted({width for _, width in packed}) == n_bytes
    assert len(packed) > 2  # free columns were used up


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_packed_again_and_again_the_tree_is_the_same(packed, kind):
    """Also with ties of all, and no average above 0."""
    rng = np.random.default_rng(4)
    for largest in (0, 1, 1000):
        for shift in (0, -largest):
            s = (random_similarity(rng, 40, largest) + shift).astype(kind)
            assert definitions.merged_pairs(
                average_linkage(s)
            ) == definitions.average_linkage(s)


@pytest.mark.parametrize(
    ("totals", "areas"),
    [
        ([2**53 + 1, 2**53, 1, -1, 0], [1, 1, 3, 3, 1]),  # two round to the same float
        # Fibonacci numbers: these ratios differ by about 2^-69.
        ([20365011074, 32951280099], [32951280099, 53316291173]),
        ([32951280099, 20365011074], [53316291173, 32951280099]),
        # Two clusters of 2^24 leaves have 2^48 pairs: no digit may lack or wrap.
        (
            [2**47 + 1, 2**47 + 1, 2**47, 3, 2**19 + 1],
            [2**48, 2**48 - 1, 2**48 - 2**24, 7, 2**20],
        ),
    ],
)
def test_order_of_ratios_is_exact(totals, areas):
    digits = average.ratio_digits(np.array(totals), np.array(areas))
    order = np.lexsort([-digit for digit in digits]).tolist()
    assert order == sorted(
        range(len(totals)), key=lambda t: -Fraction(totals[t], areas[t])
    )


def test_steps_of_any_length_make_the_same_tree(monkeypatch):
    s = random_similarity(np.random.default_rng(4), 50, 3)
    whole = average_linkage(s)
    monkeypatch.setattr(average, "SUMS_PER_STEP", 1)
    assert np.array_equal(average_linkage(s).children, whole.children)


def test_rounded_floats_make_a_valid_tree():
    """0.1 + 0.2 etc. do not add up exactly; merges still come children first."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(2, 30))
        s = np.tril(rng.integers(0, 3, (n, n)) * 0.1, -1)
        assert (np.diff(average_linkage(s + s.T).heights) >= 0).all()
