"""Which column of a table says what: recognised by the names people give them.

A table of answers has one of these forms. The names on the left are the *roles* that
`columns=` takes; upper and lower case, blanks and signs in a header do not matter::

    target, near, far               a triplet: also head, winner, loser (Salmon);
                                    anchor, positive, negative; i, j, k
    near_1, near_2, far_1, far_2    a quadruplet: also i, j, k, l
    target, left, right, answer     which of two is closer: also Center, Left, ...
    first, second, odd              the odd one out, and the two others
    first, second, third, odd       the three that were shown, and which is the odd one
    first, second, central          the most central one, and the two others
    first, second, third, central   the three that were shown, and which is central

Beside them: annotator (worker id, participant, ...), response_time, weight.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tripletree.errors import InvalidComparisons, InvalidOption, Remedy, refuse_if

Column = str | int
Columns = Mapping[str, Column | None] | Sequence[Column] | None
Roles = dict[str, Column | None]  # the column of each role, or None

TARGETS = "target anchor reference ref head probe query stimulus targetcenter"
NEARS = "near closer positive winner moresimilar"
FARS = "far farther further negative loser lesssimilar"
LEFTS = "left targetleft option1 optiona candidate1 candidatea"
RIGHTS = "right targetright option2 optionb candidate2 candidateb"
ANSWERS = "answer response choice chosen selected buttonpressed keys targetwinner"
ODDS = "odd oddone oddoneout"
CENTRALS = "central mostcentral center centre chosencenter chosencentre"
WEAK = ("stimulus", "keys")  # count only where no other name fits the role
ARRAYS = "choices options stimulus stimuli images".split()  # may hold lists
SHOWN = [
    ("first", "second", "third"),
    ("a", "b", "c"),
    *((f"{word}1", f"{word}2", f"{word}3") for word in ("image", "item", "object")),
    *((f"{word}1", f"{word}2", f"{word}3") for word in ("stimulus", "shown")),
    ("tripletobject1", "tripletobject2", "tripletobject3"),
]
PAIRS = ("a", "b", "near", "far")  # the columns of a file of pair sums
FORMS: dict[str, tuple[str, ...]] = {
    "triplet": ("target", "near", "far"),
    "quadruplet": ("near_1", "near_2", "far_1", "far_2"),
    "choice": ("target", "left", "right", "answer"),
    "odd of two others": ("first", "second", "odd"),
    "odd of three": ("first", "second", "third", "odd"),
    "central of two others": ("first", "second", "central"),
    "central of three": ("first", "second", "third", "central"),
}
BESIDE = {
    "annotator": (
        "annotator annotatorid worker workerid participant participantid "
        "participantuid puid subject subjectid user userid rater raterid judge judgeid "
        "observer observerid"
    ),
    "response_time": (
        "responsetime responsetimes responsetimems responsetimesec reactiontime rt"
    ),
    "weight": "weight weights multiplicity",
}
ROLES = tuple(dict.fromkeys(role for form in FORMS.values() for role in form))


def _names(*texts: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(text.split()) for text in texts)


# Every form with the names that each of its columns may have.
KNOWN = [
    ("triplet", _names(TARGETS, NEARS, FARS)),
    ("triplet", _names("i", "j", "k")),
    ("quadruplet", _names("i", "j", "k", "l")),
    ("quadruplet", _names("near1 neara", "near2 nearb", "far1 fara", "far2 farb")),
    ("choice", _names(f"{TARGETS} center centre", LEFTS, RIGHTS, ANSWERS)),
    *(
        (f"{form} of {n}", _names(*shown[: 3 if n == "three" else 2], marked))
        for shown in SHOWN
        for form, marked in (("odd", ODDS), ("central", CENTRALS))
        for n in ("two others", "three")
    ),
]


@dataclass(frozen=True)
class Header:
    """The form of a table, and the position of the column of each role.

    other: of a question with its answer beside ready triplets.
    """

    form: str
    position: dict[str, int]
    other: dict[str, int] | None = None

    @property
    def has_answer(self) -> bool:
        """Whether the last role is an answer that chooses among the others."""
        return self.form == "choice" or self.form.endswith("of three")


def plain_name(name: str) -> str:
    """A name without case, blanks and signs: "Worker ID" and "worker_id" are one.

    PsychoPy calls what was pressed key_resp.keys, and when it was pressed key_resp.rt.
    """
    name = re.sub(r"^.+\.(keys|rt)$", r"\1", name)
    return re.sub(r"[^\w]|_", "", name).lower()


def has_form(names: Sequence[str], given: Roles) -> bool:
    """Whether columns for a whole form are there, as given or else by their names."""
    asked = [column for role, column in given.items() if role in ROLES]
    if asked:
        return all(isinstance(column, int) or column in names for column in asked)
    short = {plain_name(name) for name in names}
    return any(all(known & short for known in roles) for _, roles in KNOWN)


def recognise(
    names: Sequence[str], given: Roles, where: str, needs_times: bool = True
) -> Header:
    """The form of a table with these names, as those given or else the names say.

    needs_times: response times matter; if not, several columns of them do not, either.

    Raises
    ------
    InvalidComparisons
        If the names fit no form, or more than one.
    InvalidOption
        If those given are not a whole form.
    """
    position = {
        role: find_column(names, column, where)
        for role, column in given.items()
        if column is not None
    }
    asked = [role for role in ROLES if role in position]
    other = None
    if asked:
        form = next((f for f, roles in FORMS.items() if {*roles} == {*asked}), "")
        message = f"columns gives {', '.join(asked)}: give {_forms()}."
        refuse_if(not form, InvalidOption, message)
    else:
        form, found, other = _recognised_form(names, where)
        position |= found
    taken = {*position.values(), *(other or {}).values()}
    for role in (role for role in BESIDE if role not in given):
        fits = [
            at
            for at, name in enumerate(names)
            if at not in taken and plain_name(name) in BESIDE[role].split()
        ]
        is_ignored = role == "response_time" and len(fits) > 1 and not needs_times
        if not fits or is_ignored:
            continue
        refuse_if(
            len(fits) > 1,
            InvalidComparisons,
            f"{where}: both {' and '.join(repr(names[at]) for at in fits)} could be "
            f"the {role}: choose with ",
            Remedy("columns", {role: names[fits[0]]}),
            ", or with ",
            Remedy("columns", {role: None}),
            " for neither.",
            code="two columns",
        )
        position[role] = fits[0]
    return Header(form, position, other)


def is_place(name: str) -> bool:
    """Whether a name says where an object was shown, and so nothing about it."""
    places = {name for shown in SHOWN for name in shown}
    return plain_name(name) in {*LEFTS.split(), *RIGHTS.split(), *places}


def columns_by_place(n_columns: int, where: str) -> Roles:
    """The columns of integers without a header have their meaning by place."""
    triplet: Roles = {"target": 0, "near": 1, "far": 2}
    four: list[str | Remedy] = [
        "4 columns of integers without a header may be quadruplets, or triplets and a "
        "worker or a response: say which, with ",
        Remedy("columns", [0, 1, 2, 3]),
        ", or ",
        Remedy("columns", triplet | {"annotator": 3}),
    ]
    other: list[str | Remedy] = [
        f"{n_columns} columns of integers without a header, and only 3 have a known "
        "meaning: say which is which, for example ",
        Remedy("columns", triplet),
    ]
    parts = [f"{where}: ", *(four if n_columns == 4 else other), "."]
    refuse_if(n_columns != 3, InvalidComparisons, *parts, code="no header")
    return triplet


def check_columns(columns: Columns) -> Roles:
    """`columns` as a dictionary of roles; a list is a triplet or a quadruplet."""
    if columns is None:
        return {}
    if isinstance(columns, list | tuple) and len(columns) in (3, 4):
        form = "triplet" if len(columns) == 3 else "quadruplet"
        columns = dict(zip(FORMS[form], columns, strict=True))
    if not isinstance(columns, Mapping):
        message = (
            f"columns = {columns!r:.80}: give a list of 3 or 4 columns, or a "
            "dictionary such as {'target': 'ref', 'near': 'a', 'far': 'b'}."
        )
        raise InvalidOption(message)
    given = {role_of(role): column for role, column in columns.items()}
    twice = "columns names one role in two ways: give it once."
    refuse_if(len(given) < len(columns), InvalidOption, twice)
    for role, column in given.items():
        refuse_if(
            role not in ROLES and role not in BESIDE,
            InvalidOption,
            f"columns has the role {role!r}: give {_forms()}, and beside them "
            f"{', '.join(BESIDE)}.",
        )
        is_none = column is None and role in BESIDE
        is_column = isinstance(column, str | int) and not isinstance(column, bool)
        refuse_if(
            not is_column and not is_none,
            InvalidOption,
            f"columns[{role!r}] = {column!r:.80}: give the name of a column, or its "
            "position from 0 if the file has no header.",
        )
    refuse_if(
        len({type(column) for column in given.values() if column is not None}) > 1,
        InvalidOption,
        "columns has names and positions: give names if the file has a header, else "
        "positions from 0.",
    )
    return given


def role_of(name: str) -> str:
    """The role that a name stands for: a worker is an annotator, rt a response time."""
    short = plain_name(str(name))
    known = (role for role, names in BESIDE.items() if short in names.split())
    return name if name in ROLES else next(known, name)


def find_column(names: Sequence[str], column: Column, where: str) -> int:
    """The position of a column given by its name, or by its position."""
    if isinstance(column, int):
        refuse_if(
            not 0 <= column < len(names),
            InvalidComparisons,
            f"{where}: no column {column}: the {len(names)} columns are counted from "
            "0.",
            code="no such column",
        )
        return column
    fits = [at for at, name in enumerate(names) if name == column]
    fits = fits or [at for at, name in enumerate(names) if name.strip() == column]
    if len(fits) == 1:
        return fits[0]
    found = "two columns" if fits else "no column"
    raise InvalidComparisons(
        where,
        f": {found} {column!r:.80}. The columns are {some_names(names)}: give one of ",
        "them, after renaming the other." if fits else "them.",
        code="no such column",
    )


def _recognised_form(
    names: Sequence[str], where: str
) -> tuple[str, dict[str, int], dict[str, int] | None]:
    """The one form that the names fit; of two, the one that has the other's columns.

    Of ready triplets beside a question with its answer, both.
    """
    found = _fitting_forms(names, where)
    largest = [
        one
        for one in found
        if not any(set(one[1].values()) < set(other[1].values()) for other in found)
    ]
    if len(largest) == 1:
        return *largest[0], None
    if [form for form, _ in largest] == ["triplet", "choice"]:
        return *largest[0], largest[1][1]
    both = [{role: names[at][:80] for role, at in one[1].items()} for one in largest]
    parts = [part for roles in both for part in (" or ", Remedy("columns", roles))]
    could = f"{where}: columns of more than one kind of answers: choose with "
    what = (could, *parts[1:], ".")
    refuse_if(bool(largest), InvalidComparisons, *what, code="two forms")
    _refuse_three(names, where)
    raise InvalidComparisons(
        where,
        f": columns {some_names(names)} are not known as answers. ",
        *_missing_role(names),
        "Known are target, near, far; head, winner, loser; anchor, positive, negative; "
        "i, j, k; i, j, k, l; center, left, right, answer; first, second, third, odd. "
        "Say which is which, for example ",
        Remedy("columns", {"target": ..., "near": ..., "far": ...}),
        "; if the file has no header, ",
        Remedy("columns", [0, 1, 2]),
        ".",
        code="unknown columns",
    )


def _missing_role(names: Sequence[str]) -> list[str | Remedy]:
    """What to do where the columns of a form are there, but for one."""
    at = {plain_name(name): name[:80] for name in names}
    for form, roles in KNOWN:
        if any(len(name) == 1 for known in roles for name in known):
            continue  # a and b may be anything
        there = {
            role: next((at[name] for name in known if name in at), ...)
            for role, known in zip(FORMS[form], roles, strict=True)
        }
        missing = [role for role, column in there.items() if column is ...]
        if len(missing) == 1:
            what = f"A column for the role {missing[0]} is missing: name it with "
            return [what, Remedy("columns", there), ". "]
    return []


def _refuse_three(names: Sequence[str], where: str) -> None:
    """Ask what an answer is that chooses one of three."""
    at = {plain_name(name): name[:80] for name in names}
    answers = [at[name] for name in ANSWERS.split() if name in at]
    shown = [[at[name] for name in some] for some in SHOWN if {*some} <= at.keys()]
    for answer, some in zip(answers[:1], shown, strict=False):
        three = dict(zip(FORMS["odd of three"], some, strict=False))
        raise InvalidComparisons(
            where,
            f": {answer!r} is one of three: say whether it is the odd one out, ",
            Remedy("columns", three | {"odd": answer}),
            ", or the most central one, ",
            Remedy("columns", three | {"central": answer}),
            ".",
            code="unknown columns",
        )


def _fitting_forms(
    names: Sequence[str], where: str
) -> list[tuple[str, dict[str, int]]]:
    """The forms that the names fit, and their columns.

    Where several could be one, those of other forms are left to them: with head,
    winner, loser and Center, Left, Right, Answer, the head is not a second Center.
    """
    short = [plain_name(name) for name in names]

    def fitting(known: frozenset[str]) -> list[int]:
        fits = [at for at, name in enumerate(short) if name in known]
        return [at for at in fits if short[at] not in WEAK] or fits

    every = [(form, [fitting(known) for known in roles]) for form, roles in KNOWN]
    every = [(form, fits) for form, fits in every if all(fits)]
    sure = {
        ats[0]
        for _, fits in every
        if all(len(ats) == 1 for ats in fits)
        for ats in fits
    }
    found = []
    for form, fits in every:
        free = [
            ats if len(ats) == 1 else [at for at in ats if at not in sure] or ats
            for ats in fits
        ]
        if any(len(ats) > 1 for ats in fits):
            _refuse_two(names, form, free, where)
        found.append((form, dict(zip(FORMS[form], (x[0] for x in free), strict=True))))
    return found


def _refuse_two(
    names: Sequence[str], form: str, fits: list[list[int]], where: str
) -> None:
    """Refuse two columns that could be the same one of a form."""
    roles = dict(zip(FORMS[form], fits, strict=True))
    chosen = {role: names[ats[-1]][:80] for role, ats in roles.items()}
    for role, ats in roles.items():
        one, two = (*ats, *ats)[:2]
        refuse_if(
            len(ats) > 1,
            InvalidComparisons,
            f"{where}: columns {one + 1} and {two + 1}, {names[one]!r} and "
            f"{names[two]!r}, could both be the {role}: rename one, or choose with ",
            Remedy("columns", chosen if names[one] != names[two] else ...),
            ".",
            code="two columns",
        )


def is_known_name(name: str) -> bool:
    """Whether a cell is a name that headers have, and so hardly a label."""
    short = plain_name(name)
    return any(
        len(short) > 1 and short in names for _, roles in KNOWN for names in roles
    )


def some_names(names: Sequence[str]) -> str:
    """Names for a message, not all if there are many."""
    shown = ", ".join(repr(name[:40]) for name in names[:12])
    return shown + (f", ... ({len(names)} in all)" if len(names) > 12 else "")


def _forms() -> str:
    return "; or ".join(", ".join(roles) for roles in FORMS.values())
