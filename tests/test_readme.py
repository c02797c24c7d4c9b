"""README is short, its transcript is what happens, and its measurements are those that were kept.

Blocks marked ``sh`` set the project up and run outside the tests (CI runs them).
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```", TEXT, re.M | re.S)
SAID = [
    tuple(part.split("\n", 1))
    for kind, _, text in BLOCKS
    if kind == "console"
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]
]
"""Each command, and what it prints."""


def run(command: list[str] | str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        shell=isinstance(command, str),
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_it_is_short() -> None:
    """Three sentences, few commands, a transcript and a model with their pictures, two tables, links."""
    assert sorted(kind for kind, _, _ in BLOCKS) == ["console", "python", "sh"]
    (commands,) = [text for kind, _, text in BLOCKS if kind == "sh"]
    assert len(commands.splitlines()) == 3
    opening = TEXT.partition("\n\n")[2].partition("\n\n")[0]
    assert len(re.findall(r"\.(?:\s|$)", opening)) == 3
    assert len(re.findall(r"^!\[", TEXT, re.M)) == 2
    assert len(re.findall(r"^\|(?:---\|)+$", re.sub(r"(?<=\|) *-+ *(?=\|)", "---", TEXT), re.M)) == 2
    assert len(TEXT.splitlines()) <= 120


def alike(text: str) -> list[list[str]]:
    """Return the words of each line; of seconds only that there are some."""
    shown = re.sub(r"\b\d+\.\d{1,3}\b", "0.000", text)
    return [line.split() for line in shown.splitlines() if line.strip()]


def test_the_transcript_is_what_happens(tmp_path: Path) -> None:
    assert len(SAID) >= 2
    for command, printed in SAID:
        if command.startswith("cat "):
            (tmp_path / command.removeprefix("cat ")).write_text(printed, encoding="utf-8")
            continue
        done = run(command, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert alike(done.stdout) == alike(printed)


def test_the_model_has_the_answer_of_its_picture() -> None:
    """Another answer may be as good: what is compared are the bars and when the last one ends."""
    (code,) = [text for kind, _, text in BLOCKS if kind == "python"]
    space: dict[str, Any] = {}
    exec(code, space)
    outcome = space["outcome"]
    assert outcome.status == "OPTIMAL"
    shown = (ROOT / ".readme/shop.svg").read_text(encoding="utf-8")
    for picture in (shown, outcome.solution._repr_svg_()):
        assert picture.count('rx="3"') == outcome["start"].size
        assert f">{outcome.objective}</text>" in picture


def test_measurements_are_those_that_were_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """``python docs/generating/summary.py`` writes them."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    summary = importlib.import_module("generating.summary")
    assert summary.PLACE.search(TEXT)
    assert summary.written(TEXT) == TEXT


def test_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert (README.parent / link).exists(), link
