"""`tripletree convert`: the same answers, or the same tree, as another kind of file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tripletree.commands.console import check_new, one_line_errors, say
from tripletree.commands.reading import read_answers
from tripletree.errors import InvalidOption


def convert(
    source: Annotated[Path, typer.Argument(help="A file of answers, or of a tree.")],
    target: Annotated[Path, typer.Argument(help="The file to write.")],
    columns: Annotated[
        str | None,
        typer.Option(metavar="ROLE=NAME,...", help="As for `tripletree cluster`."),
    ] = None,
    unique: Annotated[
        bool, typer.Option("--unique", help="Count repeated answers once.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite.")] = False,
) -> None:
    """Write the same answers, or the same tree, as another kind of file.

    Answers: .csv, .tsv, .jsonl (each also with .gz), .parquet, .npz. Questions of any
    form (odd one out, most central, ...) become triplets.

    Trees: .nwk (Newick), .json (nested), .npy (a SciPy linkage matrix).

    Example: tripletree convert survey.csv triplets.parquet
    """
    from tripletree.comparisons.files.writing import write_comparisons
    from tripletree.tree.files import is_tree_file, read_tree, write_tree

    with one_line_errors():
        check_new([target], force)
        if is_tree_file(source) != is_tree_file(target):
            message = (
                f"cannot convert {source.name!r:.200} to {target.name!r:.200}: answers "
                "become answers (.csv, .parquet, ...) and trees become trees (.nwk, "
                ".json, .npy). `tripletree cluster` makes a tree of answers."
            )
            raise InvalidOption(message)
        if is_tree_file(source):
            tree = read_tree(source)
            write_tree(tree, target)
            say(f"{target}: a tree of {tree.n_leaves} leaves.")
            return
        answers = read_answers([source], columns, None, None, None, None, False, unique)
        write_comparisons(answers, target)
        say(f"{target}: {len(answers)} comparisons of {answers.n_objects} objects.")
