"""`tripletree summary`: what there is among the answers."""

from __future__ import annotations

import typer

from tripletree.commands.console import one_line_errors
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


def summary(
    files: Files,
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    unique: UniqueOption = False,
) -> None:
    """Read answers, and say what is among them.

    Objects, answers, contradictions, groups that no answer joins, what was left out and
    why; and, where it is known who answered, who answers unlike all others.
    """
    from tripletree.comparisons.summary import summarise
    from tripletree.evaluation.annotators import annotator_agreement

    with one_line_errors():
        reading = Reading(
            columns, items, drop, keep, min_response_time, drop_degenerate, unique
        )
        answers = reading.answers(files)
        found = summarise(answers)
        typer.echo(str(found))
        if (found.n_people or 0) > 1:
            typer.echo(f"\n{annotator_agreement(answers)}")
