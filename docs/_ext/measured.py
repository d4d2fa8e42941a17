"""``{measured}``: the last run of `make bench`, or that there was none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchmark_page import texts_of

FOLDER = Path(__file__).parents[2] / "build" / "benchmarks"


class Measured(SphinxDirective):
    """Tables and plots of build/benchmarks."""

    def run(self) -> list[nodes.Node]:
        """Read the results again whenever pages are built."""
        self.env.note_reread()
        found: list[nodes.Node] = []
        for title, text in texts_of(FOLDER, "../build/benchmarks").items():
            shown = self.parse_text_to_nodes(text)
            if title:
                section = nodes.section(ids=[f"case-{title}"], names=[title])
                section += nodes.title(title, title)
                section += shown
                shown = [section]
            found += shown
        return found


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the directive known."""
    app.add_directive("measured", Measured)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
