"""`tripletree simulate`: answers from a known tree."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tripletree.commands.console import check_new, one_line_errors, say

LEVELS = 3


class Model(StrEnum):
    """Where simulated answers come from."""

    planted = "planted"
    latent = "latent"


def simulate(
    out: Annotated[Path, typer.Argument(help="The file of answers to write.")],
    model: Annotated[
        Model,
        typer.Option(
            help="planted: clusters in clusters under noise. latent: a random tree, "
            "and triplets that it resolves."
        ),
    ] = Model.planted,
    objects: Annotated[
        int, typer.Option(min=3, max=20_000, help="How many objects.")
    ] = 240,
    answers: Annotated[
        int | None,
        typer.Option(min=1, help="How many answers.", show_default="objects squared"),
    ] = None,
    quadruplets: Annotated[
        bool, typer.Option("--quadruplets", help="Compare pairs with pairs (planted).")
    ] = False,
    wrong: Annotated[
        float, typer.Option(min=0, max=1, help="The share of wrong answers.")
    ] = 0.0,
    truth: Annotated[
        Path | None, typer.Option(help="Also write the true tree (.nwk, .json).")
    ] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite.")] = False,
) -> None:
    """Simulate answers about objects whose true tree is known.

    The planted model is the paper's: eight clusters, in pairs of pairs. It has 8, 16,
    24, ... objects: the next such number is taken.

    Example: tripletree simulate answers.csv --objects 80 --wrong 0.1 --truth truth.nwk
    """
    import numpy as np

    from tripletree.answers.write import write_comparisons
    from tripletree.comparisons.sampling import sample_quadruplets, sample_triplets
    from tripletree.datasets.latent import sample_induced_triplets
    from tripletree.datasets.planted import planted
    from tripletree.errors import InvalidOption
    from tripletree.tree.files import write_tree
    from tripletree.tree.shapes import random_tree

    with one_line_errors():
        check_new([out, *([truth] if truth else [])], force)
        rng = np.random.default_rng(seed)
        if model is Model.planted:
            drawn = planted(-(-objects // 2**LEVELS), LEVELS, rng=rng)
            tree, n = drawn.truth, drawn.truth.n_leaves
            draw = sample_quadruplets if quadruplets else sample_triplets
            found = draw(drawn.similarity, answers or n * n, flip=wrong, rng=rng)
        else:
            if quadruplets:
                message = "--quadruplets: a latent tree answers triplets only."
                raise InvalidOption(message)
            tree, n = random_tree(objects, rng=rng), objects
            n_all = n * (n - 1) * (n - 2) // 3
            p = min(1.0, (answers or n * n) / n_all)
            found = sample_induced_triplets(tree, p, flip=wrong, rng=rng)
        write_comparisons(found, out)
        say(f"{out}: {len(found)} comparisons of {n} objects, {wrong:.0%} wrong.")
        if truth is not None:
            write_tree(tree, truth)
            say(f"{truth}: their true tree.")
