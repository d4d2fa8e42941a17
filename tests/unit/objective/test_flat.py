import numpy as np
import pytest
from scipy.sparse import csr_array

from tripletree import (
    Mismatch,
    Tree,
    Triplets,
    balanced_tree,
    best_cut,
    caterpillar_tree,
)
from tripletree.objective.flat import stable_cuts, with_strays
from tripletree.objective.value import merge_sums


def test_drawn_tree_of_the_module():
    s = np.array([[0, 3, 0, 0], [3, 0, 0, 0], [0, 0, 0, -2], [0, 0, -2, 0]])
    found = best_cut(balanced_tree(4), s)
    assert found.labels.tolist() == [0, 0, 1, 2]
    assert (found.n_clusters, found.within) == (3, 3)
    assert type(found.within) is int


def test_ties_stay_together():
    """Nothing was asked about object 3: it stays with its neighbour."""
    answers = Triplets([[0, 1, 2], [0, 1, 2]], 4)
    tree = Tree([[0, 1], [2, 3], [4, 5]])
    assert best_cut(tree, answers).labels.tolist() == [0, 0, 1, 1]
    nothing = best_cut(tree, Triplets(np.empty((0, 3), int), 4))
    assert (nothing.n_clusters, nothing.within) == (1, 0)


def test_floats_and_many_leaves():
    n = 100_000
    rows = np.column_stack([np.arange(n - 2), np.arange(1, n - 1), np.arange(2, n)])
    answers = Triplets(rows, n, weights=np.full(n - 2, 0.5))
    found = best_cut(caterpillar_tree(n), answers)
    assert isinstance(found.within, float)
    assert found.within > 0


def test_labels_are_read_only_and_objects_the_same():
    with pytest.raises(ValueError, match="read-only"):
        best_cut(balanced_tree(2), np.eye(2)).labels[0] = 1
    with pytest.raises(Mismatch, match="about the same"):
        best_cut(balanced_tree(3), Triplets([[0, 1, 2]], 4))


def parts_and_strays(*sizes, n_strays=0):
    """Caterpillars of these sizes joined one after another, then the strays, and its
    stability: 1 for each of the first and for the root, 0 for all other nodes."""
    n = sum(sizes) + n_strays
    children, roots, stability, leaf = [], [], [], 0
    for size in sizes:
        node = leaf
        for other in range(leaf + 1, leaf + size):
            children.append([node, other])
            stability.append(0.0)
            node = n + len(children) - 1
        stability[-1] = 1.0
        roots.append(node)
        leaf += size
    node, *others = [*roots, *range(leaf, n)]
    for other in others:
        children.append([node, other])
        stability.append(0.0)
        node = n + len(children) - 1
    stability[-1] = 1.0
    return Tree(children), np.array(stability)


def stable_labels(tree, stability):
    found = stable_cuts(tree, stability, np.zeros(len(stability), int))
    return [cut.labels.tolist() for cut in found]


@pytest.mark.parametrize(
    ("sizes", "n_strays", "expected"),
    [
        ((5, 4), 0, [0] * 5 + [1] * 4),
        ((5, 4), 1, [0] * 5 + [1] * 4 + [-1]),
        ((5, 3), 1, None),  # one in nine is more than one in ten
        ((15, 12), 3, [0] * 15 + [1] * 12 + [-1] * 3),
        ((15, 12), 4, None),
        ((8, 2), 0, None),  # a pair is no cluster
        ((9, 9, 2), 0, [0] * 9 + [1] * 9 + [-1] * 2),
        ((27,), 3, None),  # one cluster without its strays is no cut
    ],
)
def test_strays_do_not_block_a_cut_if_they_are_few(sizes, n_strays, expected):
    tree, stability = parts_and_strays(*sizes, n_strays=n_strays)
    assert stable_labels(tree, stability) == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("inside", "last"), [(2, [2] * 3), (1, [2] * 3), (0, [-1] * 3)]
)
def test_strays_that_are_a_cluster_by_chance(inside, last):
    """Three objects, less alike than the clusters that the root parts: on average 1."""
    tree, stability = parts_and_strays(15, 12, 3)
    part = np.repeat([0, 1, 2], [15, 12, 3])
    s = np.array([[9, 5, 1], [5, 9, 1], [1, 1, inside]])[np.ix_(part, part)]
    (cut,) = stable_cuts(tree, stability, merge_sums(tree, s))
    assert cut.labels.tolist() == [0] * 15 + [1] * 12 + last


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_few_objects_have_no_stable_cut(n):
    assert stable_cuts(caterpillar_tree(n), np.ones(n - 1), np.zeros(n - 1, int)) == ()


def test_strays_are_attached_to_the_nearest_cluster():
    tree, stability = parts_and_strays(10, 8, n_strays=2)
    s = np.zeros((20, 20), int)
    s[18, :10] = s[:10, 18] = 4
    s[18, 10:18] = s[10:18, 18] = 3
    s[19, 10:14] = s[10:14, 19] = 1  # a mean of 1/2
    (cut,) = stable_cuts(tree, stability, merge_sums(tree, s))
    assert (cut.labels.tolist(), cut.n_unassigned) == ([0] * 10 + [1] * 8 + [-1] * 2, 2)
    s[18, 19] = s[19, 18] = 5  # of two clusters
    whole = [0] * 10 + [1] * 8 + [0, 1]
    for data in (s, csr_array(s)):
        assert cut.attached(data).tolist() == whole
        assert with_strays(cut, data).labels.tolist() == whole
        assert with_strays(cut, data).within == cut.within + 44
    s[19] = s[:, 19] = 0
    assert cut.attached(s).tolist() == [0] * 10 + [1] * 8 + [0, -1]
    with pytest.raises(Mismatch, match="20 leaves and data about 3 objects"):
        cut.attached(np.zeros((3, 3), int))
