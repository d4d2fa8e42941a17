"""The faults of tests/mutation: each is one, and the same in every run."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import tripletree
from tests.mutation.mutants import Mutant, compiled, mutants_of, mutated, sample

SOURCE = '''"""A module."""
from __future__ import annotations
import numpy as np

__all__ = ["first"]
LARGEST = 5

class Kept:
    """A class."""

    def first(self, rows: list[int | None], most: int = 3) -> int:
        """The first."""
        message = "more than " + str(1)
        if rows and not rows[0] < most:
            raise ValueError(message)
        total = 0
        for row in rows:
            if row is None:
                continue
            total += max(row, 2)
            np.put(rows, 0, row)
        return total
'''


def texts(source: str) -> list[tuple[str, str]]:
    return [(m.before, m.after) for m in mutants_of(source)]


def test_every_kind_of_fault() -> None:
    found = texts(SOURCE)
    for before, after in [
        ("5", "6"),
        ("3", "2"),
        ("rows[0] < most", "rows[0] <= most"),
        ("rows[0] < most", "rows[0] >= most"),
        ("rows and (not rows[0] < most)", "rows or not rows[0] < most"),
        ("not rows[0] < most", "rows[0] < most"),
        ("raise ValueError(message)", "pass"),
        ("row is None", "row is not None"),
        ("continue", "break"),
        ("total += max(row, 2)", "total -= max(row, 2)"),
        ("total += max(row, 2)", "pass"),
        ("max", "min"),
        ("np.put(rows, 0, row)", "pass"),
        ("return total", "return None"),
    ]:
        assert (before, after) in found


def test_words_and_types_are_left_alone() -> None:
    lines = {mutant.line for mutant in mutants_of(SOURCE)}
    assert lines.isdisjoint({1, 2, 3, 5, 8, 9, 12, 13})
    assert not any("int | None" in before for before, _ in texts(SOURCE))
    assert texts("x: int\nassert x > 1\nNames = tuple[str, int]\n") == []
    assert texts("isinstance(x, int | str)") == [("isinstance(x, int | str)", "pass")]


def test_functions_have_the_names_that_python_gives_them() -> None:
    source = "def f(a=1):\n    def g():\n        return a + 1\n    return g"
    places = {(m.before, m.function) for m in mutants_of(source)}
    assert ("1", "") in places
    assert ("a + 1", "f.<locals>.g") in places
    assert ("return g", "f") in places
    assert {m.function for m in mutants_of(SOURCE)} == {"", "Kept.", "Kept.first"}


PACKAGE = Path(tripletree.__file__).parent


@pytest.mark.parametrize(
    "path",
    ["search/_climb_kernel.py", "similarity/sums_by_pair.py", "objective/value.py"],
)
def test_mutants_compile_and_differ(path: str) -> None:
    source = (PACKAGE / path).read_text("utf-8")
    mutants = mutants_of(source)
    unchanged = ast.unparse(ast.parse(source))
    chosen = mutants[:: max(1, len(mutants) // 12)]
    seen = {unchanged}
    for mutant in chosen:
        compiled(source, mutant, path)
        seen.add(ast.unparse(mutated(source, mutant)))
    assert len(seen) == 1 + len(chosen)
    assert mutants == mutants_of(source)


def test_mutant_of_another_source() -> None:
    with pytest.raises(ValueError, match="no node 99"):
        mutated("x = 1", Mutant(1, "", "1", "2", 99, 0))


def test_samples_are_the_same_and_grow() -> None:
    modules = {"a": mutants_of(SOURCE), "b": mutants_of("x = 1"), "c": []}
    few, many = sample(modules, 8, 0), sample(modules, 16, 0)
    assert few == sample(modules, 8, 0)
    assert few != sample(modules, 8, 1)
    assert {*few} < {*many}
    assert [m for name, m in few if name == "b"] == modules["b"]
    everything = sample(modules, 10_000, 0)
    assert everything == [(name, m) for name in "ab" for m in modules[name]]
