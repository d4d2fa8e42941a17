"""The decorators of compiled code: `kernel` for Python, `helper` for kernels.

Importing Numba takes longer than importing the rest of tripletree. So it waits: a
module imports kernels like any other functions, and the first call of a kernel loads
Numba (`_numba.py`), which puts compiled functions in their place: later calls cost
nothing more.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
HELPERS: list[Any] = []  # that Numba does not know yet
STAND_INS: list[Any] = []  # for kernels that it does not know yet
LOCK = Lock()


def kernel(function: F) -> F:
    """A function that is compiled when it is first called."""

    @wraps(function)
    def stand_in(*arguments: Any) -> Any:
        load()
        return vars(stand_in)["compiled"](*arguments)

    STAND_INS.append(stand_in)
    return stand_in  # type: ignore[return-value]


def helper(function: F) -> F:
    """A function that kernels call. Called from Python, it runs as plain Python."""
    HELPERS.append(function)
    return function


def load() -> None:
    """Load Numba, and put its functions in place of the stand-ins."""
    from tripletree._numba import make_helper, make_kernel

    # Each is removed when it is done, so what is interrupted is done again; meanwhile
    # other threads may import modules, which add to the end.
    with LOCK:
        while HELPERS:
            make_helper(HELPERS[0])
            del HELPERS[0]
        while STAND_INS:
            stand_in = STAND_INS[0]
            function = stand_in.__wrapped__
            compiled = vars(stand_in)["compiled"] = make_kernel(function)
            if function.__globals__.get(function.__name__) is stand_in:
                function.__globals__[function.__name__] = compiled
            del STAND_INS[0]


def record(*names: str) -> Any:
    """Integers that kernels can change by name, at first 0."""
    return np.zeros(1, [(name, np.int64) for name in names]).view(np.recarray)[0]
