"""What a table of answers says, before any row is read: columns, form, filters.

The header is understood as `read_comparisons` does it, by the same modules. The result
names the columns c0, c1, ... that an engine must hand over, each as one of three kinds:
whole numbers, numbers, or text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tripletree.comparisons.files.decoding import (
    FLOATS,
    INTEGERS,
    MISSING,
    check_label_types,
)
from tripletree.comparisons.files.filters import Choice, Filters, make_filters
from tripletree.comparisons.files.headers import (
    Columns,
    check_left_over,
    recognise,
)
from tripletree.errors import InvalidComparisons

PAIRS = ("a", "b", "near", "far")  # the columns of a file of pair sums
SMALL = [name for name in INTEGERS if name not in ("HUGEINT", "UBIGINT", "UHUGEINT")]


@dataclass(frozen=True)
class Options:
    """What `read_comparisons` can be told; labels are those of the items."""

    columns: Columns = None
    drop: Choice | None = None
    keep: Choice | None = None
    min_response_time: float | None = None
    drop_degenerate: bool = False
    labels: Sequence[str] | None = None


@dataclass(frozen=True)
class Questions:
    """The meaning of the columns of a table.

    shown are the positions of the labels; kinds the kind of every column in use;
    is_text says that the table is a text file; missing are the texts that stand for
    no label in it, such as NA, unless it is known what the objects are called; notes
    are what was assumed about the columns.
    """

    name: str
    names: tuple[str, ...]
    form: str
    shown: tuple[int, ...]
    answer: int | None
    weight: int | None
    filters: Filters
    kinds: dict[int, str]
    is_text: bool
    has_header: bool
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def used(self) -> list[int]:
        """The positions of the columns in use."""
        return sorted(self.kinds)

    @property
    def alternatives(self) -> tuple[int, ...]:
        """The columns among which an answer chooses: not the target."""
        return self.shown[1:] if self.form == "choice" else self.shown


def understood(
    name: str,
    names: Sequence[str],
    types: dict[int, str],
    options: Options,
    is_text: bool,
    has_header: bool,
) -> Questions:
    """The meaning of columns with these names and (DuckDB's) types."""
    columns = options.columns
    if tuple(names) == PAIRS:
        return _pair_sums(name, types, options)
    header = recognise(names, columns, name)
    filters = make_filters(
        names, header, options.keep, options.drop, options.min_response_time, name
    )
    check_left_over(names, header, columns, filters.positions, name)
    position, roles = header.position, header.roles
    answer = position[roles[-1]] if header.has_answer else None
    shown = tuple(position[r] for r in (roles[:-1] if header.has_answer else roles))
    weight = position.get("weight")
    kinds = dict.fromkeys(filters.positions, "text")
    check_label_types(name, names, types, shown)
    # An answer is compared with the labels beside it, as text.
    are_numbers = answer is None and all(types[at] in SMALL for at in shown)
    are_numbers &= not {*shown} & {*kinds}
    kinds |= dict.fromkeys(shown, "whole" if are_numbers else "text")
    if answer is not None:
        kinds[answer] = "text"
    if weight is not None and weight not in kinds:
        kinds[weight] = _kind(types[weight])
    return Questions(
        name,
        tuple(names),
        header.form,
        shown,
        answer,
        weight,
        filters,
        kinds,
        is_text,
        has_header,
        MISSING if is_text and options.labels is None else (),
    )


def _pair_sums(name: str, types: dict[int, str], options: Options) -> Questions:
    if replace(options, labels=None) != Options():
        message = (
            f"{name} holds pair sums, not answers: rows cannot be chosen any more. "
            "Choose them when the answers are summed."
        )
        raise InvalidComparisons(message)
    check_pair_types(name, types)
    kinds = {0: "text", 1: "text", 2: _kind(types[2]), 3: _kind(types[3])}
    kinds[4] = "whole"  # the sign, which an engine adds
    nothing = Filters((), None, 0.0)
    return Questions(
        name, PAIRS, "pairs", (0, 1), None, None, nothing, kinds, False, True
    )


def is_whole(questions: Questions) -> bool:
    """Whether pair sums are integers."""
    return questions.kinds[2] == questions.kinds[3] == "whole"


def check_pair_types(name: str, types: dict[int, str]) -> None:
    """Refuse a table that has the names of pair sums and is none."""
    found = [types[at] for at in range(4)]
    is_whole = all(kind in SMALL for kind in found[2:])
    is_number = all(kind in (*SMALL, *FLOATS) for kind in found[2:])
    if found[:2] != ["VARCHAR"] * 2 or not (is_whole or is_number):
        message = (
            f"{name} has the columns a, b, near, far of pair sums, of types "
            f"{', '.join(kind[:40] for kind in found)}: labels are VARCHAR, sums "
            "BIGINT or DOUBLE. Was it written by `tripletree pairs`?"
        )
        raise InvalidComparisons(message)


def _kind(kind: str) -> str:
    if kind in SMALL:
        return "whole"
    return "number" if kind in FLOATS else "text"


def shown_values(questions: Questions, values: dict[str, Any]) -> str:
    """A row in words, for a message."""
    return ", ".join(
        f"{questions.names[at]} = {str(values[f'c{at}'])[:40]!r}"
        for at in questions.used
        if values.get(f"c{at}") is not None
    )
