"""The version of an installed package."""

from __future__ import annotations

UNKNOWN = "0+unknown"


def version(package: str = "tripletree") -> str:
    """The version of an installed package, for tripletree that of its git tag.

    It is read from the metadata of the installation, so git is not needed. A checkout
    installed as editable has the version of the time of installation; sources that were
    never installed have none.
    """
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed_version

    try:
        return installed_version(package)
    except PackageNotFoundError:
        return UNKNOWN
