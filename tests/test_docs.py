"""The site's sources: what the build runs, and that what it does not run could be typed.

``make docs`` executes every code cell and every command output. Blocks marked ``sh`` need a cluster,
a file of the reader's or a network; their commands are parsed here.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from cpqueens.cli import main as cli

ROOT = Path(__file__).parent.parent
PAGES = sorted(p for p in (ROOT / "docs").rglob("*.md") if "generated" not in p.parts)
FENCE = re.compile(r"^ *```(\{?[\w-]+\}?)([^\n]*)\n(.*?)^ *```", re.M | re.S)
EXECUTED = {"{code-cell}", "{command-output}"}
SHOWN = {"{literalinclude}", "{include}", "{toctree}", "{eval-rst}", "sh", "text"}


def blocks(page: Path) -> list[tuple[str, str, str]]:
    return FENCE.findall(page.read_text(encoding="utf-8"))


COMMANDS = sorted(
    {
        line.partition("#")[0].strip()
        for page in PAGES
        for kind, _, text in blocks(page)
        if kind == "sh"
        for line in text.splitlines()
        if line.startswith("cpqueens ")
    }
)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_run_or_say_what_they_are(page: Path) -> None:
    kinds = {kind for kind, _, _ in blocks(page)}
    assert kinds <= EXECUTED | SHOWN
    text = page.read_text(encoding="utf-8")
    assert ("{code-cell}" in kinds) == text.startswith("---\nfile_format: mystnb")
    assert text.count("```") % 2 == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_can_be_typed(command: str) -> None:
    _, verb, *arguments = shlex.split(command)
    found = cli.main.get_command(click.Context(cli.main), verb)
    assert found is not None
    found.make_context(verb, arguments)


def test_every_page_is_within_the_site() -> None:
    """Sphinx follows these; a page that no list names would be built and never found."""
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    lessons = (ROOT / "docs/teaching/index.md").read_text(encoding="utf-8")
    for page in PAGES:
        name = str(page.relative_to(ROOT / "docs").with_suffix(""))
        assert name == "index" or f"\n{name}\n" in index or f"\n{page.stem}\n" in lessons, name
