"""What `import tripletree` may do, and which folder may import which."""

import ast
import inspect
import operator
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import tripletree
from tests.processes import run_python

SOURCE = Path(tripletree.__file__).parent
ORDER = [  # read by docs/_ext/import_graph.py, too: names only
    [
        "errors",
        "_numba",
        "_jit",
        "_threads",
        "_checks",
        "_figures",
        "_signals",
        "_files",
        "_version",
        "_progress",
    ],
    ["tree"],
    ["comparisons"],
    ["similarity"],
    ["answers"],
    ["embedding"],
    ["completion"],
    ["linkage"],
    ["objective"],
    ["search"],
    ["methods"],
    ["evaluation"],
    ["clustering", "_first_run"],
    ["datasets"],
    ["report"],
    # What is built of public names, as a user would.
    [
        "experiments",
        "planning",
        "estimators",
        "commands",
        "cli",
        "__main__",
        "__init__",
    ],
]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
HEAVY = {"numba", "llvmlite", "scipy", "sklearn", "matplotlib", "pooch", "h5py", "ibis"}
HEAVY |= {"duckdb", "pandas", "polars", "pyarrow", "typer", "rich", "pyspark"}
HEAVY |= {"importlib.metadata"}  # most of its time goes into the parser of e-mail
MODULES = sorted(SOURCE.rglob("*.py"))
# What imports from below, when it is called: results and trees can show themselves.
LATE = {
    ("clustering", "tripletree.report.files"),
    ("clustering", "tripletree.report.dendrogram"),
    ("clustering", "tripletree.report.notebook"),
    ("tree", "tripletree.report.dendrogram"),
    ("tree", "tripletree.report.notebook"),
}


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.name))
def test_modules_import_only_from_above(path):
    own = path.relative_to(SOURCE).with_suffix("").parts[0]
    assert own in RANK, f"{own} has no place in the order"
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.split(".")[0] == "tripletree":
                is_above = RANK[room(name)] <= RANK[own]
                assert is_above or (own, name) in LATE, f"{path.name} imports {name}"


def test_only_one_module_imports_numba():
    for path in MODULES:
        text = path.read_text()
        if path.name != "_numba.py":
            assert "import numba" not in text
        if path.name not in ("_jit.py", "_first_run.py"):
            assert "_numba" not in text


def test_import_is_light_and_compiles_nothing():
    for module in ("tripletree", "tripletree.answers.read"):
        code = f"import sys, {module}; print(*sys.modules)"
        assert not HEAVY & {*run_python(code, check=True).stdout.split()}


CLUSTERED = """
import sys
sys.modules |= dict.fromkeys(["matplotlib", "sklearn", "pooch", "pandas", "pyarrow"])
from tripletree.cli import main
sys.argv = ["tripletree", "cluster", "answers.csv", "--out", "results"]
sys.exit(main())
"""


def test_clustering_a_file_loads_nothing_for_plots_or_estimators(tmp_path):
    rows = "i,j,k\na,b,c\nb,a,d\nc,d,a\nd,c,b\n"
    (tmp_path / "answers.csv").write_text(rows)
    run_python(CLUSTERED, check=True, cwd=tmp_path)
    assert (tmp_path / "results" / "report.html").exists()


def test_public_names():
    assert all(hasattr(tripletree, name) for name in tripletree.__all__)
    assert tripletree.__all__ == sorted(tripletree.__all__)
    assert dir(tripletree) == tripletree.__all__
    with pytest.raises(AttributeError, match="attribute Nothing"):
        _ = tripletree.Nothing


def test_public_functions_say_what_goes_in_and_comes_out():
    for name in tripletree.__all__:
        function = getattr(tripletree, name)
        if not inspect.isfunction(function):
            continue
        text = inspect.getdoc(function)
        for section in ("Parameters", "Returns|Yields", "Examples"):
            assert re.search(rf"^({section})\n---", text, re.M), f"{name}: {section}"
        for parameter in inspect.signature(function).parameters:
            assert re.search(rf"^(\w+, )?{parameter}\b.* : ", text, re.M), (
                f"{name}: {parameter}"
            )


def test_no_public_name_hides_a_module():
    """`import tripletree.objective.value as v` takes each part as an attribute."""
    for path in MODULES:
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if parts[-1] not in ("__init__", "__main__"):
            name = ".".join(("tripletree", *parts))
            import_module(name)
            assert operator.attrgetter(".".join(parts))(tripletree) is sys.modules[name]


def test_kernels_have_docstrings_and_a_decorator_of_ours():
    for path in SOURCE.rglob("_*_kernel.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                assert ast.get_docstring(node), f"{path.name}: {node.name}"
                decorators = [ast.unparse(one) for one in node.decorator_list]
                assert decorators in (["kernel"], ["helper"]), node.name


FOLDERS = sorted(path.parent for path in SOURCE.rglob("__init__.py"))


@pytest.mark.parametrize("folder", FOLDERS[1:], ids=lambda path: path.name)
def test_folders_tell_what_is_in_them(folder):
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
    named = set(re.findall(r"`(\w+)`", text or ""))
    there = {path.stem for path in folder.glob("*.py") if path.stem[0] != "_"}
    there |= {path.parent.name for path in folder.glob("*/__init__.py")}
    assert there - named == set()
