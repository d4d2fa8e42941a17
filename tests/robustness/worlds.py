"""Small worlds at the edge of what is allowed, and every public function in them."""

import dataclasses
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

import tripletree as tt

CLOCKS = ("seconds", "elapsed")  # fields that differ from run to run


@dataclasses.dataclass
class World:
    """Objects, answers about them, a tree of them, and what else functions take."""

    answers: Any
    tree: Any
    other: Any
    s: Any
    folder: Path

    @property
    def n(self) -> int:
        return self.answers.n_objects

    @property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(0)

    def path(self, name: str) -> Path:
        return self.folder / name


def world(answers: Any, folder: Path | None = None) -> World:
    """A world of these answers; its trees are a caterpillar and a balanced one."""
    n = answers.n_objects
    s = tt.adds_similarity(answers, sparse=False)
    new = Path(tempfile.mkdtemp()) if folder is None else folder
    return World(answers, tt.caterpillar_tree(n), tt.balanced_tree(n), s, new)


def edge_answers() -> dict[str, Any]:
    """Answers at the edge of what is allowed."""
    none3, none4 = np.empty((0, 3), np.int32), np.empty((0, 4), np.int32)
    both = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    three = [[0, 1, 2], [1, 0, 2]]
    names = ["", " ", "a\nb"]
    return {
        "one object": tt.Triplets(none3, 1),
        "one object, quadruplets": tt.Quadruplets(none4, 1),
        "two objects": tt.Triplets(none3, 2),
        "three objects, no answers": tt.Triplets(none3, 3),
        "three objects, no quadruplets": tt.Quadruplets(none4, 3),
        "three objects": tt.Triplets(three, 3),
        "three objects, quadruplets": tt.Quadruplets([[0, 1, 2, 0], [0, 1, 2, 1]], 3),
        "one answer": tt.Triplets([[0, 1, 2]], 3, annotators=["w"]),
        "all ties": tt.Triplets(both, 3),
        "all ties, one answer": tt.Triplets(both, 3, trials=[0] * 6),
        "all ties, by two": tt.Triplets(both, 3, annotators=[0, 1] * 3),
        "weights of 0": tt.Triplets(three, 3, [0, 0]),
        "float weights of 0": tt.Triplets(three, 3, [0.0, 0.0]),
        "tiny weights": tt.Triplets(three, 3, [5e-324, 5e-324]),
        "huge weights": tt.Triplets(three, 3, [1e200, 1e200]),
        "weights of 2^61": tt.Triplets(three, 3, [2**61, 2**61]),
        "odd names": tt.Triplets(three, 3, labels=names, annotators=["x", ""]),
        "seven objects, one answer": tt.Quadruplets([[6, 0, 1, 2]], 7),
        "never compared": tt.Triplets([[0, 1, 2]] * 4, 6, [1, 2, 3, 4]),
    }


def _by_linkage(answers: Any) -> tt.Tree:
    return tt.average_linkage(tt.adds_similarity(answers, sparse=False))


def _report(w: World) -> Any:
    # The clustering is made without a search: `cluster` has a row of its own.
    result = tt.cluster(w.answers, "adds-al", bound=False)
    result = dataclasses.replace(result, seconds=0.0)
    path = w.path("report.html")
    tt.write_report(result, path, date="2026", overwrite=True)
    return path.read_bytes()


def _written(write: Callable[[Path], Any], path: Path) -> bytes:
    write(path)
    return path.read_bytes()


def _axes(draw: Callable[[Any], Any]) -> int:
    from matplotlib.figure import Figure

    figure = Figure()
    draw(figure.add_subplot())
    return len(figure.axes)


def _clustermap(w: World) -> int:
    import matplotlib.pyplot as plt

    result = tt.cluster(w.answers, "adds-al", n_folds=0, bound=False, support=0)
    figure = tt.plot_clustermap(result)
    plt.close(figure)
    return len(figure.axes)


def _pair_sums(w: World) -> tt.PairSums:
    path = w.path("answers.csv")
    tt.write_comparisons(w.answers, path)
    return tt.pair_sums(path)


def _pair_file(w: World) -> Path:
    path = w.path("pairs.parquet")
    i, j = np.triu_indices(w.n, 1)
    near = np.abs(w.s[i, j])
    tt.write_pairs(tt.PairSums(range(w.n), np.column_stack([i, j]), near, near), path)
    return path


def _read(w: World, name: str, write: Callable[[Path], Any], read: Any) -> Any:
    write(w.path(name))
    return read(w.path(name))


def _embedding(w: World) -> tt.Embedding:
    return tt.Embedding(np.arange(2.0 * w.n).reshape(w.n, 2), 0.0, 1.0, 1, True)


def _curve() -> tt.LearningCurve:
    one = np.array([1.0])
    return tt.LearningCurve((1.0,), one, one[None], one, (1,), False)


CALLS: dict[str, Callable[[World], Any]] = {
    "RevenueClustering": lambda w: (
        tt.RevenueClustering(n_objects=w.n, method="adds-al", n_clusters=None)
        .fit(w.answers.rows)
        .children_
    ),
    "TSTE": lambda w: tt.TSTE(n_objects=w.n, n_starts=1).fit_transform(w.answers.rows),
    "PairSums": lambda w: tt.PairSums(range(w.n), np.empty((0, 2), int), [], []),
    "Quadruplets": lambda w: tt.Quadruplets(w.answers.rows, w.n, w.answers.weights),
    "Tree": lambda w: tt.Tree(w.tree.children),
    "Triplets": lambda w: tt.Triplets(w.answers.rows, w.n, w.answers.weights),
    "aari": lambda w: tt.aari(w.tree, w.other),
    "adds_similarity": lambda w: tt.adds_similarity(w.answers, sparse=True),
    "adjusted_rand_index": lambda w: tt.adjusted_rand_index(range(w.n), [0] * w.n),
    "all_trees": lambda w: len(list(tt.all_trees(min(w.n, 4)))),
    "annotator_agreement": lambda w: tt.annotator_agreement(w.answers),
    "ari_per_level": lambda w: tt.ari_per_level(w.tree, w.other),
    "average_linkage": lambda w: tt.average_linkage(w.s),
    "balanced_tree": lambda w: tt.balanced_tree(w.n),
    "best_cut": lambda w: tt.best_cut(w.tree, w.answers),
    "block_posterior": lambda w: tt.block_posterior(w.answers, n_chains=1),
    "bootstrap_support": lambda w: tt.bootstrap_support(
        w.tree, w.answers, method="climb", n_replicates=3
    ),
    "caterpillar_tree": lambda w: tt.caterpillar_tree(w.n),
    "cblearn_triplets": lambda w: tt.cblearn_triplets(w.answers.rows, None, w.n),
    "climb": lambda w: tt.climb(w.tree, w.answers),
    "cluster": lambda w: tt.cluster(w.answers),
    "common_ancestor_sizes": lambda w: tt.common_ancestor_sizes(w.tree, w.answers.near),
    "common_ancestors": lambda w: tt.common_ancestors(w.tree, w.answers.far),
    "completed_similarity": lambda w: tt.completed_similarity(
        w.answers, n_embeddings=2
    ),
    "consensus": lambda w: tt.consensus([w.tree, w.other, w.tree]),
    "concatenate": lambda w: tt.concatenate([w.answers, w.answers]),
    "cosine_similarity": lambda w: tt.cosine_similarity(np.ones((w.n, 2))),
    "coverage": lambda w: tt.coverage(w.answers),
    "dasgupta_cost": lambda w: tt.dasgupta_cost(w.tree, w.s),
    "dasgupta_revenue": lambda w: tt.dasgupta_revenue(w.tree, w.s),
    "drop_duplicates": lambda w: tt.drop_duplicates(w.answers),
    "estimated_bound": lambda w: tt.estimated_bound(w.s, n_sampled=100),
    "euclidean_similarity": lambda w: tt.euclidean_similarity(_embedding(w)),
    "exact_optimum": lambda w: tt.exact_optimum(w.answers),
    "expected_adds": lambda w: tt.expected_adds(_embedding(w)),
    "four_k_similarity": lambda w: tt.four_k_similarity(w.answers),
    "grid_choices": lambda w: tt.grid_choices(
        w.answers.rows,
        np.eye(w.answers.rows.shape[1])[np.zeros(len(w.answers), int)],
        w.n,
    ),
    "held_out": lambda w: tt.held_out(w.answers, _by_linkage),
    "implied_adds": lambda w: tt.implied_adds([_embedding(w)]),
    "induced_similarity": lambda w: tt.induced_similarity(w.tree),
    "induced_triplets": lambda w: tt.induced_triplets(w.tree),
    "learning_curve": lambda w: tt.learning_curve(w.answers, _by_linkage),
    "load_digits_example": lambda w: tt.load_digits_example(w.n, n_images=w.n),
    "noise_ceiling": lambda w: tt.noise_ceiling(w.answers),
    "majority_vote": lambda w: tt.majority_vote(w.answers),
    "maximise_revenue": lambda w: tt.maximise_revenue(w.answers, n_restarts=3),
    "merge_pair_files": lambda w: _written(
        lambda path: tt.merge_pair_files([_pair_file(w)], path), w.path("sum.parquet")
    )[:4],
    "most_central": lambda w: tt.most_central(
        w.answers.rows, w.answers.rows[:, 0], w.n
    ),
    "mulk_similarity": lambda w: tt.mulk_similarity(w.answers),
    "odd_one_out": lambda w: tt.odd_one_out(w.answers.rows, w.answers.rows[:, 0], w.n),
    "optimality_gap": lambda w: tt.optimality_gap(w.tree, w.answers),
    "pair_sums": _pair_sums,
    "pairs_of_pairs": lambda w: tt.pairs_of_pairs(w.answers.rows, None, w.n),
    "plan_study": lambda w: tt.plan_study(w.n) if w.n < 3 else None,
    "planted": lambda w: tt.planted(w.n, 0, rng=w.rng),
    "plot_clustermap": lambda w: _clustermap(w),
    "plot_dendrogram": lambda w: _axes(lambda ax: tt.plot_dendrogram(w.tree, ax=ax)),
    "plot_learning_curve": lambda w: _axes(
        lambda ax: tt.plot_learning_curve(_curve(), ax=ax)
    ),
    "plot_pair_sums": lambda w: _axes(
        lambda ax: tt.plot_pair_sums(w.tree, w.answers, ax=ax)
    ),
    "plot_revenue_per_level": lambda w: _axes(
        lambda ax: tt.plot_revenue_per_level(w.tree, w.answers, ax=ax)
    ),
    "random_tree": lambda w: tt.random_tree(w.n, rng=w.rng),
    "rankings": lambda w: tt.rankings(w.answers.rows, w.n, n_chosen=1),
    "read_comparisons": lambda w: _read(
        w, "a.npz", lambda p: tt.write_comparisons(w.answers, p), tt.read_comparisons
    ),
    "read_items": lambda w: _read(
        w,
        "items.csv",
        lambda p: p.write_text("label\n" + "".join(f"{i}\n" for i in range(w.n))),
        tt.read_items,
    ),
    "read_pairs": lambda w: tt.read_pairs(_pair_file(w)),
    "read_tree": lambda w: _read(
        w, "tree.json", lambda p: tt.write_tree(w.tree, p), tt.read_tree
    ),
    "reliability_weights": lambda w: tt.reliability_weights(w.answers),
    "revenue": lambda w: tt.revenue(w.tree, w.answers),
    "revenue_per_level": lambda w: tt.revenue_per_level(w.tree, w.answers),
    "revenue_per_node": lambda w: tt.revenue_per_node(w.tree, w.s),
    "robinson_foulds": lambda w: tt.robinson_foulds(w.tree, w.other),
    "rooted_triples": lambda w: tt.rooted_triples(w.answers.rows, w.n),
    "score": lambda w: _read(
        w,
        "f.csv",
        lambda p: tt.write_comparisons(w.answers, p),
        lambda p: tt.score(w.tree, p),
    ),
    "sample_induced_triplets": lambda w: tt.sample_induced_triplets(
        w.tree, 0.5, rng=w.rng
    ),
    "sample_quadruplets": lambda w: tt.sample_quadruplets(w.s, 3, rng=w.rng),
    "sample_triplets": lambda w: tt.sample_triplets(w.s, 3, rng=w.rng),
    "satisfaction": lambda w: tt.satisfaction(w.tree, w.answers),
    "sparse_average_linkage": lambda w: tt.sparse_average_linkage(csr_array(w.s)),
    "suggested_cuts": lambda w: tt.suggested_cuts(
        tt.cluster(w.answers, "adds-al", n_folds=0, support=10)
    ),
    "summarise": lambda w: str(tt.summarise(w.answers)),
    "swap_near_far": lambda w: tt.swap_near_far(w.answers),
    "tree_fit": lambda w: tt.tree_fit(w.answers, _by_linkage, dimensions=[2]),
    "triplet_distance": lambda w: tt.triplet_distance(w.tree, w.other),
    "triplets_needed": lambda w: tt.triplets_needed(w.n, 0.1),
    "tste": lambda w: tt.tste(w.answers, n_starts=1),
    "ultrametric_index": lambda w: tt.ultrametric_index(w.answers),
    "upper_bound": lambda w: tt.upper_bound(w.answers, time_limit=0),
    "write_comparisons": lambda w: _written(
        lambda path: tt.write_comparisons(w.answers, path), w.path("b.csv")
    ),
    "write_pair_sums": lambda w: _read(
        w,
        "c.jsonl",
        lambda p: tt.write_comparisons(w.answers, p),
        lambda p: tt.write_pair_sums(p, w.path("d.parquet")),
    ),
    "write_pairs": lambda w: _pair_file(w).name,
    "write_report": _report,
    "write_tree": lambda w: _written(
        lambda path: tt.write_tree(w.tree, path), w.path("e.npy")
    ),
}

RECORDS = (  # what functions give back, an alias, and exceptions
    *(
        "AnnotatorAgreement",
        "BlockPosterior",
        "Clustering",
        "ComparisonSet",
        "Comparisons",
        "Coverage",
    ),
    *("DataUnavailable", "Embedding", "FeatureSet", "FlatCut"),
    *("Gap", "HeldOut", "InvalidComparisons", "InvalidFile", "InvalidOption"),
    *("InvalidSimilarity", "InvalidTree", "Items", "LearningCurve", "Mismatch"),
    *(
        "NoiseCeiling",
        "Planted",
        "Progress",
        "ProgressLine",
        "Satisfaction",
        "Score",
        "SearchResult",
        "Spread",
    ),
    "SuggestedCut",
    *("StudyPlan", "Summary", "Support", "TooLarge", "TreeDistance", "TreeFit"),
    *("TripletreeError", "TripletsNeeded", "UltrametricIndex", "UnreadableFile"),
    "WhatWasRead",
)
DOWNLOADS = (  # no arguments but a folder; tests/unit/datasets has their edges
    *("fetch_car", "fetch_food", "fetch_imagenet", "fetch_material", "fetch_musician"),
    *("fetch_nature", "fetch_things", "fetch_vogue"),
    *("load_glass", "load_mnist_tsne", "load_zoo"),
)


def plain(value: Any) -> Any:
    """A result as lists, numbers and text, to be compared exactly; no clocks."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, np.asarray(value).tolist().__repr__()]
    if issparse(value):
        return ["sparse", plain(value.toarray())]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {
            name: plain(getattr(value, name)) for name in names if name not in CLOCKS
        }
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value if isinstance(value, bytes) else repr(value)


def check_says(error: Exception, words: str = "") -> None:
    """An error says what was found and what to do, in more than a word."""
    assert len(str(error)) > 20
    assert words in str(error)
