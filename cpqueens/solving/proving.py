"""Runs that write a proof: the search that explains itself, and the file that its steps go to."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from cpqueens.answers.outcome import Outcome, Status
from cpqueens.backends.base import Backend, Want
from cpqueens.backends.proving.backend import OFF, Prover
from cpqueens.backends.proving.pumpkin import NAME, PumpkinProver
from cpqueens.errors import ModelError, UnsupportedRequest
from cpqueens.language.statement import Statement
from cpqueens.report.outputfile import OutputFile
from cpqueens.text.plaintext import shown

_AT_ONCE = 1000
"""Lines that are written together."""

_TAKEN = {"proof", "time_limit", "step_limit", "solution_limit", "random_seed", "log", "on_progress"}
"""Options that such a run takes."""


def with_proof(
    model: Statement,
    solver: str | Backend,
    want: Want,
    consumer: Any,
    options: Mapping[str, Any],
    once: Callable[..., Outcome],
) -> Outcome:
    """Run the search that explains itself and write its steps.

    Raises
    ------
    UnsupportedRequest
        For another solver, and for options that it does not take.
    ModelError
        For a file that cannot be written, or a model that it cannot begin with.
    """
    if not isinstance(solver, str) or solver not in ("auto", NAME):
        raise UnsupportedRequest(
            f"proof: it is written by a separate search or by {NAME}, not by other solvers; got solver="
            f"{shown(solver)}, leave it out"
        )
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in _TAKEN:
            raise UnsupportedRequest(f"proof: {shown(name)} cannot be combined with it")
    place = given.pop("proof")
    if not isinstance(place, str | os.PathLike):
        raise ModelError(f"proof: the name of a file is needed, got {shown(place)}")
    if model.assumed:
        raise UnsupportedRequest(f"proof: {model.assumed}, so that nothing of it is proved")
    with OutputFile(os.fspath(place), force=True) as file:
        lines = _ProofLines(file)
        prover: Backend = PumpkinProver(lines.write) if solver == NAME else Prover(lines.write)
        outcome = once(model, prover, want, consumer, given)
        lines.write(f"end {_claim(outcome, want)}")
        lines.flush()
        size = file.stream.tell()
    off = "Pumpkin's own log, translated" if solver == NAME else OFF
    said = f"proof: {lines.count} lines in {place}; {off}"
    facts = {"file": str(place), "lines": lines.count, "bytes": size, "off": off}
    return replace(
        outcome, messages=(*outcome.messages, said), statistics={**outcome.statistics, "proof": facts}
    )


def _claim(outcome: Outcome, want: Want) -> str:
    """Return what the last line claims."""
    if outcome.status is Status.INFEASIBLE:
        return "infeasible"
    if outcome.complete and want is Want.BEST:
        return "optimal " + " ".join(map(str, outcome.objectives))
    if outcome.complete and outcome.stop_reason == "exhausted":
        return f"all {outcome.count}"
    return "solution" if outcome.count else "nothing"


class _ProofLines:
    """The lines of a proof on their way to a file, many together."""

    def __init__(self, file: OutputFile) -> None:
        self._file, self._waiting = file, list[str]()
        self.count = 0

    def write(self, line: str) -> None:
        self._waiting.append(f"{line}\n")
        self.count += 1
        if len(self._waiting) >= _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        self._file.append("".join(self._waiting).encode("ascii"))
        self._waiting.clear()
