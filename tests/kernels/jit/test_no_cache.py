"""Kernels where no folder of ours can be written, and where no process can be started."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import cpqueens
from cpqueens.kernels.jit import cache

PROGRAM = """
import sys
import cpqueens
from cpqueens.kernels.jit import cache
from cpqueens.kernels.jit import cache
from cpqueens.models.queens import queens
{first}
print(cpqueens.__file__)
print(queens(8).count(solver="backtracking:bitmask"))
print(cache.folder())
print("numba" in sys.modules)
"""


@pytest.mark.parametrize(
    ("first", "here"), [pytest.param("", "False", marks=pytest.mark.slow), ("sys.executable = ''", "True")]
)
def test_kernels_work_without_a_cache_of_ours(tmp_path: Path, first: str, here: str) -> None:
    """Files stand where the cache folders would be made, which stops the superuser too."""
    ended = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM.format(first=first)],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ended.returncode == 0, ended.stderr
    file, count, folder, compiled_here = ended.stdout.splitlines()
    assert Path(file).is_relative_to(tmp_path)
    assert count == "92"
    assert Path(folder).parent == tmp_path / "temporary"
    assert not Path(folder).exists()  # any more
    assert compiled_here == here
    assert not list(tmp_path.rglob("*.kernel"))


def environment(folder: Path) -> dict[str, str]:
    """Copy the package and return an environment in which it can only write temporary files."""
    package, source = folder / "cpqueens", Path(cpqueens.__file__).parent
    made = shutil.ignore_patterns("__pycache__", "*.kernel")
    shutil.copytree(source, package, ignore=made)
    shutil.copytree(source.parent / "models", package / "models", ignore=made)
    for inner in [package, *(p for p in package.rglob("*") if p.is_dir())]:
        (inner / "__pycache__").write_text("no folder")
    (folder / "cache").write_text("no folder")
    (folder / "temporary").mkdir()
    gone = ("HOME", "NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "PYTHONSTARTUP")
    kept = {k: v for k, v in os.environ.items() if k not in gone}
    return kept | {
        "XDG_CACHE_HOME": str(folder / "cache" / "x"),
        "PYTHONPATH": str(folder),
        "TMPDIR": str(folder / "temporary"),
        "CPQUEENS_KERNELS": "compiled",
    }


@pytest.mark.parametrize("package", ["numba", "llvmlite", "nobody_has_made_it"])
def test_versions_are_those_of_the_installed_packages(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read from the package's own file, or asked of its metadata where there is none, or another one."""
    if package in ("numba", "llvmlite"):
        assert cache._version(package) == version(package)
        return
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PackageNotFoundError):
        cache._version(package)
    (tmp_path / package).mkdir()
    (tmp_path / package / "_version.py").write_text("commit = 'abc'\n", encoding="utf-8")
    with pytest.raises(PackageNotFoundError):
        cache._version(package)
