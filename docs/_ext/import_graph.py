"""``{imports}``: which folder imports which, read from the sources and drawn.

Folders stand in the order of the import rule. A row is a folder that imports, a column
one that is imported, and the number says how many modules of the row do so. All but one
import, by which a result writes itself, lie below the diagonal: data flows one way.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tripletree"
RULE = ROOT / "tests" / "contract" / "test_import.py"
CELL, LEFT, TOP = 26, 96, 92  # pixels


def rule() -> list[list[str]]:
    """The order of the import rule, as its test has it."""
    found = re.search(
        r"^ORDER = (\[.*?^\])", RULE.read_text(encoding="utf-8"), re.M | re.S
    )
    assert found is not None
    return cast(list[list[str]], ast.literal_eval(found[1]))


def imports() -> Counter[tuple[str, str]]:
    """How many modules of a folder import from another one."""
    counts: Counter[tuple[str, str]] = Counter()
    for path in SOURCE.rglob("*.py"):
        own = path.relative_to(SOURCE).with_suffix("").parts[0]
        found = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                package, _, rest = node.module.partition(".")
                if package == "tripletree" and rest:
                    found.add(rest.split(".")[0])
        pairs = ((own, other) for other in found - {own})
        counts.update(pair for pair in pairs if not any(x[0] == "_" for x in pair))
    return counts


def drawing(counts: Counter[tuple[str, str]]) -> str:
    """The matrix as SVG."""
    order = [name for names in rule() for name in names if name[0] != "_"]
    size = CELL * len(order)
    width, height = LEFT + size + 60, TOP + size + 4
    parts = [
        f'<svg viewBox="0 0 {width} {height}" width="100%" role="img" '
        'aria-label="Which folder imports which" style="font: 12px sans-serif; '
        f'max-width: {width}px; fill: currentColor">'
    ]
    for n, name in enumerate(order):
        x, y = LEFT + CELL * n + CELL // 2, TOP + CELL * n + CELL // 2
        parts += [
            f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{name}</text>',
            f'<text transform="translate({x + 4} {TOP - 8}) rotate(-45)">{name}</text>',
            f'<rect x="{LEFT}" y="{y - CELL // 2}" width="{size}" height="{CELL - 2}" '
            'opacity="0.06"/>',
            f'<circle cx="{x}" cy="{y - 1}" r="2" opacity="0.5"/>',
        ]
        parts += [
            f'<text x="{LEFT + CELL * order.index(other) + CELL // 2}" y="{y + 4}" '
            f'text-anchor="middle"><title>{own} imports {other}</title>{count}</text>'
            for (own, other), count in sorted(counts.items())
            if own == name
        ]
    return "\n".join([*parts, "</svg>"])


class Imports(SphinxDirective):
    """The drawing, where HTML is made."""

    def run(self) -> list[nodes.Node]:
        """Read the sources again whenever pages are built."""
        self.env.note_reread()
        return [nodes.raw("", drawing(imports()), format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the directive known."""
    app.add_directive("imports", Imports)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
