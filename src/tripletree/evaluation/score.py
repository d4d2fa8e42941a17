"""Revenue and satisfaction of a tree for answers that do not fit into memory.

The engine turns labels into ids and delivers the answers in batches, which pass through
the kernels of `revenue` and `satisfaction` and are discarded. What stays in memory is
the tree, its table of common ancestors, and two sums for each merge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree.answers.engines import open_engine
from tripletree.answers.filters import Choice
from tripletree.answers.first_look import number_objects
from tripletree.answers.header import Columns
from tripletree.answers.layout import Options
from tripletree.answers.relation import id_rows, orders_of
from tripletree.objective import _value_kernel as kernels
from tripletree.objective.value import Satisfaction, Values, revenue_of_sums
from tripletree.tree.ancestors import meeting_sizes, meeting_table
from tripletree.tree.tree import Tree, check_tree


@dataclass(frozen=True)
class Score:
    """Revenue and satisfaction of a tree for answers on an engine.

    Attributes
    ----------
    revenue : int or float
        Exact, an int, unless weights are floats.
    n_comparisons : int or float
        The number of comparisons, or their total weight.
    satisfaction : Satisfaction or None
        None for pair sums, which do not determine it.
    dropped : dict of str to int
        How many rows were left out, by reason.
    notes, warnings : tuple of str
        What was assumed about the answers, and what may be wrong with them, as in
        :func:`read_comparisons`.
    """

    revenue: int | float
    n_comparisons: int | float
    satisfaction: Satisfaction | None
    dropped: dict[str, int]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def score(
    tree: Tree,
    source: Any,
    *,
    columns: Columns = None,
    drop: Choice | None = None,
    keep: Choice | None = None,
    min_response_time: float | None = None,
    drop_degenerate: bool = False,
    answer_words: Mapping[str, str] | None = None,
    merge_spellings: bool = False,
    engine: Any = None,
    memory: str | int | None = None,
) -> Score:
    """Revenue and satisfaction of a tree over answers that need not fit into memory.

    The same as :func:`revenue` and :func:`satisfaction` of the answers in memory.

    Parameters
    ----------
    tree : Tree
        Its labels are the objects; leaves without labels are called 0, 1, 2, ... Leaves
        that no answer mentions are allowed.
    source : path, list of paths, or table
        As in :func:`pair_sums`. Files of pair sums give only the revenue.
    columns : optional
    drop, keep : dict, optional
    min_response_time : float, optional
    drop_degenerate : bool, default False
    answer_words : dict, optional
    merge_spellings : bool, default False
        As in :func:`read_comparisons`.
    engine : None, "duckdb", "spark", SparkSession or str, optional
    memory : int or str, optional
        As in :func:`pair_sums`.

    Returns
    -------
    Score

    Raises
    ------
    InvalidComparisons
        If rows are wrong, or about objects that the tree does not have.
    InvalidTree, InvalidOption
        If this is not a tree, or an option is not as described.
    UnreadableFile
        If there is no such file.

    Notes
    -----
    O(m + n log n) time and O(n log n) memory in addition to the engine's, in two passes
    over the source (three if labels are text). All answers pass through this process,
    also those from Spark, whose largest partition must fit into memory, and whose
    workers need pyarrow. With float weights the order of additions, and so the last
    digits, depends on the engine.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from tripletree import caterpillar_tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "answers.csv")
    ...     _ = path.write_text("i,j,k\\n0,1,2\\n1,0,3\\n3,0,1\\n")
    ...     found = score(caterpillar_tree(4), path)
    >>> found.revenue, found.satisfaction
    (3, Satisfaction(satisfied=2, tied=1, violated=0))
    """
    check_tree(tree)
    labels = tree.labels or tuple(map(str, range(tree.n_leaves)))
    options = Options.of(locals(), labels)
    with open_engine(source, options, engine, memory, None) as opened:
        _, dropped = number_objects(opened)
        layout, form = opened.layout, opened.layout.form
        totals = _Totals(tree, np.int64 if layout.is_whole else np.float64)
        for batch in opened.batches(id_rows):
            names = batch.schema.names
            taken = {x: batch.column(x).to_numpy(zero_copy_only=False) for x in names}
            if form == "pairs":
                totals.add_pairs(taken)
            else:
                totals.add_answers(taken, form)
    satisfaction = None if form == "pairs" else Satisfaction(*totals.counts.tolist())
    earned = revenue_of_sums(tree, totals.sums[:, 0] - totals.sums[:, 1])
    near, said = totals.near.item(), (dropped, layout.all_notes, layout.warnings)
    return Score(earned, near, satisfaction, *said)


class _Totals:
    """Totals so far: near and far weight at each merge, and the counts."""

    def __init__(self, tree: Tree, kind: type) -> None:
        self.nodes, self.sizes = meeting_table(tree), meeting_sizes(tree)
        self.sums: Values = np.zeros((tree.n_leaves - 1, 2), kind)
        self.counts: Values = np.zeros(3, kind)
        self.near: Values = np.zeros((), kind)

    def add_answers(self, batch: dict[str, Values], form: str) -> None:
        """Add rows of ids, each of which makes one or two comparisons."""
        # A copy, because Arrow's arrays are read-only, another type to the kernels.
        weights = np.array(batch.get("weight", ()), self.sums.dtype)
        for order in orders_of(form):
            rows = np.column_stack([batch[f"p{place}"] for place in order])
            kernels.add_rows(rows, weights, self.nodes, self.sums)
            kernels.compare_rows(rows, weights, self.sizes, self.counts)
            self.near += weights.sum() if "weight" in batch else len(rows)

    def add_pairs(self, batch: dict[str, Values]) -> None:
        """Add rows of pair sums."""
        pairs = np.column_stack([batch["p0"], batch["p1"]])
        for side, name in enumerate(("near", "far")):
            values = np.array(batch[name], self.sums.dtype)
            kernels.add_pairs(pairs, values, self.nodes, self.sums[:, side])
        self.near += batch["near"].sum()
