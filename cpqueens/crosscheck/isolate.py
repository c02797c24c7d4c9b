"""A backend in a process of its own: its death is then a line of the report, not the end of it."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.base import Want
from cpqueens.crosscheck.codes import Code
from cpqueens.crosscheck.observe import Observation
from cpqueens.crosscheck.sets import Packing, SolutionStore

if TYPE_CHECKING:
    from cpqueens.crosscheck.participants import Plan
    from cpqueens.model import Model

MEMORY = 8 * 2**30
GRACE = 20.0
"""Seconds beyond its time limit after which a backend counts as hung (start and compilation included)."""


@dataclass(frozen=True)
class Isolated:
    """A backend by name, run in a child process with limits on memory and on time.

    Without a time limit nothing counts as hung.
    """

    solver: str
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    memory: int = MEMORY
    grace: float = GRACE

    @property
    def name(self) -> str:
        """The label, or the backend's name."""
        return self.label or self.solver

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Run it in a child process; its death becomes CRASH, HANG or OUT_OF_MEMORY."""
        from cpqueens.modelfile import dump_model

        started = time.monotonic()
        context = multiprocessing.get_context("spawn")
        mine, theirs = context.Pipe(duplex=False)
        limits = (plan.want.value, plan.seeds, plan.time_limit, plan.solution_limit)
        arguments = (
            theirs,
            dump_model(model),
            self.name,
            self.solver,
            dict(self.options),
            limits,
            self.memory,
        )
        process = context.Process(target=_work, args=arguments, daemon=True)
        process.start()
        theirs.close()
        store = SolutionStore(plan.packing)
        try:
            seen = self._listen(mine, store, plan)
        finally:
            process.join(0.5 if process.is_alive() else 0)
            hung = process.is_alive()
            if hung:
                process.kill()
            process.join()
            mine.close()
        store.finish()
        if isinstance(seen, Observation):
            return _complete(seen, model, store)
        code, message = _death(hung, process.exitcode)
        return Observation(
            self.name, self.solver.partition(":")[0], "exact", plan.want, False, store=store, error=code,
            message=message, count=store.distinct, seconds=time.monotonic() - started,
        )  # fmt: skip

    def _listen(self, connection: Connection, store: SolutionStore, plan: Plan) -> Observation | None:
        """Take in packed solutions and at last the observation; None if it never comes."""
        limit = None if plan.time_limit is None else plan.time_limit * len(plan.seeds) + self.grace
        deadline = None if limit is None else time.monotonic() + limit
        while connection.poll(None if deadline is None else max(0.0, deadline - time.monotonic())):
            try:
                found = connection.recv()
            except EOFError:
                return None
            if isinstance(found, Observation):
                return found
            if isinstance(found, BaseException):
                raise found  # the user's own mistake: refused as everywhere
            store.add(plan.packing.unpack(np.frombuffer(found, dtype=f"S{plan.packing.width}")))
        return None


def _death(hung: bool, exit_code: int | None) -> tuple[Code, str]:
    if hung:
        return Code.HANG, "no end within the time limit; the process was killed"
    if exit_code is not None and exit_code < 0:
        return Code.CRASH, f"the process died of signal {-exit_code}"
    return Code.CRASH, f"the process ended with exit code {exit_code}"


def _complete(seen: Observation, model: Model, store: SolutionStore) -> Observation:
    """Return the child's observation as one of this process."""
    outcome = seen.outcome
    if outcome is not None:
        outcome = replace(outcome, model=model)
    return replace(seen, outcome=outcome, store=None if seen.want is Want.COUNT else store)


def _work(
    connection: Connection,
    text: str,
    name: str,
    solver: str,
    options: dict[str, Any],
    limits: Any,
    memory: int,
) -> None:
    """Run one backend and send what was seen; runs in the child process."""
    from cpqueens.crosscheck.participants import BackendParticipant, Plan
    from cpqueens.errors import CpqueensError
    from cpqueens.modelfile import parse_model

    _limit_memory(memory)
    model = parse_model(text)
    want, seeds, time_limit, solution_limit = limits
    plan = Plan(Want(want), seeds, Packing(model), time_limit, solution_limit)
    try:
        seen = BackendParticipant(name, solver, options).observe(model, plan)
    except CpqueensError as error:
        connection.send(error)
        return
    if seen.store is not None:
        for bucket in seen.store.buckets():
            if len(bucket):
                connection.send(bucket.tobytes())
        seen.store.close()
    outcome: Any = seen.outcome
    if outcome is not None:
        outcome = replace(outcome, model=None, solutions=(), closest=None)
    connection.send(replace(seen, store=None, outcome=outcome))


def _limit_memory(memory: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        return  # no such limit on this system: memory is then the system's business
