"""`tripletree revenue`: how good is this tree for these answers?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tripletree._checks import printable
from tripletree.commands.console import one_line_errors, print_json, say
from tripletree.commands.reading import reads_answers
from tripletree.comparisons.answers import Comparisons


@reads_answers
def revenue(
    tree: Annotated[
        Path, typer.Argument(help="A tree: .nwk, .json or .npy.", show_default=False)
    ],
    answers: Comparisons,
    json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Say how good a tree is for answers: its revenue, and how many it satisfies.

    Example: tripletree revenue tree.nwk answers.csv
    """
    from tripletree.commands.worth import KINDS, share, worth
    from tripletree.tree.files import read_tree

    with one_line_errors():
        for note in answers.notes:
            say(printable(note))
        found = worth(read_tree(tree), answers)
        if json:
            print_json(found)
            return
        typer.echo(f"revenue     {found['revenue']:.12g}")
        typer.echo(f"normalised  {found['normalised_revenue']:.4f}")
        for name in KINDS:
            typer.echo(f"{name:12}{found[name]:.12g} ({share(found, name):.1%})")
