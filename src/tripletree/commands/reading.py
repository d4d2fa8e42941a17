"""The options with which every command reads answers.

A command has one parameter `answers: Comparisons`; the decorator `reads_answers` gives
it the files and options below instead, reads, and hands the comparisons over.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from tripletree.commands.console import one_line_errors
from tripletree.comparisons.answers import Comparisons, drop_duplicates
from tripletree.errors import InvalidOption, TripletreeError
from tripletree.similarity.pair_table import PairSums

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
    typer.Option(metavar="COLUMN=VALUE", help="Leave out these rows; can be repeated."),
]
KeepOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=VALUE", help="Keep only these rows; the same."),
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
# Advice such as drop={'kind': 'catch'}: an option, and keys with their values.
MAPPING = re.compile(r"\b(columns|drop|keep)=\{([^{}]*)\}")
QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
ENTRY = re.compile(rf"({QUOTED}): ({QUOTED}|[^'\",]*)")
OPTIONS = {
    "files": Files,
    "columns": ColumnsOption,
    "items": ItemsOption,
    "drop": DropOption,
    "keep": KeepOption,
    "min_response_time": SlowOption,
    "drop_degenerate": DegenerateOption,
    "unique": UniqueOption,
}


def reads_answers(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of reading in place of its parameter `answers`.

    Where `answers` may be PairSums, a file of them is read as well. A parameter `files`
    of the command gets the paths of the answers, and `items` that of the objects.
    """
    own = inspect.signature(command, eval_str=True).parameters
    wanted = {name for name in ("files", "items") if name in own}
    may_be_sums = PairSums in get_args(own["answers"].annotation)

    @functools.wraps(command)
    def reading(**given: Any) -> None:
        options = {name: given.pop(name) for name in OPTIONS}
        with one_line_errors():
            sums = read_pair_sums(**options) if may_be_sums else None
            answers = read_answers(**options) if sums is None else sums
        passed = {name: options[name] for name in wanted}
        command(answers=answers, **passed, **given)

    shared = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=annotation,
            default=_default(name),
        )
        for name, annotation in OPTIONS.items()
    ]
    others = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in own.items()
        if name not in ("answers", *wanted)
    ]
    is_first = {p.name: p.default is inspect.Parameter.empty for p in others}
    ahead = [p for p in others if is_first[p.name]]
    behind = [p for p in others if not is_first[p.name]]
    signature = inspect.Signature([*ahead, shared[0], *behind, *shared[1:]])
    reading.__signature__ = signature  # type: ignore[attr-defined]
    return reading


def _default(name: str) -> Any:
    if name == "files":
        return inspect.Parameter.empty
    return False if OPTIONS[name] in (DegenerateOption, UniqueOption) else None


def read_pair_sums(
    files: list[Path], items: Path | None, **others: Any
) -> PairSums | None:
    """The pair sums in these files; None if they hold something else."""
    from tripletree.engines.pair_files import is_pair_file, read_pairs

    paths = [str(path) for path in files]
    if not all(path.lower().endswith((".parquet", ".pq")) for path in paths):
        return None
    if not is_pair_file(paths):
        return None
    refuse_options(others, sums_instead(paths[0]))
    return read_pairs(paths, items=None if items is None else str(items))


def sums_instead(path: str) -> str:
    """Why options about answers are refused where there are pair sums."""
    return f"and {path!r:.200} holds pair sums: use it when they are summed"


def refuse_options(options: dict[str, Any], why: str) -> None:
    """Refuse options that are about answers, where there are none."""
    asked = [name for name, value in options.items() if value]
    if asked:
        name = asked[0].replace("_", "-")
        message = f"--{name} is about answers, {why}."
        raise InvalidOption(message)


def read_answers(
    files: list[Path],
    columns: str | None,
    items: Path | None,
    drop: list[str] | None,
    keep: list[str] | None,
    min_response_time: float | None,
    drop_degenerate: bool,
    unique: bool,
) -> Comparisons:
    """The comparisons in these files, read as the options say."""
    from tripletree.comparisons.files.reading import read_comparisons

    with advice_in_options():
        answers = read_comparisons(
            [str(path) for path in files],
            columns=parse_columns(columns),
            items=None if items is None else str(items),
            drop=parse_choice("--drop", drop),
            keep=parse_choice("--keep", keep),
            min_response_time=min_response_time,
            drop_degenerate=drop_degenerate,
        )
    return drop_duplicates(answers) if unique else answers  # type: ignore[type-var]


@contextmanager
def advice_in_options() -> Iterator[None]:
    """Errors of the library, with advice for the command line."""
    try:
        yield
    except TripletreeError as error:
        raise type(error)(in_options(str(error))) from error


def in_options(text: str) -> str:
    """What the library advises its callers to do, in options of the command line."""

    def option(match: re.Match[str]) -> str:
        pairs = ENTRY.findall(match[2])
        given = [f"{_unquoted(key)}={_unquoted(value)}" for key, value in pairs]
        if match[1] == "columns":
            given = [",".join(given)]
        return " ".join(f"--{match[1]} {shlex.quote(one)}" for one in given)

    text = MAPPING.sub(option, text)
    text = re.sub(
        r"\bcolumns=\[([\d, ]+)\]",
        lambda match: f"--columns {match[1].replace(' ', '')}",
        text,
    )
    text = re.sub(r"\b(columns|drop|keep|items)=(?=[.,;]|$)", r"--\1", text)
    text = text.replace("drop_degenerate=True", "--drop-degenerate")
    return text.replace("min_response_time is given", "--min-response-time is given")


def _unquoted(text: str) -> str:
    """A value as it is typed: text without its quotes, nothing for None."""
    if text[:1] in ("'", '"'):
        return str(ast.literal_eval(text))
    return "" if text == "None" else text


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
