"""Kernels where no folder can hold Numba's cache: a read-only installation and no home directory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import cpqueens

PROGRAM = """
import numpy as np
import cpqueens
from cpqueens import AllDifferent, Model
from cpqueens.kernels.bitmask import search_queens
m = Model()
q = m.intvar(0, 7, shape=8, name="q")
m += [AllDifferent(q), AllDifferent(q + np.arange(8)), AllDifferent(q - np.arange(8))]
print(cpqueens.__file__)
print(m.count(solver="backtracking:bitmask"))
print(type(search_queens._cache).__name__, len(search_queens.signatures))
"""


def test_kernels_work_without_any_cache(tmp_path: Path) -> None:
    """Files stand where the cache folders would be made, which stops the superuser too."""
    package = tmp_path / "cpqueens"
    shutil.copytree(
        Path(cpqueens.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "*.nb?")
    )
    for folder in [package, *(p for p in package.rglob("*") if p.is_dir())]:
        (folder / "__pycache__").write_text("no folder")
    (tmp_path / "cache").write_text("no folder")
    gone = ("HOME", "NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "PYTHONSTARTUP")
    environment = {k: v for k, v in os.environ.items() if k not in gone}
    environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache" / "x"), "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM], env=environment, capture_output=True, text=True, cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    file, count, cache = ended.stdout.splitlines()
    assert Path(file).is_relative_to(tmp_path)
    assert count == "92"
    assert cache == "NullCache 1"  # compiled in this process, kept nowhere
    assert not [p for p in tmp_path.rglob("*") if p.suffix in (".nbi", ".nbc", ".lock")]
