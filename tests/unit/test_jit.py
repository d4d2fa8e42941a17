import gc
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

from tests.processes import environment, run_python
from tripletree import _jit, _numba
from tripletree._jit import helper, kernel

TWO_MODULES = {
    "_one_kernel.py": "from tripletree._jit import helper\n\n\n@helper\n"
    "def step(x):\n    return x + {step}\n",
    "_two_kernel.py": "from _one_kernel import step\n"
    "from tripletree._jit import kernel\n\n\n@kernel\n"
    "def walk(x):\n    return step(step(x))\n",
}
WALK = """
import sys
from pathlib import Path
from tripletree import _jit, _numba
_numba.STAMP = _numba.stamp(Path("."))
sys.path.insert(0, ".")
import _two_kernel
print(_two_kernel.walk(5), sum(_two_kernel.walk.stats.cache_hits.values()))
"""
RECORD = "from typing import NamedTuple\n\n\nclass Step(NamedTuple):\n    length: int\n"
TAKES_A_RECORD = (
    "from tripletree._jit import kernel\n\n\n@kernel\n"
    "def walk(step):\n    return 5 + step.length\n"
)
CALL_EACH_OTHER = """
@kernel
def twice(x):
    "Four times x."
    return double(double(x))

@kernel
def double(x):
    return 2 * x
"""


def test_kernels_work_where_nothing_can_be_cached(monkeypatch):
    """In a read-only installation without a home, Numba refuses cache=True."""
    original = numba.njit

    def refusing(cache=False, **options):
        if cache:
            message = "cannot cache function: no locator available"
            raise RuntimeError(message)
        return original(**options)

    with monkeypatch.context() as patched:
        patched.setattr(numba, "njit", refusing)

        @kernel
        def double(x):
            return 2 * x

        _jit.load()
    assert double(4) == 8


def compiled_only(test):
    off = bool(numba.config.DISABLE_JIT)
    return pytest.mark.skipif(off, reason="kernels are plain Python")(test)


@pytest.mark.slow
@compiled_only
def test_a_change_in_another_module_is_noticed(tmp_path):
    """A cached kernel is out of date when a helper that it calls has changed."""

    def walk(step):
        for name, text in TWO_MODULES.items():
            (tmp_path / name).write_text(text.format(step=step))
        return walked(WALK, tmp_path)

    assert [walk(step) for step in (1, 1, 3)] == [["7", "0"], ["7", "1"], ["11", "0"]]


def walked(code, folder):
    """What a new process prints, which keeps kernels in this folder."""
    env = {k: v for k, v in environment().items() if not k.startswith("NUMBA_")}
    env["PYTHONDONTWRITEBYTECODE"] = "1"  # files change within a second
    return run_python(code, cwd=folder, env=env, check=True).stdout.split()


@pytest.mark.slow
@compiled_only
def test_a_record_may_move_to_another_module(tmp_path):
    """A cached kernel names the module of each record that it takes."""
    (tmp_path / "_two_kernel.py").write_text(TAKES_A_RECORD)

    def walk(home):
        (tmp_path / f"{home}.py").write_text(RECORD)
        code = WALK.replace("import _two", f"from {home} import Step\nimport _two")
        found = walked(code.replace("walk(5)", "walk(Step(2))"), tmp_path)
        (tmp_path / f"{home}.py").unlink()
        return found

    homes = ("here", "here", "there")
    assert [walk(home) for home in homes] == [["7", "0"], ["7", "1"], ["7", "0"]]


def test_the_first_call_puts_a_compiled_function_in_place():
    """Threads that come meanwhile wait, and kernels can be called by kernels."""
    names: dict[str, Any] = {"kernel": kernel, "__name__": __name__}
    exec(CALL_EACH_OTHER, names)
    first = names["twice"]
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(first, [3] * 4)] == [12] * 4
    assert names["twice"] is not first
    assert names["twice"](5) == first(5) == 20
    assert first.__doc__ == "Four times x."


@pytest.mark.parametrize("kind", ["kernel", "helper"])
def test_modules_can_be_imported_while_kernels_are_made(kind, monkeypatch):
    """By another thread, which adds its functions to those that wait."""
    names: dict[str, Any] = {"kernel": kernel, "helper": helper, "__name__": __name__}
    text = "@{}\ndef {}(x):\n    return 2 * x\n"
    _jit.load()  # nothing else waits
    original, made = getattr(_numba, f"make_{kind}"), []

    def make(function):
        if not made:
            exec(text.format(kind, "second"), names)
        made.append(function.__name__)
        return original(function)

    monkeypatch.setattr(_numba, f"make_{kind}", make)
    exec(text.format(kind, "first"), names)
    _jit.load()
    assert made == ["first", "second"]
    assert names["first"](2) == names["second"](2) == 4


def test_a_helper_is_plain_python_in_python():
    @helper
    def half(x):
        return x // 2

    @kernel
    def halves(x):
        return half(x) + half(half(x))

    assert (half(9), halves(9)) == (4, 6)


@pytest.mark.parametrize("is_enabled", [True, False])
def test_while_kernels_compile_no_garbage_is_collected(is_enabled):
    """Those of others are left alone; afterwards all is as it was."""
    ours, foreign = (
        SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})
        for function in (_numba.make_kernel, np.mean)
    )
    listener, was_enabled = _numba.CompileListener(), gc.isenabled()
    (gc.enable if is_enabled else gc.disable)()
    seen = []
    try:
        for begun in (foreign, ours):
            listener.on_start(begun)
            listener.on_start(foreign)
            seen.append(gc.isenabled())
            listener.on_end(foreign)
            listener.on_end(begun)
            assert gc.isenabled() == is_enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()
    assert seen == [is_enabled, False]


BLAS = """
import sys
import numba, numpy as np
from tripletree import Triplets, adds_similarity
print(adds_similarity(Triplets([[0, 1, 2]], n_objects=3))[0, 1])
print("scipy.linalg" in sys.modules)
print(numba.njit(lambda x: np.dot(x, x))(np.ones((2, 2)))[0, 0])
"""


@compiled_only
def test_kernels_do_not_load_a_blas_and_those_of_others_can():
    assert run_python(BLAS, check=True).stdout.split() == ["1", "False", "2.0"]
