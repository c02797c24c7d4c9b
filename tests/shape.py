"""How large the package is, and how far three questions travel through it: ``python tests/shape.py``.

Measured are code lines (without blank lines, comments and docstrings) and tokens, files, import lines and the
longest file of ``cpqueens/``, and for three questions the files and functions that are passed on the way from
the call to the answer. The calls are warm: another instance was solved before, the model is made anew, and
nothing is kept of it. `CEILINGS` may not be passed (``tests/test_shape.py``); `GOALS` are where they are to
go. What a larger feature may add stands in `ALLOWANCES`. To raise a number, say why in the commit.
"""

from __future__ import annotations

import ast
import io
import os
import sys
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[1] / "cpqueens"

CEILINGS = {
    "code lines": 69_905,
    "files": 478,
    "import lines": 5_417,
    "longest file": 497,
    "sudoku by backtracking, files": 40,
    "sudoku by backtracking, functions": 278,
    "knapsack by local-search, files": 44,
    "knapsack by local-search, functions": 276,
    "cross-check of 8 queens, files": 72,
    "cross-check of 8 queens, functions": 528,
}
"""What must not be passed today."""

GOALS = {
    "code lines": 52_000,
    "files": 480,
    "import lines": 4_500,
    "longest file": 500,
    "sudoku by backtracking, files": 40,
    "sudoku by backtracking, functions": 300,
    "knapsack by local-search, files": 40,
    "knapsack by local-search, functions": 260,
    "cross-check of 8 queens, files": 70,
    "cross-check of 8 queens, functions": 450,
}
"""Where the ceilings are to go."""

ALLOWANCES = {
    "learning and bounds": 3_200,
    "proofs and export": 1_600,
    "provers": 300,
    "questions": 2_620,
    "MiniZinc": 400,
}
"""Code lines that features may add to the goal."""

PLACES = {
    "proofs and export": ("proofs", "backends/proving", "solving/proving.py", "cli/check_proof.py"),
    "provers": ("backends/cpmpy/backend.py", "backends/cpmpy/serving.py", "backends/cpmpy/solvers.py"),
}
"""Where some of them are; what provers add is beside ``to_cpmpy``, which models are exported with."""

_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True)
class Text:
    """What a file contains: code lines, lines of import statements, lines in all."""

    lines: int
    imports: int
    whole: int


def text_of(source: str) -> Text:
    """Return the measures of one file's text."""
    written = source.splitlines()
    code = {k for k, line in enumerate(written, 1) if line.strip() and not line.lstrip().startswith("#")}
    said: set[int] = set()
    imports = 0
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports += len(_lines(node))
        elif isinstance(node, ast.JoinedStr | ast.Constant) and node.end_lineno != node.lineno:
            code.update(_lines(node))  # blank lines of a string, too
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            said.update(*(_lines(one) for one in node.body if _is_said(one)))
    return Text(len(code - said), imports, len(written))


def _lines(node: ast.stmt | ast.expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _is_said(node: ast.stmt) -> bool:
    """Say whether a statement is a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def tokens_of(source: str) -> int:
    """Return the tokens of a file's code; its docstrings are a few more."""
    return sum(t.type not in _NO_CODE for t in tokenize.generate_tokens(io.StringIO(source).readline))


@dataclass(frozen=True)
class Way:
    """The files and functions of the package that a call enters."""

    files: frozenset[str]
    functions: frozenset[tuple[str, int]]


def way_of(call: Callable[[], object]) -> Way:
    """Return what a call passes, in this thread and those that it starts."""
    import threading

    seen: set[tuple[str, int]] = set()

    def look(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOT)):
            seen.add((code.co_filename, code.co_firstlineno))

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return Way(frozenset(file for file, _ in seen), frozenset(seen))


def _sudoku(given: str) -> Callable[[], object]:
    from cpqueens.models.sudoku import sudoku

    model = sudoku(given)
    return lambda: model.solve(solver="backtracking")


def _knapsack(shift: int) -> Callable[[], object]:
    from cpqueens import Model

    m = Model("knapsack")
    x = m.boolvar(shape=12, name="x")
    weights, profits = ([(k * step + shift) % 23 + 3 for k in range(12)] for step in (7, 11))
    m.add((x * weights).sum() <= 60)
    m.maximize((x * profits).sum())
    return lambda: m.solve(solver="local-search", step_limit=300, random_seed=0)


def _cross_check(n: int) -> Callable[[], object]:
    from cpqueens.models.queens import queens

    from cpqueens import cross_check

    solvers = ["cpsat", "python-constraint", "backtracking", "local-search"]
    model = queens(n)
    return lambda: cross_check(model, solvers)


def ways() -> dict[str, Way]:
    """Return the way of each question, after another instance has gone it."""
    from cpqueens.models.sudoku import EXAMPLE, ROYLE

    questions = {
        "sudoku by backtracking": (_sudoku(ROYLE[0]), _sudoku(EXAMPLE)),
        "knapsack by local-search": (_knapsack(1), _knapsack(2)),
        "cross-check of 8 queens": (_cross_check(7), _cross_check(8)),
    }
    found = {}
    for name, (before, question) in questions.items():
        before()
        found[name] = way_of(question)
    return found


def lines_at(places: tuple[str, ...]) -> int:
    """Return the code lines of some files and folders."""
    paths = [ROOT / place for place in places]
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))]
    return sum(text_of(file.read_text(encoding="utf-8")).lines for file in files)


def sources() -> list[str]:
    """Return the texts of all files."""
    return [path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))]


def measured() -> dict[str, int]:
    """Return all measures by name that have a ceiling."""
    texts = [text_of(source) for source in sources()]
    found = {
        "code lines": sum(text.lines for text in texts),
        "files": len(texts),
        "import lines": sum(text.imports for text in texts),
        "longest file": max(text.whole for text in texts),
    }
    for name, way in ways().items():
        found[f"{name}, files"], found[f"{name}, functions"] = len(way.files), len(way.functions)
    return found


def main() -> int:
    """Print the measures beside their ceilings and goals; 1 if one is passed."""
    os.environ.setdefault(
        "CPQUEENS_KERNELS", "compiled"
    )  # as in the tests: plain kernels are files of their own
    sys.path.insert(0, str(ROOT.parent))  # this copy of the package is measured, whatever is installed
    found = measured()
    print(f"{'':42}{'now':>10}{'ceiling':>10}{'goal':>10}")
    for name, value in found.items():
        ceiling, goal = CEILINGS.get(name, ""), GOALS.get(name, "")
        print(f"{name:42}{value:10,}{ceiling:>10}{goal:>10}")
    print(f"{'tokens, docstrings among them':42}{sum(map(tokens_of, sources())):10,}")
    print(f"allowed beside the goal of code lines: {ALLOWANCES}")
    for name, places in PLACES.items():
        print(f"{name:42}{lines_at(places):10,}{'':10}{ALLOWANCES[name]:10,}")
    return int(any(found[name] > ceiling for name, ceiling in CEILINGS.items()))


if __name__ == "__main__":
    raise SystemExit(main())
