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
Roles = dict[str, Column | None]  # the column of each role; None: there is none

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
LEFT_OVER = {  # columns that change what a row says, if nobody looks at them
    "answer": (
        f"{ANSWERS} answers responses decision judgement judgment outcome y sign resp "
        "result results picked pick selection preferred preference verdict reply"
    ),
    "tie": "tie ties tied istie undecided isundecided",
    "count": "count counts n votes nvotes freq frequency",
    "correct": "correct iscorrect",
    "flipped": "flipped isflipped flip reversed isreversed reverse swapped isswapped",
}
ROLES = tuple(dict.fromkeys(role for form in FORMS.values() for role in form))


@dataclass(frozen=True)
class Header:
    """The form of a table, and the position of the column of each role.

    other: of a question with its answer beside ready triplets.
    """

    form: str
    position: dict[str, int]
    other: dict[str, int] | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the form, in their order."""
        return FORMS[self.form]

    @property
    def has_answer(self) -> bool:
        """Whether the last role is an answer that chooses among the others."""
        return self.form == "choice" or self.form.endswith("of three")


def _known() -> list[tuple[str, tuple[frozenset[str], ...]]]:
    """Every form with the names that each of its columns may have."""

    def names(*texts: str) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(text.split()) for text in texts)

    known = [
        ("triplet", names(TARGETS, NEARS, FARS)),
        ("triplet", names("i", "j", "k")),
        ("quadruplet", names("i", "j", "k", "l")),
        ("quadruplet", names("near1 neara", "near2 nearb", "far1 fara", "far2 farb")),
        ("choice", names(f"{TARGETS} center centre", LEFTS, RIGHTS, ANSWERS)),
    ]
    for one, two, three in SHOWN:
        for form, marked in (("odd", ODDS), ("central", CENTRALS)):
            known.append((f"{form} of two others", names(one, two, marked)))
            known.append((f"{form} of three", names(one, two, three, marked)))
    return known


def squashed(name: str) -> str:
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
    short = {squashed(name) for name in names}
    return any(all(known & short for known in roles) for _, roles in _known())


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
        If those given are no whole form.
    """
    position = {
        role: find_column(names, column, where)
        for role, column in given.items()
        if column is not None
    }
    asked = [role for role in ROLES if role in position]
    other = None
    if asked:
        form = next((f for f, roles in FORMS.items() if set(roles) == set(asked)), None)
        if form is None:
            message = f"columns gives {', '.join(asked)}: give {_forms()}."
            raise InvalidOption(message)
    else:
        form, found, other = _recognised_form(names, where)
        position |= found
    taken = {*position.values(), *(other or {}).values()}
    free = [at for at in range(len(names)) if at not in taken]
    for role, known in BESIDE.items():
        if role in given:
            continue
        fits = [at for at in free if squashed(names[at]) in known.split()]
        if len(fits) > 1 and role == "response_time" and not needs_times:
            continue
        if len(fits) > 1:
            both = " and ".join(repr(names[at]) for at in fits)
            raise InvalidComparisons(
                where,
                f": both {both} could be the {role}: choose with ",
                Remedy("columns", {role: names[fits[0]]}),
                ", or with ",
                Remedy("columns", {role: None}),
                " for neither.",
                code="two columns",
            )
        if fits:
            position[role] = fits[0]
    return Header(form, position, other)


def check_left_over(
    names: Sequence[str],
    header: Header,
    given: Roles,
    looked_at: Sequence[int],
    where: str,
) -> None:
    """Refuse a column whose name says that it could turn an answer round.

    With i, j, k and a response of -1, the near object may be k. Where the objects are
    given, or a filter looks at the column, that has been decided.
    """
    if any(role in ROLES for role in given):
        return
    kinds = dict(LEFT_OVER)
    if header.has_answer:
        del kinds["answer"], kinds["correct"], kinds["flipped"]
    if "weight" in given:
        del kinds["count"]
    used = {*header.position.values(), *looked_at, *(header.other or {}).values()}
    for at, name in enumerate(names):
        kind = next((k for k in kinds if squashed(name) in kinds[k].split()), None)
        if kind is not None and at not in used:
            shown = [header.position[role] for role in header.roles]
            raise left_over(at, names, header.form, shown, where, kind=kind)


def left_over(
    at: int,
    names: Sequence[str],
    form: str,
    shown: Sequence[int],
    where: str,
    holds: str = "",
    kind: str = "answer",
) -> InvalidComparisons:
    """The error about a column that nothing looks at, and what it holds."""
    roles = dict(zip(FORMS[form], (names[one][:40] for one in shown), strict=True))
    return InvalidComparisons(
        where,
        f": column {names[at]!r:.80} is not used{holds}, and could change what the "
        "rows say. ",
        *_advice(kind, names[at][:80], form, list(roles.values())),
        " If it does not matter, name the columns that do: ",
        Remedy("columns", roles),
        ".",
        code="unused column",
    )


def _advice(kind: str, name: str, form: str, shown: list[str]) -> list[str | Remedy]:
    if kind == "count":
        remedy = Remedy("columns", {"weight": name})
        return ["If it counts equal answers, give ", remedy, "."]
    if kind == "flipped":
        return ["Where it says so, swap the near and the far object in the file."]
    if kind != "answer":
        remedy = Remedy("drop", {name: ...})
        what = "Choose the rows to read by it, with "
        return [what, remedy, " or ", Remedy("keep"), "."]
    if form != "triplet":
        return ["Put the objects of each row in the order that the answer says."]
    roles = dict(zip(("target", "left", "right"), shown, strict=True))
    return [
        "If it names the closer object, or its side, give ",
        Remedy("columns", roles | {"answer": name[:40]}),
        "; if it is a number such as -1, put the closer object first.",
    ]


def is_place(name: str) -> bool:
    """Whether a name says where an object was shown, and so nothing about it."""
    places = {name for shown in SHOWN for name in shown}
    return squashed(name) in {*LEFTS.split(), *RIGHTS.split(), *places}


def columns_by_place(n_columns: int, where: str) -> Roles:
    """The columns of integers without a header have their meaning by place."""
    triplet: Roles = {"target": 0, "near": 1, "far": 2}
    refuse_if(
        n_columns == 4,
        InvalidComparisons,
        f"{where}: 4 columns of integers without a header may be quadruplets, or "
        "triplets and a worker or a response: say which, with ",
        Remedy("columns", [0, 1, 2, 3]),
        ", or ",
        Remedy("columns", triplet | {"annotator": 3}),
        ".",
        code="no header",
    )
    refuse_if(
        n_columns != 3,
        InvalidComparisons,
        f"{where}: {n_columns} columns of integers without a header, and only 3 have a "
        "known meaning: say which is which, for example ",
        Remedy("columns", triplet),
        ".",
        code="no header",
    )
    return triplet


def check_columns(columns: Columns) -> Roles:
    """`columns` as a dictionary of roles; a list is a triplet or a quadruplet."""
    if columns is None:
        return {}
    if isinstance(columns, Mapping):
        given = {role_of(role): column for role, column in columns.items()}
        twice = "columns names one role in two ways: give it once."
        refuse_if(len(given) < len(columns), InvalidOption, twice)
    elif isinstance(columns, list | tuple) and len(columns) in (3, 4):
        form = "triplet" if len(columns) == 3 else "quadruplet"
        given = dict(zip(FORMS[form], columns, strict=True))
    else:
        message = (
            f"columns = {columns!r:.80}: give a list of 3 or 4 columns, or a "
            "dictionary such as {'target': 'ref', 'near': 'a', 'far': 'b'}."
        )
        raise InvalidOption(message)
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
    short = squashed(str(name))
    known = (role for role, names in BESIDE.items() if short in names.split())
    return name if name in ROLES else next(known, name)


def has_positions(columns: Columns) -> bool:
    """Whether columns are given by position: then every line is an answer."""
    return any(isinstance(column, int) for column in check_columns(columns).values())


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
        f": {found} {column!r:.80}. The columns are {listed(names)}: give one of them",
        ", after renaming the other." if fits else ".",
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
    if largest:
        parts: list[str | Remedy] = []
        for _, position in largest:
            roles = {role: names[at][:80] for role, at in position.items()}
            parts += [" or ", Remedy("columns", roles)]
        could = "columns of more than one kind of answers: choose with "
        raise InvalidComparisons(where, ": ", could, *parts[1:], ".", code="two forms")
    _refuse_three(names, where)
    raise InvalidComparisons(
        where,
        f": columns {listed(names)} are not known as answers. ",
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
    at = {squashed(name): name[:80] for name in names}
    for form, roles in _known():
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
    at = {squashed(name): name[:80] for name in names}
    answer = next((at[name] for name in ANSWERS.split() if name in at), None)
    shown = next((some for some in SHOWN if {*some} <= at.keys()), None)
    if answer is None or shown is None:
        return
    three = dict(zip(FORMS["odd of three"], (at[name] for name in shown), strict=False))
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
    winner, loser and Center, Left, Right, Answer, the head is no second Center.
    """
    short = [squashed(name) for name in names]

    def fitting(known: frozenset[str]) -> list[int]:
        fits = [at for at, s in enumerate(short) if s in known]
        return [at for at in fits if short[at] not in WEAK] or fits

    every = [(form, [fitting(known) for known in roles]) for form, roles in _known()]
    every = [(form, fits) for form, fits in every if all(fits)]
    found = [(form, [ats[0] for ats in fits]) for form, fits in every if _is_one(fits)]
    used = {at for _, ats in found for at in ats}
    for form, fits in every:
        if _is_one(fits):
            continue
        free = [[at for at in ats if at not in used] or ats for ats in fits]
        roles = zip(FORMS[form], free, strict=True)
        chosen = {role: names[ats[-1]][:80] for role, ats in roles}
        for role, ats in zip(FORMS[form], free, strict=True):
            one, two = (*ats, *ats)[:2]
            refuse_if(
                len(ats) > 1,
                InvalidComparisons,
                f"{where}: columns {one + 1} and {two + 1}, {names[one]!r} and "
                f"{names[two]!r}, could both be the {role}: rename one, or choose "
                "with ",
                Remedy("columns", chosen if names[one] != names[two] else ...),
                ".",
                code="two columns",
            )
        found.append((form, [ats[0] for ats in free]))
    order = [form for form, _ in _known()]
    found.sort(key=lambda one: order.index(one[0]))
    return [(form, dict(zip(FORMS[form], ats, strict=True))) for form, ats in found]


def _is_one(fits: list[list[int]]) -> bool:
    return all(len(ats) == 1 for ats in fits)


def is_known_name(name: str) -> bool:
    """Whether a cell is a name that headers have, and so hardly a label."""
    short = squashed(name)
    return any(
        len(short) > 1 and short in names for _, roles in _known() for names in roles
    )


def listed(names: Sequence[str]) -> str:
    """Names for a message, not all if there are many."""
    shown = ", ".join(repr(name[:40]) for name in names[:12])
    return shown + (f", ... ({len(names)} in all)" if len(names) > 12 else "")


def _forms() -> str:
    return "; or ".join(", ".join(roles) for roles in FORMS.values())
