"""What is installed: every package of the tree, no top-level name but cpqueens, and problems with it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import cpqueens

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_package_is_listed(project: dict[str, object]) -> None:
    listed = set(project["tool"]["setuptools"]["packages"])  # type: ignore[index]
    found = {
        ".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "cpqueens").rglob("__init__.py")
    }
    assert listed == found | {"cpqueens.models"}


def test_only_agreed_folders_at_the_top() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("not a git checkout")
    folders = {line.split("/")[0] for line in tracked.stdout.splitlines() if "/" in line}
    assert {f for f in folders if not f.startswith(".")} == {"cpqueens", "models", "tests", "examples"}


def test_wheel_holds_cpqueens_only(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("cpqueens", "models"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    code = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=tree, check=True, capture_output=True, timeout=300
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert top == {"cpqueens"}
    problems = {f"cpqueens/models/{path.name}" for path in (ROOT / "models").glob("*.py")}
    assert problems <= set(names)
    assert "cpqueens/py.typed" in names


def test_public_names_are_there_and_sorted() -> None:
    assert cpqueens.__all__ == sorted(cpqueens.__all__, key=lambda name: (not name.isupper(), name))
    for name in cpqueens.__all__:
        assert getattr(cpqueens, name) is not None
