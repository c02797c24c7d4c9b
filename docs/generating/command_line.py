"""The help of every verb."""

from typing import Any

import click

from cpqueens.cli import main as cli
from generating.tables import folded


def pages() -> dict[str, str]:
    """Return the help of every verb."""
    parts = ["# Command line", _help(cli.main, "cpqueens")]
    for verb in cli.VERBS:
        command = cli.main.get_command(click.Context(cli.main), verb)
        inside = [_help(command, f"cpqueens {verb}")]
        for name, inner in getattr(command, "commands", {}).items():
            inside.append(_help(inner, f"cpqueens {verb} {name}"))
        parts += [f"## {verb}", folded("Options", "\n\n".join(inside))]
    return {"command_line.md": "\n\n".join(parts) + "\n"}


def _help(command: click.Command, name: str) -> str:
    settings: dict[str, Any] = {**cli.main.context_settings, "max_content_width": 96}
    context = click.Context(command, info_name=name, **settings)
    return f"```text\n{command.get_help(context)}\n```"
