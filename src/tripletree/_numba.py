"""How Numba compiles kernels and helpers: imported when a kernel is first called.

Kernels are compiled when first called, cached on disk, and release the interpreter
lock.

Numba compares a cached kernel with its own file alone. Kernels may call helpers of
other files and take records that others define, so here they are compared with the
text of all these modules: a change in one of them compiles all kernels again, each when
it is next called. They are compared as Numba's version is, before anything is read that
may name a record which has moved.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
from numba import types as types
from numba.core import event
from numba.core.typing.templates import infer_global

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,  # no kernel is called from C
}
OPTIONS_OF_HELPERS = {**OPTIONS, "no_cpython_wrapper": True}


def stamp(folder: Path) -> str:
    """What changes with any module that has kernels, or records that they may take."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        text = path.read_bytes()
        if path.name.endswith("_kernel.py") or b"(NamedTuple)" in text:
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + text)
    return digest.hexdigest()


STAMP = stamp(Path(__file__).parent)


def load_without_blas() -> None:
    """Load Numba's functions of arrays, but not scipy.linalg.

    Numba loads that to know whether there is a BLAS, and no kernel of ours needs one.
    There is one, because SciPy is installed; what calls it loads scipy.linalg then.
    """
    from numba.np import linalg

    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas


with suppress(ImportError, AttributeError):  # another Numba: it takes a little longer
    load_without_blas()


def make_kernel(function: Callable[..., Any]) -> Any:
    """A kernel to compile; without a cache where no folder can be written to."""
    try:
        compiled = numba.njit(cache=True, **OPTIONS)(function)
        if hasattr(compiled, "_cache"):  # not with NUMBA_DISABLE_JIT
            cached = compiled._cache._cache_file
            cached._version = (cached._version, STAMP)
    except (RuntimeError, AttributeError):
        # "no locator available", in a read-only installation; or another Numba, of
        # which we do not know how it tells what is out of date.
        return numba.njit(**OPTIONS)(function)
    return compiled


def make_helper(function: Callable[..., Any]) -> None:
    """In kernels, the name of a helper stands for compiled code.

    It has no wrappers by which Python could call it. (`register_jitable` would compile
    it once for the kernels that call it, and again for the helpers that do.)
    """
    compiled: Any = numba.njit(**OPTIONS_OF_HELPERS)(function)
    if compiled is not function:  # as it is with NUMBA_DISABLE_JIT
        infer_global(function, types.Dispatcher(compiled))
        vars(function)["compiled"] = compiled  # Numba's type keeps only a weak one


class CompileListener(event.Listener):
    """While kernels of ours compile no garbage is collected: a tenth of the time.

    on_kernel is called before each of them.
    """

    on_kernel: Callable[[], None] | None = None
    depth = 0  # of functions that are compiled for each other, under Numba's lock
    was_enabled = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__
        if self.depth == 0 and not module.startswith("tripletree."):
            return
        if self.depth == 0:
            self.was_enabled = gc.isenabled()
            gc.disable()
            if self.on_kernel is not None:
                self.on_kernel()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth = max(self.depth - 1, 0)
        if self.depth == 0 and self.was_enabled:
            self.was_enabled = False
            gc.enable()


LISTENER = CompileListener()
event.register("numba:compile", LISTENER)
