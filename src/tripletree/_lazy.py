"""What modules need to use kernels, without importing Numba before the first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np


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


def record(*names: str) -> Any:
    """Integers that kernels can change by name, at first 0."""
    return np.zeros(1, [(name, np.int64) for name in names]).view(np.recarray)[0]
