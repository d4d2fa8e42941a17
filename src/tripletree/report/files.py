"""All files of a result, and the JSON object that describes it."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tripletree._checks import check_flag, json_text, printable, spreadsheet_text
from tripletree._files import check_name, published, write_whole
from tripletree._version import version
from tripletree.clustering.result import Clustering
from tripletree.comparisons.triplets import Quadruplets, Triplets
from tripletree.errors import UnreadableFile
from tripletree.report.page import MOST_OBJECTS, write_report
from tripletree.tree.tree_files import write_tree

TREES = ("tree.nwk", "tree.json", "linkage.npy")
TABLES = ("clusters.csv", "summary.json")
STABLE = "tree-stable.nwk"  # if it is known how stable the joins are
REPORT = "report.html"
ALL_FILES = (*TREES, STABLE, *TABLES, REPORT)
SCHEMA = 1  # the version of summary.json; docs/summary_json.md has its fields


def has_page(comparisons: object) -> bool:
    """Whether there is a page: not for pair sums, nor for too many objects."""
    if not isinstance(comparisons, Triplets | Quadruplets):
        return False
    return comparisons.n_objects <= MOST_OBJECTS


def write_folder(
    result: Clustering,
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    spreadsheet: bool = False,
    **page: Any,
) -> tuple[str, ...]:
    """Write all files of a result, or none of them; return their names.

    Only files of these names are replaced, and the page of another result is removed.
    """
    target = Path(check_name(folder))
    stable = result.stable_tree
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{str(target)!r:.200} cannot be made: {error.strerror or error}."
        raise UnreadableFile(message) from None
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["label", "cluster"])
    shown = spreadsheet_text if check_flag("spreadsheet", spreadsheet) else printable
    writer.writerows((shown(x), k) for x, k in clusters_by_label(result).items())
    with published(target, ALL_FILES, overwrite) as new:
        if has_page(result.comparisons):  # first, because it can still be refused
            write_report(result, new / REPORT, **page)
        for name in TREES:
            write_tree(result.tree, new / name)
        if stable is not None:
            write_tree(stable, new / STABLE)
        write_whole(new / "clusters.csv", table.getvalue())
        write_whole(new / "summary.json", json_text(summary_of(result), 2) + "\n")
        return tuple(name for name in ALL_FILES if (new / name).exists())


def clusters_by_label(result: Clustering) -> dict[str, int]:
    """The flat cluster of each object, or -1; files and pages count them from 1."""
    labels = result.clusters.labels
    numbers = np.where(labels < 0, -1, labels + 1).tolist()
    return dict(zip(result.labels, numbers, strict=True))


def summary_of(result: Clustering) -> dict[str, Any]:
    """Everything known about a result, in types that JSON has."""
    gap, read, found = result.gap, result.read, result.support
    stable = result.stable_tree
    fit, curve = result.tree_fit, result.curve
    return {
        "schema": SCHEMA,
        "n_objects": read.n_objects,
        "n_answers": read.n_answers,
        "n_comparisons": read.n_comparisons,
        "n_questions": read.n_questions,
        "n_people": read.n_people,
        "left_out": dict(read.left_out),
        "assumed": list(read.assumed),
        "method": result.method,
        "reason": result.reason,
        "revenue": result.revenue,
        "normalised_revenue": result.normalised_revenue,
        "bound": result.bound,
        "share_of_bound": None if gap is None or gap.is_estimate else gap.share,
        "held_out": {
            name: {"revenue": one.revenue, "accuracy": one.accuracy}
            for name, one in result.held_out.items()
        },
        "noise_ceiling": result.noise and asdict(result.noise),
        "learning_curve": curve
        and {
            "n_answers": curve.n_answers.tolist(),
            "accuracy": curve.accuracy.tolist(),
            "spread": curve.spread.tolist(),
            "gain": curve.gain,
        },
        "tree_fit": fit and {**asdict(fit), "kept": fit.kept},
        "ultrametric_index": result.ultrametric and asdict(result.ultrametric),
        **{
            kind: getattr(result.satisfaction, kind, None)
            for kind in ("satisfied", "tied", "violated")
        },
        "warnings": list(result.warnings),
        "advice": result.advice,
        "n_clusters": result.clusters.n_clusters,
        "cluster_rule": result.clusters.rule,
        "cluster_nodes": result.clusters.nodes.tolist(),
        "n_unassigned": result.clusters.n_unassigned,
        "clusters": clusters_by_label(result),
        "cluster_stability": found and _of_clusters(result, found.stability),
        "cluster_support": found and _of_clusters(result, found.support),
        "levels": [
            {
                "n_clusters": level.clusters.n_clusters,
                "n_unassigned": level.clusters.n_unassigned,
                "stability": level.stability,
                "smallest": level.smallest,
                "largest": level.largest,
                "explained": level.explained,
                "cluster_nodes": level.clusters.nodes.tolist(),
            }
            for level in result.levels
        ],
        "n_replicates": 0 if found is None else found.n_replicates,
        "drawn": found and found.drawn,
        "n_joins": len(result.tree.children),
        "n_stable_joins": stable and stable.n_shown,
        "newick": result.tree.to_newick(),
        "newick_stable": stable and stable.to_newick(),
        "tripletree": version(),
    }


def _of_clusters(
    result: Clustering, of_merges: npt.NDArray[np.float64]
) -> list[float | None]:
    """The value of each flat cluster, in their order; None for single objects."""
    merges = (result.clusters.nodes - result.tree.n_leaves).tolist()
    return [None if at < 0 else float(of_merges[at]) for at in merges]
