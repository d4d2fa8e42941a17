# The public names: each is imported when first used.
from ._progress import Progress, ProgressLine
from .answers.items import Items, read_items
from .answers.read import read_comparisons
from .answers.sums import (
    merge_pair_files,
    pair_sums,
    read_pairs,
    write_pair_sums,
    write_pairs,
)
from .answers.write import write_comparisons
from .clustering.levels import SuggestedCut, suggested_cuts
from .clustering.result import Clustering
from .clustering.workflow import cluster
from .comparisons.combining import (
    concatenate,
    drop_duplicates,
    majority_vote,
    swap_near_far,
)
from .comparisons.question_types import (
    cblearn_triplets,
    grid_choices,
    most_central,
    odd_one_out,
    pairs_of_pairs,
    rankings,
    rooted_triples,
)
from .comparisons.sampling import sample_quadruplets, sample_triplets
from .comparisons.summary import (
    Coverage,
    Spread,
    Summary,
    WhatWasRead,
    coverage,
    summarise,
)
from .comparisons.triplets import Comparisons, Quadruplets, Triplets
from .completion.by_embedding import (
    completed_similarity,
    euclidean_similarity,
    expected_adds,
    implied_adds,
)
from .completion.posterior import BlockPosterior, block_posterior
from .datasets.catalogue import (
    fetch_car,
    fetch_imagenet,
    fetch_material,
    fetch_musician,
    fetch_nature,
    fetch_things,
    fetch_vogue,
)
from .datasets.data_sets import ComparisonSet, FeatureSet
from .datasets.feature_tables import (
    load_digits_example,
    load_glass,
    load_mnist_tsne,
    load_zoo,
)
from .datasets.food import fetch_food
from .datasets.latent import (
    TripletsNeeded,
    induced_similarity,
    induced_triplets,
    sample_induced_triplets,
    triplets_needed,
)
from .datasets.planted import Planted, planted
from .embedding.tste import Embedding, tste
from .errors import (
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
from .estimators import TSTE, RevenueClustering
from .evaluation.agreement import aari, adjusted_rand_index, ari_per_level
from .evaluation.annotators import (
    AnnotatorAgreement,
    annotator_agreement,
    reliability_weights,
)
from .evaluation.holdout import HeldOut, LearningCurve, held_out, learning_curve
from .evaluation.noise import NoiseCeiling, noise_ceiling
from .evaluation.score import Score, score
from .evaluation.support import Support, bootstrap_support
from .evaluation.tree_fit import (
    TreeFit,
    UltrametricIndex,
    tree_fit,
    ultrametric_index,
)
from .linkage.average import average_linkage
from .linkage.sparse_average import sparse_average_linkage
from .objective.bounds import (
    Gap,
    estimated_bound,
    optimality_gap,
    upper_bound,
)
from .objective.flat import FlatCut, best_cut, revenue_per_level
from .objective.value import (
    Satisfaction,
    dasgupta_cost,
    dasgupta_revenue,
    revenue,
    revenue_per_node,
    satisfaction,
)
from .planning import StudyPlan, plan_study
from .report.dendrogram import plot_dendrogram
from .report.page import write_report
from .report.plots import (
    plot_clustermap,
    plot_learning_curve,
    plot_pair_sums,
    plot_revenue_per_level,
)
from .search.climb import climb, exact_optimum, maximise_revenue
from .search.moves import SearchResult
from .similarity.adds import adds_similarity
from .similarity.cosine import cosine_similarity
from .similarity.mulk import four_k_similarity, mulk_similarity
from .similarity.sums_by_pair import PairSums
from .tree.ancestors import common_ancestor_sizes, common_ancestors
from .tree.consensus import consensus
from .tree.distances import (
    TreeDistance,
    robinson_foulds,
    triplet_distance,
)
from .tree.shapes import (
    all_trees,
    balanced_tree,
    caterpillar_tree,
    random_tree,
)
from .tree.tree import Tree
from .tree.tree_files import read_tree, write_tree

__version__: str

__all__ = [  # noqa: RUF022, because it would put TSTE first
    "AnnotatorAgreement",
    "BlockPosterior",
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
    "NoiseCeiling",
    "PairSums",
    "Planted",
    "Progress",
    "ProgressLine",
    "Quadruplets",
    "RevenueClustering",
    "Satisfaction",
    "Score",
    "SearchResult",
    "Spread",
    "StudyPlan",
    "SuggestedCut",
    "Summary",
    "Support",
    "TSTE",
    "TooLarge",
    "Tree",
    "TreeDistance",
    "TreeFit",
    "TripletreeError",
    "Triplets",
    "TripletsNeeded",
    "UltrametricIndex",
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
    "block_posterior",
    "bootstrap_support",
    "caterpillar_tree",
    "cblearn_triplets",
    "climb",
    "cluster",
    "common_ancestor_sizes",
    "common_ancestors",
    "completed_similarity",
    "concatenate",
    "consensus",
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
    "noise_ceiling",
    "odd_one_out",
    "optimality_gap",
    "pair_sums",
    "pairs_of_pairs",
    "plan_study",
    "planted",
    "plot_clustermap",
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
    "suggested_cuts",
    "summarise",
    "swap_near_far",
    "tree_fit",
    "triplet_distance",
    "triplets_needed",
    "tste",
    "ultrametric_index",
    "upper_bound",
    "write_comparisons",
    "write_pair_sums",
    "write_pairs",
    "write_report",
    "write_tree",
]
