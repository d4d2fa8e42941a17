"""Commands for studies and experiments: `plan`, `simulate`, `datasets`, `reproduce`."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import tripletree as tt
from tripletree import _signals
from tripletree._files import check_new, replaced_together
from tripletree._progress import OnProgress, Progress
from tripletree.commands.console import (
    ForceOption,
    JsonOption,
    check_answers_file,
    progress_line,
    say,
    tell,
    tell_json,
)
from tripletree.comparisons.sampling import count_questions
from tripletree.errors import InvalidOption, refuse_if

LEVELS = 3  # of the planted model
SeedOption = Annotated[
    int,
    typer.Option(min=0, metavar="NUMBER", help="The same seed gives the same result."),
]
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
# Where simulated answers come from, and what can be reproduced.
Model = StrEnum("Model", ["planted", "latent"])
Experiment = StrEnum(
    "Experiment",
    ["table1", "figure1", "figure2", "real", "theorem2", "calibration", "all"],
)


def plan(
    objects: Annotated[
        int, typer.Option(min=3, metavar="NUMBER", help="How many objects.")
    ],
    wrong: Annotated[
        float,
        typer.Option(
            min=0, max=0.49, metavar="SHARE", help="The share of wrong answers."
        ),
    ] = 0.1,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Estimate how many answers to collect, by trials on simulated objects.

    Example: tripletree plan --objects 200
    """
    from tripletree.planning import FEWEST

    if objects < FEWEST:
        n_all = count_questions(objects, 3)
        values = {"n_objects": objects, "recommended": n_all}
        text = (
            f"With {objects} objects ask every question: that is {n_all} triplets, or "
            f"{n_all // 3} odd ones out."
        )
    else:
        say("simulating studies with more and more answers")
        with progress_line() as progress:
            found = tt.plan_study(
                objects, share_wrong=wrong, seed=seed, progress=progress
            )
        values, text = asdict(found), str(found)
    if json:
        tell_json(values)
    else:
        tell(text)


def simulate(
    out: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file of answers to write.")
    ],
    model: Annotated[
        Model,
        typer.Option(
            help="planted: clusters in clusters under noise. latent: a random tree, "
            "and triplets that it resolves."
        ),
    ] = Model.planted,
    objects: Annotated[
        int,
        typer.Option(min=3, max=20_000, metavar="NUMBER", help="How many objects."),
    ] = 240,
    answers: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="How many answers.",
            show_default="objects squared",
        ),
    ] = None,
    quadruplets: Annotated[
        bool, typer.Option("--quadruplets", help="Compare pairs with pairs (planted).")
    ] = False,
    wrong: Annotated[
        float,
        typer.Option(min=0, max=1, metavar="SHARE", help="The share of wrong answers."),
    ] = 0.0,
    truth: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the true tree (.nwk, .json)."),
    ] = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
) -> None:
    """Simulate answers about objects whose true tree is known.

    The planted model is the paper's: eight clusters, in pairs of pairs. It has 8, 16,
    24, ... objects: the next such number is taken.

    Example: tripletree simulate answers.csv --objects 80 --wrong 0.1 --truth truth.nwk
    """
    import numpy as np

    from tripletree.answers.write import written_ending
    from tripletree.tree.tree_files import tree_kind

    check_new(force, out, truth)
    written_ending(out)
    if truth is not None:
        tree_kind(str(truth))
    is_planted = model is Model.planted
    refuse_if(
        quadruplets and not is_planted,
        InvalidOption,
        "--quadruplets: a latent tree answers triplets only.",
    )
    rng = np.random.default_rng(seed)
    if is_planted:
        drawn = tt.planted(-(-objects // 2**LEVELS), LEVELS, rng=rng)
        tree, n = drawn.truth, drawn.truth.n_leaves
        n_all = count_questions(n, 4 if quadruplets else 3)
    else:
        tree, n = tt.random_tree(objects, rng=rng), objects
        n_all = n * (n - 1) * (n - 2) // 3
    m = min(n * n, n_all) if answers is None else answers
    refuse_if(
        m > n_all,
        InvalidOption,
        f"--answers {m}: {n} objects have only {n_all} different answers.",
    )
    if is_planted:
        draw = tt.sample_quadruplets if quadruplets else tt.sample_triplets
        found = draw(drawn.similarity, m, flip=wrong, rng=rng)
    else:  # three objects make two answers
        found = tt.sample_induced_triplets(
            tree, n_questions=-(-m // 2), flip=wrong, rng=rng
        )[:m]
    with replaced_together([out] if truth is None else [out, truth], force) as new:
        tt.write_comparisons(found, new[0])
        if truth is not None:
            tt.write_tree(tree, new[1])
    say(f"{out}: {len(found):,} comparisons of {n:,} objects, {wrong:.0%} wrong.")
    if truth is not None:
        say(f"{truth}: their true tree.")


def datasets(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Which one; by default all are listed."),
    ] = (None),
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The file of triplets to write."
        ),
    ] = None,
    force: ForceOption = False,
) -> None:
    """List public data sets, or get one and write its answers as triplets.

    They are read from the folder in the environment variable TRIPLETREE_DATA, or
    downloaded once and checked.

    Example: tripletree datasets car --out car.csv
    """
    if name is None:
        for known, words in NAMES.items():
            tell(f"{known:10}{words}")
        return
    refuse_if(
        name not in NAMES,
        InvalidOption,
        f"{name!r:.80} is not a data set: choose {', '.join(NAMES)}.",
    )
    check_new(force, out)
    if out is not None:
        check_answers_file(out)
    load = "load_digits_example" if name == "digits" else f"fetch_{name}"
    found = getattr(tt, load)()
    if out is not None:
        tt.write_comparisons(found.comparisons, out, overwrite=force)
        say(f"{out}: {len(found.comparisons):,} triplets.")
    tell(
        f"{found.name}: {found.n_answers:,} answers, {found.comparisons}\n"
        f"cite: {found.citation}\nlicence: {found.licence}\n{found.page}",
        is_kept=out is not None,
    )


def reproduce(
    experiment: Annotated[
        Experiment,
        typer.Argument(metavar="EXPERIMENT", help="Which part of the paper."),
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer and smaller settings: a minute.")
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            metavar="NUMBER",
            help="Runs of all that is random (theorem2: at most 3, calibration: 5).",
            show_default="10, or 2",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1024,
            metavar="NUMBER",
            help="How many processes to run at once.",
            show_default="one per core",
        ),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="The folder for tables, records and figures."
        ),
    ] = Path("reproduced"),
) -> None:
    """Repeat the paper's experiments, and print its results beside those found here.

    Writes NAME.csv (all records), NAME.txt (the table) and NAME.png and .pdf into the
    folder. Finished pieces are kept in its folder cells: after an interruption the same
    command goes on from there. Results do not depend on the number of jobs. The table
    on real data needs the environment variable TRIPLETREE_DATA: the folder of the data.
    """
    from tripletree._threads import n_threads
    from tripletree.experiments.reporting import Plan
    from tripletree.experiments.reproduce import EXPERIMENTS
    from tripletree.experiments.reproduce import reproduce as run

    _signals.line = (
        f"stopped. What is finished is in {out / 'cells'}: the same command goes on "
        "from there."
    )
    names = EXPERIMENTS if experiment is Experiment.all else (experiment.value,)
    plan = Plan(seeds or (2 if quick else 10), quick)
    for name in names:
        with progress_line() as line:
            text = run(
                name,
                plan,
                out,
                version=tt.__version__,
                n_jobs=jobs or n_threads(),
                progress=_saying_first(name, out / "cells", line),
            )
        tell(text, is_kept=True)
    say(f"Tables, records and figures are in {out}.")


def _saying_first(name: str, cells: Path, line: OnProgress) -> OnProgress:
    """A callback that begins with a line, also where there is no terminal."""
    is_told = False

    def progress(now: Progress) -> None:
        nonlocal is_told
        if not is_told:
            say(f"{name}: {now.done:,} of {now.total:,} pieces are in {cells}")
        is_told = True
        line(now)

    return progress
