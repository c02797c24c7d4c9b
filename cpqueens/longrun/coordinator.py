"""Counting and listing with a ledger: the calls that begin a job or go on with it.

Counting a sample of a ledger's parts once more, by another solver.
"""

import math
import os
import platform
import random
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from cpqueens.errors import ModelError
from cpqueens.longrun.ledger import Ledger, Totals
from cpqueens.longrun.ledgerfile import holds_something
from cpqueens.longrun.partfiles import PartFiles
from cpqueens.longrun.session import LEASE, Progress, Session
from cpqueens.longrun.splitting import MOST, JobError, job_of, splitting_of
from cpqueens.longrun.work import Counted, count_parts, read_count, residues
from cpqueens.model import Model
from cpqueens.solving.request import positive_integer, positive_seconds
from cpqueens.solving.solve import IncompleteCount, count, count_solutions
from cpqueens.system.interrupts import listening
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.parameters import as_function, as_path, needed

PARTS = 1000
"""Parts of a job, at least, where the model has so many."""

PROBE = 1.0
"""A count that takes fewer seconds than this is one part, if nobody says how many there should be."""


@dataclass(frozen=True)
class DurableCount:
    """The state of a count in its ledger, and why the coordinator stopped.

    >>> from cpqueens.longrun.ledger import Totals
    >>> found = DurableCount(Totals(4, 6, 6, 0, 0, (), (), 0.1), "exhausted")
    >>> found.count, found.complete
    (4, True)

    Attributes
    ----------
    totals
        See `cpqueens.longrun.ledger.Totals`.
    stop_reason
        ``exhausted``, ``interrupted``, ``time_limit`` or ``poison``.
    """

    totals: Totals
    stop_reason: str

    @property
    def count(self) -> int:
        """Solutions counted so far."""
        return self.totals.count

    @property
    def complete(self) -> bool:
        """Whether that is all of them."""
        return self.totals.complete


@explaining_keywords
def durable_count(
    model: Model,
    store: str | Path,
    *,
    solver: str = "backtracking",
    workers: int | None = None,
    executor: Executor | None = None,
    parts: int | None = None,
    time_limit: float | None = None,
    lease: float = LEASE,
    title: str | None = None,
    on_progress: Progress | None = None,
    changed_code: bool = False,
) -> DurableCount:
    """Count all solutions with a ledger: if it is killed, the same call resumes, with seconds of work lost.

    >>> import tempfile
    >>> from cpqueens.longrun.coordinator import durable_count
    >>> from cpqueens.models.queens import queens
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = durable_count(queens(6), f"{folder}/run.db", workers=1, parts=6)
    >>> found.count, found.complete
    (4, True)

    Parameters
    ----------
    model
        Any model without an objective.
    store
        The ledger, an SQLite file, which is created or continued.
    solver
        The solver that counts the parts. ``backtracking`` counts queens on boards from 13 x 13 by halves.
    workers
        Number of processes on this machine (by default one for each processor); with an ``executor``, the
        number of tasks that it runs at a time.
    executor
        Any `concurrent.futures.Executor` that can run functions of the package ``cpqueens``, such as the one
        of a ``dask.distributed`` client. It is not closed.
    parts
        The least number of parts; only for a new ledger. By default 1,000, or one if the whole takes less
        than a second on this machine.
    time_limit
        Seconds by the clock.
    lease
        Seconds without any sign of work after which a task is given to another worker.
    title
        The name of the job in reports.
    on_progress
        Called with ``count``, ``done``, ``total``, ``remaining`` (seconds), ``estimate`` and ``interval``.
    changed_code
        Continue a ledger of another version of the code.

    Raises
    ------
    JobError
        If the ledger belongs to another job or another version of the code, is in use, or cannot be written;
        if a worker has another version.
    CpqueensError
        For everything that is refused before the search.

    Examples
    --------
    """
    return _durable(
        "count", model, store, solver=solver, workers=workers, executor=executor, parts=parts,
        time_limit=time_limit, lease=lease, title=title, on_progress=on_progress, changed_code=changed_code,
    )  # fmt: skip


@explaining_keywords
def durable_enumerate(
    model: Model,
    store: str | Path,
    *,
    solver: str = "backtracking",
    workers: int | None = None,
    executor: Executor | None = None,
    parts: int | None = None,
    time_limit: float | None = None,
    lease: float = LEASE,
    title: str | None = None,
    on_progress: Progress | None = None,
    changed_code: bool = False,
) -> DurableCount:
    """List all solutions into files next to a ledger; the same call resumes.

    Each part has a file ``<store>.solutions/part-*.npy``, in lexicographic order within and among the files;
    the bytes are the same in every run. A file that is lost or damaged is listed again at the next call.
    `cpqueens.longrun.partfiles.merge` merges them into one file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from cpqueens.longrun.coordinator import durable_enumerate
    >>> from cpqueens.models.queens import queens
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = durable_enumerate(queens(4), f"{folder}/run.db", workers=1, parts=4)
    ...     files = sorted(path.name for path in Path(f"{folder}/run.db.solutions").iterdir())
    >>> found.count, files[0]
    (2, 'part-0000000.npy')

    Parameters
    ----------
    model
        Any model without an objective.
    store
        The ledger; the files are next to it.
    solver, workers, executor, parts, time_limit, lease, title, on_progress, changed_code
        As for `durable_count`.

    Raises
    ------
    JobError
        As for `durable_count`; also if a part was listed again with different solutions.
    CpqueensError
        For everything that is refused before the search.

    Examples
    --------
    """
    return _durable(
        "enumerate", model, store, solver=solver, workers=workers, executor=executor, parts=parts,
        time_limit=time_limit, lease=lease, title=title, on_progress=on_progress, changed_code=changed_code,
    )  # fmt: skip


def _durable(
    kind: str,
    model: Model,
    store: str | Path,
    *,
    solver: str,
    workers: int | None,
    executor: Executor | None,
    parts: int | None,
    time_limit: float | None,
    lease: float,
    title: str | None,
    on_progress: Progress | None,
    changed_code: bool,
) -> DurableCount:
    needed(model, Model, "a model")
    place = Path(as_path(store))
    needed(executor, (Executor, type(None)), "executor: one of concurrent.futures")
    as_function(on_progress, "on_progress: a function")
    positive_seconds(lease, "lease")
    if model.objective is not None:
        raise ModelError("a model with an objective has no count; drop the objective")
    many = positive_integer(workers, "workers", 1024) or os.cpu_count() or 1
    wanted = positive_integer(parts, "parts", MOST)
    limit = positive_seconds(time_limit, "time_limit")
    began = time.monotonic()
    if wanted is None and holds_something(place):
        with closing(Ledger.open(place)) as ledger:
            wanted = ledger.job.wanted
    elif wanted is None:
        small = kind == "count" and executor is None and _is_small(model, solver, limit)
        wanted = 1 if small else PARTS
    job, splitting = job_of(kind, title or model.name, model, solver, wanted or PARTS)
    with closing(Ledger.begin(place, job, changed_code)) as ledger:
        if limit is not None:
            limit = max(0.0, limit - (time.monotonic() - began))
        files = PartFiles.of(ledger, splitting) if kind == "enumerate" else None
        reason = Session(
            ledger, count_parts, workers=many, executor=executor, time_limit=limit, lease=lease,
            on_progress=on_progress, files=files, read=read_count if files is None else files.read,
        ).run()  # fmt: skip
        if reason == "exhausted":
            splitting_of(ledger.job)  # the parts are still those that the job began with
            if files is not None and files.damaged():
                raise JobError(
                    f"{store}: files of parts were changed while it ran; the same command mends them"
                )
        return DurableCount(ledger.totals(), reason)


def _is_small(model: Model, solver: str, limit: float | None) -> bool:
    """Say whether a count is done at once, when handing out a thousand parts of it would take longer.

    Lists are always split: the same files, whatever the machine. A cluster's parts are not this machine's.
    """
    seconds = PROBE if limit is None else min(PROBE, limit / 10)  # most of it is for the parts
    outcome = count_solutions(model, solver, time_limit=seconds)
    if outcome.stop_reason == "interrupted":
        raise KeyboardInterrupt
    return outcome.complete


SHARE, LEAST = 0.02, 30
"""Of the parts done, and parts at least, that are counted again."""

_OTHERS = {"units": "backtracking:bitmask", "prefixes": "cpsat"}


@dataclass(frozen=True)
class Verification:
    """What counting parts again has shown.

    Attributes
    ----------
    solver
        Which counted again.
    checked
        Parts counted again.
    differing
        Those of which the counts differ.
    done
        Parts in the ledger.
    interrupted
        Whether a signal came before the whole sample was counted.
    """

    solver: str
    checked: int
    differing: tuple[int, ...]
    done: int
    interrupted: bool = False

    @property
    def sentence(self) -> str:
        """What it shows, and what not."""
        if not self.checked:
            return "Nothing was counted again, which shows nothing."
        if self.differing:
            return (
                f"{len(self.differing)} of {self.checked} parts counted again by {self.solver} have another "
                "count: the total is not to be believed."
            )
        if self.checked == self.done:
            return f"All {self.done} parts counted again by {self.solver} have the same count."
        wrong = math.ceil(100 * (1 - 0.05 ** (1 / self.checked)))
        return (
            f"{self.checked} of {self.done} parts, drawn at random, counted again by {self.solver} have the "
            f"same count: with 95 % confidence fewer than {wrong} % of all parts differ between the two. It "
            "says nothing about the others one by one, nor about what both share: model and splitting."
        )


def verify(
    store: str | Path,
    *,
    solver: str | None = None,
    share: float = SHARE,
    least: int = LEAST,
    random_seed: int | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> Verification:
    """Count a random sample of the parts done once more; the ledger keeps what was found.

    Parameters
    ----------
    store
        The ledger.
    solver
        By default not the one that counted: ``backtracking:bitmask`` where queens were counted by halves,
        ``backtracking`` for what ``cpsat`` counted, else ``cpsat``.
    share, least
        How many parts: a share of them, and so many at least.
    random_seed
        Of the sample; by default another one each time.
    on_progress
        Called with the parts counted and all of the sample.

    Raises
    ------
    JobError
        If the ledger cannot be read or written, or its parts cannot be made anew.
    ModelError
        If the share is not in 0 to 1.
    """
    if not 0 <= share <= 1:
        raise ModelError(f"share: a number from 0 to 1 is needed, got {share}")
    path = Path(store)
    with closing(Ledger.open(path)) as ledger, listening() as interrupt:
        if ledger.job.kind not in ("count", "enumerate"):
            raise ModelError(f"{path}: holds {ledger.job.title}, which cannot be counted again")
        ledger.claim()
        splitting = splitting_of(ledger.job)
        known = {r.part: r.count for r in ledger.sound_results()}
        size = min(len(known), max(least, math.ceil(share * len(known))))
        sample = random.Random(random_seed).sample(list(known), size)
        other = "backtracking" if ledger.job.solver.startswith("cpsat") else _OTHERS[splitting.name]
        by = solver or other
        checked, differing = 0, set()
        for part in interrupt.until_seen(sample):
            began = time.perf_counter()
            try:
                found = sum(weight * count(model, solver=by) for model, weight in splitting.narrowed(part))
            except IncompleteCount:
                if interrupt.poll():
                    break
                raise
            spent = time.perf_counter() - began
            ledger.add(Counted(part, found, residues(found), spent, platform.node()), by)
            ledger.commit()
            checked += 1
            if found != known[part]:
                differing.add(part)
            if on_progress is not None:
                on_progress(checked, size)
        return Verification(by, checked, tuple(sorted(differing)), len(known), checked < size)
