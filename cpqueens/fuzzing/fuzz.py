"""Fuzzing: random tiny models on every backend against the exhaustive oracle.

In child processes, each model is a part of a job with a ledger: a crash, a hang or a full memory costs one
model, not the run. With a ledger of the user's, the job goes on after any end, on whatever machines.
"""

import json
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import closing, nullcontext, suppress
from dataclasses import asdict
from functools import lru_cache
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cpqueens.backends.named import available
from cpqueens.crosscheck.crosscheck import cross_check
from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.observe import Participant
from cpqueens.crosscheck.participants import BackendParticipant, as_participants
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.fuzzing.findings import (
    Examined,
    Failure,
    FuzzReport,
    FuzzTally,
    Progress,
    examine_one,
    replay_command,
)
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.pool import OUT_OF_MEMORY
from cpqueens.longrun.session import STANDS_STILL, Session
from cpqueens.longrun.splitting import LongJob, code_version
from cpqueens.longrun.work import Counted, job_here, residues, this_worker
from cpqueens.model import Model
from cpqueens.solving.request import as_integer, named_solver, positive_seconds
from cpqueens.system.interrupts import listening
from cpqueens.text.parameters import as_function, as_path

HANG = 120.0
"""Seconds of a processor after which one model is given up (compilation of kernels included)."""
MEMORY = 6 * 2**30
_LEASE = 60.0
_SHRUNK = 40
"""Failures that one process shrinks; later ones are only counted."""


def in_ledger(
    seed: int,
    models: int,
    solvers: Sequence[str],
    path: Path,
    tally: FuzzTally,
    seconds: float | None,
    progress: Progress | None,
    *,
    changed_code: bool,
    **workers: Any,
) -> tuple[str, float]:
    """Examine the models that are not in the ledger, and add up all that are; return why it ended.

    The second number is the seconds that all sessions took. ``workers`` say who does it, as in `Session`;
    with ``changed_code`` a ledger that other code began is gone on with.

    Raises
    ------
    JobError
        If the ledger is of another job or other code, in use, or cannot be written; if a worker has other
        code.
    """
    job = LongJob(
        "fuzz", f"fuzzing, seed {seed}", str(seed), ",".join(solvers), "models", models, models,
        f"models of seed {seed}", code_version(),
    )  # fmt: skip

    def note(state: dict[str, Any]) -> None:
        if progress is not None:
            progress(state["done"], state["total"], state["count"])

    with closing(Ledger.begin(path, job, changed_code)) as ledger:
        reason = "interrupted"
        with suppress(KeyboardInterrupt):  # a second signal: what is there is reported all the same
            reason = Session(
                ledger, examine_parts, time_limit=seconds, lease=_LEASE, hang=HANG, memory=MEMORY,
                on_progress=note, read=_read, **workers,
            ).run()  # fmt: skip
        for _, content in ledger.contents():
            tally.add(from_text(content))
        said = {part: message for part, message, _ in ledger.failures()}
        for part in ledger.poison():
            replay = replay_command(seed, part, solvers)
            tally.fail(Failure(_code(said[part]), "process", said[part], part, replay=replay))
        return reason, ledger.wall_seconds()


def _code(message: str) -> Code:
    named = (STANDS_STILL, Code.HANG), (OUT_OF_MEMORY, Code.OUT_OF_MEMORY)
    return next((code for words, code in named if words in message), Code.CRASH)


def _read(found: Counted) -> None:
    """Refuse what is not what a model brought."""
    if found.rows is not None or found.content is None:
        raise ValueError("not what a model brought, which was asked for")
    one = from_text(found.content)
    if (one.index, len(one.failures)) != (found.part, found.count):
        raise ValueError("what another model brought")


def examine_parts(job: str, parts: Sequence[int]) -> list[Counted]:
    """Examine some models of a run, given as its job's text; on whatever machine.

    Raises
    ------
    JobError
        If this process has other code than the job began with.
    """
    seed, participants, shrunk = _prepared(job)
    found = []
    for index in parts:
        began = time.perf_counter()
        one = examine_one(seed, index, participants, make=shrunk.total() < _SHRUNK)
        shrunk.update(f.accused for f in one.failures)
        number, spent = len(one.failures), time.perf_counter() - began
        content = as_text(one)
        found.append(Counted(index, number, residues(number), spent, this_worker(), content=content))
    return found


@lru_cache(maxsize=4)
def _prepared(text: str) -> tuple[int, Sequence[Participant], Counter[str]]:
    job = job_here(text)
    return int(job.model), as_participants(job.solver.split(",")), Counter()


def as_text(found: Examined) -> str:
    """Return what a model brought as JSON."""
    plain = asdict(found) | {
        "usage": [[*pair, times] for pair, times in found.usage.items()],
        "asked": [[*pair, times] for pair, times in found.asked.items()],
    }
    return json.dumps(plain, separators=(",", ":"))


def from_text(text: str) -> Examined:
    """Return what `as_text` made the text of."""
    plain = json.loads(text)
    failures = tuple(
        Failure(**{name: _whole(name, value) for name, value in failure.items()})
        for failure in plain["failures"]
    )
    return Examined(
        plain["index"], plain["kind"], {(a, b): n for a, b, n in plain["usage"]},
        tuple(plain["answered"]), failures, {(a, b): n for a, b, n in plain["asked"]},
    )  # fmt: skip


def _whole(name: str, value: Any) -> Any:
    if name == "code":
        return Code[value]
    return tuple(value) if isinstance(value, list) else value


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
    models, seed = as_integer(models, "models", 1, MOST_MODELS), as_integer(seed, "seed", 0)
    processes = as_integer(processes, "processes", 0, MOST_PROCESSES if executor is None else MOST_TASKS)
    only = None if only is None else as_integer(only, "only", 0, MOST_MODELS)
    as_function(progress, "progress: a function")
    seconds = positive_seconds(seconds, "seconds")
    processes = min(processes, models)  # a child without a model would only be started and ended
    if solvers is None:
        solvers = available()
    participants = as_participants(solvers)
    started = time.monotonic()
    tally = FuzzTally()
    names = [p.name for p in participants]
    kept = None if store is None else Path(as_path(store))
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
    if alone:
        indices = range(models) if only is None else range(only, only + 1)
        interrupted = _in_this_process(seed, indices, participants, tally, seconds, progress)
        return tally.report(seed, time.monotonic() - started, names, interrupted)
    with nullcontext("") if kept else TemporaryDirectory(prefix="cpqueens-fuzz-") as folder:
        reason, spent = in_ledger(
            seed, models, names, kept or Path(folder, "fuzz.db"), tally, seconds, progress,
            changed_code=changed_code, executor=executor, workers=processes,
        )  # fmt: skip
    return tally.report(seed, spent, names, reason == "interrupted")


def _in_this_process(
    seed: int,
    indices: Sequence[int],
    participants: Sequence[Participant],
    tally: FuzzTally,
    seconds: float | None,
    progress: Progress | None,
) -> bool:
    """Examine models one by one; return whether a signal ended that."""
    started = time.monotonic()
    with listening() as interrupt:
        try:
            for index in interrupt.until_seen(indices):
                if seconds is not None and time.monotonic() - started > seconds:
                    break
                found = interrupt.attempt(lambda index=index: examine_one(seed, index, participants))  # type: ignore[misc]
                if found is None:
                    break
                tally.add(found)
                if progress is not None:
                    progress(tally.done, len(indices), sum(tally.seen.values()))
        except KeyboardInterrupt:  # the second: hours of work may be done, which are reported all the same
            interrupt.note()
    return interrupt.seen


def assert_agree(model: Model, solvers: Sequence[Any] | str | None = None, **options: Any) -> None:
    """Assert that all solvers agree on a model, for tests; options are those of `cross_check`.

    Raises
    ------
    AssertionError
        With the whole report, if anything disagrees or nothing was complete.
    """
    report = cross_check(model, solvers, **options)
    if not report.agree or not any(s.complete for s in report.solvers):
        raise AssertionError(f"\n{report}")


__all__ = ["CpqueensError", "Failure", "FuzzReport", "assert_agree", "fuzz"]
