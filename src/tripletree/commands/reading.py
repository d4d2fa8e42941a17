"""The options with which every command reads answers, and what they ask for.

A command declares the options below, and hands their values to `Reading`::

    def summary(files: Files, columns: ColumnsOption = None, ...) -> None:
        reading = Reading(columns, items, drop, keep, ...)
        answers = reading.answers(files)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tripletree.comparisons.answers import Comparisons, drop_duplicates
from tripletree.errors import InvalidComparisons, InvalidOption
from tripletree.similarity.pair_table import PairSums

if TYPE_CHECKING:
    from tripletree.answers.items import Items

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="ANSWERS...",
        help="Files of answers: CSV, TSV, JSON lines, Parquet, NPZ; or a pattern.",
        show_default=False,
    ),
]
ColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE=NAME,...",
        help="Which column is which, if the header does not say: "
        "target=ref,near=a,far=b, or ref,a,b. Numbers from 0: a file without header.",
    ),
]
ItemsOption = Annotated[
    Path | None,
    typer.Option(help="A table of all objects: label, and maybe group and image."),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=VALUE", help="Leave out these rows; repeatable."),
]
KeepOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=VALUE", help="Keep only these rows; repeatable."),
]
SlowOption = Annotated[
    float | None,
    typer.Option(
        "--min-response-time", help="Leave out faster answers, in the file's unit."
    ),
]
DegenerateOption = Annotated[
    bool,
    typer.Option(
        "--drop-degenerate", help="Leave out rows that compare one object with itself."
    ),
]
UniqueOption = Annotated[
    bool, typer.Option("--unique", help="Count repeated answers once.")
]


@dataclass(frozen=True)
class Reading:
    """What the options of reading ask for, as they were typed."""

    columns: str | None = None
    items: Path | None = None
    drop: list[str] | None = None
    keep: list[str] | None = None
    min_response_time: float | None = None
    drop_degenerate: bool = False
    unique: bool = False

    @cached_property
    def objects(self) -> Items | None:
        """The table of all objects, read once."""
        from tripletree.answers.items import read_items

        return None if self.items is None else read_items(str(self.items))

    @cached_property
    def chosen(self) -> dict[str, Any]:
        """Columns and rows, as the library takes them."""
        return {
            "columns": parse_columns(self.columns),
            "drop": parse_choice("--drop", self.drop),
            "keep": parse_choice("--keep", self.keep),
            "min_response_time": self.min_response_time,
            "drop_degenerate": self.drop_degenerate,
        }

    def answers(self, files: Sequence[Path]) -> Comparisons:
        """The comparisons in these files."""
        from tripletree.answers.read import read_comparisons

        paths = [str(path) for path in files]
        answers = read_comparisons(paths, items=self.objects, **self.chosen)
        return drop_duplicates(answers) if self.unique else answers  # type: ignore[type-var]

    def answers_or_sums(self, files: Sequence[Path]) -> Comparisons | PairSums:
        """The same, or the pair sums that files hold in place of answers."""
        from tripletree.answers.on_duckdb import on_duckdb
        from tripletree.answers.pair_files import pairs_of
        from tripletree.answers.questions import Options
        from tripletree.answers.read import comparisons_of

        paths = [str(path) for path in files]
        if not all(path.lower().endswith((".parquet", ".pq")) for path in paths):
            return self.answers(files)
        labels = None if self.objects is None else self.objects.labels
        options = Options(**self.chosen, labels=labels, with_annotators=True)
        about_answers = replace(self, items=None)
        try:
            with on_duckdb(paths, options) as engine:
                if engine.questions.form == "pairs":
                    about_answers.refuse(sums_instead(paths[0]))
                    return pairs_of(engine)
                answers = comparisons_of(engine)
        except InvalidComparisons as error:
            if error.code == "pair sums":
                about_answers.refuse(sums_instead(paths[0]))
            raise
        return drop_duplicates(answers) if self.unique else answers  # type: ignore[type-var]

    def refuse(self, why: str) -> None:
        """Refuse options that are about answers, where there are none."""
        asked = [one.name for one in fields(self) if getattr(self, one.name)]
        if asked:
            name = asked[0].replace("_", "-")
            message = f"--{name} is about answers, {why}."
            raise InvalidOption(message)


def sums_instead(path: str) -> str:
    """Why options about answers are refused where there are pair sums."""
    return f"and {path!r:.200} holds pair sums: use it when they are summed"


def parse_columns(text: str | None) -> Any:
    """The option --columns: roles and names, or three or four names."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if all("=" in part for part in parts):
        pairs = [part.split("=", 1) for part in parts]
        return {role.strip(): _column(name.strip()) for role, name in pairs}
    if any("=" in part for part in parts) or len(parts) not in (3, 4):
        message = (
            f"--columns {text!r:.200}: give target=NAME,near=NAME,far=NAME, or three "
            "or four names in this order."
        )
        raise InvalidOption(message)
    return [_column(part) for part in parts]


def _column(name: str) -> str | int | None:
    if name.isascii() and name.isdigit() and len(name) <= 10:
        return int(name)
    return name or None


def parse_choice(option: str, texts: list[str] | None) -> dict[str, Any] | None:
    """The options --drop and --keep: values by column; a column may come again."""
    if not texts:
        return None
    choice: dict[str, Any] = {}
    for text in texts:
        column, sign, value = text.partition("=")
        if not sign or not column:
            message = f"{option} {text!r:.200}: give COLUMN=VALUE."
            raise InvalidOption(message)
        named = {"": None, "true": True, "false": False}
        choice.setdefault(column, []).append(named.get(value.lower(), value))
    return choice
