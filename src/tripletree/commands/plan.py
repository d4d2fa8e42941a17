"""`tripletree plan`: how many answers to collect."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tripletree.commands.console import bars, one_line_errors, print_json


def plan(
    objects: Annotated[int, typer.Option(min=3, help="How many objects.")],
    wrong: Annotated[
        float, typer.Option(min=0, max=0.49, help="The share of wrong answers.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Say how many answers to collect, and why: by trying it on simulated objects.

    Example: tripletree plan --objects 200
    """
    from tripletree.planning import FEWEST, plan_study

    with one_line_errors():
        if objects < FEWEST:
            n_all = objects * (objects - 1) * (objects - 2) // 2
            if json:
                print_json({"n_objects": objects, "recommended": n_all})
                return
            typer.echo(
                f"With {objects} objects ask every question: that is {n_all} triplets, "
                f"or {n_all // 3} odd ones out."
            )
            return
        with bars() as progress:
            found = plan_study(objects, share_wrong=wrong, seed=seed, progress=progress)
        if json:
            print_json(asdict(found))
        else:
            typer.echo(str(found))
