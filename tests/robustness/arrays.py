"""Every public function that takes an array, and the forms an array can come in."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import tripletree as tt

TREE = tt.Tree([[0, 1], [2, 3], [4, 5]])
TRIPLETS = np.array([[0, 1, 2], [3, 2, 0], [1, 0, 3], [0, 1, 3]])
QUADRUPLETS = np.array([[0, 1, 2, 3], [0, 2, 1, 3], [3, 2, 1, 0]])
ANSWERS = tt.Triplets(TRIPLETS, 4)
S = np.array([[0, 3, -1, 2], [3, 0, 1, -2], [-1, 1, 0, 1], [2, -2, 1, 0]])
POINTS = np.array([[0.0, 1.0], [1.0, 2.5], [4.0, 0.5], [3.0, 3.0]])


def _drawn(**options: Any) -> Any:
    return tt.sample_triplets(n_questions=5, rng=np.random.default_rng(0), **options)


def _four(similarity: Any) -> Any:
    return tt.sample_quadruplets(similarity, 5, rng=np.random.default_rng(0))


def _sparse(array: Any) -> Any:
    """A sparse matrix of what SciPy can put into one; else the array as it is."""
    try:
        return csr_array(array)
    except (TypeError, ValueError):
        return array


def _coloured(clusters: Any) -> None:
    from matplotlib.figure import Figure

    tt.plot_dendrogram(TREE, clusters=clusters, ax=Figure().add_subplot())


ARRAYS: dict[str, tuple[Callable[[Any], Any], np.ndarray]] = {
    "Triplets": (lambda a: tt.Triplets(a, 4), TRIPLETS),
    "Quadruplets": (lambda a: tt.Quadruplets(a, 4), QUADRUPLETS),
    "weights": (lambda a: tt.Triplets(TRIPLETS, 4, a), np.array([1, 2, 3, 4])),
    "float weights": (lambda a: tt.Triplets(TRIPLETS, 4, a), np.array([1, 0.5, 3, 4])),
    "annotators": (
        lambda a: tt.Triplets(TRIPLETS, 4, annotators=a),
        np.array([3, 1, 3, 1]),
    ),
    "trials": (
        lambda a: tt.Triplets(TRIPLETS, 4, trials=a),
        np.array([3, 1, 3, 1]),
    ),
    "Tree": (tt.Tree, TREE.children),
    "heights": (lambda a: tt.Tree(TREE.children, a), np.array([1.0, 2.0, 4.0])),
    "support": (TREE.with_support, np.array([1.0, 0.5, 0.25])),
    "with_heights": (TREE.with_heights, np.array([2.0, 1.0, 4.0])),
    "from_linkage": (tt.Tree.from_linkage, TREE.to_linkage()),
    "pairs": (
        lambda a: tt.PairSums(range(4), a, [1, 2], [0, 1]),
        np.array([[0, 1], [3, 2]]),
    ),
    "near": (
        lambda a: tt.PairSums(range(3), [[0, 1], [1, 2]], a, [0, 1]),
        np.array([1, 2]),
    ),
    "far": (
        lambda a: tt.PairSums(range(3), [[0, 1], [1, 2]], [0, 1], a),
        np.array([1, 2]),
    ),
    "average_linkage": (tt.average_linkage, S),
    "sparse_average_linkage": (lambda a: tt.sparse_average_linkage(_sparse(a)), S),
    "revenue": (lambda a: tt.revenue(TREE, a), S),
    "revenue_per_node": (lambda a: tt.revenue_per_node(TREE, a), S),
    "revenue_per_level": (lambda a: tt.revenue_per_level(TREE, a), S),
    "dasgupta_cost": (lambda a: tt.dasgupta_cost(TREE, a), S),
    "dasgupta_revenue": (lambda a: tt.dasgupta_revenue(TREE, a), S),
    "best_cut": (lambda a: tt.best_cut(TREE, a), S),
    "climb": (lambda a: tt.climb(TREE, a), S),
    "maximise_revenue": (lambda a: tt.maximise_revenue(a, n_restarts=3), S),
    "exact_optimum": (tt.exact_optimum, S),
    "upper_bound": (lambda a: tt.upper_bound(a, method="three objects"), S),
    "estimated_bound": (lambda a: tt.estimated_bound(a, n_sampled=50), S),
    "optimality_gap": (lambda a: tt.optimality_gap(TREE, a), S),
    "sample_triplets": (lambda a: _drawn(similarity=a), S),
    "features": (lambda a: _drawn(features=a), POINTS),
    "sample_quadruplets": (_four, S),
    "cosine_similarity": (tt.cosine_similarity, POINTS),
    "euclidean_similarity": (tt.euclidean_similarity, POINTS),
    "start": (lambda a: tt.tste(ANSWERS, start=a), POINTS),
    "common_ancestors": (lambda a: tt.common_ancestors(TREE, a), TRIPLETS[:, :2]),
    "common_ancestor_sizes": (
        lambda a: tt.common_ancestor_sizes(TREE, a),
        TRIPLETS[:, 1:],
    ),
    "adjusted_rand_index": (
        lambda a: tt.adjusted_rand_index(a, [0, 0, 1, 1]),
        np.array([5, 5, 7, 9]),
    ),
    "aari": (lambda a: tt.aari(TREE, a), np.array([[0, 0, 1, 1], [0, 1, 2, 2]])),
    "ari_per_level": (lambda a: tt.ari_per_level(TREE, a), np.array([[0, 0, 1, 1]])),
    "clusters": (_coloured, np.array([0, 0, 1, 2])),
    "groups": (
        lambda a: tt.bootstrap_support(
            TREE, ANSWERS, method="climb", groups=a, n_replicates=3
        ),
        np.array([0, 1, 0, 1]),
    ),
    "cblearn_triplets": (
        lambda a: tt.cblearn_triplets(a, [1, -1, 1, 0], 4),
        TRIPLETS,
    ),
    "responses": (
        lambda a: tt.cblearn_triplets(TRIPLETS, a, 4),
        np.array([1, -1, 0, 3]),
    ),
    "pairs_of_pairs": (lambda a: tt.pairs_of_pairs(a, None, 4), QUADRUPLETS),
    "odd_one_out": (lambda a: tt.odd_one_out(a, TRIPLETS[:, 0], 4), TRIPLETS),
    "odd": (lambda a: tt.odd_one_out(TRIPLETS, a, 4), TRIPLETS[:, 0]),
    "most_central": (lambda a: tt.most_central(a, TRIPLETS[:, 1], 4), TRIPLETS),
    "central": (lambda a: tt.most_central(TRIPLETS, a, 4), TRIPLETS[:, 2]),
    "rooted_triples": (lambda a: tt.rooted_triples(a, 4), TRIPLETS),
    "rankings": (lambda a: tt.rankings(a, 4, n_chosen=1), QUADRUPLETS),
    "n_chosen": (
        lambda a: tt.rankings(QUADRUPLETS, 4, n_chosen=a),
        np.array([1, 2, 1]),
    ),
    "grid_choices": (
        lambda a: tt.grid_choices(a, [[1, 0, 1], [0, 1, 0], [1, 0, 0]], 4),
        QUADRUPLETS,
    ),
    "is_chosen": (
        lambda a: tt.grid_choices(QUADRUPLETS, a, 4),
        np.array([[1, 0, 1], [0, 1, 0], [1, 0, 0]]),
    ),
}


def same_numbers(array: np.ndarray) -> dict[str, Any]:
    """The array in other forms with the same numbers."""
    strided = np.repeat(array, 2, axis=-1)[..., ::2]
    backwards = np.ascontiguousarray(array[::-1])[::-1]
    frozen = array.copy()
    frozen.flags.writeable = False
    kind = array.dtype.kind
    swapped = array.astype(array.dtype.newbyteorder(">"))
    unaligned = np.frombuffer(b"x" + array.tobytes(), np.uint8)[1:].view(array.dtype)
    forms = {
        "copy": array.copy(),
        "Fortran": np.asfortranarray(array),
        "strided": strided,
        "backwards": backwards,
        "read-only": frozen,
        "big-endian": swapped,
        "big-endian, strided": np.repeat(swapped, 2, axis=0)[::2],
        "unaligned": unaligned.reshape(array.shape),
        "subclass": array.view(np.memmap),
    }
    if kind == "i":
        forms |= {"int32": array.astype(np.int32), "int8": array.astype(np.int8)}
    return forms


def wrong_numbers(array: np.ndarray) -> dict[str, Any]:
    """Forms that no function can take as they are, or that only some can."""
    flat = array.astype(np.float64)

    def with_one(value: Any, numbers: np.ndarray = flat) -> np.ndarray:
        changed = numbers.copy()
        if array is S:  # of which the diagonal does not matter, and both halves do
            changed[2, 3] = changed[3, 2] = value
        else:
            changed.flat[-1] = value
        return changed

    signalling = flat.copy()
    signalling.view(np.uint64).flat[0] = 0x7FF0000000000001
    return {
        "None": None,
        "number": 3,
        "text": "abc",
        "bytes": b"\0\1\2",
        "function": len,
        "dict": {"a": 1},
        "set": {1, 2},
        "ragged": [[0, 1, 2], [0]],
        "nothing": [],
        "objects": array.astype(object),
        "objects of all kinds": np.full(array.shape, None, object),
        "strings": array.astype(str),
        "bytestrings": array.astype("S"),
        "complex": array.astype(complex) + 1j,
        "dates": array.astype("datetime64[s]"),
        "spans": array.astype("timedelta64[s]"),
        "records": np.zeros(array.shape, [("a", int)]),
        "booleans": array.astype(bool),
        "NaN": with_one(np.nan),
        "inf": with_one(np.inf),
        "-inf": with_one(-np.inf),
        "fractions": flat + 0.25,
        "huge floats": with_one(1e308),
        "signalling NaN": signalling,
        "half floats": array.astype(np.float16),
        "long floats": flat.astype(np.longdouble) * np.longdouble("1e4000"),
        "2^63 and more": array.astype(np.uint64) + np.uint64(2**63),
        "2^64 - 1": np.full(array.shape, 2**64 - 1, np.uint64),
        "near 2^62": np.full(array.shape, 2**62 - 1),
        "-2^63": with_one(-(2**63), array.astype(np.int64)),
        "all -2^63": np.full(array.shape, -(2**63)),
        "one dimension more": array[None],
        "no rows": array[:0],
        "no columns": array[..., :0],
        "0-d": np.array(1),
        "masked": np.ma.masked_array(array, np.ones(array.shape, bool)),
        "one row less": array[1:],
    }
