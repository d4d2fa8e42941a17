"""`tripletree compare`: how different are two trees?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tripletree.commands.console import one_line_errors, print_json
from tripletree.commands.reading import (
    ColumnsOption,
    DegenerateOption,
    DropOption,
    ItemsOption,
    KeepOption,
    Reading,
    SlowOption,
    UniqueOption,
)


def compare(
    tree: Annotated[Path, typer.Argument(help="A tree: .nwk, .json or .npy.")],
    other: Annotated[Path, typer.Argument(help="Another one with the same leaves.")],
    answers: Annotated[
        list[Path] | None,
        typer.Option(help="Files of answers: what each tree earns; can be repeated."),
    ] = None,
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    unique: UniqueOption = False,
    json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Say how different two trees are, and which one fits answers better.

    The Robinson-Foulds distance counts clusters that only one tree has, the triplet
    distance triples of leaves whose closest pair differs.

    Example: tripletree compare mine.nwk truth.nwk --answers answers.csv
    """
    from tripletree.commands.revenue import KINDS, fit
    from tripletree.tree.distances import robinson_foulds, triplet_distance
    from tripletree.tree.files import read_tree

    with one_line_errors():
        reading = Reading(
            columns, items, drop, keep, min_response_time, drop_degenerate, unique
        )
        if not answers:
            reading.refuse("and without --answers there are none")
        one, two = read_tree(tree), read_tree(other)
        distances = {
            "robinson_foulds": robinson_foulds(one, two),
            "triplet_distance": triplet_distance(one, two),
        }
        found: dict[str, Any] = {
            name: {**vars(value), "normalised": value.normalised}
            for name, value in distances.items()
        }
        if answers:
            given = reading.answers(answers)
            found["trees"] = {
                str(tree): fit(one, given),
                str(other): fit(two, given),
            }
        if json:
            print_json(found)
            return
        for name, value in distances.items():
            text = f"{value.distance} of {value.most} ({value.normalised:.1%})"
            typer.echo(f"{name.replace('_', ' '):18}{text}")
        for path, values in found.get("trees", {}).items():
            total = sum(values[kind] for kind in KINDS) or 1
            typer.echo(
                f"{path}: revenue {values['revenue']:.12g}, "
                f"{values['satisfied'] / total:.1%} satisfied, "
                f"{values['tied'] / total:.1%} undecided"
            )
