"""What the columns of a table of answers mean, and how its rows are to be read.

The columns that a query uses are called c0, c1, ... by their position, each as one of
three kinds: whole numbers, numbers, or text. A layout is made before any row is read;
what must be known of all rows (which labels stand for one object, where positions are
counted from, ...) is added as it becomes known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from tripletree._checks import check_callable, check_flag
from tripletree._progress import OnProgress
from tripletree.answers.answer_rules import check_words, own_words
from tripletree.answers.dialect import TextFormat
from tripletree.answers.filters import Choice, Filters, make_filters
from tripletree.answers.header import (
    BESIDE,
    CHOICES,
    FORMS,
    NAMES_OF_PLACES,
    PAIRS,
    ROLES,
    Columns,
    Positions,
    Roles,
    check_columns,
    columns_by_place,
    plain_name,
    recognise,
)
from tripletree.errors import InvalidComparisons, InvalidOption, Remedy, refuse_if

SMALL = "TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER".split()  # 64 bits
INTEGERS = [*SMALL, "HUGEINT", "UBIGINT", "UHUGEINT"]
FLOATS = ["FLOAT", "DOUBLE"]
KINDS = dict.fromkeys(SMALL, "whole") | dict.fromkeys(FLOATS, "number")  # else "text"
MIXED = "mixed text and numbers"  # a type of ours: of columns of pandas frames
PLAIN = ("VARCHAR", "JSON", "ENUM", "DECIMAL", MIXED, *INTEGERS, *FLOATS)
MOST_LISTED = 12  # columns
PSYCHOPY, JSPSYCH = {"psychopyVersion"}, {"trial_type", "time_elapsed"}  # their columns
BY_PLACE = "no header: columns taken as target, near, far"
MIXED_LABELS = (
    ": some labels are text and others numbers, so that '1' and 1 could be meant to be "
    "two objects. Turn all into text."
)


@dataclass(frozen=True)
class Options:
    """What reading can be told; labels are those of the items.

    with_annotators: it matters who gave an answer; progress: whom to tell how far the
    work is.
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
    progress: OnProgress | None = None

    def __post_init__(self) -> None:
        check_flag("merge_spellings", self.merge_spellings)
        check_flag("drop_degenerate", self.drop_degenerate)
        check_words(self.answer_words)
        check_callable("progress", self.progress)

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
        is_asked = any(option is not None for option in (*asked, self.answer_words))
        return is_asked or self.drop_degenerate or self.merge_spellings


@dataclass(frozen=True)
class Layout:
    """The meaning of the columns of a table, and of what its rows say.

    shown are the positions of the labels; kinds the kind of every column in use; names
    those of all columns; text is how a text file is written; is_json says that labels
    have types of JSON; trial is the column that may say which rows are one answer;
    made says of which column of the source another was made; unused are columns that
    nothing looks at, doubtful those of them that would change what a row says if they
    held an answer; words are the user's own for places; other is a question with its
    answer beside ready triplets, to compare them with; notes are what was assumed,
    warnings what may be wrong.

    Known once all rows have been looked at: missing, the texts that stand for no label,
    such as NA; unnamed, those that stand for no annotator; merged, the label that each
    other spelling stands for; is_whole, whether weights are integers;
    may_repeat_header, whether rows are compared with the header; may_be_words, whether
    objects are called like answers: 0, left, same. Once answers
    have been counted: start, where positions are counted from, if answers are.
    """

    name: str
    names: tuple[str, ...]
    form: str
    shown: tuple[int, ...]
    kinds: dict[int, str]
    options: Options
    filters: Filters = field(default_factory=Filters)
    answer: int | None = None
    weight: int | None = None
    annotator: int | None = None
    trial: int | None = None
    text: TextFormat | None = None
    is_json: bool = False
    made: Mapping[int, int] = field(default_factory=dict)
    unused: tuple[int, ...] = ()
    doubtful: tuple[int, ...] = ()
    words: Mapping[int, Sequence[str]] = field(default_factory=dict)
    other: Layout | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    merged: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = True
    may_repeat_header: bool = False
    may_be_words: bool = True
    start: int | None = None

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What was assumed, and which columns are not used."""
        names = [
            self.names[at][:40] or f"column {at + 1} (no name)"
            for at in sorted(self.unused)
        ]
        n = len(names) - MOST_LISTED
        more = f" and {n} more" if n > 0 else ""
        note = f"not used: {', '.join(names[:MOST_LISTED])}{more}"
        return (*self.notes, note) if names else self.notes

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
    def with_commas(self) -> list[int]:
        """The columns of numbers in which a comma is read as the decimal sign."""
        found = (self.weight, self.filters.time) if self.filters.has_commas else ()
        return [at for at in found if at is not None]

    @property
    def n_alternatives(self) -> int:
        """Among how many objects an answer chooses: the target is not one of them."""
        return len(self.shown) - (self.form == "choice")

    @property
    def are_whole(self) -> bool:
        """Whether labels are whole numbers."""
        return self.kinds[self.shown[0]] == "whole"

    def with_texts(self, columns: Sequence[int]) -> Layout:
        """The same, with these columns in use as texts."""
        return replace(self, kinds=self.kinds | dict.fromkeys(columns, "text"))

    def noting(self, *notes: str) -> Layout:
        """The same, with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def warning(self, *warnings: str) -> Layout:
        """The same, with more warnings; those that say nothing do not count."""
        return replace(self, warnings=(*self.warnings, *filter(None, warnings)))


def understand_columns(
    name: str,
    names: Sequence[str],
    types: dict[int, str],
    options: Options,
    text: TextFormat | None = None,
    blank: tuple[int, ...] = (),
    made: Mapping[int, int] | None = None,
) -> Layout:
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
    given, made = check_columns(options.columns), made or {}
    has_names = text is None or text.has_header or names[0] != "0"
    is_by_place = options.columns is None and not has_names
    if is_by_place:
        given = columns_by_place(len(names), name)
    times = options.min_response_time
    form, position, other = recognise(names, given, name, times is not None)
    filters = make_filters(names, position, options.keep, options.drop, times, name)
    shown, answer = tuple(position[role] for role in FORMS[form]), None
    if form in CHOICES:
        *compared, answer = shown
        shown = tuple(compared)
    check_label_types(name, names, types, shown)
    if PSYCHOPY <= {*names}:
        blank = shown
    elif JSPSYCH <= {*names}:
        blank = blank or shown[1:]  # the first may be a text to read
    words, with_people = check_words(options.answer_words), options.with_annotators
    layout = Layout(
        name,
        tuple(names),
        form,
        shown,
        {},
        options,
        replace(
            filters,
            blank=blank,
            has_commas=text is not None and text.delimiter.startswith(";"),
        ),
        answer,
        position.get("weight"),
        position.get("annotator") if with_people else None,
        _trial(names, types, form, position) if with_people else None,
        text,
        is_json=types[shown[0]] == "JSON",
        made=made,
        words=own_words(words, 2 if form == "choice" else 3),
        notes=(BY_PLACE,) if is_by_place else (),
    )
    layout = replace(layout, kinds=_kinds(layout, types))
    if other is not None:
        columns: Roles = {role: position.get(role) for role in BESIDE}
        columns |= other
        layout = replace(layout, other=_question_beside(layout, types, columns))
    refuse_if(
        bool(words) and answer is None and other is None,
        InvalidOption,
        Remedy("answer_words", words),
        f" is given, and {name} does not have a column of answers: leave it out.",
    )
    known = {*layout.kinds, *made, position.get("annotator")}
    known |= {*(other or {}).values()}
    unused = tuple(at for at in range(len(names)) if at not in known)
    is_decided = answer is not None or not given.keys().isdisjoint(ROLES)
    doubtful = tuple(
        at
        for at in (() if is_decided else unused)
        if types[at].partition("(")[0] in PLAIN
        and plain_name(names[at]) not in NAMES_OF_PLACES
    )
    return replace(layout, unused=unused, doubtful=doubtful)


def _kinds(layout: Layout, types: dict[int, str]) -> dict[int, str]:
    """The kind of every column in use; a filter, and who answered, need texts."""
    q = layout
    if q.annotator is not None:
        one = {q.annotator: types[q.annotator].replace(MIXED, "VARCHAR")}
        check_label_types(q.name, q.names, one, (q.annotator,))
    kinds = dict.fromkeys([*q.filters.positions, q.annotator, q.trial], "text")
    compared = [*q.shown, *([] if q.answer is None else [q.answer])]
    are_whole = not q.words and all(
        types[at] in SMALL and at not in kinds for at in compared
    )
    kinds |= dict.fromkeys(compared, "whole" if are_whole else "text")
    if q.weight is not None:
        kinds.setdefault(q.weight, KINDS.get(types[q.weight], "text"))
    for at in q.made.keys() & {*q.shown}:
        kinds.setdefault(q.made[at], "text")
    return {at: kind for at, kind in kinds.items() if at is not None}


def _question_beside(ready: Layout, types: dict[int, str], columns: Roles) -> Layout:
    """The question beside ready triplets; all labels are texts, also theirs."""
    options = replace(ready.options, columns=columns, labels=None)
    found = understand_columns(ready.name, ready.names, types, options, ready.text)
    assert found.answer is not None
    return found.with_texts([*ready.shown, *found.shown, found.answer])


def _trial(
    names: Sequence[str], types: dict[int, str], form: str, position: Positions
) -> int | None:
    """A column of text called trial beside triplets or quadruplets, if there is one.

    Its values say whether it is that of `write_comparisons`.
    """
    free = {name: at for at, name in enumerate(names) if at not in position.values()}
    at = free.get("trial")
    is_text = at is not None and types[at] in ("VARCHAR", "JSON")
    return at if is_text and form in ("triplet", "quadruplet") else None


def check_label_types(
    name: str, names: Sequence[str], types: dict[int, str], shown: Sequence[int]
) -> None:
    """Refuse columns that hold no labels, and text beside numbers."""
    missing_first = "Fill in or drop missing values first, then turn"
    for at in shown:
        is_text = types[at] in ("VARCHAR", "JSON", MIXED) or types[at][:4] == "ENUM"
        turn = missing_first if types[at] in FLOATS else "Turn"
        refuse_if(
            not is_text and types[at] not in INTEGERS,
            InvalidComparisons,
            f"{name}: column {names[at]!r:.80} is of type {types[at][:80]}, and labels "
            f"are text or integers. {turn} it into one of them.",
            code="type of labels",
        )
    found = [types[at] for at in shown]
    refuse_if(
        MIXED in found or len({kind in INTEGERS for kind in found}) > 1,
        InvalidComparisons,
        name,
        MIXED_LABELS,
        code="mixed labels",
    )


def _pair_sums(name: str, types: dict[int, str], options: Options) -> Layout:
    refuse_if(
        options.are_about_rows,
        InvalidComparisons,
        f"{name} holds pair sums, not answers: columns and rows are chosen when the "
        "answers are summed.",
        code="pair sums",
    )
    found = [types[at] for at in range(4)]
    kinds = {KINDS.get(kind) for kind in found[2:]}
    refuse_if(
        found[:2] != ["VARCHAR"] * 2 or None in kinds,
        InvalidComparisons,
        f"{name} has the columns a, b, near, far of pair sums, of types "
        f"{', '.join(kind[:40] for kind in found)}: labels are VARCHAR, sums BIGINT or "
        "DOUBLE. Was it written by `tripletree pairs`?",
        code="type of pair sums",
    )
    sums = "whole" if kinds == {"whole"} else "number"
    kinds_of = {0: "text", 1: "text", 2: sums, 3: sums}
    return Layout(name, PAIRS, "pairs", (0, 1), kinds_of, options)
