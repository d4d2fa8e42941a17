"""Commands that write answers and trees in another form: `convert`, `pairs`."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import tripletree as tt
from tripletree import _signals
from tripletree._checks import counted
from tripletree._files import check_new
from tripletree.answers.read import columns_not_kept
from tripletree.commands.console import ForceOption, SheetOption, say
from tripletree.commands.describe import say_notes
from tripletree.commands.reading import (
    ColumnsOption,
    DegenerateOption,
    DropOption,
    ItemsOption,
    KeepOption,
    MergeOption,
    Reading,
    SlowOption,
    UniqueOption,
    WordsOption,
    sums_instead,
)
from tripletree.errors import InvalidOption, Mismatch, refuse_if

Engine = StrEnum("Engine", ["duckdb", "spark"])  # what can sum answers


def convert(
    source: Annotated[Path, typer.Argument(help="A file of answers, or of a tree.")],
    target: Annotated[Path, typer.Argument(help="The file to write.")],
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
    """Write the same answers, or the same tree, as another kind of file.

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
    answers = reading.answers([source])
    say_notes(answers)
    lost = columns_not_kept(str(source), reading.chosen["columns"])
    if lost:
        say(f"not carried over: {', '.join(lost)}")
    tt.write_comparisons(answers, target, overwrite=force, spreadsheet=spreadsheet)
    n_answers = counted(len(answers), "comparison")
    say(f"{target}: {n_answers} of {counted(answers.n_objects, 'object')}.")


def _by_number(tree: tt.Tree, source: Path, target: Path) -> tt.Tree:
    """The tree as a matrix can hold it: leaves are numbers, and labels are lost."""
    with suppress(Mismatch):
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
        typer.Argument(help="Files of answers (CSV, Parquet), or of pair sums."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The file to write: NAME.parquet.")
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
        typer.Option(help="Pair sums to take away from those given; repeatable."),
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="What sums the answers.")
    ] = Engine.duckdb,
    master: Annotated[
        str | None,
        typer.Option(help="Spark's address.", show_default="local[*]"),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            help="The most memory of the engine, such as 4GB.",
            show_default="half of what is free",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file if it is there.")
    ] = False,
) -> None:
    """Sum answers by pair of objects: all that clustering needs of them.

    Writes one row for each pair that was asked about: how often it was the near and
    how often the far pair. Files of pair sums are added up, and can be read by
    `tripletree cluster` in place of answers. What does not fit into memory goes to the
    folder of the output for a while.

    Example: tripletree pairs "day*.parquet" -o pairs.parquet --memory 4GB
    """
    _signals.line = "stopped. Nothing was written."
    check_new(force, out)
    refuse_if(
        master is not None and engine is not Engine.spark,
        InvalidOption,
        "--master is an address of Spark: add --engine spark.",
    )
    files = [str(path) for path in source]
    on = master or engine.value
    reading = Reading.of(locals())
    if without:
        reading.refuse(sums_instead(source[0]))
        minus = [str(path) for path in without]
        tt.merge_pair_files(
            files, out, without=minus, engine=on, memory=memory, overwrite=force
        )
    else:
        dropped = tt.write_pair_sums(
            files,
            out,
            **reading.chosen,
            items=reading.objects,
            engine=on,
            memory=memory,
            progress=lambda step: say(f"tripletree: {step}"),
            overwrite=force,
        )
        for why, n in dropped.items():
            if n:
                say(f"tripletree: left out {counted(n, 'row')} ({why})")
    say(f"tripletree: wrote {out}")
