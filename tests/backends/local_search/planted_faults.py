"""Run audited searches with one line of a kernel changed at a time; print what the audit said as JSON."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from cpqueens.models.costas_array import costas_array
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens

from cpqueens import Model
from cpqueens.fuzzing.generate import random_model

sys.path.insert(0, str(Path(__file__).parent))

from searched import mixed, products, run

PLAIN, APPLY, ROWS = "local.plain", "local.apply", "local.rows"
DEEP, STEP = "local.deep", "local.state"
FAULTS = [
    (PLAIN, "- (k2 == k1)", ""),
    (PLAIN, "- (k3 == k1) - (k3 == k2)", ""),
    (PLAIN, "+ (k4 == k3)", ""),
    (PLAIN, "(n4 > 0) - (n1 > 1)", "(n4 > 0) + (n1 > 1)"),
    (PLAIN, "(a - b) * (xj - xi)", "(a - b) * (xi - xj)"),
    (PLAIN, "return min(abs(activity), FARTHEST)", "return min(activity, FARTHEST)"),
    (PLAIN, "return 1 if activity == 0 else 0", "return 1 if activity != 0 else 0"),
    (APPLY, "arena[counts + new] = met + 1", "arena[counts + new] = met"),
    (APPLY, "arena[sums + old] -= occupant", "pass"),
    (APPLY, "arena[sums + new] += occupant", "pass"),
    (APPLY, "if left == 1:", "if left == 2:"),
    (APPLY, "arena[here] += a * (new - old)", "arena[here] += new - old"),
    (APPLY, "arena[arena[parts.POSITION] + last] = arena[at]", "pass"),
    (APPLY, "arena[at] = -1", "pass"),
    (ROWS, "c -= old[b] == k", "pass"),
    (ROWS, "c += new[b] == k", "pass"),
    (ROWS, "terms[t + COUNTER] = k\n", "pass\n"),
    (ROWS, "terms[t + VALUE] = value\n", "pass\n"),
    (ROWS, "if met == 1:", "if met == 2:"),
    (DEEP, "return abs(a)", "return a"),
    (DEEP, "if (b < a) == (kind == kinds.MINIMUM):", "if b < a:"),
    (DEEP, "arena[new] += 1\n", "pass\n"),
    (DEEP, "change = table_mismatches(c, deep) -", "change = table_mismatches(c, deep) +"),
    (DEEP, "arena[arena[parts.ACTIVITY] + c] -= change", "arena[arena[parts.ACTIVITY] + c] += change"),
    (DEEP, "deep.terms[f] = old + step", "pass"),
    (DEEP, "commit_definitions(v, deep)", "pass"),
    (DEEP, "arena[here] = activity\n", "pass\n"),
    (STEP, "info[at.COST] += change\n", "pass\n"),
]


class Planter(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from changed source."""

    def __init__(self, name: str, old: str, new: str) -> None:
        self.name, self.old, self.new = f"cpqueens.kernels.{name}", old, new

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if name != self.name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        assert spec is not None
        spec.loader, self.origin = self, spec.origin
        return spec

    def exec_module(self, module: ModuleType) -> None:
        source = Path(self.origin or "").read_text()
        assert self.old in source, f"{self.name}: {self.old!r} is not there any more"
        exec(compile(source.replace(self.old, self.new), self.origin or "", "exec"), module.__dict__)


def searches() -> Iterator[tuple[Model, str, str]]:
    """Yield models that together reach every layer, each with its strategy and measure, one when asked for.

    Most faults are caught by one of the first, and drawing random models costs more than searching them.
    """
    yield queens(6), "min-conflicts", "surplus"
    yield magic_square(3), "tabu", "surplus"
    yield costas_array(6), "tabu", "surplus"
    yield costas_array(6), "annealing", "pairs"
    yield queens(5), "annealing", "pairs"
    yield from ((queens(7 + s), "annealing", "surplus") for s in range(4))
    yield from ((make(n), "annealing", "surplus") for make in (mixed, products) for n in (5, 6, 7, 8))
    yield from (
        (costas_array(n), strategy, "surplus") for n in (8, 10, 12) for strategy in ("annealing", "tabu")
    )
    yield from ((random_model(s, kinds=["Table"], contexts=["plain"]), "jump", "surplus") for s in range(20))
    yield from ((random_model(s), ("jump", "annealing", "tabu")[s % 3], "surplus") for s in range(90))


def audited() -> str:
    """Run searches that reach every layer; return the first complaint of the audit, or nothing."""
    for name in [
        m for m in sys.modules if m.startswith(("cpqueens.kernels.local", "cpqueens.backends.local_search"))
    ]:
        package, _, child = name.rpartition(".")
        if hasattr(sys.modules.get(package), child):  # else `from package import child` finds the old one
            delattr(sys.modules[package], child)
        del sys.modules[name]
    from cpqueens.backends.local_search.audit import AuditError

    for number, (model, strategy, measure) in enumerate(searches()):
        options = {"measure": measure} if strategy == "annealing" else {}
        try:
            run(model, strategy, number, 25, audit="full", **options)
        except (AuditError, IndexError, RecursionError) as error:
            return f"{type(error).__name__}: {error}"
    return ""


def main() -> None:
    """Print a message per fault, an empty one where it went unnoticed."""
    found = {"clean": audited()}
    for module, old, new in FAULTS:
        planter = Planter(module, old, new)
        sys.meta_path.insert(0, planter)
        try:
            found[f"{module}: {old} -> {new}"] = audited()
        finally:
            sys.meta_path.remove(planter)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
