"""The plan of the package: each folder imports only what lies below it, and no files import in a circle."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import cpqueens

ROOT = Path(cpqueens.__file__).parent

# From the ground up. Imports inside functions and for types alone count like all others.
LEVELS = (
    "errors",
    "system",
    "text",
    "kernels",
    "language",
    "answers",
    "proofs",
    "lowered",
    "backends",
    "report",
    "solving",
    "model",
    "files",
    "exchange",
    "problems",
    "puzzles",
    "longrun",
    "crosscheck",
    "fuzzing",
    "lab",
    "testing",
    "cli",
)
FLAT = {"__init__.py", "__main__.py", "errors.py", "model.py", "testing.py"}


def module_of(path: Path) -> str:
    parts = ("cpqueens", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(path): path for path in sorted(ROOT.rglob("*.py"))}


def importing(module: str) -> Iterator[str]:
    """Yield every module of the package that a file imports, wherever the import stands.

    ``from package import module`` runs the package's ``__init__`` too, so it counts as an import of both.
    """
    for node in ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8"))):
        named: list[str] = []
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative imports hide where they lead"
            named = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in named:
            while name and name not in FILES:
                name = name.rpartition(".")[0]
            if name and name != module:
                yield name


@cache
def imports(module: str) -> frozenset[str]:
    return frozenset(importing(module))


def level_of(module: str) -> int:
    return LEVELS.index(module.split(".")[1])


def test_only_agreed_files_lie_flat() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == FLAT


def test_every_folder_has_its_level_and_says_what_lives_there() -> None:
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert folders == {level for level in LEVELS if f"{level}.py" not in FLAT}
    for folder in folders:
        assert ast.get_docstring(ast.parse((ROOT / folder / "__init__.py").read_text(encoding="utf-8"))), (
            folder
        )


def test_files_import_only_what_lies_below_their_folder() -> None:
    modules = [m for m in FILES if m.count(".") and m != "cpqueens.__main__"]
    above = {m: {i for i in imports(m) if i != "cpqueens" and level_of(i) > level_of(m)} for m in modules}
    assert {module: sorted(found) for module, found in above.items() if found} == {}
    assert len(modules) > 300


def test_no_files_import_each_other_in_a_circle() -> None:
    graph = {module: imports(module) - {"cpqueens"} for module in FILES if module != "cpqueens"}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"imports go round: {' -> '.join(error.args[1])}")


def test_test_modules_have_names_of_their_own() -> None:
    """Folders of tests are no packages: pytest imports modules by their names alone."""
    names = Counter(path.name for path in Path(__file__).parent.rglob("*.py") if path.name != "__init__.py")
    assert [name for name, number in names.items() if number > 1 and name.startswith("test_")] == []
