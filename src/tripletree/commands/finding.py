"""What `cluster` and `report` share: a tree of answers, its flat clusters, how sure
they are, and the page that shows it.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer

from tripletree._checks import counted, printable
from tripletree.clustering import Clustering
from tripletree.commands.console import say, steps
from tripletree.comparisons.answers import Comparisons
from tripletree.errors import InvalidOption
from tripletree.evaluation.support import Support
from tripletree.similarity.pair_table import PairSums
from tripletree.tree.tree import Tree

DEFAULT_REPLICATES = 100
SECONDS_FOR_SUPPORT = 60.0

MethodOption = Annotated[
    str,
    typer.Option(
        help="auto, climb, complete, adds-al, mulk-al, 4k-al or tste-al. auto: the one "
        "of adds-al, climb and complete that earns most on held-out answers."
    ),
]
ClustersOption = Annotated[
    str,
    typer.Option(
        metavar="NUMBER|auto",
        help="How many flat clusters; auto: as many as the answers ask for.",
    ),
]
SupportOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="NUMBER",
        help="How sure is each cluster? Draw the answers again this often, and see "
        "whether it comes back. 0 leaves it out. Without this option a report has "
        "100 such replicates, or what a minute is enough for.",
    ),
]
SeedOption = Annotated[
    int, typer.Option(min=0, metavar="NUMBER", help="The same seed, the same tree.")
]
TimeOption = Annotated[
    float | None,
    typer.Option(min=0, metavar="SECONDS", help="About how long to look for the tree."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite.")]


@dataclass(frozen=True)
class Found:
    """A tree of answers, its flat clusters, and how sure they are.

    Attributes
    ----------
    result : Clustering
        Its tree has the support, if there is any.
    clusters : ndarray of int64, shape (n,)
        The flat cluster of each object, numbered as on the page: from 1 on, from the
        top of the drawn tree to its bottom.
    support : Support or None
    """

    result: Clustering
    clusters: npt.NDArray[np.int64]
    support: Support | None

    @property
    def n_clusters(self) -> int:
        return int(self.clusters.max())

    @property
    def nodes(self) -> list[int]:
        """The node of the tree below which each flat cluster is, in their order."""
        tree = self.result.tree
        _, first, sizes = np.unique(
            self.clusters, return_index=True, return_counts=True
        )
        return [
            _node_above(tree, leaf, size)
            for leaf, size in zip(first.tolist(), sizes.tolist(), strict=True)
        ]


def _node_above(tree: Tree, leaf: int, size: int) -> int:
    node = leaf
    while tree.size[node] < size:
        node = int(tree.parent[node])
    return node


def numbered_from_the_top(
    tree: Tree, labels: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The same clusters, numbered from 1 on in the order in which the tree is drawn."""
    _, first = np.unique(labels[tree.leaf_order], return_index=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(1, len(first) + 1)
    return rank[labels]


def find(
    answers: Comparisons | PairSums,
    method: str,
    clusters: str,
    n_replicates: int | None,
    seed: int,
    time_limit: float | None,
) -> Found:
    """The tree of the answers as the options ask for it.

    Ctrl-C ends the command; for the best tree within some time there is --time-limit.
    n_replicates: of the bootstrap; None for as many as there is time for.
    """
    from dataclasses import replace

    from tripletree.cluster import cluster
    from tripletree.revenue.flat import best_cut

    n_clusters = parse_clusters(clusters, answers.n_objects)
    if n_replicates and isinstance(answers, PairSums):
        message = "--support draws answers again, and pair sums have none."
        raise InvalidOption(message)
    support = None
    with steps() as step:
        result = cluster(
            answers, method, seed=seed, time_limit=time_limit, progress=step
        )
        if n_replicates != 0 and not isinstance(answers, PairSums):
            support = find_support(result, answers, n_replicates, seed, step)
            result = replace(result, tree=support.tree)
    tree = result.tree
    if n_clusters is None:
        sums = answers.similarity if isinstance(answers, PairSums) else answers
        labels = best_cut(tree, sums).labels
    else:
        labels = tree.cut(n_clusters)
    return Found(result, numbered_from_the_top(tree, labels), support)


def find_support(
    result: Clustering,
    answers: Comparisons,
    n_replicates: int | None,
    seed: int,
    step: Callable[[str], None],
) -> Support:
    """How sure each cluster is; within a minute, unless a number was asked for."""
    from tripletree.evaluation.support import bootstrap_support

    n_wanted = DEFAULT_REPLICATES if n_replicates is None else n_replicates
    step("how sure each cluster is")
    found = bootstrap_support(
        result.tree,
        answers,
        method="adds-al" if result.method == "adds-al" else "climb",
        n_replicates=n_wanted,
        seed=seed,
        time_limit=SECONDS_FOR_SUPPORT if n_replicates is None else None,
        progress=lambda done, n: step(f"how sure each cluster is: {done} of {n}"),
    )
    if found.n_replicates < n_wanted:
        say(
            f"support and stability are of {found.n_replicates} replicates, for want "
            f"of time: --support {n_wanted} makes them all."
        )
    return found


def parse_clusters(text: str, n_objects: int) -> int | None:
    """The option --clusters; None for auto."""
    if text == "auto":
        return None
    is_number = text.isascii() and text.isdigit() and len(text) <= 10
    if not (is_number and 1 <= int(text) <= n_objects):
        message = f"--clusters {text!r:.80}: give 1 to {n_objects}, or auto."
        raise InvalidOption(message)
    return int(text)


def say_what_was_read(answers: Comparisons | PairSums) -> None:
    """How many comparisons of how many objects, what was left out and assumed.

    An odd one out is one answer and two comparisons: each number has its unit.
    """
    about = f"about {counted(answers.n_objects, 'object')}"
    if isinstance(answers, PairSums):
        n_summed = counted(answers.n_answers, "comparison")
        say(f"read {n_summed} {about}, summed by pair")
        return
    text = f"read {counted(len(answers), 'comparison')} {about}"
    if answers.annotators is not None:
        people = len(np.unique(answers.annotators))
        text += f" by {people:,} {'person' if people == 1 else 'people'}"
    left_out = [
        f"{counted(n, 'answer')} ({printable(why)})"
        for why, n in answers.dropped.items()
        if n
    ]
    say(f"{text}; left out: {', '.join(left_out)}" if left_out else text)
    for note in answers.notes:
        say(printable(note))


def check_pictures(items: Path | None) -> None:
    """Refuse items whose pictures the page could not show, before the work."""
    from tripletree.comparisons.files.items import read_items
    from tripletree.report.pictures import check_files

    images = None if items is None else read_items(str(items)).images
    if items is not None and images is not None:
        check_files(images, items.parent)


def write_page(
    path: Path,
    found: Found,
    answers: Comparisons,
    files: list[Path],
    items: Path | None,
) -> None:
    """The report, with the pictures of the items."""
    from tripletree.comparisons.files.items import read_items
    from tripletree.report.page import write_report

    with steps() as step:
        step("report")
        write_report(
            found.result,
            answers,
            path,
            items=None if items is None else read_items(str(items)),
            image_folder="." if items is None else items.parent,
            support=found.support,
            n_clusters=found.n_clusters,
            title=", ".join(file.name for file in files[:3]),
            command=shlex.join(["tripletree", *sys.argv[1:]]),
            overwrite=True,
        )
