"""Fuzzing: random tiny models on every backend against the exhaustive oracle."""

import time
from collections.abc import Sequence
from concurrent.futures import Executor
from os import PathLike
from pathlib import Path
from typing import Any

from cpqueens.backends.named import available
from cpqueens.crosscheck.backend_participant import BackendParticipant
from cpqueens.crosscheck.participants import as_participants
from cpqueens.crosscheck.plan import Participant
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.fuzzing.findings import Failure, FuzzReport, FuzzTally, Progress, examine_one
from cpqueens.fuzzing.fuzzledger import FuzzStore, in_ledger
from cpqueens.model import Model
from cpqueens.solving.choosing import named_solver
from cpqueens.solving.request import positive_seconds
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.text.parameters import as_function, as_path
from cpqueens.text.plaintext import shown

MOST_MODELS = 10**9
MOST_PROCESSES = 64
"""Each is an interpreter with all solvers loaded: hundreds would take the machine down."""
MOST_TASKS = 1024
"""That the machines of an executor may be at."""


def fuzz(
    models: int = 2000,
    seed: int = 0,
    solvers: Sequence[Any] | str | None = None,
    *,
    processes: int = 2,
    only: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    store: str | PathLike[str] | None = None,
    executor: Executor | None = None,
    changed_code: bool = False,
) -> FuzzReport:
    """Compare random tiny models on several solvers with an exhaustive oracle.

    Parameters
    ----------
    models
        How many.
    seed
        The same seed gives the same models.
    solvers
        As for `cross_check`; by default every installed backend. With ``processes`` they must be names.
    processes
        Child processes that work side by side and take crashes upon them; 0 works in this one.
    only
        Examine only the model with this number, in this process.
    seconds
        Begin no further models after this time.
    progress
        Called now and then with the numbers of models done and in all, and of failures.
    store
        A ledger, an SQLite file that is made, or continued: a kill at any moment loses seconds. Failures are
        those of all sessions; a model that ends three processes is one of them.
    executor
        With a ``store``: any `concurrent.futures.Executor` that runs functions of the package ``cpqueens``,
        such as that of a cluster; it does ``processes`` tasks at a time.
    changed_code
        Go on with a ledger that other code began.

    Returns
    -------
    FuzzReport
        Failures by kind, each shrunk, with the coverage of (kind, context, solver).

    Raises
    ------
    CpqueensError
        For an unknown solver, or a number that is not allowed; for a ledger of another job or other code,
        one that is in use, or cannot be written.
    """
    for what, value, least, most in (
        ("models", models, 1, MOST_MODELS),
        ("processes", processes, 0, MOST_PROCESSES if executor is None else MOST_TASKS),
        ("seed", seed, 0, 2**62),
        ("only", 0 if only is None else only, 0, MOST_MODELS),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ModelError(f"{what}: an integer from {least} to {most} is needed, got {shown(value)}")
    as_function(progress, "progress: a function")
    seconds = positive_seconds(seconds, "seconds")
    processes = min(processes, models)  # a child without a model would only be started and ended
    if solvers is None:
        solvers = available()
    participants = as_participants(solvers)
    started = time.monotonic()
    tally = FuzzTally()
    names = [p.name for p in participants]
    kept = None if store is None else FuzzStore(Path(as_path(store)), executor, processes, changed_code)
    if kept is None and (executor is not None or changed_code):
        raise ModelError(f"{'executor' if executor is not None else 'changed_code'}: only with a store")
    if kept is not None and (only is not None or processes == 0):
        raise ModelError("store: needs processes, and all models rather than one")
    alone = only is not None or processes == 0
    if not alone and not all(isinstance(s, str) for s in solvers):
        raise ModelError("solvers: child processes know solvers by name only; use processes=0")
    for participant in participants:
        named = participant.solver if isinstance(participant, BackendParticipant) else "auto"
        if isinstance(named, str) and named != "auto":
            named_solver(named)  # a wrong name is refused here, not in every child
    with listening() as interrupt:
        try:
            if kept is not None:
                reason, spent = in_ledger(seed, models, names, kept, tally, seconds, progress)
                return tally.report(seed, spent, names, reason == "interrupted")
            if alone:
                indices = range(models) if only is None else range(only, only + 1)
                _in_this_process(seed, indices, participants, tally, seconds, progress, interrupt)
            else:
                from cpqueens.fuzzing.fuzzworkers import in_child_processes

                in_child_processes(seed, models, names, processes, tally, seconds, progress, interrupt)
        except KeyboardInterrupt:  # the second: hours of work may be done, which are reported all the same
            interrupt.note()
    return tally.report(seed, time.monotonic() - started, names, interrupt.seen)


def _in_this_process(
    seed: int,
    indices: Sequence[int],
    participants: Sequence[Participant],
    tally: FuzzTally,
    seconds: float | None,
    progress: Progress | None,
    interrupt: Interrupt,
) -> None:
    started = time.monotonic()
    for index in interrupt.until_seen(indices):
        if seconds is not None and time.monotonic() - started > seconds:
            break
        found = interrupt.attempt(lambda index=index: examine_one(seed, index, participants))  # type: ignore[misc]
        if found is None:
            break
        tally.add(found)
        if progress is not None:
            progress(tally.done, len(indices), sum(tally.seen.values()))


def assert_agree(model: Model, solvers: Sequence[Any] | str | None = None, **options: Any) -> None:
    """Assert that all solvers agree on a model, for tests; options are those of `cross_check`.

    Raises
    ------
    AssertionError
        With the whole report, if anything disagrees or nothing was complete.
    """
    from cpqueens.crosscheck.crosscheck import cross_check

    report = cross_check(model, solvers, **options)
    if not report.agree or not any(s.complete for s in report.solvers):
        raise AssertionError(f"\n{report}")


__all__ = ["CpqueensError", "Failure", "FuzzReport", "assert_agree", "fuzz"]
