"""Licences of everything that is installed with the package: none that binds users."""

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


def installed(name, seen=()):
    """A distribution and all that it needs, extras aside, by name."""
    try:
        found = distribution(name)
    except PackageNotFoundError:  # for another system or an older Python
        return {}
    needed = [x for x in found.requires or () if "extra ==" not in x]
    names = {re.sub(r"[-_.]+", "-", REQUIRED.match(x)[0]).lower() for x in needed}
    known = {name: found, **dict(seen)}
    for one in names - {*known}:
        known |= installed(one, known)
    return known


def licence(found):
    """What a distribution says of its licence, in any of the ways there are."""
    data = found.metadata
    classifiers = data.get_all("Classifier") or []
    named = " ".join(text for text in classifiers if text.startswith("License"))
    whole = (data.get("License") or "")[:200]
    return (data.get("License-Expression") or named or whole).strip()


def test_licences():
    said = {name: licence(found) for name, found in installed("tripletree").items()}
    del said["tripletree"]
    assert len(said) > 20
    wrong = {x for x in said.values() if not ALLOWED.search(x) or REFUSED.search(x)}
    assert not wrong, said


@pytest.mark.parametrize("text", ["GPLv3", "GNU General Public License", "AGPL-3.0"])
def test_a_licence_that_is_refused(text):
    assert REFUSED.search(text)
    assert not ALLOWED.search(text)
