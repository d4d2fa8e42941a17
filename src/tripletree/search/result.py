"""What a search gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from tripletree.linkage.average import raised_to_children
from tripletree.objective.value import Values, merge_sums, revenue_of_sums
from tripletree.tree.tree import Tree

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class SearchResult:
    """A tree that a search found.

    Attributes
    ----------
    tree : Tree
        Its heights are minus the average similarity of the two clusters of each merge.
    revenue : int or float
    n_moves : int
        How many moves were made on the way, restarts included.
    is_optimal : bool
        Whether no subtree can be moved anywhere with a gain (for `exact_optimum`:
        whether no tree is better). False if the search was stopped before.
    is_stopped : bool
        Whether the time limit ended the search before it was done. The tree
        of a search with restarts can still be optimal.
    """

    tree: Tree
    revenue: int | float
    n_moves: int
    is_optimal: bool
    is_stopped: bool


def search_result(
    tree: Tree,
    s: npt.NDArray[Any] | csr_array,
    labels: tuple[str, ...] | None,
    n_moves: int = 0,
    *,
    is_optimal: bool,
    is_stopped: bool = False,
) -> SearchResult:
    """Dress the tree that was found with heights and labels.

    s was checked before.
    """
    dressed = with_average_heights(tree, merge_sums(tree, s)).with_labels(labels)
    earned = revenue_of_sums(dressed, merge_sums(dressed, s))
    return SearchResult(dressed, earned, n_moves, is_optimal, is_stopped)


def with_average_heights(tree: Tree, sums: Values) -> Tree:
    """The tree with heights -avg(A, B), its merges in their order.

    sums (n-1,) holds s(A, B) for the two clusters of each merge.

    In a tree that no swap of neighbours improves they never fall towards the root. In
    any other, and after rounding, a merge is raised to its children.
    """
    areas = tree.size[tree.children].prod(axis=1)
    heights = raised_to_children(0.0 - sums / areas, tree.children)  # never -0.0
    return tree.with_heights(heights)
