"""`tripletree summary`: what there is among the answers."""

from __future__ import annotations

import typer

from tripletree.commands.console import one_line_errors
from tripletree.commands.reading import reads_answers
from tripletree.comparisons.answers import Comparisons


@reads_answers
def summary(answers: Comparisons) -> None:
    """Read answers, and say what is among them.

    Objects, answers, contradictions, groups that no answer joins, what was left out and
    why; and, where it is known who answered, who answers unlike all others.
    """
    from tripletree.comparisons.summary import summarise
    from tripletree.evaluation.annotators import annotator_agreement

    with one_line_errors():
        found = summarise(answers)
        typer.echo(str(found))
        if (found.n_people or 0) > 1:
            typer.echo(f"\n{annotator_agreement(answers)}")
