"""Commands about files of answers and of trees.

`summary`, `revenue` and `compare` say what they hold; `convert` and `pairs` write them
in another form.
"""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import tripletree as tt
from tripletree import _signals
from tripletree._checks import counted
from tripletree._files import check_new
from tripletree.commands.console import (
    ForceOption,
    JsonOption,
    SheetOption,
    check_answers_file,
    say,
    step_lines,
    tell,
    tell_json,
)
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
    sums_instead,
    texts,
)
from tripletree.errors import InvalidOption, refuse_if

KINDS = {"satisfied": "satisfied", "tied": "undecided", "violated": "violated"}
DISTANCES = {
    "robinson_foulds": ("Robinson-Foulds distance", "clusters"),
    "triplet_distance": ("triplet distance", "triples of leaves"),
}
EngineName = StrEnum("EngineName", ["duckdb", "spark"])  # what can sum answers


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
    """Describe files of answers.

    Objects, answers, contradictions, groups that no answer joins, what was left out and
    why; and, where it is known who answered, who answers unlike all others.

    Example: tripletree summary answers.csv --json
    """
    import numpy as np

    answers = Reading.of(locals()).answers(files)
    found = tt.summarise(answers)
    people = tt.annotator_agreement(answers) if (found.n_people or 0) > 1 else None
    if json:
        values = vars(found) | {"dropped": dict(found.dropped), "people": None}
        spreads = ("comparisons_per_object", "answers_per_person")
        values |= {name: vars(values[name]) for name in spreads if values[name]}
        if people is not None:
            values["people"] = {
                name: np.asarray(some).tolist() for name, some in vars(people).items()
            }
        tell_json(values)
        return
    tell(str(found))
    if people is not None:
        tell(f"\n{people}")


def revenue(
    tree: Annotated[
        Path,
        typer.Argument(
            metavar="TREE", help="A tree: .nwk, .json or .npy.", show_default=False
        ),
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
    """Judge a tree by answers: its revenue, and how many answers it satisfies.

    Example: tripletree revenue tree.nwk answers.csv
    """
    answers = Reading.of(locals()).answers(files)
    say_notes(answers)
    found = fit(tree, tt.read_tree(tree), answers)
    if json:
        tell_json(found)
        return
    tell(f"revenue     {found['revenue']:.12g}")
    tell(f"normalised  {found['normalised_revenue']:.4f}")
    total = sum(found[kind] for kind in KINDS) or 1
    for kind, name in KINDS.items():
        tell(f"{name:12}{found[kind]:.12g} ({found[kind] / total:.1%})")


def compare(
    tree: Annotated[
        Path, typer.Argument(metavar="TREE", help="A tree: .nwk, .json or .npy.")
    ],
    other: Annotated[
        Path, typer.Argument(metavar="OTHER", help="Another tree with the same leaves.")
    ],
    answers: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Files of answers, to see what each tree earns; repeatable.",
        ),
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
    """Compare two trees: how different they are, and which one fits answers better.

    The Robinson-Foulds distance counts the clusters that only one of the trees has; the
    triplet distance counts the triples of leaves whose closest pair differs.

    Example: tripletree compare mine.nwk truth.nwk --answers answers.csv
    """
    reading = Reading.of(locals())
    if not answers:
        reading.refuse("and none are read without --answers")
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
        found["trees"] = {
            str(path): fit(path, read, given)
            for path, read in {tree: one, other: two}.items()
        }
    if json:
        tell_json(found)
        return
    for name, value in distances.items():
        what, unit = DISTANCES[name]
        tell(
            f"{what:26}{value.distance:,} of {value.most:,} {unit} "
            f"({value.normalised:.1%})"
        )
    for path, values in found.get("trees", {}).items():
        total = sum(values[kind] for kind in KINDS) or 1
        tell(
            f"{path}: revenue {values['revenue']:.12g}, "
            f"{values['satisfied'] / total:.1%} satisfied, "
            f"{values['tied'] / total:.1%} undecided"
        )


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="A file of answers, or of a tree.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="The file to write.")
    ],
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    answer_words: WordsOption = None,
    merge_spellings: MergeOption = False,
    unique: UniqueOption = False,
    force: ForceOption = False,
    spreadsheet: SheetOption = False,
) -> None:
    """Write answers, or a tree, in another format.

    Answers: .csv, .tsv, .jsonl (each also with .gz), .parquet, .npz. Questions of any
    form (odd one out, most central, ...) become triplets.

    Trees: .nwk (Newick), .json (nested), .npy (a SciPy linkage matrix).

    Example: tripletree convert survey.csv triplets.parquet
    """
    from tripletree.tree.tree_files import is_tree_file

    reading = Reading.of(locals())
    check_new(force, target)
    is_tree = is_tree_file(source)
    if source.suffix.lower() == ".json":  # may be either
        is_tree = is_tree_file(target)
    refuse_if(
        is_tree != is_tree_file(target),
        InvalidOption,
        f"cannot convert {source.name!r:.200} to {target.name!r:.200}: answers become "
        "answers (.csv, .parquet, ...) and trees become trees (.nwk, .json, .npy). "
        "`tripletree cluster` makes a tree of answers.",
    )
    if is_tree:
        reading.refuse(f"and {source.name!r:.200} holds a tree")
        tree = tt.read_tree(source)
        if target.suffix.lower() == ".npy":
            tree = _by_number(tree, source, target)
        tt.write_tree(tree, target, overwrite=force)
        say(f"{target}: a tree of {tree.n_leaves} leaves.")
        return
    check_answers_file(target)
    answers, lost = reading.answers_and_lost([source])
    say_notes(answers)
    if lost:
        say(f"not carried over: {', '.join(lost)}")
    tt.write_comparisons(answers, target, overwrite=force, spreadsheet=spreadsheet)
    say(
        f"{target}: {counted(len(answers), 'comparison')} of "
        f"{counted(answers.n_objects, 'object')}."
    )


def _by_number(tree: tt.Tree, source: Path, target: Path) -> tt.Tree:
    """The tree as a matrix can hold it: leaves are numbers, and labels are lost."""
    with suppress(tt.Mismatch):
        return tree.in_order_of(None)
    assert tree.labels is not None
    shown = ", ".join(f"{at} is {x[:40]!r}" for at, x in enumerate(tree.labels[:3]))
    say(
        f"tripletree: warning: {target} keeps no labels: its leaf {shown}, and so on, "
        f"as in {source}. .nwk and .json keep them."
    )
    return tree


def pairs(
    source: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE", help="Files of answers (CSV, Parquet), or of pair sums."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The file to write: NAME.parquet."
        ),
    ],
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    answer_words: WordsOption = None,
    merge_spellings: MergeOption = False,
    without: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Pair sums to subtract from those given; repeatable."
        ),
    ] = None,
    engine: Annotated[
        EngineName, typer.Option(help="The engine that sums the answers.")
    ] = EngineName.duckdb,
    master: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Spark's address.", show_default="local[*]"
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="How much memory the engine may use, such as 4GB.",
            show_default="half of what is free",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
) -> None:
    """Sum answers by pair of objects, which is all that clustering needs.

    Writes one row for each pair that was asked about: how often it was the near and
    how often the far pair. Files of pair sums are added up, and can be read by
    `tripletree cluster` in place of answers. What does not fit into memory goes to the
    folder of the output for a while.

    Example: tripletree pairs "day*.parquet" -o pairs.parquet --memory 4GB
    """
    _signals.line = "stopped. Nothing was written."
    check_new(force, out)
    refuse_if(
        master is not None and engine is not EngineName.spark,
        InvalidOption,
        "--master is an address of Spark: add --engine spark.",
    )
    reading = Reading.of(locals())
    common: dict[str, Any] = {
        "engine": master or engine.value,
        "memory": memory,
        "overwrite": force,
    }
    if without:
        reading.refuse(sums_instead(source[0]))
        tt.merge_pair_files(texts(source), out, without=texts(without), **common)
    else:
        with step_lines() as progress:
            dropped = tt.write_pair_sums(
                texts(source),
                out,
                **reading.chosen,
                items=reading.objects,
                progress=progress,
                **common,
            )
        for why, n in dropped.items():
            if n:
                say(f"tripletree: left out {counted(n, 'row')} ({why})")
    say(f"tripletree: wrote {out}")


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
        raise tt.Mismatch(
            str(path),
            f" has no labels, so which leaf is {labels[0][:80]!r} is unknown. Give ",
            "the tree as .nwk or .json, which keep labels.",
        )
    tree = tree.in_order_of(answers.labels)
    earned, counts = tt.revenue(tree, answers), tt.satisfaction(tree, answers)
    return {
        "revenue": earned,
        "normalised_revenue": normalised_revenue(tree, answers, earned),
        **{kind: getattr(counts, kind) for kind in KINDS},
    }
