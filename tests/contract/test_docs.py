"""The pages under docs/ and the examples: what they show is there, and is so."""

import ast
import doctest
import re
import sys
from pathlib import Path

import pytest

import command_help
import reference
import tripletree
from tests.processes import environment, run
from tripletree.cli import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FENCE = re.compile(r"^```.*$", re.M)


@pytest.mark.parametrize("name", [name for name in TEXTS if ">>> " in TEXTS[name]])
def test_blocks_of_python(name):
    # Without the fences, so that they are not taken for output.
    text = FENCE.sub("", TEXTS[name])
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert test.examples
    runner = doctest.DocTestRunner(verbose=False)
    out: list[str] = []
    runner.run(test, out=out.append)
    assert not runner.summarize(verbose=False).failed, "".join(out)


def test_readme(tmp_path, monkeypatch):
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    monkeypatch.chdir(tmp_path)
    exec(compile(code[1], "README.md", "exec"), {})
    assert (tmp_path / "results" / "report.html").exists()


def test_every_public_name_has_its_place_in_the_reference():
    rooms = reference.rooms()
    names = [name for names in rooms.values() for name in names]
    assert sorted(names) == sorted(tripletree.__all__)
    assert set(rooms) <= set(reference.TITLES), "a title for the new folder, please"
    for room, names in rooms.items():
        page = reference.page(room, names)
        for name in names:
            assert re.search(rf"^\.\. auto\w+:: {name}$", page, re.M)


def test_every_command_is_shown():
    texts = command_help.help_texts()
    assert [*texts] == [command.__name__ for command in COMMANDS]
    for name, text in texts.items():
        assert text.startswith(f"Usage: tripletree {name} ")


@pytest.mark.parametrize("name", TEXTS)
def test_names_on_pages_are_public(name):
    known = {*tripletree.__all__}
    code = [*re.findall(r"```(?:python|pycon)\n(.*?)```", TEXTS[name], re.S)]
    code += re.findall(r"`([^`\n]+)`", TEXTS[name])
    used = set(re.findall(r"\btt\.(\w+)", "\n".join(code)))
    used |= set(re.findall(r"^from tripletree import (\w+)", "\n".join(code), re.M))
    assert used <= known


@pytest.mark.parametrize("name", TEXTS)
def test_commands_on_pages_are_there(name):
    blocks = re.findall(r"^```(?:console|{shell})\n(.*?)```", TEXTS[name], re.M | re.S)
    code = "\n".join([*blocks, *re.findall(r"`([^`\n]+)`", TEXTS[name])])
    texts = command_help.help_texts()
    for line in re.findall(r"^(?:\$ )?tripletree ([a-z]\w*.*)", code, re.M):
        command, *rest = line.split()
        assert command in texts, line
        options = {x.split("=")[0] for x in rest if x.startswith("--")}
        known = {*re.findall(r"--[a-z-]+", texts[command]), "--debug"}
        assert options <= known, line


@pytest.mark.parametrize("name", ["paper_to_code.md", "reproduce.md", "slips.md"])
def test_tests_on_pages_are_there(name):
    files = {path.name: path for path in (ROOT / "tests").rglob("test_*.py")}
    for path in re.findall(r"`(tests/[\w/]+(?:\.py)?)", TEXTS[name]):
        assert (ROOT / path).exists(), path
    for file, test in re.findall(r"`(test_\w+\.py)::(\w+)", TEXTS[name]):
        body = ast.parse(files[file].read_text(encoding="utf-8")).body
        assert test in {getattr(node, "name", "") for node in body}, test


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path, tmp_path):
    utf8 = environment(PYTHONIOENCODING="utf-8")
    done = run(sys.executable, "-W", "error", path, cwd=tmp_path, env=utf8)
    assert (done.returncode, done.stderr) == (0, "")
    made = {file.name for file in tmp_path.iterdir()}
    promised = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    files = re.findall(r"[\w-]+\.(?:csv|nwk|json|html|parquet|png)", promised)
    assert set(files) <= made
