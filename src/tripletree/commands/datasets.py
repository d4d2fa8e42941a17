"""`tripletree datasets`: public answers of people, listed or written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tripletree.commands.console import check_new, one_line_errors, say

NAMES = {
    "car": "60 cars, most central of three",
    "food": "100 dishes, grid choices",
    "vogue": "60 magazine covers, odd one out",
    "nature": "120 scenes, odd one out",
    "imagenet": "1,000 images, rankings",
    "things": "1,854 things, odd one out",
    "musician": "400 musicians, triplets",
    "material": "100 materials, triplets",
    "digits": "1,797 images of digits, simulated answers; needs no network",
}


def datasets(
    name: Annotated[str | None, typer.Argument(help="Which one; none: list them.")] = (
        None
    ),
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file of triplets to write.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite.")] = False,
) -> None:
    """List public data sets, or get one and write its answers as triplets.

    They are read from the folder in the environment variable TRIPLETREE_DATA, or
    downloaded once and checked.

    Example: tripletree datasets car --out car.csv
    """
    import tripletree
    from tripletree.answers.write import write_comparisons
    from tripletree.errors import InvalidOption

    with one_line_errors():
        if name is None:
            for known, words in NAMES.items():
                typer.echo(f"{known:10}{words}")
            return
        if name not in NAMES:
            message = f"{name!r:.80} is no data set: choose {', '.join(NAMES)}."
            raise InvalidOption(message)
        if out is not None:
            check_new([out], force)
        digits = tripletree.load_digits_example
        fetch = digits if name == "digits" else getattr(tripletree, f"fetch_{name}")
        found = fetch()
        typer.echo(f"{found.name}: {found.n_answers} answers, {found.comparisons}")
        typer.echo(f"cite: {found.citation}\nlicence: {found.licence}\n{found.page}")
        if out is not None:
            write_comparisons(found.comparisons, out)
            say(f"{out}: {len(found.comparisons)} triplets.")
