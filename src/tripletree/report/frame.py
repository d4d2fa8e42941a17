"""Putting the page together so that no text in it can do anything.

Text is escaped, data are JSON without `<`, and a content security policy names the one
script and the one style sheet by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import unicodedata
from collections.abc import Mapping
from importlib import resources
from typing import Any

from tripletree._threads import row_chunks
from tripletree.clustering.result import Clustering
from tripletree.comparisons.answers import Comparisons

JOINERS = "\u200c\u200d"  # of letters in some scripts, and of emoji
CITATION = (
    "Aishik Mandal, Michaël Perrot and Debarghya Ghoshdastidar. A Revenue Function for "
    "Comparison-Based Hierarchical Clustering. Transactions on Machine Learning "
    "Research, 2023."
)
BIBTEX = """@article{mandal2023revenue,
  title   = {A Revenue Function for Comparison-Based Hierarchical Clustering},
  author  = {Mandal, Aishik and Perrot, Micha{\\"e}l and Ghoshdastidar, Debarghya},
  journal = {Transactions on Machine Learning Research},
  year    = {2023},
  url     = {https://openreview.net/forum?id=QzWr4w8PXx}
}"""


def fingerprint(comparisons: Comparisons) -> str:
    """The first 16 digits of the SHA-256 of the answers, weights and labels."""
    digest = hashlib.sha256(
        f"{comparisons.n_objects} {comparisons.rows.shape}".encode()
    )
    for array in (comparisons.rows, comparisons.weights):
        if array is not None:
            for chunk in row_chunks(len(array), 10**6):
                little = array[chunk].astype(array.dtype.newbyteorder("<"))
                digest.update(little.tobytes())
    digest.update(json.dumps(comparisons.labels).encode())
    return digest.hexdigest()[:16]


def template(name: str) -> str:
    """A file of the folder template."""
    folder = resources.files("tripletree.report") / "template"
    return (folder / name).read_text(encoding="utf-8")


def filled(frame: str, texts: Mapping[str, str]) -> str:
    """The frame with texts for its {{names}}; what is put in is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: texts[match[1]], frame)


def policy(script: str, style: str) -> str:
    """The content security policy: this script, this style, and nothing else."""

    def source(text: str) -> str:
        digest = hashlib.sha256(text.encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

    return (
        f"default-src 'none'; script-src {source(script)}; style-src {source(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def json_in_html(data: Any) -> str:
    """JSON that can stand in a script element: ASCII, without <, > and &."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def plain(text: str) -> str:
    """Text without control characters and marks that turn its direction."""
    kept = []
    for x in text:
        kind = unicodedata.category(x)
        if x in JOINERS or x == "\n":
            kept.append(x)
        elif kind != "Cf":
            kept.append(" " if kind in ("Cc", "Cs", "Zl", "Zp") else x)
    return "".join(kept)


def escaped(text: str) -> str:
    """Text that is safe in elements and in quoted attributes."""
    return html.escape(plain(text))


def default_command(result: Clustering) -> str:
    """How to get the report again, as far as it is known."""
    return (
        "import tripletree as tt\n"
        "answers = tt.read_comparisons(...)\n"
        f'result = tt.cluster(answers, "{result.method}")\n'
        'tt.write_report(result, "report.html")'
    )


def versions() -> str:
    """What the result depends on, in numbers."""
    from importlib import metadata

    found = []
    for name in ("tripletree", "numpy", "scipy", "numba"):
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:  # run from a folder of sources
            found.append(f"{name} (not installed)")
    return ", ".join(found)
