"""How the documentation is built: `make docs` writes build/docs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import tripletree

project = "tripletree"
author = "The tripletree developers"
copyright = author
version = release = tripletree.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "import_graph",  # these five are in _ext
    "mathml",
    "measured",
    "reference",
    "running",
]
exclude_patterns = ["_ext"]
default_role = "py:obj"
nitpicky = False
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings = ["myst.strikethrough"]

autodoc_typehints = "none"  # numpydoc's Parameters say it in words
autodoc_member_order = "bysource"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

html_theme = "furo"
html_title = "tripletree"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["tripletree.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
pygments_style = "tango"
