"""The help of every command, as the command line prints it."""

from __future__ import annotations

from typing import Any

import typer

from tripletree.cli import app

WIDTH = 80


def help_texts() -> dict[str, str]:
    """What `tripletree COMMAND --help` prints, for every command."""
    group: Any = typer.main.get_command(app)
    settings = {"terminal_width": WIDTH, "max_content_width": WIDTH}
    texts = {}
    with group.make_context("tripletree", [], resilient_parsing=True) as whole:
        for name in group.list_commands(whole):
            command = group.get_command(whole, name)
            with type(whole)(command, whole, name, **settings) as context:
                texts[name] = command.get_help(context)
    return texts
