"""What is declared for packaging is so."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OLDEST = dict(
    line.split("==")
    for line in (ROOT / "tests" / "oldest.txt").read_text().splitlines()
    if line and not line.startswith("#")
)


ON_CONDA = {"duckdb": "python-duckdb", "matplotlib": "matplotlib-base"}
INDIRECT = {"click", "pyparsing"}  # dependencies of dependencies


def lower_bounds(requirements):
    pattern = re.compile(r"([\w-]+)>=([\d.]+)")
    found = [pattern.match(entry) for entry in requirements if isinstance(entry, str)]
    return {match[1]: match[2] for match in found if match}


def test_every_dependency_has_a_lower_bound():
    needed = PROJECT["project"]["dependencies"]
    assert len(lower_bounds(needed)) == len(needed)


def test_oldest_versions_are_the_lower_bounds():
    needed = lower_bounds(PROJECT["project"]["dependencies"])
    for_tests = lower_bounds(PROJECT["dependency-groups"]["test"])
    assert set(needed) <= set(OLDEST), "tested with its oldest version, please"
    for name in OLDEST.keys() - INDIRECT:
        bound = needed.get(name) or for_tests[name]
        assert Version(OLDEST[name]) == Version(bound), name


@pytest.mark.parametrize("kind", ["test", "bench", "docs", "release"])
def test_groups_of_the_makefile_exist(kind):
    assert PROJECT["dependency-groups"][kind]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"--group {'dev' if kind == 'test' else kind}" in makefile


def test_sdist_has_what_the_tests_need():
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"src", "tests", "benchmarks", "docs", "examples"} <= set(included)
    for name in included:
        assert [*ROOT.glob(name)], f"{name} is not there"


def of_recipe(part):
    """The requirements of one part of the recipe for conda."""
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    (lines,) = re.findall(rf"^  {part}:\n((?:    - .*\n)+)", recipe, re.M)
    return {line.strip(" -") for line in lines.splitlines()}


def spaced(requirements):
    """Requirements as conda writes them, with its names."""
    names = lower_bounds(requirements).items()
    return {f"{ON_CONDA.get(name, name)} >={bound}" for name, bound in names}


def test_the_recipe_for_conda_asks_for_the_same():
    python = f"python {PROJECT['project']['requires-python']}"
    assert of_recipe("run") == {python, *spaced(PROJECT["project"]["dependencies"])}
    build = spaced(PROJECT["build-system"]["requires"])
    assert of_recipe("host") == {python, "pip", *build}


def test_the_recipe_for_conda_has_the_same_command():
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    for name, function in PROJECT["project"]["scripts"].items():
        assert f"- {name} = {function}\n" in recipe
    assert f'summary: "{PROJECT["project"]["description"]}"' in recipe
    assert f"license: {PROJECT['project']['license']}\n" in recipe


def test_pixi_takes_the_dependencies_of_the_project():
    pixi = PROJECT["tool"]["pixi"]
    assert set(pixi) == {"workspace", "pypi-dependencies", "tasks"}
    assert set(pixi["pypi-dependencies"]) == {PROJECT["project"]["name"]}


def test_classifiers_begin_with_the_oldest_python():
    pattern = re.compile(r"Programming Language :: Python :: (3\.\d+)$")
    named = map(pattern.match, PROJECT["project"]["classifiers"])
    versions = [Version(match[1]) for match in named if match]
    assert versions == sorted(versions)
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert versions[0] == Version(oldest)


def test_faults_are_looked_for_with_tests_that_exist():
    """Where one does not, pytest fails, and every fault would count as caught."""
    settings = tomllib.loads((ROOT / "tests" / "mutation.toml").read_text())
    command = settings["cosmic-ray"]["test-command"].split()
    named = [ROOT / word for word in command if word.startswith("tests/")]
    assert named
    assert all(path.exists() for path in named)
