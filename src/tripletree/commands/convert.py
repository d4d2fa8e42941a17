"""`tripletree convert`: the same answers, or the same tree, as another kind of file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tripletree._checks import counted
from tripletree.commands.console import check_new, one_line_errors, say
from tripletree.commands.reading import (
    ColumnsOption,
    DegenerateOption,
    DropOption,
    ItemsOption,
    KeepOption,
    Reading,
    SlowOption,
    UniqueOption,
)
from tripletree.errors import InvalidOption


def convert(
    source: Annotated[Path, typer.Argument(help="A file of answers, or of a tree.")],
    target: Annotated[Path, typer.Argument(help="The file to write.")],
    columns: ColumnsOption = None,
    items: ItemsOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    min_response_time: SlowOption = None,
    drop_degenerate: DegenerateOption = False,
    unique: UniqueOption = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite.")] = False,
) -> None:
    """Write the same answers, or the same tree, as another kind of file.

    Answers: .csv, .tsv, .jsonl (each also with .gz), .parquet, .npz. Questions of any
    form (odd one out, most central, ...) become triplets.

    Trees: .nwk (Newick), .json (nested), .npy (a SciPy linkage matrix).

    Example: tripletree convert survey.csv triplets.parquet
    """
    from tripletree.answers.write import write_comparisons
    from tripletree.tree.files import is_tree_file, read_tree, write_tree

    with one_line_errors():
        reading = Reading(
            columns, items, drop, keep, min_response_time, drop_degenerate, unique
        )
        check_new([target], force)
        if is_tree_file(source) != is_tree_file(target):
            message = (
                f"cannot convert {source.name!r:.200} to {target.name!r:.200}: answers "
                "become answers (.csv, .parquet, ...) and trees become trees (.nwk, "
                ".json, .npy). `tripletree cluster` makes a tree of answers."
            )
            raise InvalidOption(message)
        if is_tree_file(source):
            reading.refuse(f"and {source.name!r:.200} holds a tree")
            tree = read_tree(source)
            write_tree(tree, target)
            say(f"{target}: a tree of {tree.n_leaves} leaves.")
            return
        answers = reading.answers([source])
        write_comparisons(answers, target)
        n_answers = counted(len(answers), "comparison")
        say(f"{target}: {n_answers} of {counted(answers.n_objects, 'object')}.")
