"""Which rows are left out, and what an answer says: by label, place, number, or a tie.

Of the objects that were shown, an answer can name one

- by its label, as it stands in its own row,
- by a word for its place: left or right; left, middle or right; first, second, third,
- by its position, if no other reading fits all rows. A 3 among three (a 2 among two)
  shows that positions are counted from 1, a 0 that they are counted from 0; 1 and 2
  among three do not tell. 0 and 1 among two can also be no and yes: they are positions
  in a column called response, as jsPsych writes them. If a label is 1, 2 or 3, too, a
  wrong label would turn all the others into positions: not if most are labels,
- by a word that the user explains (`answer_words`), which comes before all others,

or say that it is a tie: "same", "undecided", nothing at all. An engine says of each row
how its answer can be read, as one number (`said`); how many rows have which number is
all that is needed to choose a reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tripletree._checks import check_number
from tripletree.answers.header import Header, find_column, role_of
from tripletree.answers.labels import MISSING
from tripletree.answers.sql import Sql, cases
from tripletree.errors import InvalidComparisons, InvalidOption, Remedy, refuse_if

Value = str | int | bool | None
Choice = Mapping[str, Value | Iterable[Value]]
NO_TIME = 255  # the reason of a row whose response time is no number
NO_TIMES = "no response time"
NO_QUESTION = "no question"
LONG = 100  # of a response time: half of them are as long in milliseconds
NEARLY_ALL = 0.95  # of the rows: a filter that leaves out more is hardly meant to
MOST = 200  # filters
NUMBER = r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*"
YES_NO = {True: ("true", "yes", "y", "wahr"), False: ("false", "no", "n", "falsch")}


@dataclass(frozen=True)
class Filter:
    """Rows whose value in a column is among some, or is not, are left out."""

    position: int
    values: tuple[tuple[Value, tuple[str, ...]], ...]  # and how each can be written
    with_missing: bool
    is_keep: bool
    reason: str

    @property
    def texts(self) -> list[str]:
        """All that the values can be written as."""
        return [text for _, texts in self.values for text in texts]


@dataclass(frozen=True)
class Filters:
    """What is left out, in this order; a row counts for the first reason it has.

    blank: columns that are all empty where nothing was asked, which comes before all.
    removed: how many of n_rows rows each would leave out by itself, once this is known.
    """

    filters: tuple[Filter, ...]
    time: int | None
    shortest: float
    is_milli: bool | None = None  # the unit of response times, once it is known
    blank: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    n_rows: int = 0

    @property
    def positions(self) -> list[int]:
        """The columns that are looked at."""
        found = [*(one.position for one in self.filters), *self.blank]
        return found if self.time is None else [*found, self.time]

    @property
    def reasons(self) -> list[str]:
        """The reasons in words: number 1 first."""
        words = [one.reason for one in self.filters]
        if self.time is not None:
            words += [NO_TIMES, f"response time below {self.shortest:g}"]
        return [*words, NO_QUESTION] if self.blank else words

    def reason(self, sql: Sql) -> str:
        """SQL for the number of the reason to leave a row out, 0 if it stays."""
        branches: list[tuple[str, object]] = []
        if self.blank:
            empty = (f"coalesce(trim(c{at}), '') = ''" for at in self.blank)
            branches.append((" AND ".join(empty), len(self.reasons)))
        tests, n = self._tests(sql), len(self.filters)
        branches += [(test, number) for number, test in enumerate(tests[:n], 1)]
        if self.time is not None:
            time = self._time(sql)
            word = f"trim(coalesce(c{self.time}, ''))"
            is_missing = f"{time} IS NULL AND {sql.is_in(word, MISSING)}"
            branches.append((is_missing, n + 1))
            branches.append((f"{time} IS NULL", NO_TIME))
            branches.append((tests[n], n + 2))
        return cases(*branches, otherwise=0)

    def _tests(self, sql: Sql) -> list[str]:
        """SQL for whether each filter leaves a row out; that of times is the last."""
        tests = []
        for one in self.filters:
            fits = sql.is_in(f"c{one.position}", one.texts)
            if one.with_missing:
                fits = f"({fits} OR coalesce(c{one.position}, '') = '')"
            tests.append(f"NOT {fits}" if one.is_keep else fits)
        if self.time is not None:
            shortest = f"CAST({sql.value(self.shortest)} AS DOUBLE)"
            tests.append(f"{self._time(sql)} < {shortest}")
        return tests

    def _time(self, sql: Sql) -> str:
        """SQL for the response time; NULL if it is not a number."""
        # An engine may cast where it reads, and fail there: only numbers are.
        is_number = sql.matches(f"c{self.time}", NUMBER)
        return f"TRY_CAST(CASE WHEN {is_number} THEN c{self.time} END AS DOUBLE)"

    def found(self, sql: Sql) -> dict[str, str]:
        """SQL for the texts of each filter that occur in its column, by name.

        times and long: how many response times there are, and how many are not short;
        removed0, removed1, ...: how many rows each filter leaves out by itself.
        """
        times = {}
        if self.time is not None:
            time = self._time(sql)
            times["times"] = f"count({time})"
            times["long"] = f"count(CASE WHEN {time} >= {LONG} THEN 1 END)"
        tests = enumerate(self._tests(sql))
        return (
            times
            | {
                f"removed{n}": f"count(CASE WHEN {test} THEN 1 END)"
                for n, test in tests
            }
            | {
                f"f{number}": f"{sql.different(f'c{one.position}')} FILTER "
                f"(WHERE {sql.is_in(f'c{one.position}', one.texts)})"
                for number, one in enumerate(self.filters, 1)
            }
        )

    def counted(self, found: Mapping[str, Any]) -> Filters:
        """The same, with what they remove; the median tells the unit of times."""
        if not self.positions:
            return self
        n = len(self.filters) + (self.time is not None)
        removed = tuple(found[f"removed{number}"] for number in range(n))
        counted = replace(self, removed=removed, n_rows=found["n_rows"])
        if not found.get("times"):
            return counted
        return replace(counted, is_milli=2 * found["long"] >= found["times"])

    @property
    def unit(self) -> str:
        """The unit of response times in words; empty if there are none."""
        named = {True: "milliseconds", False: "seconds", None: ""}
        return named[self.is_milli]

    @property
    def idle(self) -> list[str]:
        """Warnings of filters that remove no rows, or nearly all, which keep may."""
        warnings = []
        for n, one in zip(self.removed, (*self.filters, None), strict=False):
            is_many = n > NEARLY_ALL * self.n_rows and not (one and one.is_keep)
            if not self.n_rows or (n and not is_many):
                continue
            reason = f"response time below {self.shortest:g}"
            reason = reason if one is None else one.reason
            many = f"{n} of {self.n_rows}" if n else "no"
            text = f'the filter "{reason}" removed {many} rows'
            if one is None:
                text += f": response times seem to be in {self.unit}"
                if self.is_milli and self.shortest < 10:
                    text += f"; for {self.shortest:g} s give {self.shortest * 1000:g}"
                elif not self.is_milli and self.shortest >= 10:
                    text += f"; for {self.shortest:g} ms give {self.shortest / 1000:g}"
            warnings.append(f"{text}.")
        return warnings

    def unmatched(self, found: Mapping[str, Any]) -> tuple[Filter, Value] | None:
        """The first value that occurs in no row: a slip, as nothing comes of it."""
        for number, one in enumerate(self.filters, 1):
            occurring = {*(found[f"f{number}"] or ())}
            for value, texts in one.values:
                if texts and occurring.isdisjoint(texts):
                    return one, value
        return None


def make_filters(
    names: Sequence[str],
    header: Header,
    keep: Choice | None,
    drop: Choice | None,
    min_response_time: float | None,
    where: str,
) -> Filters:
    """The filters that the options ask for, with their columns found."""
    filters = []
    for option, choice in (("drop", drop), ("keep", keep)):
        if choice is None:
            continue
        if not isinstance(choice, Mapping):
            raise InvalidOption(
                option,
                f" = {choice!r:.80}: give a dictionary of column and value, or values, "
                f"for example {option}={{'is_catch': True}}.",
            )
        for column, values in choice.items():
            filters.append(_filter(option, column, values, names, header, where))
    many = f"{len(filters)} columns in drop and keep: give at most {MOST}."
    refuse_if(len(filters) > MOST, InvalidOption, many)
    if min_response_time is None:
        return Filters(tuple(filters), None, 0.0)
    shortest = check_number("min_response_time", min_response_time, 0, 1e300)
    if "response_time" not in header.position:
        raise InvalidComparisons(
            Remedy("min_response_time", min_response_time),
            f" is given, and {where} has no column that is known for response times: "
            "name it with ",
            Remedy("columns", {"response_time": ...}),
            ".",
            code="no response times",
        )
    return Filters(tuple(filters), header.position["response_time"], shortest)


def _filter(
    option: str,
    column: object,
    values: Value | Iterable[Value],
    names: Sequence[str],
    header: Header,
    where: str,
) -> Filter:
    if not isinstance(column, str):
        why = f" has the key {column!r:.80}: give the name of a column."
        raise InvalidOption(option, why)
    if column not in names and role_of(column) in header.position:
        position = header.position[role_of(column)]  # a role: keep={"worker": ...}
    else:
        position = find_column(names, column, where)
    is_one = isinstance(values, str) or not hasattr(values, "__iter__")
    listed: list[Any] = [values] if is_one else list(values)  # type: ignore[arg-type]
    written = tuple((value, tuple(_texts(value, option, column))) for value in listed)
    is_keep, reason = option == "keep", f"{option} {column!r}"
    return Filter(position, written, None in listed, is_keep, reason)


def _texts(value: object, option: str, column: str) -> list[str]:
    """How a value can be written in a file."""
    if value is None:
        return []
    if isinstance(value, bool | np.bool_):
        words = YES_NO[bool(value)]
        spelled = [x for w in words for x in (w, w.upper(), w.capitalize())]
        return [*dict.fromkeys(spelled), *_texts(int(value), option, column)]
    if isinstance(value, int | np.integer):
        return [str(int(value)), f"{int(value)}.0"]
    if isinstance(value, str):
        return [value]
    raise InvalidOption(
        option,
        f"[{column!r}] has the value {value!r:.80}: give text, integers, True, False, "
        "or None for a missing value.",
    )


TIE = 4
TIE_WORDS = (
    *dict.fromkeys(word.lower() for word in MISSING),
    *("tie", "tied", "same", "the same", "equal", "equally", "both", "neither"),
    *("undecided", "unsure", "draw", "skip", "skipped", "don't know", "dont know"),
)
WORDS = {
    2: [["left", "l", "first"], ["right", "r", "second"]],
    3: [["left", "first"], ["middle", "second"], ["right", "third"]],
}
POSITIONS = ("0", "1", "2", "3")
PLACES = {word for every in WORDS.values() for words in every for word in words}
KNOWN_WORDS = {*PLACES, *TIE_WORDS, *POSITIONS}
FROM_ZERO = ("response", "buttonpressed")  # names of columns in jsPsych, which does


@dataclass(frozen=True)
class Said:
    """How an answer can be read: the object (1, 2, 3) it names in each of three ways.

    by_word is TIE for a tie, by_number one more than the number; 0 is for none.
    like_position: a label of its row looks like a position. The number of a row is that
    of `packed`.
    """

    by_label: int
    by_word: int
    by_number: int
    like_position: int

    @classmethod
    def of(cls, number: int) -> Said:
        """What `packed` has packed."""
        rest, by_label = divmod(number, 4)
        rest, by_word = divmod(rest, 5)
        return cls(by_label, by_word, rest % 5, rest // 5)

    def choice(self, start: int | None) -> int:
        """The object chosen, or TIE, or 0; start: where positions are counted from."""
        if start is None:
            return self.by_label or self.by_word
        return TIE if self.by_word == TIE else self.by_number - start

    @property
    def is_torn(self) -> bool:
        """Whether it is the label of one object, and a word for another's place."""
        both = self.by_label > 0 and 0 < self.by_word != TIE
        return both and self.by_label != self.by_word


def is_like_words(label: str) -> bool:
    """Whether a label could be taken for a place, a position or a tie."""
    return label.strip().lower() in KNOWN_WORDS


def check_words(given: object) -> dict[str, str]:
    """`answer_words`: what words of the user's own mean, as places or ties."""
    if given is None:
        return {}
    if isinstance(given, Mapping) and given:
        words = {str(key).strip().lower(): value for key, value in given.items()}
        known = {*PLACES, *TIE_WORDS} - {""}
        if len(words) == len(given) and known >= {
            v if isinstance(v, str) else "" for v in words.values()
        }:
            return words
    raise InvalidOption(
        Remedy("answer_words", given if isinstance(given, Mapping) else ...),
        ": give each word once, and left, right, middle, first, second, third or tie "
        "as its meaning, for example ",
        Remedy("answer_words", {"a": "left", "b": "right", "s": "tie"}),
        ".",
    )


def own_words(words: Mapping[str, str], n_shown: int) -> dict[int, tuple[str, ...]]:
    """The user's own words for each place among so many, and for a tie."""
    places = {word: n for n, some in enumerate(WORDS[n_shown], 1) for word in some}
    places |= dict.fromkeys(TIE_WORDS, TIE)
    found: dict[int, tuple[str, ...]] = {}
    for word, meaning in words.items():
        refuse_if(
            meaning not in places,
            InvalidOption,
            Remedy("answer_words", {word: meaning}),
            f": among {n_shown} there is no such place.",
        )
        spelled = [word, f"{word}.0"] if word.isdecimal() else [word]
        found[places[meaning]] = (*found.get(places[meaning], ()), *spelled)
    return found


def said_columns(
    sql: Sql,
    answer: str,
    shown: Sequence[str],
    is_text: bool,
    are_like_words: bool,
    own: Mapping[int, Sequence[str]],
) -> dict[str, str]:
    """SQL for by_label, by_word and by_number, from the columns as they are written.

    are_like_words: labels can be words, too. Else most answers are read as labels
    alone, which is faster. own: words of the user's own, of text.
    """
    n_shown, places = len(shown), range(len(shown) + 1)
    labels: list[tuple[str, object]] = [
        (f"{answer} = {label}", n) for n, label in enumerate(shown, 1)
    ]
    words: list[tuple[str, object]] = [(f"{answer} IS NULL", TIE)]
    numbers: list[tuple[str, object]] = [(f"{answer} = {n}", n + 1) for n in places]
    if is_text:
        word = f"lower(trim({answer}))"
        words = [(sql.is_in(word, some), n) for n, some in enumerate(WORDS[n_shown], 1)]
        words.append((f"{answer} IS NULL OR {sql.is_in(word, TIE_WORDS)}", TIE))
        numbers = [(f"trim({answer}) IN ('{n}', '{n}.0')", n + 1) for n in places]
        if not are_like_words:
            is_label = " OR ".join(test for test, _ in labels)
            words.insert(0, (is_label, 0))
            numbers.insert(0, (is_label, 0))
        mine = [(sql.is_in(word, some), n) for n, some in own.items()]
        words = [*mine, *words]
        labels, numbers = (
            [*((test, 0) for test, _ in mine), *x] for x in (labels, numbers)
        )
    return {
        "by_label": cases(*labels, otherwise=0),
        "by_word": cases(*words, otherwise=0),
        "by_number": cases(*numbers, otherwise=0),
    }


def packed(like_position: str) -> str:
    """SQL for the number of a row."""
    like = f"CASE WHEN {like_position} THEN 100 ELSE 0 END"
    return f"by_label + 4 * by_word + 20 * by_number + {like}"


def choice(start: int | None) -> str:
    """SQL for `Said.choice`."""
    if start is not None:
        return f"CASE WHEN by_word = {TIE} THEN {TIE} ELSE by_number - {start} END"
    return "CASE WHEN by_label > 0 THEN by_label ELSE by_word END"


@dataclass(frozen=True)
class Verdict:
    """Where positions are counted from, if answers are; what was assumed, or refused.

    refused: the numbers of the rows; words: what they could mean, one or the other.
    """

    start: int | None = None
    note: str = ""
    refused: tuple[int, ...] = ()
    code: str = ""
    why: str = ""
    words: tuple[dict[str, str], ...] = ()


def judged(counts: Mapping[int, int], n_shown: int, may_be_zero: bool) -> Verdict:
    """How to read all answers, from how many rows have which number.

    may_be_zero: 0 and 1 are positions, also among two.
    """
    found = {number: Said.of(number) for number, n in counts.items() if n}
    torn = tuple(number for number, one in found.items() if one.is_torn)
    if torn:
        why = (
            "the answer is the label of one object, and a word for the place of "
            "another. Rename the objects"
        )
        return Verdict(refused=torn, code="two meanings", why=why)
    starts = _starts(found.values(), n_shown)
    unknown = tuple(number for number, one in found.items() if not one.choice(None))
    named = ", ".join(POSITIONS[1 : n_shown + 1])
    if starts == [0]:
        named = ", ".join(POSITIONS[:n_shown])
    if not unknown:
        differ = any(
            one.choice(start) != one.choice(None)
            for one in found.values()
            for start in starts
        )
        note = f"answers {named} could be labels or positions: taken as labels"
        return Verdict(note=note if len(starts) == 1 and differ else "")
    n_unknown = sum(counts[number] for number in unknown)
    n_labels = sum(
        counts[number]
        for number, one in found.items()
        if one.choice(None) not in (0, TIE)
    )
    if starts and n_unknown > n_labels:
        is_sure = n_shown == 3 or starts == [1] or may_be_zero
        if len(starts) > 1 or not is_sure:
            return _torn_positions(unknown, n_shown, starts)
        is_doubtful = any(one.like_position for one in found.values())
        note = f"answers {named} are taken as positions"
        note += ", not as labels" if is_doubtful else ""
        is_said = is_doubtful or starts == [0] or n_shown == 2
        return Verdict(starts[0], note if is_said else "")
    if starts:
        why = (
            f"the answer is not a label of its row. All answers could be positions "
            f"{named}, but there are objects called so, and most other answers name "
            "them. If answers are positions, write first, second, third for 1, 2, 3; "
            "if labels, correct this one"
        )
        return Verdict(refused=unknown, code="label or position", why=why)
    strange = tuple(number for number in unknown if not found[number].by_number)
    if 2 * sum(counts[number] for number in strange) < n_unknown:
        unknown = strange or unknown  # among numbers, what is none is wrong
    places = ", ".join(f"'{words[0]}'" for words in WORDS[n_shown])
    why = (
        f"the answer is neither a label of its row, nor a place ({places}), nor a word "
        "for a tie ('same', 'undecided', nothing)"
    )
    return Verdict(refused=unknown, code="unknown answer", why=why, words=({},))


def _starts(found: Iterable[Said], n_shown: int) -> list[int]:
    """Where positions can be counted from, 0 or 1, if all answers are numbers."""
    numbers = {one.by_number - 1 for one in found if one.by_word != TIE}
    if not numbers or -1 in numbers:
        return []
    return [n for n in (0, 1) if n <= min(numbers) and max(numbers) < n_shown + n]


def _torn_positions(
    refused: tuple[int, ...], n_shown: int, starts: list[int]
) -> Verdict:
    """Numbers that do not tell what they stand for."""
    if starts == [0]:  # 0 and 1 of two: the first and the second, or no and yes
        both = ({"0": "left", "1": "right"}, {"1": "left", "0": "right"})
        found = "0 or 1, which can be positions, or no and yes"
    else:
        first = WORDS[n_shown] if n_shown == 2 else [["first"], ["second"], ["third"]]
        places = [words[0] for words in first]
        texts = POSITIONS[1:n_shown]
        both = (
            dict(zip(texts, places, strict=False)),
            dict(zip(texts, places[1:], strict=False)),
        )
        found = (
            f"{' or '.join(texts)} only, which do not tell whether positions are "
            "counted from 1 or from 0"
        )
    why = f"answers are {found}"
    return Verdict(refused=refused, code="which position", why=why, words=both)
