"""The one result: a tree, and all that is known about it.

The terminal, the files, the page and the estimator show it, and compute nothing about
it: two places can never disagree.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tripletree._checks import counted
from tripletree.answers.items import Items
from tripletree.clustering.levels import SuggestedCut
from tripletree.comparisons.summary import WhatWasRead
from tripletree.comparisons.triplets import Comparisons
from tripletree.evaluation.annotators import AnnotatorAgreement
from tripletree.evaluation.holdout import HeldOut, LearningCurve
from tripletree.evaluation.noise import NoiseCeiling, repeats_needed
from tripletree.evaluation.support import Support
from tripletree.evaluation.tree_fit import TreeFit, UltrametricIndex
from tripletree.objective.bounds import Gap, share_at_least
from tripletree.objective.flat import FlatCut
from tripletree.objective.value import Satisfaction
from tripletree.similarity.sums_by_pair import PairSums
from tripletree.tree.tree import Tree

LEAST_STABILITY = 0.5  # of a join that is shown in `stable_tree`


@dataclass(frozen=True, eq=False)
class Clustering:
    """A tree made from comparisons, and all that is known about it.

    ``print`` shows it in a few lines, :meth:`write` writes it to files,
    :func:`write_report` to a page.

    Attributes
    ----------
    tree : Tree
        Binary; ``tree.support`` is the stability of its merges, if that is known.
    method : str
        The method that made it.
    reason : str
        Why this method.
    revenue : int or float
        Of the comparisons, under the tree.
    normalised_revenue : float
        The revenue over the most that so many comparisons can earn at all, n - 2 each:
        between -1 and 1, about 0 for a random tree. Each group of objects that
        comparisons join is judged by itself, by the tree restricted to it.
    satisfaction : Satisfaction or None
        How many comparisons the tree satisfies, ties and violates; None for pair sums.
    clusters : FlatCut
        The flat clusters, and the nodes of the tree that they hang below. They are
        numbered as the tree is drawn; ``tree.cut`` numbers by the smallest leaf.
    levels : tuple of SuggestedCut
        All levels at which every cluster is stable, coarse to fine, see
        :func:`suggested_cuts`; empty if no cut holds, or if it is not known.
    held_out : mapping of str to HeldOut
        What each method that was tried earns on answers it has not seen, with fewer
        restarts and embeddings than the tree itself was made with.
    noise : NoiseCeiling or None
        The largest accuracy that is possible on such answers; None if fewer than ten
        questions were answered more than once.
    tree_fit : TreeFit or None
        How the tree predicts unseen answers, compared with flat clusters and with
        points in space; None if not asked for.
    ultrametric : UltrametricIndex or None
        How evenly people divide over the questions that a tree leaves open; None if
        too few of these were answered more than once.
    gap : Gap or None
        How far the revenue can be from the largest possible; None if it was not asked
        for, takes long or does not fit into memory.
    support : Support or None
        How far the answers bear out each cluster of the tree.
    curve : LearningCurve or None
        How accuracy grows with the number of answers; None if not asked for.
    people : AnnotatorAgreement or None
        How each person agrees with the others; None if not asked for.
    read : WhatWasRead
        How much there is, in units: objects, answers, comparisons, questions, people;
        and what was left out and assumed.
    warnings : tuple of str
        What leaves parts of the tree to chance.
    advice : str
        One recommendation, by the learning curve, the stability of the joins, the noise
        ceiling and the number of comparisons, as far as they are known: whether to ask
        more, and what to rely on. Empty if there is nothing to say.
    seconds : float
        The time spent.
    comparisons : Triplets, Quadruplets, PairSums or None
        What the tree was made from. :meth:`without_comparisons` leaves it out.
    """

    tree: Tree
    method: str
    reason: str
    revenue: int | float
    normalised_revenue: float
    satisfaction: Satisfaction | None
    clusters: FlatCut
    levels: tuple[SuggestedCut, ...]
    held_out: Mapping[str, HeldOut]
    noise: NoiseCeiling | None
    tree_fit: TreeFit | None
    ultrametric: UltrametricIndex | None
    gap: Gap | None
    support: Support | None
    curve: LearningCurve | None
    people: AnnotatorAgreement | None
    read: WhatWasRead
    warnings: tuple[str, ...]
    advice: str
    seconds: float
    comparisons: Comparisons | PairSums | None

    @property
    def bound(self) -> int | float | None:
        """No tree earns more; None if it is not known, or only estimated."""
        return None if self.gap is None or self.gap.is_estimate else self.gap.bound

    @property
    def stable_tree(self) -> Tree | None:
        """The tree with the joins of stability below 0.5 collapsed to polytomies.

        None if the stability of joins is not known from ten or more replicates. All
        else, such as the revenue, is of the binary tree.
        """
        if self.support is None or not self.support.is_enough:
            return None
        return self.tree.collapse(self.support.stability, below=LEAST_STABILITY)

    @property
    def held_out_revenue(self) -> int | float | None:
        """What the method earns on answers it has not seen; None if not tried."""
        found = self.held_out.get(self.method)
        return None if found is None else found.revenue

    @property
    def ceiling(self) -> str:
        """How much of unseen answers could be predicted at all, in words."""
        if self.noise is not None:
            return str(self.noise)
        found = self.held_out.get(self.method)
        n = repeats_needed(0.75 if found is None else found.accuracy)
        return (
            "the most that is possible is not known: too few questions were answered "
            f"more than once (asking {n:,} a second time would show it to within 5%)"
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the objects; their numbers where they have no names."""
        return self.tree.labels or tuple(map(str, range(self.tree.n_leaves)))

    def without_comparisons(self) -> Clustering:
        """The same result without the answers, to be pickled or kept in little memory.

        A report cannot be made of it any more; all else stays.
        """
        return replace(self, comparisons=None)

    def write(
        self,
        folder: str | os.PathLike[str],
        *,
        items: Items | None = None,
        images: Any = None,
        image_folder: str | os.PathLike[str] = ".",
        title: str | None = None,
        command: str | None = None,
        overwrite: bool = False,
        spreadsheet: bool = False,
    ) -> tuple[str, ...]:
        """Write the result to a folder, as ``tripletree cluster --out`` does.

        (The page of the command has a learning curve, the agreement of people, and a
        comparison with other models: give ``curve=True, people=True, tree_fit=True`` to
        :func:`cluster`.)

        Parameters
        ----------
        folder : path
            Made if it is not there.
        items, images, image_folder, title, command
            What the page shows beside the result, see :func:`write_report`.
        overwrite : bool, default False
            Whether to replace files that are there.
        spreadsheet : bool, default False
            Whether to make labels in clusters.csv harmless to spreadsheets, see
            :func:`write_comparisons`. Control characters and bidirectional marks are
            written out in any case; summary.json has the labels as they are.

        Returns
        -------
        tuple of str
            The names of the files: tree.nwk, tree.json, linkage.npy, clusters.csv,
            summary.json; tree-stable.nwk, if it is known how stable the joins are; and
            report.html, for answers about at most 20,000 objects.
        """
        from tripletree.report.files import write_folder

        return write_folder(
            self,
            folder,
            overwrite=overwrite,
            spreadsheet=spreadsheet,
            items=items,
            images=images,
            image_folder=image_folder,
            title=title,
            command=command,
        )

    def plot(self, **options: Any) -> Any:
        """Draw the tree without joins that the answers do not bear out.

        Parameters
        ----------
        **options
            Of :func:`plot_dendrogram`; ``clusters`` are those of the result by default.

        Returns
        -------
        matplotlib Axes
        """
        from tripletree.report.dendrogram import plot_dendrogram

        tree = (self.stable_tree or self.tree).with_labels(self.labels)
        return plot_dendrogram(tree, **{"clusters": self.clusters.labels, **options})

    def to_frame(self, what: str = "objects") -> Any:
        """A table of the result as a frame of pandas, or of polars without pandas.

        Parameters
        ----------
        what : {"objects", "joins", "clusters", "people"}, default "objects"
            A row for each object, with its cluster; for each join of the tree, with the
            nodes that it joins and its stability; for each flat cluster, with its
            members; or for each person, see :func:`annotator_agreement`. Clusters count
            from 0; -1 stands for objects in none.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        InvalidOption
            If there is no such table, or neither package is installed.
        """
        from tripletree.report.notebook import frame_of

        return frame_of(self, what)

    def _repr_html_(self) -> str:
        """What notebooks show: the main figures and the tree."""
        from tripletree.report.notebook import result_html

        return result_html(self)

    def __str__(self) -> str:
        lines = [
            f"Tree of {counted(self.tree.n_leaves, 'object')} by {self.method}: "
            f"{self.reason}",
            f"revenue {revenue_text(self.revenue)} (normalised "
            f"{self.normalised_revenue:.4f})",
        ]
        if self.satisfaction is not None:
            counts = self.satisfaction
            total = max(counts.total, 1e-300)
            lines[1] += (
                f"; {counts.satisfied / total:.1%} of the comparisons satisfied, "
                f"{counts.tied / total:.1%} undecided (both pairs join at equally "
                "large clusters)"
            )
        if self.gap is not None and self.gap.is_closed:
            lines.append("proven optimal: no tree has a larger revenue")
        elif self.gap is not None and self.bound is not None:
            lines.append(
                f"upper bound {revenue_text(self.bound)}: this tree earns at least "
                f"{share_at_least(self.gap):.1%} of the largest possible revenue"
            )
        if self.method in self.held_out:
            found = self.held_out[self.method]
            lines += [
                f"{found.accuracy:.1%} of unseen answers right (undecided counts half; "
                f"revenue {revenue_text(found.revenue)} over {len(found.revenues)} "
                f"folds); {self.ceiling}"
            ]
        if (stable := self.stable_tree) is not None:
            n_joins = len(stable.children)
            is_root, least = stable.n_shown == 1, f"{LEAST_STABILITY:.0%} or more"
            lines.append(
                f"{stable.n_shown:,} of {n_joins:,} joins {'is' if is_root else 'are'} "
                f"stable (stability {least})"
                + ": that of all objects, which every tree has"
                * is_root
            )
        lines += [str(x) for x in (self.tree_fit, self.ultrametric) if x is not None]
        lines += [f"warning: {warning}" for warning in self.warnings]
        lines += [f"what to do: {self.advice}"] if self.advice else []
        return "\n".join(lines)


def revenue_text(value: float) -> str:
    """A revenue: all digits of an integer, six of a float."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
