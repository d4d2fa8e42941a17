"""Odd arguments are refused by the errors that docstrings name, and by no others.

Every public function is called in a small world, then again with each of its arguments
replaced by odd things.
"""

from __future__ import annotations

import inspect
import re

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


def arguments_of(name: str, function, w: World, monkeypatch) -> inspect.BoundArguments:
    """The arguments with which the world calls a function."""
    seen = []

    def note(*arguments, **options):
        seen.append(inspect.signature(function).bind(*arguments, **options))
        return function(*arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(tt, name, note)
        try:
            CALLS[name](w)
        except tt.TripletreeError:  # four objects are few
            pass
    return seen[-1]


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


@pytest.mark.parametrize(
    ("method", "given"), METHODS, ids=[method.__qualname__ for method, _ in METHODS]
)
def test_odd_arguments_of_methods(method, given):
    fits = given if isinstance(given, dict) else dict(enumerate(given))
    for place in fits:
        for odd in [*ODD, [[1, 2], [3]], 1j, b"x", {1}, 10**400]:
            changed = {**fits, place: odd}
            try:
                if isinstance(given, dict):
                    method(**changed)
                else:
                    method(*changed.values())
            except tt.TripletreeError:
                pass


def flags_of(function) -> dict[str, list[object]]:
    """The parameters that are True or False, and odd things that are neither."""
    parameters = inspect.signature(function).parameters.items()
    kinds = {name: str(one.annotation) for name, one in parameters}
    return {
        name: ["x", -1] if "None" in kind else ["x", -1, None]
        for name, kind in kinds.items()
        if kind in ("bool", "bool | None")
    }


FLAGS = [
    (name, flag) for name in FUNCTIONS for flag in sorted(flags_of(getattr(tt, name)))
]


def test_flags_are_found():
    assert ("read_comparisons", "drop_degenerate") in FLAGS
    assert ("adds_similarity", "sparse") in FLAGS


@pytest.mark.parametrize(("name", "flag"), FLAGS)
def test_flags_are_true_or_false(name, flag, tmp_path, monkeypatch):
    function = getattr(tt, name)
    given = arguments_of(name, function, world(ANSWERS, tmp_path), monkeypatch)
    for odd in flags_of(function)[flag]:
        call = inspect.BoundArguments(given.signature, {**given.arguments, flag: odd})
        with pytest.raises(tt.InvalidOption, match=f"{flag} = .*True"):
            function(*call.args, **call.kwargs)


@pytest.mark.parametrize(
    ("method", "given"),
    [(method, given) for method, given in METHODS if flags_of(method)],
)
def test_flags_of_methods_are_true_or_false(method, given):
    for flag, odd_ones in flags_of(method).items():
        for odd in odd_ones:
            with pytest.raises(tt.InvalidOption, match=f"{flag} = .*True"):
                method(**{**given, flag: odd})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_odd_arguments(name, tmp_path, monkeypatch):
    function = getattr(tt, name)
    errors = named_errors(function)
    assert all(issubclass(error, tt.TripletreeError) for error in errors)
    small = world(FEWEST if name == "plan_study" else ANSWERS, tmp_path)
    given = arguments_of(name, function, small, monkeypatch)
    for parameter in given.signature.parameters:
        for odd in ODD:
            changed = {**given.arguments, parameter: odd}
            call = inspect.BoundArguments(given.signature, changed)
            try:
                found = function(*call.args, **call.kwargs)
                if inspect.isgenerator(found):
                    next(found, None)
            except errors:
                pass
