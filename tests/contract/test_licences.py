"""Licences of everything that is installed with the package: none that binds users."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution

import pytest

# The first match of what a distribution says of itself; see CONTRIBUTING.md.
ALLOWED = re.compile(
    r"BSD|MIT|Apache|ISC|PSF|Python Software Foundation|HPND|Historical Permission"
    r"|Zlib|Unlicense|0BSD|MPL|Mozilla Public License",
    re.IGNORECASE,
)
REFUSED = re.compile(r"\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)
REQUIRED = re.compile(r"^[A-Za-z0-9._-]+")


def installed(name, seen):
    """A distribution and all that it needs, extras aside, by normalised name."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in seen:
        return
    try:
        found = distribution(name)
    except PackageNotFoundError:  # for another system or an older Python
        return
    seen[key] = found
    for text in found.requires or ():
        if "extra ==" not in text:
            installed(REQUIRED.match(text).group(), seen)


def licence(found):
    """What a distribution says of its licence, in any of the ways there are."""
    data = found.metadata
    classifiers = data.get_all("Classifier") or []
    named = [text for text in classifiers if text.startswith("License")]
    whole = data.get("License") or ""
    first = data.get("License-Expression") or " ".join(named) or whole[:200]
    return first.strip()


def test_licences():
    seen = {}
    installed("tripletree", seen)
    del seen["tripletree"]
    assert len(seen) > 20
    said = {name: licence(found) for name, found in seen.items()}
    unknown = {name: text for name, text in said.items() if not ALLOWED.search(text)}
    refused = {name: text for name, text in said.items() if REFUSED.search(text)}
    assert not unknown
    assert not refused


@pytest.mark.parametrize("text", ["GPLv3", "GNU General Public License", "AGPL-3.0"])
def test_a_licence_that_is_refused(text):
    assert REFUSED.search(text)
    assert not ALLOWED.search(text)
