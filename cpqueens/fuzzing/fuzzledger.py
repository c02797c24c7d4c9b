"""Fuzzing with a ledger: each model is a part of a job, which goes on after any end, on whatever machines."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.participants import as_participants
from cpqueens.crosscheck.plan import Participant
from cpqueens.fuzzing.findings import Examined, Failure, FuzzTally, Progress, examine_one, replay_command
from cpqueens.fuzzing.fuzzworkers import HANG, MEMORY
from cpqueens.longrun.job import LongJob, code_version
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.pool import OUT_OF_MEMORY
from cpqueens.longrun.session import STANDS_STILL, run_session
from cpqueens.longrun.work import Counted, job_here, residues, this_worker

_LEASE = 60.0
_SHRUNK = 40
"""Failures that one process shrinks; later ones are only counted."""


@dataclass(frozen=True)
class FuzzStore:
    """Where a fuzzing run keeps what it found, and who makes it.

    Attributes
    ----------
    path
        The ledger.
    executor
        Any executor, `None` for processes of this machine.
    workers
        Processes, or tasks that the executor does at a time.
    changed_code
        Whether a ledger that other code began is gone on with.
    """

    path: Path
    executor: Executor | None
    workers: int
    changed_code: bool = False


def in_ledger(
    seed: int,
    models: int,
    solvers: Sequence[str],
    store: FuzzStore,
    tally: FuzzTally,
    seconds: float | None,
    progress: Progress | None,
) -> tuple[str, float]:
    """Examine the models that are not in the ledger, and add up all that are; return why it ended.

    The second number is the seconds that all sessions took.

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

    with closing(Ledger.begin(store.path, job, store.changed_code)) as ledger:
        reason = "interrupted"
        with suppress(KeyboardInterrupt):  # a second signal: what is there is reported all the same
            reason = run_session(
                ledger, examine_parts, workers=store.workers, executor=store.executor, time_limit=seconds,
                lease=_LEASE, hang=HANG, memory=MEMORY, on_progress=note, read=_read,
            )  # fmt: skip
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
