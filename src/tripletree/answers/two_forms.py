"""Ready triplets beside the question and the answer that they were made of.

Some programs write both, in one row. They are compared: if the answer says something
else than the triplet, one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tripletree.answers import relation
from tripletree.answers.answer_rules import POSITIONS
from tripletree.answers.checking import check_faults, first_row
from tripletree.answers.engines import Engine
from tripletree.answers.first_look import look, prepare_counting
from tripletree.answers.header import FORMS
from tripletree.errors import Remedy


def compare_forms(engine: Engine) -> None:
    """Refuse ready triplets that the question and the answer beside them contradict.

    Objects may have two names, such as a number and a picture: then each number stands
    for one picture, in all rows.
    """
    ready, asked = engine.layout, engine.layout.other
    if asked is None:
        return
    engine.layout = asked
    prepare_counting(engine, look(engine, with_labels=True), POSITIONS)
    rows = engine.rows(relation.count_faults)
    dropped = check_faults(engine, {(x["fault"], x["said"]): x["n"] for x in rows})
    rows = engine.rows(relation.two_names, ready)
    wrong = _contradiction((x["one"], x["two"]) for x in rows)
    names = {
        form: [q.names[at] for at in (*q.shown, q.answer) if at is not None]
        for form, q in (("triplet", ready), ("choice", asked))
    }
    first, second = (", ".join(some) for some in names.values())
    if wrong is None and not dropped["undecided"]:
        note = f"{first} are taken, and {second} agree with them"
        if any(x["one"] != x["two"] for x in rows):
            note += ", with other names of the objects"
        engine.layout = replace(ready, other=None).noting(note)
        return
    test = f"fault = {relation.UNDECIDED}"
    if wrong is not None:
        same = (f"c{at} = {{0}} AND p{n} = {{1}}" for n, at in enumerate(ready.shown))
        test = f"fault = 0 AND ({' OR '.join(same)})"
    _, refusal = first_row(engine, test, wrong or ())
    both = [
        Remedy("columns", dict(zip(FORMS[form], some, strict=True)))
        for form, some in names.items()
    ]
    why = f"{first} say something else than {second}. Correct it, or choose with "
    raise refusal(why, both[0], " or ", both[1], ".", code="two forms")


def _contradiction(names: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The first two names that are not of one object, the most frequent names first."""
    pairs = list(names)
    there: dict[str, str] = {}
    back: dict[str, str] = {}
    own = {two for _, two in pairs}
    for one, two in pairs:
        is_same = there.setdefault(one, two) == two and back.setdefault(two, one) == one
        if not is_same or (one in own and one != two):
            return one, two
    return None
