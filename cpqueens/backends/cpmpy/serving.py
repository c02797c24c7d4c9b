"""The process in which a solver of CPMpy works: it takes models, one after another, and sends solutions."""

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from cpqueens.backends.cpmpy.to_cpmpy import to_cpmpy
from cpqueens.errors import UnsupportedConstraint
from cpqueens.language.statement import Statement
from cpqueens.system.children import be_silent

_BATCH, _EVERY = 1024, 0.05  # solutions, seconds


def serve(connection: Any, solver: str) -> None:
    """Answer questions ``(statement, what is wanted, whether it may vary)`` until nobody asks any more."""
    answer_all(connection, lambda *question: _answer(connection, solver, *question))


def answer_all(connection: Any, answer: Callable[..., tuple[Any, ...]]) -> None:
    """Answer questions until nobody asks any more.

    Before an answer any number of ``("rows", matrix)`` may be sent; an answer is
    ``("ended", exhausted, objective)``, ``("unsupported", why)`` or ``("failed", why)``.
    """
    warnings.simplefilter("ignore")
    be_silent()  # solvers print, and panic
    while True:
        try:
            question = connection.recv()
        except (EOFError, ConnectionError, KeyboardInterrupt):
            return
        try:
            said = answer(*question)
        except MemoryError:
            raise
        except UnsupportedConstraint as error:
            said = "unsupported", str(error)
        except NotImplementedError as error:
            said = "unsupported", f"{type(error).__name__}: {error}"
        except BaseException as error:  # panics of Rust are none of Python's exceptions
            said = "failed", f"{type(error).__name__}: {error}"
        connection.send(said)


def _answer(connection: Any, solver: str, statement: Statement, wanted: str, varies: bool) -> tuple[Any, ...]:
    from cpmpy.solvers.utils import SolverLookup

    if solver == "z3" and "z3.z3" in sys.modules:  # what it has seen before would change its answers
        sys.modules["z3.z3"].__dict__["_main_ctx"] = None
    options = {"num_search_workers": 1} if solver == "ortools" and not varies else {}
    try:
        written = to_cpmpy(statement, objective=wanted == "best")
        variables = list(written.variables.values())
        there = SolverLookup.get(solver, written.model)
    except MemoryError:
        raise
    except Exception as error:
        raise UnsupportedConstraint(f"{type(error).__name__}: {error}") from None
    return _Solving(connection, there, variables, statement).run(wanted, options)


class _Solving:
    """One run of a solver."""

    def __init__(self, connection: Any, there: Any, variables: list[Any], statement: Statement) -> None:
        self._connection, self._there, self._variables = connection, there, variables
        self._objective: Any = statement.objective
        self._lower = statement.lower[statement.decisions].tolist()
        self._rows: list[list[int]] = []
        self._sent = time.monotonic()

    def run(self, wanted: str, options: dict[str, Any]) -> tuple[Any, ...]:
        """Solve, and return how it ended."""
        if wanted == "all" and self._variables:  # of nothing it shows none
            self._there.solveAll(display=self._take, **options)
        elif self._there.solve(**options):
            self._take()
        self._send()
        status = self._there.status().exitstatus.name
        objective = None
        if wanted == "best" and status == "OPTIMAL":
            (low,), (high,) = self._objective.bounds()  # of one that is a number Exact says 0
            objective = int(low if low == high else self._there.objective_value())
        is_only = status in ("OPTIMAL", "FEASIBLE") and not self._variables
        exhausted = status == "UNSATISFIABLE" or is_only or (status == "OPTIMAL" and wanted != "one")
        return "ended", exhausted, objective

    def _take(self) -> None:
        """Note the solution at hand; what a solver gives no value is in no constraint."""
        values = [variable.value() for variable in self._variables]
        self._rows.append([low if v is None else int(v) for v, low in zip(values, self._lower, strict=True)])
        if len(self._rows) >= _BATCH or time.monotonic() - self._sent > _EVERY:
            self._send()

    def _send(self) -> None:
        if self._rows:
            self._connection.send(("rows", np.array(self._rows, dtype=np.int64)))
        self._rows, self._sent = [], time.monotonic()
