"""The options with which every command reads answers, and what they mean.

A command declares the options below (Typer reads them from its signature), and hands
their values to `Reading`::

    def summary(files: Files, columns: ColumnsOption = None, ...) -> None:
        reading = Reading.of(locals())
        answers = reading.answers(files)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer

import tripletree as tt
from tripletree.answers.items import item_labels
from tripletree.answers.layout import Options
from tripletree.answers.read import read_with
from tripletree.commands.console import progress_line
from tripletree.errors import InvalidComparisons, InvalidOption, refuse_if

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="ANSWERS",
        help="Files of answers: CSV, TSV, JSON, Parquet, NPZ; or a pattern.",
        show_default=False,
    ),
]
ColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE=NAME,...",
        help="Which column is which, if the header does not say: "
        "target=ref,near=a,far=b, or ref,a,b. Numbers from 0: a file with no header.",
    ),
]
ItemsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A table of all objects: label, optionally group and image.",
    ),
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
        "--min-response-time",
        metavar="TIME",
        help="Leave out faster answers, in the file's unit.",
    ),
]
MergeOption = Annotated[
    bool,
    typer.Option(
        "--merge-spellings",
        help="Treat Owl, owl and owl.png (or 1 and +1) as one object.",
    ),
]
DegenerateOption = Annotated[
    bool,
    typer.Option(
        "--drop-degenerate", help="Leave out rows that compare one object with itself."
    ),
]
ABOUT_WORDS = {
    "metavar": "WORD=PLACE,...",
    "help": "What your own words for answers mean: a=left,b=right,s=tie.",
}
WordsOption = Annotated[
    str | None, typer.Option("--answers", "--answer-words", **ABOUT_WORDS)
]
# Where --answers is taken.
OtherWordsOption = Annotated[str | None, typer.Option("--answer-words", **ABOUT_WORDS)]
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
    answer_words: str | None = None
    merge_spellings: bool = False

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Reading:
        """Those of a command, among all its arguments."""
        names = {one.name for one in fields(cls)} & {*arguments}
        return cls(**{name: arguments[name] for name in names})

    @cached_property
    def objects(self) -> tt.Items | None:
        """The table of all objects, read once."""
        return None if self.items is None else tt.read_items(str(self.items))

    @property
    def chosen(self) -> dict[str, Any]:
        """Columns and rows, as the library takes them."""
        return {
            "columns": parse_columns(self.columns),
            "drop": parse_choice("--drop", self.drop),
            "keep": parse_choice("--keep", self.keep),
            "min_response_time": self.min_response_time,
            "drop_degenerate": self.drop_degenerate,
            "answer_words": parse_words(self.answer_words),
            "merge_spellings": self.merge_spellings,
        }

    def answers(self, files: Sequence[Path]) -> tt.Comparisons:
        """The comparisons in these files."""
        return self.answers_and_lost(files)[0]

    def answers_and_lost(
        self, files: Sequence[Path]
    ) -> tuple[tt.Comparisons, list[str]]:
        """The same, and the names of the columns that they do not keep."""
        with progress_line() as tell:
            chosen = self.chosen | {"progress": tell}
            options = Options.of(chosen, item_labels(self.objects), True)
            answers, lost = read_with(texts(files), options)
        return tt.drop_duplicates(answers) if self.unique else answers, lost  # type: ignore[type-var]

    def answers_or_sums(self, files: Sequence[Path]) -> tt.Comparisons | tt.PairSums:
        """The same, or the pair sums that files hold in place of answers."""
        try:
            return self.answers(files)
        except InvalidComparisons as error:
            if error.code != "pair sums":
                raise
        replace(self, items=None).refuse(sums_instead(files[0]))
        return tt.read_pairs(texts(files), items=self.objects)

    def refuse(self, why: str) -> None:
        """Refuse options that are about answers, where they do not apply."""
        for one in fields(self):
            refuse_if(
                bool(getattr(self, one.name)),
                InvalidOption,
                f"--{one.name.replace('_', '-')} is about answers, {why}.",
            )


def texts(paths: Iterable[Path]) -> list[str]:
    """Paths as the library takes patterns: as text."""
    return [str(path) for path in paths]


def sums_instead(path: Path) -> str:
    """Why options about answers are refused where there are pair sums."""
    return f"and {str(path)!r:.200} holds pair sums: use it when they are summed"


def parse_columns(text: str | None) -> Any:
    """The option --columns: roles and names, or three or four names."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if all("=" in part for part in parts):
        pairs = (part.split("=", 1) for part in parts)
        return {role.strip(): _column(name.strip()) for role, name in pairs}
    refuse_if(
        "=" in text or len(parts) not in (3, 4),
        InvalidOption,
        f"--columns {text!r:.200}: give target=NAME,near=NAME,far=NAME, or three or "
        "four names in this order.",
    )
    return [_column(part) for part in parts]


def _column(name: str) -> str | int | None:
    if name.isascii() and name.isdigit() and len(name) <= 10:
        return int(name)
    return name or None


def parse_words(text: str | None) -> dict[str, str] | None:
    """The option --answer-words: words, and the place that each stands for."""
    if text is None:
        return None
    pairs = [part.rpartition("=")[::2] for part in text.split(",")]
    places = {word.strip(): place.strip() for word, place in pairs}
    refuse_if(
        "" in (*places, *places.values()) or len(places) < len(pairs),
        InvalidOption,
        f"--answer-words {text!r:.200}: give WORD=PLACE,..., as a=left,b=right.",
    )
    return places


def parse_choice(option: str, texts: list[str] | None) -> dict[str, Any] | None:
    """The options --drop and --keep: values by column; a column may come again."""
    named = {"": None, "true": True, "false": False}
    choice: dict[str, Any] = {}
    for text in texts or ():
        column, sign, value = text.partition("=")
        refuse_if(
            not sign or not column,
            InvalidOption,
            f"{option} {text!r:.200}: give COLUMN=VALUE.",
        )
        choice.setdefault(column, []).append(named.get(value.lower(), value))
    return choice or None
