import sys
from collections import defaultdict
from unittest.mock import MagicMock, Mock

import numba
import pytest

from tests.processes import run_python
from tripletree import Progress, _first_run, _numba
from tripletree.commands.console import compile_first

USED = """
import pathlib
import sys
import tempfile
import numpy as np
import tripletree as tt
from tripletree import _first_run, _numba

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "answers.csv")
    path.write_text("target,near,far\\na,b,c\\n")
    tt.read_comparisons(path)
rows = np.random.default_rng(0).permuted(np.tile(np.arange(20), (600, 1)), axis=1)
answers = tt.Triplets(np.sort(rows[:, :3], axis=1), 20)
for part in (answers, answers[:90]):
    tt.cluster(part, curve=True, support=10)
tt.upper_bound(answers, method="groups")  # as for 85 objects and more
tt.block_posterior(answers, n_chains=1)  # as for 50 objects and more
listed = {
    (f"tripletree.{module}_kernel", name): arguments
    for module, signatures in _first_run.signatures(_numba.types).items()
    for name, arguments in signatures.items()
}
used = {
    (module, name): kernel.signatures
    for module in list(sys.modules)
    if module.startswith("tripletree.") and module.endswith("_kernel")
    for name, kernel in vars(sys.modules[module]).items()
    if getattr(kernel, "signatures", None) and kernel.__module__ == module
}
for key, signatures in used.items():
    for arguments in signatures:
        if listed.get(key) != arguments:
            print("not listed:", key, arguments)
for module, name in sorted(listed.keys() - used.keys()):
    if name not in ("add_losses", "add_weighted"):  # by another kernel, by support
        print("not used:", module, name)
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="kernels are plain Python")
def test_what_a_run_compiles_is_listed():
    assert run_python(USED, check=True).stdout == ""


def modules_compiled(monkeypatch, n_objects, **part):
    modules = defaultdict(MagicMock)
    monkeypatch.setattr(_first_run, "import_module", modules.__getitem__)
    _first_run.compile_kernels(n_objects, **part)
    used = [name for name, module in modules.items() if module.mock_calls]
    return {name.removeprefix("tripletree.").removesuffix("_kernel") for name in used}


def test_processes_share_the_modules(monkeypatch):
    parts = [modules_compiled(monkeypatch, 100, part=i, n_parts=2) for i in (0, 1)]
    assert parts[0].isdisjoint(parts[1])
    assert parts[0] | parts[1] == _first_run.signatures(_numba.types).keys()


@pytest.mark.parametrize(
    ("n_objects", "left_out"),
    [
        (49, {"completion._posterior", "objective._groups"}),
        (50, {"objective._groups"}),
        (84, {"objective._groups"}),
        (85, set()),
    ],
)
def test_small_data_need_fewer_kernels(n_objects, left_out, monkeypatch):
    everything = _first_run.signatures(_numba.types).keys()
    assert modules_compiled(monkeypatch, n_objects) == everything - left_out


def test_progress_is_told_before_each_kernel(monkeypatch):
    kernel = Mock(compile=lambda _: _numba.LISTENER.on_kernel())
    module = type("Module", (), {"__getattr__": lambda *_: kernel})()
    monkeypatch.setattr(_first_run, "import_module", lambda _: module)
    told = []
    _first_run.compile_kernels(20, told.append)
    n_kernels = len(told)
    assert told == [Progress("compiling", at, n_kernels) for at in range(n_kernels)]
    assert _numba.LISTENER.on_kernel is None


@pytest.mark.parametrize("is_terminal", [False, True])
def test_one_line_counts(is_terminal, capsys, monkeypatch):
    """One line says what is done; on a terminal a bar below it says how far."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)

    def compile_two(n_objects, progress, *_):
        for n_done in (0, 8):
            progress(Progress("compiling", n_done, 9))

    monkeypatch.setattr(_first_run, "compile_kernels", compile_two)
    compile_first(20)
    first, *rest = capsys.readouterr().err.split("\n", 1)
    assert first.startswith("First run: compiling (once, about")
    told = [line.split(" [")[0] for line in rest[0].split("\r") if line.strip()]
    assert told[:1] == (["compiling: 0 of 9"] if is_terminal else [])


def test_nothing_is_said_where_nothing_is_compiled(capsys, monkeypatch):
    monkeypatch.setattr(_first_run, "compile_kernels", lambda *_: None)
    compile_first(20)
    assert capsys.readouterr().err == ""
