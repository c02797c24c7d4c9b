"""Solvers that MiniZinc knows, as exact backends.

MiniZinc's program: where it is, and which solvers it knows.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cpqueens.backends.base import Deliver, Ended, Feature, Order, Parameter, Request, StopReason, Want
from cpqueens.backends.minizinc.writing import minizinc_text, supports
from cpqueens.errors import MissingLibrary, ModelInvalid, UnknownBackend, UnsupportedConstraint
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import lower
from cpqueens.system.children import Command, Patience
from cpqueens.text.plaintext import one_line

_PATIENCE = 20.0  # seconds of processor time for the list of solvers
OURS = "org.cpqueens."
_REMOVALS, _MOMENT = 20, 0.05  # of a folder in which a killed program still wrote; seconds between them


def program() -> str:
    """Return the path of MiniZinc's program.

    Raises
    ------
    MissingLibrary
        If there is none on the search path.
    """
    found = shutil.which("minizinc")
    if found is None:
        raise MissingLibrary(
            "solver 'minizinc' needs the program minizinc: install MiniZinc from https://www.minizinc.org"
        )
    return found


@cache
def solvers() -> dict[str, dict[str, Any]]:
    """Return by short name, such as ``gecode``, what MiniZinc says of each solver that it can run but us."""
    try:
        words = [program(), "--solvers-json"]
        listed = json.loads(_output(words))
    except (MissingLibrary, OSError, ValueError, subprocess.SubprocessError):
        return {}
    return {
        str(s["id"]).rpartition(".")[2]: s
        for s in listed
        if isinstance(s, dict) and s.get("executable") and not s.get("isGUIApplication")
        and not str(s.get("id", "")).startswith(OURS)
    }  # fmt: skip


def _output(words: list[str]) -> bytes:
    """Return what a program writes that ends within `_PATIENCE`."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        patience = Patience(_PATIENCE, process.pid)
        while True:
            try:
                return process.communicate(timeout=patience.remaining())[0]
            except subprocess.TimeoutExpired:
                if patience.is_over():
                    process.kill()
                    raise


@contextmanager
def folder() -> Iterator[str]:
    """Make a folder for a program's files, and remove it.

    A program that was killed on a busy machine may write once more while its files are removed: it is given a
    moment, and what is left then is no error of ours.
    """
    with tempfile.TemporaryDirectory(prefix="cpqueens-", ignore_cleanup_errors=True) as path:
        yield path
    for _ in range(_REMOVALS):
        if not Path(path).exists():
            break
        time.sleep(_MOMENT)
        shutil.rmtree(path, ignore_errors=True)


def writing_into(folder: str) -> dict[str, str]:
    """Return an environment in which a program has its temporary files there: killed, it removes none."""
    return {**os.environ, "TMPDIR": folder, "TEMP": folder, "TMP": folder}


def family(name: str | None) -> str:
    """Return what a solver is not independent of: OR-Tools' is that of ``cpsat``."""
    told = solvers().get(name or "", {})
    text = f"{told.get('id', '')} {told.get('name', '')} {name}".lower()
    ours = any(word in text for word in ("or-tools", "ortools", "cp-sat", "cpsat"))
    return "cpsat" if ours else name or "minizinc"


DEFAULT = "gecode"
_TOO_LARGE = re.compile("integer literal|out of (range|limits)|overflow|too large", re.IGNORECASE)
"""What solvers say of integers beyond their own range, of 32 bits mostly."""
_INTEGER = re.compile(r"-?\d+")
_OWN = {
    "library": Parameter(
        str, "std", "globals by MiniZinc's own decompositions, or by the solver", ("std", "solver")
    )
}
_DONE = ("==========", "=====UNSATISFIABLE=====")
_FAILED = ("=====ERROR=====", "=====UNBOUNDED=====", "=====UNSATorUNBOUNDED=====")


class MiniZinc:
    """Any installed solver of MiniZinc, named as in ``minizinc:gecode``, by export to MiniZinc.

    Source: Nethercote, Stuckey, Becket, Brand, Duck and Tack, "MiniZinc: towards a standard CP modelling
    language", CP 2007; the program `minizinc`.
    """

    name = "minizinc"
    proves = True
    features = frozenset({Feature.ENUMERATE, Feature.OBJECTIVE})
    order = Order.ANY
    parameters: Mapping[str, Parameter] = _OWN
    exporter = "the export to MiniZinc"
    """What all its solvers share."""

    @property
    def strategies(self) -> tuple[str, ...]:
        """The solvers that MiniZinc knows here."""
        return tuple(sorted(solvers()))

    def family_of(self, strategy: str | None) -> str:
        """Return what a solver is not independent of."""
        return family(strategy or DEFAULT)

    def can_express(self, model: Statement) -> bool:
        """Say whether every constraint can be written (raises if not)."""
        lower(model, supports, self.name, objective=False)
        return True

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Write the model, let the program search, and read what it prints."""
        executable, solver = program(), request.strategy or DEFAULT
        if solver not in solvers():
            known = ", ".join(self.strategies) or "none"
            raise UnknownBackend(f"minizinc knows no solver {solver!r}; it knows {known}")
        started = time.monotonic()
        best = request.want is Want.BEST
        text = minizinc_text(model, objective=best, raw=True)
        statistics: dict[str, Any] = {
            "constraints": lower(model, supports, self.name, objective=best).how,
            "translate_time": time.monotonic() - started,
            "program": f"minizinc --solver {solver}",
        }
        with folder() as place:
            path = Path(place, "model.mzn")
            path.write_text(text, encoding="utf-8")
            words = [executable, "--solver", solvers()[solver]["id"], str(path)]
            words += [] if request.want is Want.ONE else ["-a"]
            words += ["-G", "std"] if request.parameters.get("library", "std") == "std" else []
            return _Listener(words, model, request, deliver, statistics).listen(place)


class _Listener:
    """Reads one run of the program."""

    def __init__(
        self,
        words: list[str],
        model: Statement,
        request: Request,
        deliver: Deliver,
        statistics: dict[str, Any],
    ) -> None:
        self.words, self.request, self.deliver, self.statistics = words, request, deliver, statistics
        self.with_objective = request.want is Want.BEST
        self.width = len(model.decisions) + self.with_objective
        self.objective: int | None = None
        self.rest = self.errors = b""
        self.row = ""
        self.exhausted = self.enough = False
        self.found = 0

    def listen(self, folder: str) -> Ended:
        """Run the program until it ends, or must; killed, it leaves what it writes in ``folder``."""
        command = Command(self.words, piped=True, environment=writing_into(folder))
        if command.used() is not None:
            self.request.clock.measure(lambda: command.used() or 0.0)
        try:
            command.talk(b"", self._hear, lambda: self.enough or self.request.should_stop())
        finally:
            stopped = self.request.should_stop()
            code = command.end()
        return self._ended(code, stopped, self.errors.decode(errors="replace"))

    def _hear(self, stream: str, part: bytes) -> None:
        if stream == "err":
            self.errors = (self.errors + part)[-4000:]
            return
        *lines, self.rest = (self.rest + part).split(b"\n")
        for raw in lines:
            line = raw.decode(errors="replace").strip()
            if line == "----------":
                self._take(self.row)
                self.row = ""
            elif line in _DONE:
                self.exhausted = True
            elif line in _FAILED:
                self.exhausted = False
                self.row = line
            elif not line.startswith("%"):
                self.row += line

    def _take(self, text: str) -> None:
        """Deliver one solution."""
        values = [int(word) for word in _INTEGER.findall(text)]
        if len(values) != self.width:
            raise ModelInvalid(
                f"minizinc printed {len(values)} values of {self.width}: {one_line(text)[:200]}"
            )
        self.found += 1
        if self.with_objective:
            self.objective = values.pop()
        if not self.deliver(np.array([values], dtype=np.int64)):
            self.enough = True

    def _ended(self, code: int | None, stopped: bool, errors: str) -> Ended:
        self.statistics["solutions_printed"] = self.found
        if stopped or self.enough:
            reason = self.request.why_stopped() if stopped else StopReason.SOLUTION_LIMIT
            return Ended(False, reason, statistics=self.statistics)
        if self.request.want is Want.ONE and self.found:
            return Ended(False, StopReason.SOLUTION_LIMIT, statistics=self.statistics)
        if not self.exhausted:
            said = one_line(f"{self.row} {errors}".strip())[-300:] or f"ended with {code}"
            if "=====UNKNOWN=====" in said:
                return Ended(False, StopReason.GAVE_UP, statistics=self.statistics)
            refused = UnsupportedConstraint if _TOO_LARGE.search(said) else ModelInvalid
            raise refused(f"{self.statistics['program']}: {said}")
        return Ended(True, StopReason.EXHAUSTED, self.objective, self.objective, statistics=self.statistics)
