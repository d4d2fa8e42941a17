"""Modules that are loaded when first used, so that `import tripletree` stays quick."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _KernelModule:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(import_module(self._name), attribute)
        setattr(self, attribute, value)
        return value


def kernel_module(name: str) -> Any:
    """The module of this name, imported (with Numba) at the first use of a kernel."""
    return _KernelModule(name)
