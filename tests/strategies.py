"""Hypothesis strategies: trees, comparisons and similarities rich in ties."""

import numpy as np
from hypothesis import settings, strategies as st

import tripletree as tt
from tests import definitions

seeds = st.integers(0, 2**32 - 1)


def rng(seed=0):
    return np.random.default_rng(seed)


def examples(n, **options):
    """So many examples where the profile has 100, and its share of them elsewhere."""
    share = settings.default.max_examples / 100
    return settings(max_examples=max(round(n * share), 1), **options)


@st.composite
def trees(draw, min_leaves=1, max_leaves=12, n_leaves=None):
    """Random merges, caterpillars and balanced trees with shuffled leaves."""
    n = draw(st.integers(min_leaves, max_leaves)) if n_leaves is None else n_leaves
    rng = np.random.default_rng(draw(seeds))
    shape = draw(st.sampled_from(["random", "caterpillar", "balanced"]))
    if shape == "random":
        return tt.random_tree(n, rng=rng)
    make = tt.caterpillar_tree if shape == "caterpillar" else tt.balanced_tree
    children = make(n).children
    names = np.concatenate([rng.permutation(n), np.arange(n, 2 * n - 1)])
    return tt.Tree(names[children].reshape(n - 1, 2))


@st.composite
def similarities(draw, min_objects=1, max_objects=12, n_objects=None, large=False):
    """Symmetric integer matrices from few values, so that ties abound.

    large: some are near-equal integers whose sums no float can hold.
    """
    n = draw(st.integers(min_objects, max_objects)) if n_objects is None else n_objects
    largest = draw(st.sampled_from([1, 2, 5, 1000]))
    rng = np.random.default_rng(draw(seeds))
    middle = draw(st.sampled_from([0, 2**52, -(2**52)])) if large else 0
    lower = np.tril(middle + rng.integers(-largest, largest + 1, (n, n)), -1)
    return lower + lower.T


@st.composite
def sparse_similarities(draw, n_objects):
    """Symmetric and rich in ties; between nothing and everything is stored."""
    s = draw(similarities(n_objects=n_objects))
    rng = np.random.default_rng(draw(seeds))
    kept = np.tril(rng.random(s.shape) < draw(st.sampled_from([0.0, 0.1, 0.4, 1.0])))
    return s * (kept | kept.T)


@st.composite
def trees_and(draw, similarity, **leaves):
    """A tree, and a similarity of its leaves."""
    tree = draw(trees(**leaves))
    return tree, draw(similarity(n_objects=tree.n_leaves))


@st.composite
def comparisons(draw, width=None, n_objects=None, min_objects=3, max_rows=60, kind=...):
    """Triplets or quadruplets, with repeated and contradictory rows.

    kind: ... draws among no weights, integers and floats; None, "int" or "float" fix.
    """
    width = draw(st.sampled_from([3, 4])) if width is None else width
    n = draw(st.integers(min_objects, 9)) if n_objects is None else n_objects
    m = draw(st.integers(0, max_rows))
    rng = np.random.default_rng(draw(seeds))
    near = random_pairs(rng, m, n)
    if width == 3:
        third = rng.integers(0, n - 2, m)
        low, high = near.min(axis=1), near.max(axis=1)
        third += third >= low
        third += third >= high
        rows = np.column_stack([near, third])
    else:
        far = random_pairs(rng, m, n)
        kept = ~(np.sort(near, axis=1) == np.sort(far, axis=1)).all(axis=1)
        rows = np.column_stack([near, far])[kept]
    if len(rows) and draw(st.booleans()):
        rows = rows[rng.integers(0, max(1, len(rows) // 3), len(rows))]
    kind = draw(st.sampled_from([None, "int", "float"])) if kind is ... else kind
    weights = None
    if kind == "int":
        weights = rng.integers(0, 4, len(rows))
    elif kind == "float":
        weights = rng.integers(0, 9, len(rows)) / 4  # sums are exact in binary
    make = tt.Triplets if width == 3 else tt.Quadruplets
    return make(rows.reshape(-1, width), n, weights)


def induced(tree):
    """T0: all triplets that a tree resolves."""
    return tt.Triplets(definitions.induced_triplets(tree), tree.n_leaves)


def random_pairs(rng, m, n):
    first, second = rng.integers(0, n, m), rng.integers(0, n - 1, m)
    return np.column_stack([first, second + (second >= first)])


def random_rows(rng, m, n, width=3):
    """m rows of different objects out of n; rng may be a seed."""
    every = np.tile(np.arange(n), (m, 1))
    return np.random.default_rng(rng).permuted(every, axis=1)[:, :width]


def symmetric(n, pairs, dtype=int):
    """A similarity of 0, but for these pairs: (i, j, value)."""
    i, j, values = zip(*pairs, strict=True) if pairs else ((), (), ())
    s = np.zeros((n, n), dtype)
    s[list(i + j), list(j + i)] = values + values
    return s


def random_similarity(rng, n_objects, largest):
    """Symmetric integers from -largest to largest, with a diagonal of 0."""
    s = np.tril(rng.integers(-largest, largest + 1, (n_objects, n_objects)), -1)
    return s + s.T
