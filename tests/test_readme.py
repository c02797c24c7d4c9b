"""Every code block and every command in README runs.

Blocks marked ``sh`` set the project up and run outside the tests (CI runs them); ``text`` blocks are output.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
SCRIPTS = [text for kind, _, text in BLOCKS if kind == "python"]
COMMANDS = [
    line[2:]
    for kind, _, text in BLOCKS
    if kind == "console"
    for line in text.splitlines()
    if line.startswith("$ ")
]


def run(command: list[str] | str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        shell=isinstance(command, str),
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_kinds_of_blocks_are_known() -> None:
    assert {kind for kind, _, _ in BLOCKS} <= {"python", "console", "sh", "text"}
    assert SCRIPTS
    assert len(COMMANDS) >= 4


@pytest.mark.parametrize("script", SCRIPTS, ids=range(len(SCRIPTS)))
def test_script(script: str, tmp_path: Path) -> None:
    done = run([sys.executable, "-W", "error", "-c", script], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str, tmp_path: Path) -> None:
    done = run(command, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert (README.parent / link).exists(), link
