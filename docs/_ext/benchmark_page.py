"""The last run of `make bench` as Markdown, from its results.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ABSENT = "Not measured on this machine: run `make bench`, then `make docs`."


def texts_of(folder: Path, beside: str) -> dict[str, str]:
    """Markdown of the results in a folder by section, the first one without a title.

    `beside` is the way to the folder from the page, for the plots.
    """
    path = folder / "results.json"
    if not path.is_file():
        return {"": ABSENT}
    results = json.loads(path.read_text(encoding="utf-8"))
    sizes = "a tenth of the usual sizes" if results["is_small"] else "the usual sizes"
    about = [
        f"Measured on {results['when']}, {results['rounds']} rounds, {sizes}. "
        f"Ratios are multiples of tripletree's time: above 1, tripletree is quicker.",
        table([("machine", ""), *results["machine"].items()]),
        table([("package", "version"), *results["versions"].items()]),
    ]
    texts = {"": "\n\n".join(about)}
    for case in results["cases"]:
        parts = [shown(entry, beside) for entry in case["entries"]]
        texts[case["name"]] = "\n\n".join([case["what"], *parts])
    return texts


def shown(entry: Mapping[str, Any], beside: str) -> str:
    """One thing that a case measured."""
    if entry["kind"] == "note":
        return f"- {escaped(entry['text'])}"
    title = f"**{escaped(entry['title'])}**"
    if entry["kind"] == "figures":
        return f"{title}\n\n{table(entry['rows'])}"
    if entry["kind"] == "times":
        rows: list[Sequence[str]] = [("", "seconds", "ratio")]
        for row in entry["rows"]:
            figures = f"{row['seconds']:.4f}", f"{row['ratio']:.2f}"
            rows.append((row["name"], *figures))
        return f"{title}\n\n{table(rows)}"
    rows = [("", "largest", "seconds", "exponent")]
    for series in entry["series"]:
        figures = f"{series['seconds'][-1]:.4f}", f"{series['exponent']:.2f}"
        rows.append((series["name"], f"{series['sizes'][-1]:,}", *figures))
    plot = f"![{entry['title']}]({beside}/{entry['plot']})"
    return f"{title}, against {entry['of']}\n\n{table(rows)}\n\n{plot}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown, its first row the head; all but the first column right."""
    head, *body = [f"| {' | '.join(map(escaped, row))} |" for row in rows]
    rule = f"| --- |{' ---: |' * (len(rows[0]) - 1)}"
    return "\n".join([head, rule, *body])


def escaped(text: str) -> str:
    """Text whose marks mean nothing to Markdown."""
    for mark in "\\`*_[]<>|$":
        text = text.replace(mark, f"\\{mark}")
    return text
