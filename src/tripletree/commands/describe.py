"""Commands that say how things are: `summary`, `revenue`, `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import tripletree as tt
from tripletree.commands.console import JsonOption, say, tell, tell_json
from tripletree.commands.reading import (
    ColumnsOption,
    DegenerateOption,
    DropOption,
    Files,
    ItemsOption,
    KeepOption,
    MergeOption,
    OtherWordsOption,
    Reading,
    SlowOption,
    UniqueOption,
    WordsOption,
)

KINDS = ("satisfied", "tied", "violated")


def summary(
    files: Files,
    json: JsonOption = False,
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    answer_words: WordsOption = None,
    merge_spellings: MergeOption = False,
    unique: UniqueOption = False,
) -> None:
    """Read answers, and say what is among them.

    Objects, answers, contradictions, groups that no answer joins, what was left out and
    why; and, where it is known who answered, who answers unlike all others.

    Example: tripletree summary answers.csv --json
    """
    import numpy as np

    reading = Reading.of(locals())
    answers = reading.answers(files)
    found = tt.summarise(answers)
    people = tt.annotator_agreement(answers) if (found.n_people or 0) > 1 else None
    if json:
        values = vars(found) | {"dropped": dict(found.dropped), "people": None}
        spreads = ("comparisons_per_object", "answers_per_person")
        values |= {name: vars(values[name]) for name in spreads if values[name]}
        if people is not None:
            each = vars(people).items()
            values["people"] = {key: np.asarray(some).tolist() for key, some in each}
        tell_json(values)
        return
    tell(str(found))
    if people is not None:
        tell(f"\n{people}")


def revenue(
    tree: Annotated[
        Path, typer.Argument(help="A tree: .nwk, .json or .npy.", show_default=False)
    ],
    files: Files,
    json: JsonOption = False,
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    answer_words: WordsOption = None,
    merge_spellings: MergeOption = False,
    unique: UniqueOption = False,
) -> None:
    """Say how good a tree is for answers: its revenue, and how many it satisfies.

    Example: tripletree revenue tree.nwk answers.csv
    """
    reading = Reading.of(locals())
    answers = reading.answers(files)
    say_notes(answers)
    found = fit(tree, tt.read_tree(tree), answers)
    if json:
        tell_json(found)
        return
    tell(f"revenue     {found['revenue']:.12g}")
    tell(f"normalised  {found['normalised_revenue']:.4f}")
    total = sum(found[kind] for kind in KINDS) or 1
    for kind in KINDS:
        name = "undecided" if kind == "tied" else kind
        tell(f"{name:12}{found[kind]:.12g} ({found[kind] / total:.1%})")


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
    answer_words: OtherWordsOption = None,
    merge_spellings: MergeOption = False,
    unique: UniqueOption = False,
    json: JsonOption = False,
) -> None:
    """Say how different two trees are, and which one fits answers better.

    The Robinson-Foulds distance counts clusters that only one tree has, the triplet
    distance triples of leaves whose closest pair differs.

    Example: tripletree compare mine.nwk truth.nwk --answers answers.csv
    """
    reading = Reading.of(locals())
    if not answers:
        reading.refuse("and without --answers there are none")
    one, two = tt.read_tree(tree), tt.read_tree(other)
    distances = {
        "robinson_foulds": tt.robinson_foulds(one, two),
        "triplet_distance": tt.triplet_distance(one, two),
    }
    found: dict[str, Any] = {
        name: {**vars(value), "normalised": value.normalised}
        for name, value in distances.items()
    }
    if answers:
        given = reading.answers(answers)
        say_notes(given)
        both = {tree: one, other: two}
        found["trees"] = {str(x): fit(x, read, given) for x, read in both.items()}
    if json:
        tell_json(found)
        return
    for name, value in distances.items():
        text = f"{value.distance} of {value.most} ({value.normalised:.1%})"
        tell(f"{name.replace('_', ' '):18}{text}")
    for path, values in found.get("trees", {}).items():
        total = sum(values[kind] for kind in KINDS) or 1
        tell(
            f"{path}: revenue {values['revenue']:.12g}, "
            f"{values['satisfied'] / total:.1%} satisfied, "
            f"{values['tied'] / total:.1%} undecided"
        )


def say_notes(answers: tt.Comparisons) -> None:
    """Say what was assumed about answers, and what may be wrong with them."""
    for note in answers.notes:
        say(note)
    for text in answers.warnings:
        say(f"tripletree: warning: {text}")


def fit(path: Path, tree: tt.Tree, answers: tt.Comparisons) -> dict[str, Any]:
    """Revenue and satisfaction; leaves and objects are matched by their names.

    A linkage matrix has no names, and its leaves may be in any order.
    """
    from tripletree.objective.value import normalised_revenue

    labels, numbers = answers.labels or (), {str(at) for at in range(tree.n_leaves)}
    if tree.labels is None and labels and not numbers & {*labels}:
        message = (
            f"{path} has no labels, so which leaf is {labels[0][:80]!r} is unknown. "
            "Give the tree as .nwk or .json, which keep labels."
        )
        raise tt.Mismatch(message)
    tree = tree.in_order_of(answers.labels)
    earned, counts = tt.revenue(tree, answers), tt.satisfaction(tree, answers)
    return {
        "revenue": earned,
        "normalised_revenue": normalised_revenue(tree, answers, earned),
        **{kind: getattr(counts, kind) for kind in KINDS},
    }
