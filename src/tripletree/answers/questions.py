"""What a table of answers says, before any row is read: columns, form, rules.

The columns that a query uses are called c0, c1, ... by their position, each as one of
three kinds: whole numbers, numbers, or text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from tripletree._checks import check_flag
from tripletree.answers.header import (
    BESIDE,
    ROLES,
    Columns,
    Header,
    Roles,
    check_columns,
    check_left_over,
    columns_by_place,
    is_place,
    recognise,
)
from tripletree.answers.rules import (
    Choice,
    Filters,
    check_words,
    make_filters,
    own_words,
)
from tripletree.errors import InvalidComparisons, InvalidOption, Remedy, refuse_if

SMALL = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT"]
SMALL += ["UTINYINT", "USMALLINT", "UINTEGER"]  # within 64 bits
INTEGERS = [*SMALL, "HUGEINT", "UBIGINT", "UHUGEINT"]
FLOATS = ["FLOAT", "DOUBLE"]
MIXED = "mixed text and numbers"  # a type of ours: of columns of pandas frames
PAIRS = ("a", "b", "near", "far")  # the columns of a file of pair sums
NO_FILTERS = Filters((), None, 0.0)
MOST_LISTED = 12  # columns
PSYCHOPY, JSPSYCH = {"psychopyVersion"}, {"trial_type", "time_elapsed"}  # their columns
BY_PLACE = "no header: columns taken as target, near, far"


@dataclass(frozen=True)
class Options:
    """What reading can be told; labels are those of the items.

    with_annotators: it matters who gave an answer.
    """

    columns: Columns = None
    drop: Choice | None = None
    keep: Choice | None = None
    min_response_time: float | None = None
    drop_degenerate: bool = False
    labels: tuple[str, ...] | None = None
    with_annotators: bool = False
    answer_words: Mapping[str, str] | None = None
    merge_spellings: bool = False

    def __post_init__(self) -> None:
        check_flag("merge_spellings", self.merge_spellings)
        check_flag("drop_degenerate", self.drop_degenerate)
        check_words(self.answer_words)

    @classmethod
    def of(
        cls,
        arguments: Mapping[str, Any],
        labels: tuple[str, ...] | None,
        with_annotators: bool = False,
    ) -> Options:
        """Those of a function that reads answers, among all its arguments."""
        names = {one.name for one in fields(cls)} & {*arguments} - {"labels"}
        given = {name: arguments[name] for name in names}
        return cls(**given, labels=labels, with_annotators=with_annotators)

    @property
    def are_about_rows(self) -> bool:
        """Whether they choose columns or rows."""
        asked = (self.columns, self.drop, self.keep, self.min_response_time)
        is_asked = any(option is not None for option in asked)
        is_asked = is_asked or self.answer_words is not None
        return is_asked or self.drop_degenerate or self.merge_spellings


@dataclass(frozen=True)
class Questions:
    """The meaning of the columns of a table.

    shown are the positions of the labels; kinds the kind of every column in use; names
    those of all columns; is_text says that the table is a text file; missing are the
    texts in it that stand for no label, such as NA, once these are known; is_json that
    labels have types of JSON; notes are what was assumed about the columns, warnings
    what may be wrong; trial is the column that may say which rows are one answer;
    unused are columns that nothing looks at, doubtful those of them that would change
    what a row says if they held an answer; items and drop_degenerate are as the options
    have them; words are the user's own for places; merges says to take two spellings of
    a label as one, merged the label that each other one stands for, once these are
    known; other is a question with its answer beside ready triplets, to compare them
    with; made says of which column of the source another was made.
    """

    name: str
    names: tuple[str, ...]
    form: str
    shown: tuple[int, ...]
    kinds: dict[int, str]
    filters: Filters = NO_FILTERS
    answer: int | None = None
    weight: int | None = None
    annotator: int | None = None
    is_text: bool = False
    has_header: bool = True
    missing: tuple[str, ...] = ()
    is_json: bool = False
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    trial: int | None = None
    unused: tuple[int, ...] = ()
    doubtful: tuple[int, ...] = ()
    items: Sequence[str] | None = None
    drop_degenerate: bool = False
    words: Mapping[int, Sequence[str]] = field(default_factory=dict)
    merges: bool = False
    merged: Mapping[str, str] = field(default_factory=dict)
    other: Questions | None = None
    made: Mapping[int, int] = field(default_factory=dict)

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What was assumed, the unit of times, and which columns are not used."""
        notes = [*self.notes]
        if self.filters.unit:
            notes.append(f"response times taken as {self.filters.unit}")
        if self.unused:
            names = [
                self.names[at][:40] or f"column {at + 1} (no name)"
                for at in sorted(self.unused)
            ]
            n = len(names) - MOST_LISTED
            more = f" and {n} more" if n > 0 else ""
            notes.append(f"not used: {', '.join(names[:MOST_LISTED])}{more}")
        return tuple(notes)

    @property
    def lost(self) -> list[str]:
        """The names of the columns that comparisons do not keep."""
        kept = {*self.shown, self.answer, self.weight, self.annotator, self.trial}
        kept |= {*self.made, *self.made.values()}
        return [name for at, name in enumerate(self.names) if at not in kept]

    @property
    def used(self) -> list[int]:
        """The positions of the columns in use."""
        return sorted(self.kinds)

    @property
    def n_alternatives(self) -> int:
        """Among how many objects an answer chooses: the target is none of them."""
        return len(self.shown) - (self.form == "choice")

    @property
    def are_whole(self) -> bool:
        """Whether labels are whole numbers."""
        return self.kinds[self.shown[0]] == "whole"

    def with_texts(self, columns: Sequence[int]) -> Questions:
        """The same, with these columns in use as texts."""
        return replace(self, kinds=self.kinds | dict.fromkeys(columns, "text"))


def understood(
    name: str,
    names: Sequence[str],
    types: dict[int, str],
    options: Options,
    is_text: bool = False,
    has_header: bool = True,
    blank: tuple[int, ...] = (),
    made: Mapping[int, int] | None = None,
) -> Questions:
    """The meaning of columns with these names and (DuckDB's) types.

    blank: columns that are empty where nothing was asked; labels in files of PsychoPy
    and jsPsych. made: columns that were made of another.
    """
    if tuple(names) == PAIRS:
        return _pair_sums(name, types, options)
    refuse_if(
        tuple(names[:4]) == PAIRS and options.columns is None,
        InvalidComparisons,
        f"{name} has the columns {', '.join(PAIRS)} of pair sums and others "
        f"({', '.join(names[4:])[:80]}): another version of tripletree wrote it. Sum "
        "the answers again with this one.",
        code="another version",
    )
    given = check_columns(options.columns)
    has_names = has_header or names[0] != "0"
    is_by_place = options.columns is None and not has_names
    if is_by_place:
        given = columns_by_place(len(names), name)
    needs_times = options.min_response_time is not None
    header = recognise(names, given, name, needs_times)
    filters = make_filters(
        names, header, options.keep, options.drop, options.min_response_time, name
    )
    check_left_over(names, header, given, filters.positions, name)
    position, roles = header.position, header.roles
    answer = position[roles[-1]] if header.has_answer else None
    shown = tuple(position[r] for r in (roles[:-1] if header.has_answer else roles))
    weight = position.get("weight")
    annotator = position.get("annotator") if options.with_annotators else None
    _check_labels(name, names, types, shown)
    if PSYCHOPY <= {*names}:
        blank = shown
    elif JSPSYCH <= {*names}:
        blank = blank or shown[1:]  # the first may be a text to read
    filters = replace(filters, blank=blank)
    kinds = dict.fromkeys(filters.positions, "text")
    if annotator is not None:
        one = {annotator: types[annotator].replace(MIXED, "VARCHAR")}
        _check_labels(name, names, one, (annotator,))
        kinds[annotator] = "text"
    trial = _trial(names, types, header) if options.with_annotators else None
    if trial is not None:
        kinds[trial] = "text"
    compared = shown if answer is None else (*shown, answer)
    other = None
    if header.other is not None:
        other = _other((name, names, types), options, header, is_text, shown)
    words = check_words(options.answer_words)
    refuse_if(
        bool(words) and answer is None and other is None,
        InvalidOption,
        Remedy("answer_words", dict(words)),
        f" is given, and {name} has no column of answers: leave it out.",
    )
    are_whole = not words and all(
        types[at] in SMALL and at not in kinds for at in compared
    )
    kinds |= dict.fromkeys(compared, "whole" if are_whole else "text")
    if weight is not None and weight not in kinds:
        kinds[weight] = _kind(types[weight])
    made = made or {}
    kinds |= {made[at]: "text" for at in shown if at in made and made[at] not in kinds}
    known = {*kinds, position.get("annotator"), *(header.other or {}).values()}
    unused = [at for at in range(len(names)) if at not in known and at not in made]
    is_given = any(role in ROLES for role in given)
    plain = ("VARCHAR", "JSON", *INTEGERS, *FLOATS)
    doubtful = (at for at in unused if types[at] in plain and not is_place(names[at]))
    return Questions(
        name,
        tuple(names),
        header.form,
        shown,
        kinds,
        filters,
        answer,
        weight,
        annotator,
        is_text,
        has_header,
        (),
        types[shown[0]] == "JSON",
        (BY_PLACE,) if is_by_place else (),
        (),
        trial,
        tuple(unused),
        () if header.has_answer or is_given else tuple(doubtful),
        options.labels,
        options.drop_degenerate,
        own_words(words, 2 if header.form == "choice" else 3),
        options.merge_spellings,
        {},
        other,
        made,
    )


def _other(
    args: tuple[str, Sequence[str], dict[int, str]],
    options: Options,
    header: Header,
    is_text: bool,
    shown: tuple[int, ...],
) -> Questions:
    """The question beside ready triplets; all labels are texts, also theirs."""
    given: Roles = {role: header.position.get(role) for role in BESIDE}
    columns = {**given, **(header.other or {})}
    q = understood(*args, replace(options, columns=columns, labels=None), is_text)
    assert q.answer is not None
    texts = dict.fromkeys([*shown, *q.shown, q.answer], "text")
    return replace(q, kinds=q.kinds | texts)


def _trial(names: Sequence[str], types: dict[int, str], header: Header) -> int | None:
    """A column of text called trial beside triplets or quadruplets, if there is one.

    Its values say whether it is that of `write_comparisons`.
    """
    is_text = "trial" in names and types[names.index("trial")] in ("VARCHAR", "JSON")
    if not is_text or header.form not in ("triplet", "quadruplet"):
        return None
    at = names.index("trial")
    return None if at in header.position.values() else at


def _check_labels(
    name: str, names: Sequence[str], types: dict[int, str], shown: Sequence[int]
) -> None:
    """Refuse columns that hold no labels, and text beside numbers."""
    for at in shown:
        kind = types[at]
        is_text = kind in ("VARCHAR", "JSON", MIXED) or kind.startswith("ENUM")
        todo = "Fill in or drop missing values first, then turn"
        refuse_if(
            not is_text and kind not in INTEGERS,
            InvalidComparisons,
            f"{name}: column {names[at]!r:.80} is of type {kind[:80]}, and labels are "
            f"text or integers. {todo if kind in FLOATS else 'Turn'} it into one of "
            "them.",
            code="type of labels",
        )
    kinds = {types[at] in INTEGERS for at in shown}
    if len(kinds) > 1 or any(types[at] == MIXED for at in shown):
        raise mixed_labels(name)


def mixed_labels(name: str) -> InvalidComparisons:
    """The error about labels of several types."""
    message = (
        f"{name}: some labels are text and others numbers, so that '1' and 1 could be "
        "meant to be two objects. Turn all into text."
    )
    return InvalidComparisons(message, code="mixed labels")


def _pair_sums(name: str, types: dict[int, str], options: Options) -> Questions:
    refuse_if(
        options.are_about_rows,
        InvalidComparisons,
        f"{name} holds pair sums, not answers: columns and rows are chosen when the "
        "answers are summed.",
        code="pair sums",
    )
    found = [types[at] for at in range(4)]
    kinds = {_kind(kind) for kind in found[2:]}
    refuse_if(
        found[:2] != ["VARCHAR"] * 2 or "text" in kinds,
        InvalidComparisons,
        f"{name} has the columns a, b, near, far of pair sums, of types "
        f"{', '.join(kind[:40] for kind in found)}: labels are VARCHAR, sums BIGINT or "
        "DOUBLE. Was it written by `tripletree pairs`?",
        code="type of pair sums",
    )
    sums = "whole" if kinds == {"whole"} else "number"
    every = {0: "text", 1: "text", 2: sums, 3: sums}
    return Questions(name, PAIRS, "pairs", (0, 1), every, items=options.labels)


def _kind(kind: str) -> str:
    if kind in SMALL:
        return "whole"
    return "number" if kind in FLOATS else "text"
