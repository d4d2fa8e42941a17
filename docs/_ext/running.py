"""Pages that show what programs really print: they are run when the pages are built.

``{example} script.py`` shows a script of examples/ and its output. With ``:keep: FILE
NAME`` a file that it wrote stands beside the page under that name; with ``:figure:
FILE`` a picture that it wrote stands above it, and the content says what is on it.
``{shell}`` runs lines that begin with `tripletree`, all of one page in one empty
folder. ``{commands}`` shows the help of every command. What fails, fails the build.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from command_help import WIDTH, help_texts

EXAMPLES = Path(__file__).parents[2] / "examples"
ENVIRONMENT = {"COLUMNS": str(WIDTH), "MPLBACKEND": "Agg", "NO_COLOR": "1"}
SECONDS = re.compile(r"\(\d+ s\)")


def printed(arguments: list[str], folder: str) -> str:
    """What a Python process prints, results and messages; it must succeed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    if done.returncode:
        message = f"{shlex.join(arguments)} fails:\n{done.stdout}"
        raise ExtensionError(message)
    return done.stdout.rstrip()


def block(text: str, language: str, name: str) -> nodes.literal_block:
    """Text as it is, with a class for its looks."""
    shown = nodes.literal_block(text, text, classes=[name])
    shown["language"] = language
    return shown


def picture(path: Path, words: str) -> nodes.Node:
    """A PNG file beside the page, half as large as it is in pixels."""
    pixels = path.read_bytes()[16:24]  # width and height, four bytes each
    wide, high = (int.from_bytes(pixels[at : at + 4]) // 2 for at in (0, 4))
    text = (
        f'<img class="figure" src="{path.name}" alt="{escape(words)}" '
        f'width="{wide}" height="{high}" loading="lazy">'
    )
    return nodes.raw("", text, format="html")


class Example(SphinxDirective):
    """A script of examples/ without its docstring, and what it prints."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = dict.fromkeys(
        ("figure", "keep"), directives.unchanged_required
    )
    out: ClassVar[Path]  # where pages are built

    def run(self) -> list[nodes.Node]:
        """Run it in an empty folder."""
        path = EXAMPLES / self.arguments[0]
        self.env.note_dependency(str(path))
        code = path.read_text(encoding="utf-8")
        code = code.split('"""', 2)[2].strip()
        shown: list[nodes.Node] = []
        with tempfile.TemporaryDirectory() as folder:
            text = printed([str(path)], folder)
            if "keep" in self.options:
                kept, name = shlex.split(self.options["keep"])
                shutil.copy(Path(folder, kept), self.out / name)
            if "figure" in self.options:
                self.assert_has_content()
                name = self.options["figure"]
                shutil.copy(Path(folder, name), self.out / name)
                shown = [picture(self.out / name, " ".join(self.content))]
        return [
            *shown,
            block(code, "python", "code"),
            nodes.paragraph("", "It prints:"),
            block(text, "text", "output"),
        ]


class Shell(SphinxDirective):
    """Commands, and what they print."""

    has_content = True
    folders: ClassVar[dict[str, tempfile.TemporaryDirectory[str]]] = {}

    def run(self) -> list[nodes.Node]:
        """Run them in the folder of this page."""
        name = self.env.docname
        if name not in self.folders:
            self.folders[name] = tempfile.TemporaryDirectory()
        shown = []
        for line in self.content:
            program, *arguments = shlex.split(line)
            assert program == "tripletree", line
            text = printed(["-m", "tripletree", *arguments], self.folders[name].name)
            shown += [f"$ {line}", *([SECONDS.sub("", text)] if text else [])]
        return [block("\n".join(shown), "console", "output")]


class Commands(SphinxDirective):
    """The help of every command, each in a section."""

    def run(self) -> list[nodes.Node]:
        """Take them from the application itself."""
        return [section(name, text) for name, text in help_texts().items()]


def section(name: str, text: str) -> nodes.section:
    """The help of one command."""
    found = nodes.section(ids=[f"command-{name}"], names=[f"tripletree {name}"])
    found += nodes.title("", "", nodes.literal("", f"tripletree {name}"))
    found += block(text, "text", "output")
    return found


def forget(app: Sphinx, error: Exception | None) -> None:
    """Remove the folders in which commands were run."""
    for folder in Shell.folders.values():
        folder.cleanup()
    Shell.folders.clear()


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the three directives known."""
    Example.out = Path(app.outdir)
    app.add_directive("example", Example)
    app.add_directive("shell", Shell)
    app.add_directive("commands", Commands)
    app.connect("build-finished", forget)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
