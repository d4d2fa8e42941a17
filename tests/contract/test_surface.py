"""What users see, as it was when last accepted: names, signatures, help, keys of files.

A difference is either a mistake or an entry of the changelog:
`pytest tests/contract/test_surface.py --update-golden` accepts it.
"""

import inspect
import json
from pathlib import Path

import pytest
import typer

import tripletree as tt
from tripletree.cli import app
from tripletree.datasets.animals import animals

SEEN = Path(__file__).with_name("surface.txt")


def signatures():
    """Every public name, with its arguments and, for a class, its own members."""
    for name in sorted(tt.__all__):
        thing = getattr(tt, name)
        yield f"{name}{signature(thing)}"
        if inspect.isclass(thing):
            ours = [c for c in thing.__mro__ if c.__module__.startswith("tripletree")]
            own = sorted({x for c in ours for x in vars(c) if not x.startswith("_")})
            own += sorted(set(getattr(thing, "__dataclass_fields__", ())) - {*own})
            for member in own:
                yield f"    .{member}{signature(getattr(thing, member, None))}"


def signature(thing):
    if not callable(thing):
        return ""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except ValueError:  # of built-in classes
        return ""
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    return str(inspect.Signature(bare))


def helps():
    """What each command says of itself, however Typer lays it out."""
    group = typer.main.get_command(app)
    for name, command in {"tripletree": group, **group.commands}.items():
        yield f"{name}: {command.help}"
        for option in command.params:
            names = ", ".join([*option.opts, *option.secondary_opts])
            about = " ".join((getattr(option, "help", None) or "").split())
            yield f"    {names} {option.metavar or ''} [{option.default}] {about}"


def keys(value, indent=""):
    """The keys of nested JSON; the first entry stands for all of a list."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{indent}{key}"
            if key != "clusters":  # its keys are labels
                yield from keys(inner, indent + "    ")
    elif isinstance(value, list) and value:
        yield from keys(value[0], indent + "    ")


def files(folder, command):
    tt.write_comparisons(animals().answers[:400], folder / "answers.csv")
    out = folder / "out"
    given = "cluster --method climb --clusters 3 --support 2 --out"
    command(given, out, folder / "answers.csv")
    for path in sorted(out.iterdir()):
        yield path.name
    for name in ("summary.json", "tree.json"):
        yield f"{name}:"
        found = json.loads((out / name).read_text("utf-8"))
        is_tree = name == "tree.json"
        yield from sorted({*map(str.strip, keys(found))}) if is_tree else keys(found)


def test_surface(tmp_path, command, request):
    parts = {
        "Names": signatures(),
        "Help": helps(),
        "Files of cluster --out": files(tmp_path, command),
    }
    text = "".join(
        f"{title}\n{'=' * len(title)}\n" + "\n".join(lines) + "\n\n"
        for title, lines in parts.items()
    )
    if request.config.getoption("--update-golden"):
        SEEN.write_text(text, encoding="utf-8")
        pytest.skip("the surface was written down")
    assert text.splitlines() == SEEN.read_text("utf-8").splitlines()
