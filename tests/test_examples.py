"""Every example runs, with its default size or a smaller one, and prints something."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("[0-9]*.py"))
SMALLER = {
    "07_las_vegas": ["8", "2000"],
    "15_hill_climbing": ["20"],
    "16_sideways_moves": ["8", "100"],
    "17_conflict_minimisation": ["1000"],
}
"""Arguments of those that take means over very many runs."""


def test_numbers_are_unique() -> None:
    numbers = [path.name[:2] for path in EXAMPLES]
    assert len(set(numbers)) == len(numbers) >= 3


ALONE = ("01_", "12_", "19_")
"""What runs in a process of its own: what everyone runs first, and what starts others."""
LONG = ("07_", "15_", "16_", "17_", "18_")
"""Reproductions of the classical texts, of which the lab's tests have each figure."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, id=p.stem, marks=[pytest.mark.slow] if p.stem.startswith(LONG) else [])
        for p in EXAMPLES
    ],
)
def test_example_runs(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(path), *SMALLER.get(path.stem, [])]
    if path.stem.startswith(ALONE):
        code, out, err = in_a_process(words)
    else:
        monkeypatch.setattr(sys, "argv", words)
        code = 0
        try:
            runpy.run_path(str(path), run_name="__main__")
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capsys.readouterr()
    assert code in accepted(path), err[-2000:]
    assert "Traceback" not in err
    assert len(out.splitlines()) >= 3


def in_a_process(words: list[str]) -> tuple[int, str, str]:
    """Run a program with the warnings of the tests; return its exit code and what it said."""
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    command = [sys.executable, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def accepted(path: Path) -> set[int]:
    """Return the exit codes that an example may have: those that show a disagreement return its code."""
    return {0, 12} if "lost" in path.stem or "historic" in path.stem else {0}
