"""`tripletree revenue`: how good is this tree for these answers?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tripletree._checks import printable
from tripletree.commands.console import one_line_errors, print_json, say
from tripletree.commands.reading import (
    ColumnsOption,
    DegenerateOption,
    DropOption,
    Files,
    ItemsOption,
    KeepOption,
    Reading,
    SlowOption,
    UniqueOption,
)
from tripletree.comparisons.answers import Comparisons
from tripletree.objective.value import normalised, satisfaction
from tripletree.objective.value import revenue as revenue_of
from tripletree.tree.tree import Tree

KINDS = ("satisfied", "tied", "violated")


def revenue(
    tree: Annotated[
        Path, typer.Argument(help="A tree: .nwk, .json or .npy.", show_default=False)
    ],
    files: Files,
    json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    unique: UniqueOption = False,
) -> None:
    """Say how good a tree is for answers: its revenue, and how many it satisfies.

    Example: tripletree revenue tree.nwk answers.csv
    """
    from tripletree.tree.files import read_tree

    with one_line_errors():
        reading = Reading(
            columns, items, drop, keep, min_response_time, drop_degenerate, unique
        )
        answers = reading.answers(files)
        for note in answers.notes:
            say(printable(note))
        found = fit(read_tree(tree), answers)
        if json:
            print_json(found)
            return
        typer.echo(f"revenue     {found['revenue']:.12g}")
        typer.echo(f"normalised  {found['normalised_revenue']:.4f}")
        total = sum(found[kind] for kind in KINDS) or 1
        for kind in KINDS:
            name = "undecided" if kind == "tied" else kind
            typer.echo(f"{name:12}{found[kind]:.12g} ({found[kind] / total:.1%})")


def fit(tree: Tree, answers: Comparisons) -> dict[str, Any]:
    """Revenue and satisfaction; leaves and objects are matched by their names."""
    tree = tree.in_order_of(answers.labels)
    earned, counts = revenue_of(tree, answers), satisfaction(tree, answers)
    return {
        "revenue": earned,
        "normalised_revenue": normalised(earned, counts.total, tree.n_leaves),
        **{kind: getattr(counts, kind) for kind in KINDS},
    }
