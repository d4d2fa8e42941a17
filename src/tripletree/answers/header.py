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

from tripletree.errors import InvalidComparisons, InvalidOption, Remedy, refuse_if

Column = str | int
Columns = Mapping[str, Column | None] | Sequence[Column] | None
Roles = dict[str, Column | None]  # the column of each role, or None
Positions = dict[str, int]  # the same, as positions
Recognised = tuple[str, Positions, Positions | None]  # see `recognise`

TARGETS = "target anchor reference ref head probe query stimulus targetcenter"
LEFTS = "left targetleft option1 optiona candidate1 candidatea"
RIGHTS = "right targetright option2 optionb candidate2 candidateb"
ANSWERS = "answer response choice chosen selected buttonpressed keys targetwinner"
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
        "observer observerid person personid prolificid prolificpid"
    ),
    "response_time": (
        "responsetime responsetimes responsetimems responsetimesec reactiontime "
        "reactiontimems rt rtms"
    ),
    "weight": "weight weights multiplicity",
}
CHOICES = ("choice", "odd of three", "central of three")  # the last role says which
ROLES = tuple(dict.fromkeys(role for form in FORMS.values() for role in form))


def _known(form: str, *names: str) -> tuple[str, dict[str, list[str]]]:
    return form, {
        role: known.split() for role, known in zip(FORMS[form], names, strict=True)
    }


# Every form with the names that the column of each role may have.
KNOWN = [
    _known(
        "triplet",
        TARGETS,
        "near closer positive winner moresimilar",
        "far farther further negative loser lesssimilar",
    ),
    _known("triplet", "i", "j", "k"),
    _known("quadruplet", "i", "j", "k", "l"),
    _known("quadruplet", "near1 neara", "near2 nearb", "far1 fara", "far2 farb"),
    _known("choice", f"{TARGETS} center centre", LEFTS, RIGHTS, ANSWERS),
    *(
        _known(f"{form} of {n}", *shown[: 3 if n == "three" else 2], marked)
        for shown in SHOWN
        for form, marked in (
            ("odd", "odd oddone oddoneout"),
            ("central", "central mostcentral center centre chosencenter chosencentre"),
        )
        for n in ("two others", "three")
    ),
]
# Names that say where an object was shown, and so nothing about it.
NAMES_OF_PLACES = {
    *LEFTS.split(),
    *RIGHTS.split(),
    *(name for shown in SHOWN for name in shown),
}


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
    return any(
        not any(short.isdisjoint(known) for known in roles.values())
        for _, roles in KNOWN
    )


def recognise(
    names: Sequence[str], given: Roles, where: str, needs_times: bool
) -> Recognised:
    """The form of a table with these names, as those given or else the names say.

    Also the position of the column of each role; and, beside ready triplets, those of
    a question with its answer. needs_times: response times matter; if not, several
    columns of them do not, either.

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
        refuse_if(
            not form,
            InvalidOption,
            f"columns gives {', '.join(asked)}: give {_forms()}.",
        )
    else:
        form, found, other = _recognised_form(names, where)
        position |= found
    taken = {*position.values(), *(other or {}).values()}
    for role, known in BESIDE.items():
        fits = [
            at
            for at, name in enumerate(names)
            if at not in taken and plain_name(name) in known.split()
        ]
        is_ignored = role == "response_time" and len(fits) > 1 and not needs_times
        if role in given or not fits or is_ignored:
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
    return form, position, other


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
    refuse_if(
        n_columns != 3,
        InvalidComparisons,
        f"{where}: ",
        *(four if n_columns == 4 else other),
        ".",
        code="no header",
    )
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
    refuse_if(
        len(given) < len(columns),
        InvalidOption,
        "columns gives one role under two names: give it once.",
    )
    for role, column in given.items():
        refuse_if(
            role not in ROLES and role not in BESIDE,
            InvalidOption,
            f"columns has {role!r}, which is not a role: give {_forms()}, and besides "
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
        "columns mixes names and positions: give names if the file has a header, else "
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
    same = [at for at, name in enumerate(names) if name == column]
    fits = same or [at for at, name in enumerate(names) if name.strip() == column]
    refuse_if(
        len(fits) != 1,
        InvalidComparisons,
        f"{where}: {'two columns' if fits else 'no column'} {column!r:.80}. The "
        f"columns are {some_names(names)}: give one of them",
        ", after renaming the other." if fits else ".",
        code="no such column",
    )
    return fits[0]


def _recognised_form(names: Sequence[str], where: str) -> Recognised:
    """The one form that the names fit; of two, the one that has the other's columns.

    Of ready triplets beside a question with its answer, both.
    """
    found = _fitting_forms(names, where)
    largest = [
        one
        for one in found
        if not any({*one[1].values()} < {*other[1].values()} for other in found)
    ]
    if [form for form, _ in largest] == ["triplet", "choice"]:
        return *largest[0], largest[1][1]
    both = [{role: names[at][:80] for role, at in one[1].items()} for one in largest]
    parts = [part for roles in both for part in (" or ", Remedy("columns", roles))]
    refuse_if(
        len(largest) > 1,
        InvalidComparisons,
        f"{where}: columns of more than one kind of answers: choose with ",
        *parts[1:],
        ".",
        code="two forms",
    )
    if not largest:
        raise InvalidComparisons(where, *_about_unknown(names), code="unknown columns")
    return *largest[0], None


def _about_unknown(names: Sequence[str]) -> list[str | Remedy]:
    """What to do about columns that fit no form."""
    at = {plain_name(name): name[:80] for name in names}
    answer = next((at[name] for name in ANSWERS.split() if name in at), None)
    shown = next((some for some in SHOWN if {*some} <= at.keys()), None)
    if answer is not None and shown is not None:
        three = dict(zip(FORMS["odd of three"], (at[x] for x in shown), strict=False))
        return [
            f": {answer!r} is one of three: say whether it is the odd one out, ",
            Remedy("columns", three | {"odd": answer}),
            ", or the most central one, ",
            Remedy("columns", three | {"central": answer}),
            ".",
        ]
    if names and names[0].startswith("sep="):
        return [f": the first line, {names[0]!a:.80}, is for Excel alone: remove it."]
    return [
        f": columns {some_names(names)} are not known as answers. ",
        *_missing_role(at),
        "Known are target, near, far; head, winner, loser; anchor, positive, negative; "
        "i, j, k; i, j, k, l; center, left, right, answer; first, second, third, odd. "
        "Each row holds one question and its answer. Say which is which, for example ",
        Remedy("columns", {"target": ..., "near": ..., "far": ...}),
        ", ",
        Remedy("columns", {"target": ..., "left": ..., "right": ..., "answer": ...}),
        ", or ",
        Remedy("columns", {"first": ..., "second": ..., "third": ..., "odd": ...}),
        "; if the file has no header, ",
        Remedy("columns", [0, 1, 2]),
        ". Further roles: annotator (who answered), response_time, weight.",
    ]


def _missing_role(at: Mapping[str, str]) -> list[str | Remedy]:
    """What to do where the columns of a form are there, but for one."""
    for _, roles in KNOWN:
        there = {
            role: next((at[name] for name in known if name in at), ...)
            for role, known in roles.items()
        }
        missing = [role for role, column in there.items() if column is ...]
        are_letters = any(len(known[0]) == 1 for known in roles.values())
        if len(missing) == 1 and not are_letters:  # a and b may be anything
            what = f"A column for the role {missing[0]} is missing: name it with "
            return [what, Remedy("columns", there), ". "]
    return []


def _fitting_forms(names: Sequence[str], where: str) -> list[tuple[str, Positions]]:
    """The forms that the names fit, and their columns.

    Where several could be one, those of other forms are left to them: with head,
    winner, loser and Center, Left, Right, Answer, the head is not a second Center.
    """
    short = [plain_name(name) for name in names]

    def fitting(known: list[str]) -> list[int]:
        fits = [at for at, name in enumerate(short) if name in known]
        return [at for at in fits if short[at] not in WEAK] or fits

    every = [
        (form, {role: fitting(known) for role, known in roles.items()})
        for form, roles in KNOWN
    ]
    every = [(form, fits) for form, fits in every if all(fits.values())]
    sure = {
        ats[0]
        for _, fits in every
        if all(len(ats) == 1 for ats in fits.values())
        for ats in fits.values()
    }
    found = []
    for form, fits in every:
        free = {
            role: [at for at in ats if at not in sure] or ats
            for role, ats in fits.items()
        }
        chosen = {role: names[ats[-1]][:80] for role, ats in free.items()}
        for role, (one, *others) in free.items():
            two = others[0] if others else one
            refuse_if(
                one != two,
                InvalidComparisons,
                f"{where}: columns {one + 1} and {two + 1}, {names[one]!r} and "
                f"{names[two]!r}, could both be the {role}: rename one, or choose ",
                "with ",
                Remedy("columns", chosen if names[one] != names[two] else ...),
                ".",
                code="two columns",
            )
        found.append((form, {role: ats[0] for role, ats in free.items()}))
    return found


def is_known_name(name: str) -> bool:
    """Whether a cell is a name that headers have, and so hardly a label."""
    short = plain_name(name)
    return any(
        len(short) > 1 and short in known
        for _, roles in KNOWN
        for known in roles.values()
    )


def some_names(names: Sequence[str]) -> str:
    """Names for a message, not all if there are many."""
    shown = ", ".join(repr(name[:40]) for name in names[:12])
    return shown + (f", ... ({len(names)} in all)" if len(names) > 12 else "")


def _forms() -> str:
    return "; or ".join(", ".join(roles) for roles in FORMS.values())
