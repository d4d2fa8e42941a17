"""Odd arguments are refused by the errors that docstrings name, and by no others.

Every public function is called in a small world, then again with each of its arguments
replaced by odd things.
"""

import inspect
import re
from contextlib import suppress

import numpy as np
import pytest

import tripletree as tt
from tests.robustness.worlds import CALLS, World, world

ODD = [object(), None, "x", -1, float("nan"), [], np.zeros(0)]
FUNCTIONS = sorted(name for name in CALLS if inspect.isfunction(getattr(tt, name)))
ANSWERS = tt.Triplets(
    [[0, 1, 2], [1, 0, 2], [3, 2, 0], [0, 3, 1]],
    n_objects=4,
    labels=list("abcd"),
    annotators=list("wxyz"),
)
FEWEST = tt.Triplets([], n_objects=2)  # with more, a plan takes long


def named_errors(function) -> tuple[type[Exception], ...]:
    """The exceptions that the section Raises of a docstring names."""
    text = inspect.getdoc(function)
    section = re.search(
        r"^Raises\n-+\n(.*?)(?=\n\n\w[\w ]*\n---|\Z)", text, re.S | re.M
    )
    assert section, f"{function.__name__} does not say what it raises"
    names = re.findall(r"^\w[\w, ]*$", section[1], re.M)
    return tuple(getattr(tt, name) for line in names for name in line.split(", "))


def arguments_of(name: str, function, w: World, monkeypatch) -> dict[str, object]:
    """The arguments with which the world calls a function."""
    seen = []

    def note(*arguments, **options):
        seen.append(inspect.signature(function).bind(*arguments, **options))
        return function(*arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(tt, name, note)
        with suppress(tt.TripletreeError):  # four objects are few
            CALLS[name](w)
    return seen[-1].arguments


TREE = tt.Tree([[0, 1], [3, 2]], heights=[1, 2], labels=["a", "b", "c"])
METHODS = [  # with arguments that fit
    (tt.Tree, [[[0, 1], [3, 2]], [1, 2], ["a", "b", "c"], [0.5, 1.0]]),
    (tt.Tree.from_linkage, {"matrix": TREE.to_linkage(), "heights": True}),
    (tt.Tree.from_newick, {"text": "(a,b);", "heights": True, "labels": ["a", "b"]}),
    (tt.Tree.from_newick, {"text": "(a,b);", "resolve_polytomies": False}),
    (tt.Tree.from_json, [TREE.to_json()]),
    (TREE.leaves, [1]),
    (TREE.is_same_hierarchy, [TREE]),
    (TREE.with_labels, [["a", "b", "c"]]),
    (TREE.with_support, [[0.5, 1.0]]),
    (TREE.with_heights, [[1.0, 2.0]]),
    (TREE.cut, [2]),
    (TREE.cut_at, [1.5]),
    (TREE.to_linkage, {"by": "rank"}),
    (tt.Triplets, [[[0, 1, 2]], 3, [1], ["a", "b", "c"], ["ann"]]),
    (tt.Triplets, [[[0, 1, 2]], 3, [0.5], None, [0], ["ann"], {"undecided": 1}]),
    (tt.Quadruplets, [[[0, 1, 0, 2]], 3, [1], ["a", "b", "c"], ["ann"]]),
    (tt.Triplets([[0, 1, 2]], 3).__getitem__, [[0]]),
    (tt.PairSums, [["a", "b", "c"], [[0, 1]], [1], [0]]),
]


def call(function, given):
    """With arguments by name, or one after the other."""
    return function(**given) if isinstance(given, dict) else function(*given)


@pytest.mark.parametrize(
    ("method", "given"), METHODS, ids=[method.__qualname__ for method, _ in METHODS]
)
def test_odd_arguments_of_methods(method, given):
    for place in given if isinstance(given, dict) else range(len(given)):
        for odd in [*ODD, [[1, 2], [3]], 1j, b"x", {1}, 10**400]:
            changed = given.copy()
            changed[place] = odd
            with suppress(tt.TripletreeError):
                call(method, changed)


def flags_of(function) -> list[tuple[str, object]]:
    """The parameters that are True or False, each with odd things that are neither."""
    parameters = inspect.signature(function).parameters.items()
    kinds = {name: str(one.annotation) for name, one in parameters}
    return [
        (name, odd)
        for name, kind in kinds.items()
        for odd in {"bool": ["x", -1, None], "bool | None": ["x", -1]}.get(kind, [])
    ]


FLAGGED = [name for name in FUNCTIONS if flags_of(getattr(tt, name))]


def check_flags(function, call_with):
    for flag, odd in flags_of(function):
        with pytest.raises(tt.InvalidOption, match=f"{flag} = .*True"):
            call_with({flag: odd})


@pytest.mark.parametrize("name", FLAGGED)
def test_flags_are_true_or_false(name, tmp_path, monkeypatch):
    function = getattr(tt, name)
    given = arguments_of(name, function, world(ANSWERS, tmp_path), monkeypatch)
    check_flags(function, lambda changed: function(**{**given, **changed}))


def test_flags_are_found():
    assert {"read_comparisons", "adds_similarity"} <= {*FLAGGED}


@pytest.mark.parametrize(
    ("method", "given"),
    [(method, given) for method, given in METHODS if flags_of(method)],
)
def test_flags_of_methods_are_true_or_false(method, given):
    check_flags(method, lambda changed: method(**{**given, **changed}))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_odd_arguments(name, tmp_path, monkeypatch):
    function = getattr(tt, name)
    errors = named_errors(function)
    assert all(issubclass(error, tt.TripletreeError) for error in errors)
    small = world(FEWEST if name == "plan_study" else ANSWERS, tmp_path)
    given = arguments_of(name, function, small, monkeypatch)
    for parameter in inspect.signature(function).parameters:
        for odd in ODD:
            with suppress(errors):
                found = function(**{**given, parameter: odd})
                if inspect.isgenerator(found):
                    next(found, None)
