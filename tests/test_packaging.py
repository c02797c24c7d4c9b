"""What is installed and shipped: every package, no top-level name but cpqueens; every file; versions."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import cpqueens
from cpqueens.system.requirements import parse_requirement

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


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    """The files of the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def test_only_agreed_folders_at_the_top(tracked: list[str]) -> None:
    folders = {line.split("/")[0] for line in tracked if "/" in line}
    assert {f for f in folders if not f.startswith(".")} == {
        "cpqueens",
        "docs",
        "models",
        "tests",
        "examples",
    }


def build(kind: str, tree: Path, where: Path) -> Path:
    """Build a wheel or an sdist of a tree, as an installer does; return the file."""
    where.mkdir()
    code = f"import sys; from setuptools import build_meta; build_meta.build_{kind}(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(where)],
        cwd=tree,
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert "is absent from the `packages` configuration" not in done.stderr + done.stdout
    (built,) = where.iterdir()
    return built


def test_wheel_holds_cpqueens_only(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("cpqueens", "models"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    names = zipfile.ZipFile(build("wheel", tree, tmp_path / "wheel")).namelist()
    top = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert top == {"cpqueens"}
    problems = {f"cpqueens/models/{path.name}" for path in (ROOT / "models").glob("*.py")}
    assert problems <= set(names)
    library = {
        f"cpqueens/exchange/mznlib/{p.name}" for p in (ROOT / "cpqueens/exchange/mznlib").glob("*.mzn")
    }
    assert library
    pages = {f"cpqueens/report/{name}.html" for name in ("page", "problems", "replay")}
    assert library | pages <= set(names)
    assert "cpqueens/py.typed" in names


def test_sdist_holds_every_file_of_the_repository(tracked: list[str], tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in tracked:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    left = tree / "tests" / "__pycache__" / "left.cpython-311.pyc"  # what a working copy has lying about
    left.parent.mkdir()
    left.write_bytes(b"")
    with tarfile.open(build("sdist", tree, tmp_path / "sdist")) as archive:
        names = {m.name.partition("/")[2] for m in archive.getmembers() if m.isfile()}
    written = {name for name in names if name in ("PKG-INFO", "setup.cfg") or ".egg-info/" in name}
    assert names - written == set(tracked)


# ---- versions and libraries -----------------------------------------------------------------------------


def stated(project: dict[str, object]) -> dict[str, str]:
    """Return the lowest version of each library that the package or its tests ask for."""
    lines = [*project["project"]["dependencies"], *project["dependency-groups"]["test"]]  # type: ignore[index]
    return {r.name: r.needed for r in map(parse_requirement, lines)}


def test_lowest_versions_are_the_floors(project: dict[str, object]) -> None:
    text = (ROOT / "tests" / "lowest.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w-]+)==(.+)$", text, re.M))
    assert {name: version.removesuffix(".*") for name, version in pinned.items()} == stated(project)


def test_every_floor_is_met_here(project: dict[str, object]) -> None:
    from importlib.metadata import version

    def numbers(text: str) -> list[int]:
        return [int(part) for part in re.findall(r"\d+", text)]

    for name, needed in stated(project).items():
        assert needed, name
        assert numbers(version(name)) >= numbers(needed), name


MODULES = {"python-constraint2": "constraint"}
"""Modules that are not called as the library that has them."""

BESIDE = {"llvmlite", "hypothesis", "pumpkin_solver"}
"""Numba's own compiler, of the version that it asks for; and what `cpqueens.testing` draws models with, for
those who test a backend of theirs."""


def test_libraries_asked_for_are_those_imported(project: dict[str, object]) -> None:
    """No library without code behind it, in an extra or not, and none used without being asked for."""
    table = project["project"]
    lines = [*table["dependencies"]]  # type: ignore[index]
    for name, extra in table.get("optional-dependencies", {}).items():  # type: ignore[attr-defined]
        assert extra, name
        lines += [line for line in extra if not line.startswith("cpqueens[")]
    asked = {MODULES.get(r.name, r.name) for r in map(parse_requirement, lines)}
    own = {"cpqueens", *sys.stdlib_module_names}
    files = [*(ROOT / "cpqueens").rglob("*.py"), *(ROOT / "models").rglob("*.py")]
    used = {name for path in files for name in imported(path)} - own
    assert used - asked == BESIDE
    assert asked <= used


def imported(path: Path) -> set[str]:
    """Return the top-level modules that a file imports anywhere, or asks for by `need`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "need":
            found |= {a.value.split(".")[0] for a in node.args[1:] if isinstance(a, ast.Constant)}
    return found


def test_public_names_are_there_and_sorted() -> None:
    assert cpqueens.__all__ == sorted(cpqueens.__all__, key=lambda name: (not name.isupper(), name))
    for name in cpqueens.__all__:
        assert getattr(cpqueens, name) is not None
