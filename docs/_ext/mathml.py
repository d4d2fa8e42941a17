"""Formulas as MathML, which browsers show by themselves.

Sphinx would load MathJax from the network; these pages also work without one.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def mathml(node: nodes.math | nodes.math_block) -> str:
    """A formula as MathML; one that cannot be read is an error."""
    try:
        return tex2mathml(node.astext(), as_block=isinstance(node, nodes.math_block))
    except MathError as error:
        message = f"formula {node.astext()!r}: {error}"
        raise ExtensionError(message) from error


def visit_inline(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(mathml(node))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """Write a formula that stands by itself."""
    self.body.append(f'<div class="formula">{mathml(node)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Make `html_math_renderer = "mathml"` known."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
