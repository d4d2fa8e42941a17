"""The version, as it was installed."""

from __future__ import annotations

UNKNOWN = "0+unknown"


def version(package: str = "tripletree") -> str:
    """The version of the installed package, which the tag of git gave it.

    It is read from the metadata of the installation, so it needs no git, and it is the
    same for a wheel and for a checkout that was installed as editable: there, the
    version at the time of installation. A folder of sources that was never installed
    has none.
    """
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed_version

    try:
        return installed_version(package)
    except PackageNotFoundError:
        return UNKNOWN
