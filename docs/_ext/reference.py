"""The API pages: one for each folder that has public names, made from `__all__`.

They are written to docs/reference/ before a build, and only where they have changed.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tripletree

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# In the order in which data flows; what is not listed comes last, by its own name.
TITLES = {
    "clustering": "The one call, the one result",
    "answers": "From tables to answers",
    "comparisons": "What was observed",
    "similarity": "From answers to a similarity",
    "embedding": "From answers to points",
    "completion": "Answers to questions that were not asked",
    "linkage": "From a similarity to a tree",
    "tree": "The dendrogram",
    "objective": "How good is a tree",
    "search": "Make it better",
    "evaluation": "Is it right",
    "planning": "How many answers",
    "estimators": "For scikit-learn",
    "report": "Plots and the report",
    "datasets": "Data sets and models",
    "errors": "Errors",
}
SHARED = {"_progress": "clustering"}  # modules on the page of another


def rooms() -> dict[str, list[str]]:
    """The public names by the folder or module they come from, in the order above."""
    stub = Path(inspect.getfile(tripletree)).with_suffix(".pyi")
    room = {
        alias.asname or alias.name: node.module.split(".")[0]
        for node in ast.walk(ast.parse(stub.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    found: dict[str, list[str]] = {name: [] for name in TITLES}
    for name in tripletree.__all__:
        own = SHARED.get(room[name], room[name])
        found.setdefault(own, []).append(name)
    return {name: names for name, names in found.items() if names}


def page(room: str, names: list[str]) -> str:
    """A page with a table of the names, and then each of them."""
    title = TITLES.get(room, f"``{room}``")
    lines = [title, "=" * len(title), "", ".. currentmodule:: tripletree", ""]
    lines += [".. autosummary::", "   :nosignatures:", ""]
    lines += [f"   {name}" for name in names]
    for name in names:
        lines += ["", *entry(name)]
    return "\n".join(lines) + "\n"


def entry(name: str) -> list[str]:
    """The directive that documents a public name."""
    thing = getattr(tripletree, name)
    if inspect.isclass(thing):
        if issubclass(thing, Exception):
            return [f".. autoexception:: {name}"]
        # The fields of a class are described by its docstring.
        routing = "set_fit_request, set_score_request"  # of scikit-learn, to its docs
        return [
            f".. autoclass:: {name}",
            "   :members:",
            f"   :exclude-members: {routing}",
        ]
    kind = "autofunction" if callable(thing) else "autodata"
    return [f".. {kind}:: {name}"]


def index(found: dict[str, list[str]]) -> str:
    """The page that lists the pages, with the names on each."""
    title = "API reference"
    lines = [title, "=" * len(title), ""]
    lines += ["Everything here is imported from ``tripletree`` itself::", ""]
    lines += ["    import tripletree as tt", ""]
    lines += [".. list-table::", "   :widths: 1 3", ""]
    for room, names in found.items():
        links = ", ".join(f":py:obj:`~tripletree.{name}`" for name in names)
        lines += [f"   * - :doc:`{room}`", f"     - {links}"]
    lines += ["", ".. toctree::", "   :hidden:", ""]
    lines += [f"   {room}" for room in found]
    return "\n".join(lines) + "\n"


def write_pages(app: Sphinx) -> None:
    """Write the pages that have changed, and remove those of folders that are gone."""
    folder = Path(app.srcdir, "reference")
    folder.mkdir(exist_ok=True)
    found = rooms()
    pages = {f"{room}.rst": page(room, names) for room, names in found.items()}
    pages["index.rst"] = index(found)
    for path in folder.iterdir():
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages when a build begins."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
