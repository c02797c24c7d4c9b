"""A mutant: one text within one function, replaced by another; found by name, wherever the function is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "cpqueens"


class DoesNotApply(Exception):  # noqa: N818
    """The function is not found exactly once, or the text not exactly once in it."""


@dataclass(frozen=True)
class Mutant:
    """One fault to be planted.

    Parameters
    ----------
    name
        What is wrong then, in a few words; unique.
    function
        ``function``, ``Class.method``, ``Class`` or a table at the top of a module, found by the end of its
        dotted name: ``check.Checker.accepts`` is one, too.
    text, replacement
        The text must occur exactly once in the function.
    tests
        The nearest tests; those of the area if none are named.
    equivalent
        Why nobody can notice it. Such a mutant must survive.
    hangs
        It may wait for ever, which takes no processor time: running out of time kills it. (A search that
        goes on for ever is noticed without this: it takes far more of that than without the fault.)
    """

    name: str
    function: str
    text: str
    replacement: str
    tests: tuple[str, ...] = ()
    equivalent: str = ""
    hangs: bool = False


@dataclass(frozen=True)
class Area:
    """A part of the package: its mutants, the tests next to it, and the solvers that are fuzzed for it."""

    name: str
    mutants: tuple[Mutant, ...]
    tests: tuple[str, ...]
    solvers: str = "backtracking,cpsat,python-constraint"
    plain: bool = False
    """Kernels run as plain Python: what is compiled and cached is not mutated."""


@dataclass(frozen=True)
class Place:
    """Where a function stands."""

    module: str
    path: Path
    first: int  # line numbers from 1
    last: int


@dataclass(frozen=True)
class Mutated:
    """A whole module with the fault in it."""

    module: str
    source: str
    body: str  # of the function alone


def apply(mutant: Mutant) -> Mutated:
    """Return the mutated module.

    Raises
    ------
    DoesNotApply
        Saying what was found instead of one place.
    """
    place = find(mutant.function)
    lines = place.path.read_text(encoding="utf-8").splitlines(keepends=True)
    body = "".join(lines[place.first - 1 : place.last])
    times = body.count(mutant.text)
    if times != 1:
        raise DoesNotApply(f"{mutant.name}: {mutant.function} in {place.module} has the text {times} times")
    changed = body.replace(mutant.text, mutant.replacement)
    source = "".join([*lines[: place.first - 1], changed, *lines[place.last :]])
    return Mutated(place.module, source, changed)


def find(function: str) -> Place:
    """Return the one place whose dotted name ends so."""
    wanted = function.split(".")
    found = [place for name, place in _places().get(wanted[-1], ()) if name[-len(wanted) :] == wanted]
    if len(found) != 1:
        where = ", ".join(sorted(place.module for place in found)) or "nowhere"
        raise DoesNotApply(f"{function} is found in {len(found)} places: {where}")
    return found[0]


@cache
def _places() -> dict[str, list[tuple[list[str], Place]]]:
    """Return the dotted name, as a list, and the place of everything that has a name, by its last part."""
    found: dict[str, list[tuple[list[str], Place]]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, node in _named(tree):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            assert node.end_lineno is not None
            whole = [*module.split("."), *name]
            found.setdefault(name[-1], []).append((whole, Place(module, path, first, node.end_lineno)))
    return found


def _named(tree: ast.Module) -> Iterator[tuple[list[str], ast.stmt]]:
    """Yield functions, classes, methods and tables of a module with their names."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield [node.name], node
        if isinstance(node, ast.ClassDef):
            methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
            yield from (([node.name, method.name], method) for method in methods)
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        yield from (([t.id], node) for t in targets if isinstance(t, ast.Name))
