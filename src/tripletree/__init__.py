"""tripletree: hierarchies from comparisons.

People answer "is A closer to B than to C?"; tripletree turns the answers into a
dendrogram that earns much revenue, and says how good it is::

    import tripletree as tt

    answers = tt.Triplets(rows, n_objects=60)
    result = tt.cluster(answers)
    print(result)
    result.tree.to_newick(), result.tree.cut(5)

The folders are the nouns of the paper, in the order in which data flow: `tree` (the
dendrogram), `comparisons` (what was observed), `similarity` (from answers to sums of
pairs), `answers` (from tables of any size to answers), `embedding` (from answers to
points), `linkage` (from sums to a tree), `revenue` (how good it is), `search` (making
it better), `evaluation` (is it right).

`clustering` is the one call over all of them, by one of the `methods`, and the one
result; `planning` says how many answers to collect. Around them:
`datasets`, `experiments` (the paper again),
`report` (figures, files and a page), `estimators` (for scikit-learn), `commands` and
`cli` (the shell).
"""

from typing import TYPE_CHECKING, Any

from tripletree._progress import Progress
from tripletree.answers.items import Items, read_items
from tripletree.answers.pair_files import write_pairs
from tripletree.answers.read import read_comparisons
from tripletree.answers.sums import (
    merge_pair_files,
    pair_sums,
    read_pairs,
    write_pair_sums,
)
from tripletree.answers.write import write_comparisons
from tripletree.clustering.call import cluster
from tripletree.clustering.result import Clustering
from tripletree.comparisons.answers import (
    Comparisons,
    concatenate,
    drop_duplicates,
    majority_vote,
    swap_near_far,
)
from tripletree.comparisons.coverage import Coverage, coverage
from tripletree.comparisons.quadruplets import Quadruplets
from tripletree.comparisons.queries import (
    cblearn_triplets,
    most_central,
    odd_one_out,
    pairs_of_pairs,
    rooted_triples,
)
from tripletree.comparisons.rankings import grid_choices, rankings
from tripletree.comparisons.sampling import sample_quadruplets, sample_triplets
from tripletree.comparisons.summary import Spread, Summary, WhatWasRead, summarise
from tripletree.comparisons.triplets import Triplets
from tripletree.datasets.catalogue import (
    fetch_car,
    fetch_food,
    fetch_imagenet,
    fetch_material,
    fetch_musician,
    fetch_nature,
    fetch_things,
    fetch_vogue,
)
from tripletree.datasets.data_sets import ComparisonSet, FeatureSet
from tripletree.datasets.digits import load_digits_example
from tripletree.datasets.feature_tables import load_glass, load_mnist_tsne, load_zoo
from tripletree.datasets.latent import (
    TripletsNeeded,
    induced_similarity,
    induced_triplets,
    sample_induced_triplets,
    triplets_needed,
)
from tripletree.datasets.planted import Planted, planted
from tripletree.embedding.completion import (
    completed_similarity,
    expected_adds,
    implied_adds,
)
from tripletree.embedding.points import euclidean_similarity
from tripletree.embedding.tste import Embedding, tste
from tripletree.errors import (
    DataUnavailable,
    InvalidComparisons,
    InvalidFile,
    InvalidOption,
    InvalidSimilarity,
    InvalidTree,
    Mismatch,
    TooLarge,
    TripletreeError,
    UnreadableFile,
)
from tripletree.evaluation.agreement import aari, adjusted_rand_index, ari_per_level
from tripletree.evaluation.annotators import (
    AnnotatorAgreement,
    annotator_agreement,
    reliability_weights,
)
from tripletree.evaluation.holdout import HeldOut, held_out
from tripletree.evaluation.learning_curve import LearningCurve, learning_curve
from tripletree.evaluation.score import Score, score
from tripletree.evaluation.support import Support, bootstrap_support
from tripletree.linkage.average import average_linkage
from tripletree.linkage.sparse_average import sparse_average_linkage
from tripletree.planning import StudyPlan, plan_study
from tripletree.report.page import write_report
from tripletree.revenue.bounds import (
    Gap,
    estimated_bound,
    optimality_gap,
    upper_bound,
)
from tripletree.revenue.dasgupta import dasgupta_cost, dasgupta_revenue
from tripletree.revenue.flat import FlatCut, best_cut
from tripletree.revenue.levels import revenue_per_level
from tripletree.revenue.value import (
    Satisfaction,
    revenue,
    revenue_per_node,
    satisfaction,
)
from tripletree.search.climb import climb, maximise_revenue
from tripletree.search.exact import exact_optimum
from tripletree.search.result import SearchResult
from tripletree.similarity.adds import adds_similarity
from tripletree.similarity.cosine import cosine_similarity
from tripletree.similarity.mulk import four_k_similarity, mulk_similarity
from tripletree.similarity.pair_table import PairSums
from tripletree.tree.ancestors import common_ancestor_sizes, common_ancestors
from tripletree.tree.distances import (
    TreeDistance,
    robinson_foulds,
    triplet_distance,
)
from tripletree.tree.files import read_tree, write_tree
from tripletree.tree.shapes import (
    all_trees,
    balanced_tree,
    caterpillar_tree,
    random_tree,
)
from tripletree.tree.tree import Tree

if TYPE_CHECKING:
    __version__: str
    from tripletree.estimators import TSTE, RevenueClustering
    from tripletree.report.dendrogram import plot_dendrogram
    from tripletree.report.plots import (
        plot_learning_curve,
        plot_pair_sums,
        plot_revenue_per_level,
    )
else:

    def __getattr__(name: str) -> Any:
        """What loads slowly, when first asked for: estimators, plots, the version."""
        from importlib import import_module

        if name == "__version__":
            return import_module("tripletree._version").version()
        for module, names in {
            "tripletree.estimators": ("TSTE", "RevenueClustering"),
            "tripletree.report.dendrogram": ("plot_dendrogram",),
            "tripletree.report.plots": (
                "plot_learning_curve",
                "plot_pair_sums",
                "plot_revenue_per_level",
            ),
        }.items():
            if name in names:
                return getattr(import_module(module), name)
        message = f"module 'tripletree' has no attribute {name!r}"
        raise AttributeError(message)


__all__ = [  # noqa: RUF022, because it would put TSTE first
    "AnnotatorAgreement",
    "Clustering",
    "ComparisonSet",
    "Comparisons",
    "Coverage",
    "DataUnavailable",
    "Embedding",
    "FeatureSet",
    "FlatCut",
    "Gap",
    "HeldOut",
    "InvalidComparisons",
    "InvalidFile",
    "InvalidOption",
    "InvalidSimilarity",
    "InvalidTree",
    "Items",
    "LearningCurve",
    "Mismatch",
    "PairSums",
    "Planted",
    "Progress",
    "Quadruplets",
    "RevenueClustering",
    "Satisfaction",
    "Score",
    "SearchResult",
    "Spread",
    "StudyPlan",
    "Summary",
    "Support",
    "TSTE",
    "TooLarge",
    "Tree",
    "TreeDistance",
    "TripletreeError",
    "Triplets",
    "TripletsNeeded",
    "UnreadableFile",
    "WhatWasRead",
    "aari",
    "adds_similarity",
    "adjusted_rand_index",
    "all_trees",
    "annotator_agreement",
    "ari_per_level",
    "average_linkage",
    "balanced_tree",
    "best_cut",
    "bootstrap_support",
    "caterpillar_tree",
    "cblearn_triplets",
    "climb",
    "cluster",
    "common_ancestor_sizes",
    "common_ancestors",
    "completed_similarity",
    "concatenate",
    "cosine_similarity",
    "coverage",
    "dasgupta_cost",
    "dasgupta_revenue",
    "drop_duplicates",
    "estimated_bound",
    "euclidean_similarity",
    "exact_optimum",
    "expected_adds",
    "fetch_car",
    "fetch_food",
    "fetch_imagenet",
    "fetch_material",
    "fetch_musician",
    "fetch_nature",
    "fetch_things",
    "fetch_vogue",
    "four_k_similarity",
    "grid_choices",
    "held_out",
    "implied_adds",
    "induced_similarity",
    "induced_triplets",
    "learning_curve",
    "load_digits_example",
    "load_glass",
    "load_mnist_tsne",
    "load_zoo",
    "majority_vote",
    "maximise_revenue",
    "merge_pair_files",
    "most_central",
    "mulk_similarity",
    "odd_one_out",
    "optimality_gap",
    "pair_sums",
    "pairs_of_pairs",
    "plan_study",
    "planted",
    "plot_dendrogram",
    "plot_learning_curve",
    "plot_pair_sums",
    "plot_revenue_per_level",
    "random_tree",
    "rankings",
    "read_comparisons",
    "read_items",
    "read_pairs",
    "read_tree",
    "reliability_weights",
    "revenue",
    "revenue_per_level",
    "revenue_per_node",
    "robinson_foulds",
    "rooted_triples",
    "sample_induced_triplets",
    "sample_quadruplets",
    "sample_triplets",
    "satisfaction",
    "score",
    "sparse_average_linkage",
    "summarise",
    "swap_near_far",
    "triplet_distance",
    "triplets_needed",
    "tste",
    "upper_bound",
    "write_comparisons",
    "write_pair_sums",
    "write_pairs",
    "write_report",
    "write_tree",
]
