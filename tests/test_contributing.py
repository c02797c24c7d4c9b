"""CONTRIBUTING's table "to add ..." taken at its word: one of each is added to a copy, which is then tested.

Everything that is added is called zebra (`tests/additions/`), so that `-k zebra` selects what it inherits.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ADDITIONS = Path(__file__).parent / "additions"
NAMES = {"<name>": "zebra", "<number>": "99"}


@dataclass(frozen=True)
class Line:
    """A line of a table in a file, and what stands above the table for its sake."""

    entry: str
    above: str = ""


@dataclass(frozen=True)
class Addition:
    """The texts of new files, the lines for tables and the tests that must pick them up.

    Files and lines come in the order in which CONTRIBUTING's row names their places. ``suites`` are files or
    folders of tests with the least number of tests there that are about the addition, by name or by a case.
    """

    files: tuple[str, ...]
    lines: tuple[Line, ...]
    suites: dict[str, int]


def text(name: str) -> str:
    """Return one of the texts that are added."""
    return (ADDITIONS / f"{name}.txt").read_text(encoding="utf-8")


STRATEGIES = ROOT / "cpqueens/backends/local_search"


def like_jump() -> str:
    """Return the line of a strategy that is registered as jump is."""
    lines = (STRATEGIES / "strategies.py").read_text(encoding="utf-8").splitlines()
    return next(line.strip() for line in lines if '"jump"' in line).replace("jump", "zebra")


ADDED = {
    "a constraint kind": Addition(
        (text("constraint"),),
        (
            Line(
                '"Zebra": lambda c, terms: '
                "_each(lambda row: all(a != b for a, b in itertools.pairwise(row)))(terms),"
            ),
            Line('"Zebra": "zebra",'),
            Line('"Zebra",', "from cpqueens.language.constraints.zebra import Zebra\n"),
        ),
        {
            "tests/language/constraints/test_kinds.py": 8,
            "tests/files/test_modelfile.py": 4,
            "cpqueens/language/constraints/zebra.py": 1,
        },
    ),
    "a definition": Addition(
        (),
        (
            Line("Zebra,", text("definition") + "\n\n"),
            Line('"zebra": _total(lambda x: (x > 0).astype(object) - (x < 0).astype(object)),'),
        ),
        {"tests/language/test_definitions.py": 10},
    ),
    "a backend": Addition(
        (text("backend"),),
        (Line('"zebra": "cpqueens.backends.zebra:Zebra",'),),
        {"tests/backends/test_conformance.py": 18, "tests/solving/test_solve.py": 20},
    ),
    "a local-search strategy": Addition(
        ((STRATEGIES / "jump.py").read_text(encoding="utf-8"),),
        (Line(like_jump()),),
        {
            "tests/backends/local_search/test_random_models.py": 1,
            "tests/backends/local_search/test_endings.py": 3,
        },
    ),
    "a problem": Addition(
        (text("problem"), text("problem_tests")),
        (),
        {"tests/models": 5, "tests/report/test_draw.py": 1},
    ),
    "a verb of the command line": Addition(
        (text("verb"),),
        (Line('"zebra": "Count the stripes.",'),),
        {"tests/cli/test_verbs.py": 1},
    ),
    "an example": Addition((text("example"),), (), {"tests/test_examples.py": 1}),
}
REGISTRIES = {  # tests of tables as a whole, which must accept what is new
    "test_registry_and_directory_agree": "tests/language/constraints/test_kinds.py",
    "test_every_kind_is_covered": "tests/language/test_definitions.py",
    "test_every_file_is_in_the_catalogue_and_has_a_test": "tests/models/test_every_problem.py",
    "test_every_file_with_a_command_is_registered": "tests/cli/test_verbs.py",
    "test_no_files_import_each_other_in_a_circle": "tests/test_layout.py",
}


def rows() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield what can be added, and the places that its row names: paths, each with the table in it if any."""
    for line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines():
        what, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith(("| a ", "| an ")):
            yield what, re.findall(r"`([\w/<>.]+\.py)`(?: \(`(\w+)`\))?", " ".join(cells))


ROWS = dict(rows())


def register(path: Path, table: str, line: Line) -> None:
    """Write a line into a table: a dict, list or tuple, or what a comprehension runs over."""
    source = path.read_text(encoding="utf-8")
    (node,) = [
        statement
        for statement in ast.parse(source).body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        and table
        in ast.unparse(statement.targets[0] if isinstance(statement, ast.Assign) else statement.target)
    ]
    container = node.value
    if isinstance(container, ast.DictComp):
        container = container.generators[0].iter
    assert container is not None
    lines = source.splitlines(keepends=True)
    lines.insert(container.lineno, f"    {line.entry}\n")
    lines.insert(node.lineno - 1, line.above)
    path.write_text("".join(lines), encoding="utf-8")


def add(root: Path, addition: Addition, places: list[tuple[str, str]]) -> None:
    """Write the files of an addition and its lines where its row says."""
    new = [path for path, _ in places if "<" in path]
    for path, content in zip(new, addition.files, strict=True):
        for placeholder, name in NAMES.items():
            path = path.replace(placeholder, name)
        assert not (root / path).exists(), path
        (root / path).write_text(content, encoding="utf-8")
    tables = [(path, table) for path, table in places if table]
    for (path, table), line in zip(tables, addition.lines, strict=True):
        register(root / path, table, line)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project to which everything is added."""
    root = tmp_path_factory.mktemp("contributed")
    unneeded = shutil.ignore_patterns("*.kernel", "benchmarks", "mutants")  # bytecode goes with its text
    for name in ("cpqueens", "models", "tests", "examples"):
        shutil.copytree(ROOT / name, root / name, ignore=unneeded)
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "cpqueens" / "models").symlink_to(root / "models")  # as it is installed
    for what, places in ROWS.items():
        add(root, ADDED[what], places)
    return root


def passed(root: Path) -> list[str]:
    """Run the tests of the copy that are about what was added, uncompiled; return those that passed."""
    suites = {suite for addition in ADDED.values() for suite in addition.suites} | {*REGISTRIES.values()}
    chosen = f"({' or '.join(['zebra', *REGISTRIES])}) and not models.zebra"  # which is a link in the copy
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-rA",
            "-p",
            "no:cacheprovider",
            "-k",
            chosen,
            *sorted(suites),
        ],
        cwd=root,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return re.findall(r"^PASSED (\S+)", done.stdout, re.MULTILINE)


def test_the_table_is_the_one_that_is_tested() -> None:
    assert set(ROWS) == set(ADDED)


@pytest.mark.slow
def test_what_is_added_passes_the_tests_that_it_inherits(copy: Path) -> None:
    found = passed(copy)
    for addition in ADDED.values():
        for suite, least in addition.suites.items():
            about = {
                test for test in found if test.startswith(suite) and test.split("::")[-1] not in REGISTRIES
            }
            assert len(about) >= least, (suite, about)
    for name, suite in REGISTRIES.items():
        assert f"{suite}::{name}" in found
