"""The process in which a solver of CPMpy works: it takes models, one after another, and sends solutions."""

from __future__ import annotations

import os
import sys
import time
import warnings
from typing import Any

import numpy as np

from cpqueens.backends.cpmpy.to_cpmpy import to_cpmpy
from cpqueens.language.statement import Statement

_BATCH, _EVERY = 1024, 0.05  # solutions, seconds


def serve(connection: Any, solver: str) -> None:
    """Answer questions ``(statement, what is wanted, whether it may vary)`` until nobody asks any more.

    An answer is any number of ``("rows", matrix)``, and then ``("ended", exhausted, objective)``,
    ``("unsupported", why)`` or ``("failed", why)``.
    """
    warnings.simplefilter("ignore")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # solvers print, and panic, there
        os.dup2(nowhere, stream)
    while True:
        try:
            statement, wanted, varies = connection.recv()
        except (EOFError, ConnectionError, KeyboardInterrupt):
            return
        if solver == "z3" and "z3.z3" in sys.modules:  # what it has seen before would change its answers
            sys.modules["z3.z3"].__dict__["_main_ctx"] = None
        options = {"num_search_workers": 1} if solver == "ortools" and not varies else {}
        connection.send(_answer(connection, solver, statement, wanted, options))


def _answer(
    connection: Any, solver: str, statement: Statement, wanted: str, options: dict[str, Any]
) -> tuple[Any, ...]:
    from cpmpy.solvers.utils import SolverLookup

    try:
        written = to_cpmpy(statement, objective=wanted == "best")
        variables = list(written.variables.values())
        there = SolverLookup.get(solver, written.model)
    except MemoryError:
        raise
    except Exception as error:
        return "unsupported", f"{type(error).__name__}: {error}"
    try:
        return _Solving(connection, there, variables, statement).run(wanted, options)
    except NotImplementedError as error:
        return "unsupported", f"{type(error).__name__}: {error}"
    except MemoryError:
        raise
    except BaseException as error:  # panics of Rust are none of Python's exceptions
        return "failed", f"{type(error).__name__}: {error}"


class _Solving:
    """One run of a solver."""

    def __init__(self, connection: Any, there: Any, variables: list[Any], statement: Statement) -> None:
        self._connection, self._there, self._variables = connection, there, variables
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
            objective = int(self._there.objective_value())
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
