"""What an answer says: an object by its label, its place or its number, or a tie.

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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tripletree.answers.labels import MISSING
from tripletree.answers.sql import Sql, cases
from tripletree.errors import InvalidOption, Remedy, refuse_if

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
PLACE_WORDS = {word for every in WORDS.values() for words in every for word in words}
KNOWN_WORDS = {*PLACE_WORDS, *TIE_WORDS, *POSITIONS}
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
        return cls(number % 4, number // 4 % 5, number // 20 % 5, number // 100)

    def choice(self, start: int | None) -> int:
        """The object chosen, or TIE, or 0; start: where positions are counted from."""
        if start is None:
            return self.by_label or self.by_word
        return TIE if self.by_word == TIE else self.by_number - start

    @property
    def is_torn(self) -> bool:
        """Whether it is the label of one object, and a word for another's place."""
        return self.by_label > 0 and self.by_word not in (0, TIE, self.by_label)


def is_like_words(label: str) -> bool:
    """Whether a label could be taken for a place, a position or a tie."""
    return label.strip().lower() in KNOWN_WORDS


def check_words(given: object) -> dict[str, str]:
    """`answer_words`: what words of the user's own mean, as places or ties."""
    if given is None:
        return {}
    pairs = given if isinstance(given, Mapping) else {}
    words = {str(word).strip().lower(): place for word, place in pairs.items()}
    known = {*PLACE_WORDS, *TIE_WORDS} - {""}
    are_known = all(isinstance(x, str) and x in known for x in words.values())
    refuse_if(
        not words or len(words) < len(pairs) or not are_known,
        InvalidOption,
        Remedy("answer_words", pairs if isinstance(given, Mapping) else ...),
        ": give each word once, and left, right, middle, first, second, third or tie "
        "as its meaning, for example ",
        Remedy("answer_words", {"a": "left", "b": "right", "s": "tie"}),
        ".",
    )
    return words


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
            f": a question about {n_shown} objects does not have this place.",
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
    """SQL for by_label, by_word and by_number.

    answer: as it is written; shown: objects, one of which is `given` if it names one.
    are_like_words: labels can be words, too. Else most answers are read as labels
    alone, which is faster. own: words of the user's own, of text.
    """
    labels = [(f"given = {one}", n) for n, one in enumerate(shown, 1)]
    words, places = [(f"{answer} IS NULL", TIE)], range(len(shown) + 1)
    numbers = [(f"{answer} = {n}", n + 1) for n in places]
    mine: list[tuple[str, int]] = []
    known: list[tuple[str, int]] = []  # labels that are neither words nor numbers
    if is_text:
        word, ways = f"lower(trim({answer}))", enumerate(WORDS[len(shown)], 1)
        is_tie = f"{answer} IS NULL OR {sql.is_in(word, TIE_WORDS)}"
        words = [*((sql.is_in(word, some), n) for n, some in ways), (is_tie, TIE)]
        numbers = [(f"trim({answer}) IN ('{n}', '{n}.0')", n + 1) for n in places]
        mine = [(sql.is_in(word, some), n) for n, some in own.items()]
        if not are_like_words:
            known = [(" OR ".join(test for test, _ in labels), 0)]
    none = [(test, 0) for test, _ in mine]
    return {
        "by_label": cases(*none, *labels, otherwise=0),
        "by_word": cases(*mine, *known, *words, otherwise=0),
        "by_number": cases(*none, *known, *numbers, otherwise=0),
    }


def packed(like_position: str) -> str:
    """SQL for the number of a row."""
    like = cases((like_position, 100), otherwise=0)
    return f"by_label + 4 * by_word + 20 * by_number + {like}"


def choice(start: int | None) -> str:
    """SQL for `Said.choice`."""
    if start is None:
        return cases(("by_label > 0", "by_label"), otherwise="by_word")
    return cases((f"by_word = {TIE}", TIE), otherwise=f"by_number - {start}")


def choose_reading(
    counts: Mapping[int, int],
    n_shown: int,
    may_be_zero: bool,
    error: Callable[..., Exception],
) -> tuple[int | None, str]:
    """Where positions are counted from, if answers are positions; what was assumed.

    counts: how many rows have which number; may_be_zero: 0 and 1 are positions, also
    among two; error: makes the error about rows of some numbers, of its code, of what
    is wrong, and of what the answers could mean, one or the other.
    """
    found = {number: Said.of(number) for number, n in counts.items() if n}
    torn = [number for number, one in found.items() if one.is_torn]
    if torn:
        why = (
            "the answer is the label of one object, and a word for the place of "
            "another. Rename the objects"
        )
        raise error(torn, "two meanings", why)
    numbers = {one.by_number - 1 for one in found.values() if one.by_word != TIE}
    starts = [
        n
        for n in (0, 1)
        if numbers and n <= min(numbers) and max(numbers) < n_shown + n
    ]
    first = 0 if starts == [0] else 1
    named = ", ".join(POSITIONS[first : n_shown + first])
    by_label = {number: one.choice(None) for number, one in found.items()}
    unknown = [number for number, chosen in by_label.items() if not chosen]
    if not unknown:
        differ = any(one.choice(first) != one.choice(None) for one in found.values())
        note = f"answers {named} could be labels or positions: taken as labels"
        return None, note if len(starts) == 1 and differ else ""
    n_unknown = sum(counts[number] for number in unknown)
    n_labels = sum(
        counts[x] for x, chosen in by_label.items() if chosen not in (0, TIE)
    )
    if starts and n_unknown > n_labels:
        is_unsure = n_shown == 2 and first == 0 and not may_be_zero
        if len(starts) > 1 or is_unsure:
            raise error(unknown, "which position", *_which_position(n_shown, first))
        is_doubtful = any(one.like_position for one in found.values())
        note = f"answers {named} are taken as positions"
        note += ", not as labels" if is_doubtful else ""
        return first, note if is_doubtful or first == 0 or n_shown == 2 else ""
    if starts:
        why = (
            f"the answer is not a label of its row. All answers could be positions "
            f"{named}, but objects have these names, and most other answers are "
            "names. If answers are positions, write first, second, third for 1, 2, 3; "
            "if labels, correct this one"
        )
        raise error(unknown, "label or position", why)
    strange = [number for number in unknown if not found[number].by_number]
    if 2 * sum(counts[number] for number in strange) < n_unknown:
        unknown = strange or unknown  # among numbers, the others are wrong
    places = ", ".join(f"'{words[0]}'" for words in WORDS[n_shown])
    why = (
        f"the answer is neither a label of its row, nor a place ({places}), nor a word "
        "for a tie ('same', 'undecided', nothing)"
    )
    raise error(unknown, "unknown answer", why)


def _which_position(n_shown: int, first: int) -> tuple[str, list[dict[str, str]]]:
    """Why numbers do not tell what they stand for, and what they could mean."""
    if first == 0:  # 0 and 1 of two: the first and the second, or no and yes
        both = [{"0": "left", "1": "right"}, {"1": "left", "0": "right"}]
        return "answers are 0 or 1, which can be positions, or no and yes", both
    places = ["left", "right"] if n_shown == 2 else ["first", "second", "third"]
    texts = POSITIONS[1:n_shown]
    why = (
        f"answers are {' or '.join(texts)} only, which do not tell whether "
        "positions are counted from 1 or from 0"
    )
    return why, [dict(zip(texts, x, strict=False)) for x in (places, places[1:])]
