"""MiniZinc's program: where it is, and which solvers it knows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from cpqueens.errors import MissingLibrary
from cpqueens.system.children import Patience

_PATIENCE = 20.0  # seconds of processor time for the list of solvers
OURS = "org.cpqueens."
_REMOVALS, _MOMENT = 20, 0.05  # of a folder in which a killed program still wrote; seconds between them


def program() -> str:
    """Return the path of MiniZinc's program.

    Raises
    ------
    MissingLibrary
        If there is none on the search path.
    """
    found = shutil.which("minizinc")
    if found is None:
        raise MissingLibrary(
            "solver 'minizinc' needs the program minizinc: install MiniZinc from https://www.minizinc.org"
        )
    return found


@cache
def solvers() -> dict[str, dict[str, Any]]:
    """Return by short name, such as ``gecode``, what MiniZinc says of each solver that it can run but us."""
    try:
        words = [program(), "--solvers-json"]
        listed = json.loads(_output(words))
    except (MissingLibrary, OSError, ValueError, subprocess.SubprocessError):
        return {}
    return {
        str(s["id"]).rpartition(".")[2]: s
        for s in listed
        if isinstance(s, dict) and s.get("executable") and not s.get("isGUIApplication")
        and not str(s.get("id", "")).startswith(OURS)
    }  # fmt: skip


def _output(words: list[str]) -> bytes:
    """Return what a program writes that ends within `_PATIENCE`."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        patience = Patience(_PATIENCE, process.pid)
        while True:
            try:
                return process.communicate(timeout=patience.remaining())[0]
            except subprocess.TimeoutExpired:
                if patience.is_over():
                    process.kill()
                    raise


@contextmanager
def folder() -> Iterator[str]:
    """Make a folder for a program's files, and remove it.

    A program that was killed on a busy machine may write once more while its files are removed: it is given a
    moment, and what is left then is no error of ours.
    """
    with tempfile.TemporaryDirectory(prefix="cpqueens-", ignore_cleanup_errors=True) as path:
        yield path
    for _ in range(_REMOVALS):
        if not Path(path).exists():
            break
        time.sleep(_MOMENT)
        shutil.rmtree(path, ignore_errors=True)


def writing_into(folder: str) -> dict[str, str]:
    """Return an environment in which a program has its temporary files there: killed, it removes none."""
    return {**os.environ, "TMPDIR": folder, "TEMP": folder, "TMP": folder}


def family(name: str | None) -> str:
    """Return what a solver is not independent of: OR-Tools' is that of ``cpsat``."""
    told = solvers().get(name or "", {})
    text = f"{told.get('id', '')} {told.get('name', '')} {name}".lower()
    ours = any(word in text for word in ("or-tools", "ortools", "cp-sat", "cpsat"))
    return "cpsat" if ours else name or "minizinc"
