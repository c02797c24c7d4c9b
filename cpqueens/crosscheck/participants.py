"""Who takes part in a cross-check: backends by name or as objects, heuristics, commands, solution files.

A backend may also run in a process of its own: its death is then a line of the report, not the end of it.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.runs import Runs
from cpqueens.backends import named
from cpqueens.backends.base import Backend, Clock, Feature, Want
from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.given import Exhaustive
from cpqueens.crosscheck.heuristic import Attempt, Heuristic, collect_runs
from cpqueens.crosscheck.observe import Observation, Participant, Plan, observe_backend
from cpqueens.crosscheck.sets import Packing, SolutionStore
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.files.modelfile import dump_model, parse_model
from cpqueens.model import Model
from cpqueens.proofs.check import check_proof
from cpqueens.proofs.parts import BadProof
from cpqueens.solving.request import NEEDED, build_request, choose
from cpqueens.system.children import LOOK_EVERY, Patience, Worker
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.text.parameters import needed
from cpqueens.text.plaintext import shown

PROOF = "proof"
"""Who writes a proof and has it checked."""


def as_participant(given: Any) -> Participant:
    """Return what the user listed under ``solvers`` as a participant.

    Raises
    ------
    ModelError
        If it is nothing that can take part.
    """
    if isinstance(given, str) and given == "exhaustive":
        return Exhaustive()
    if isinstance(given, str) and given == PROOF:
        return ProofParticipant()
    if isinstance(given, str):
        return BackendParticipant(given, given)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping):
        inner, options = given
        return BackendParticipant(named.labelled(inner, options), inner, dict(options))
    if hasattr(given, "observe") and hasattr(given, "name"):
        found: Participant = given
        return found
    if hasattr(given, "run") and hasattr(given, "proves"):
        return BackendParticipant(given.name, given)
    if callable(given):
        return Heuristic(given)
    raise ModelError(
        f"solvers: a name, a backend, (name, {{parameters}}), a function, an external command or a file of "
        f"solutions is needed, got {shown(given, 60)}"
    )


def isolated(participant: Participant) -> Participant:
    """Return a backend given by name as one in a child process; others as they are."""
    if not isinstance(participant, BackendParticipant) or not isinstance(participant.solver, str):
        return participant
    return Isolated(participant.solver, participant.options, participant.name)


def default_solvers() -> list[str]:
    """Return the names of all installed backends that prove."""
    return [name for name in named.available() if named.get_backend(name).proves]


def _named_by(given: Any) -> list[Any]:
    """Return what ``provers`` stands for: all that prove, the solvers of MiniZinc and CPMpy included."""
    if not isinstance(given, str) or given != "provers":
        return [given]
    found = list(default_solvers())
    for name in filter(named.is_installed, named.ASKED_FOR):
        backend: Any = named.get_backend(name)
        found += [f"{name}:{s}" for s in backend.strategies if backend.family_of(s) not in found]
    return found


def as_participants(solvers: Sequence[Any] | str | None) -> list[Participant]:
    """Return the participants, each with a name of its own; by default all proving backends installed."""
    if solvers is None:
        solvers = default_solvers()
    if isinstance(solvers, str):
        solvers = [part for part in solvers.split(",") if part]
    solvers = [s for given in needed(solvers, Iterable, "solvers: a list") for s in _named_by(given)]
    taken: dict[str, int] = {}
    found: list[Participant] = []
    for participant in map(as_participant, solvers):
        taken[participant.name] = taken.get(participant.name, 0) + 1
        if taken[participant.name] > 1:
            name = f"{participant.name} #{taken[participant.name]}"
            participant = replace(participant, name=name)  # type: ignore[type-var]
        found.append(participant)
    if not found:
        raise ModelError("solvers: at least one is needed")
    return found


# ---- backends ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BackendParticipant:
    """A backend, by name or as an object, with parameters of its own."""

    name: str
    solver: str | Backend
    options: Mapping[str, Any] = field(default_factory=dict)

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Run it once, or once for each seed if it is a heuristic."""
        backend = choose(model, self.solver, plan.want)[1]
        if not backend.proves:
            return _observe_seeds(model, self, plan)
        return self.once(model, plan, plan.seeds[0])

    def once(self, model: Model, plan: Plan, seed: int) -> Observation:
        """Run it with one seed, asking for what it has features for."""
        backend = choose(model, self.solver, plan.want)[1]
        options = dict(self.options)
        if Feature.SEED in backend.features:
            options.setdefault("random_seed", seed)
        if plan.time_limit is not None:
            options.setdefault("time_limit", plan.time_limit)
        able = plan.want not in NEEDED or NEEDED[plan.want] in backend.features
        want = plan.want if able else Want.ONE
        if plan.solution_limit is not None and want is Want.ALL:
            options.setdefault("solution_limit", plan.solution_limit)
        return observe_backend(
            model, self.name, self.solver, want, plan.packing, progress=plan.progress, **options
        )

    def many(self, model: Model, plan: Plan) -> Runs | None:
        """Run it with all seeds, if it makes many runs at once and nothing is wrong with any."""
        if not hasattr(choose(model, self.solver, plan.want)[1], "run_many") or "random_seed" in self.options:
            return None
        options = {"time_limit": plan.time_limit, **self.options}
        try:
            return model.runs(self.solver, plan.seeds, **options)
        except (CpqueensError, MemoryError):  # of which each run has its own to say
            return None

    def prepare(self, model: Model, plan: Plan) -> None:
        """Refuse an unknown solver, or a parameter that it has not, before anybody has searched."""
        _, backend, strategy = choose(model, self.solver, plan.want)
        build_request(Checker.of(model), backend, strategy, Want.ONE, Clock(None), Interrupt(), self.options)


def _observe_seeds(model: Model, participant: BackendParticipant, plan: Plan) -> Observation:
    """Run a backend that does not prove once for each seed and put its runs together."""
    one = replace(plan, want=Want.BEST if plan.want is Want.BEST else Want.ONE, progress=None)
    found: list[Observation] = []

    def attempt(seed: int) -> Attempt:
        o = participant.once(model, one, seed)
        found.append(o)
        rows = o.best[1][None, :] if o.best is not None else o.store.first(1) if o.store else None
        if rows is None or not len(rows):
            return Attempt(seed, o.seconds, rejection=o.ended_by, message=o.message)
        return Attempt(seed, o.seconds, row=rows[0])

    made = participant.many(model, one) if one.want is Want.ONE and len(plan.seeds) > 1 else None
    if made is not None:  # what is true of each run is seen of one of them, made again
        attempt(plan.seeds[0])
    together = collect_runs(model, participant.name, "heuristic", plan, attempt, made)
    ended = [o for o in found if o.error is None]
    if not found:
        return replace(together, want=one.want)  # a signal kept it from running at all
    if not ended:
        return found[0]
    crashed = next(o for o in found if o.error is not None) if len(ended) < len(found) else None
    return replace(
        ended[0], store=together.store, count=together.count, best=together.best, seconds=together.seconds,
        heuristic=together.heuristic, faults=tuple(f for o in found for f in o.faults),
        invalid=sum(o.invalid for o in found), duplicates=0, claims_all=False, claims_none=False,
        error=None if crashed is None else crashed.error, message="" if crashed is None else crashed.message,
        interrupted=together.interrupted or found[-1].interrupted,
    )  # fmt: skip


# ---- a backend in a process of its own ------------------------------------------------------------------


MEMORY = 8 * 2**30
GRACE = 20.0
"""Seconds beyond its time limit after which a backend counts as hung (start and compilation included)."""
LAST_WORDS = 3.0
"""Seconds in which an interrupted backend may say what it has found."""


@dataclass(frozen=True)
class Isolated:
    """A backend by name, run in a child process with limits on memory and on time.

    Without a time limit nothing counts as hung, and with one nothing that was merely kept waiting for a
    processor: it is tried a second time first. An interrupted one is asked for what it has so far.
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

    def prepare(self, model: Model, plan: Plan) -> None:
        """Refuse an unknown solver, or a parameter that it has not, before anybody has searched."""
        BackendParticipant(self.name, self.solver, self.options).prepare(model, plan)

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Run it in a child process; its death becomes CRASH, HANG or OUT_OF_MEMORY."""
        with listening() as interrupt:
            seen = self._observe_once(model, plan, interrupt)
            if seen.error is Code.HANG and not interrupt.seen:
                seen.close()
                seen = self._observe_once(model, plan, interrupt)
        return seen

    def _observe_once(self, model: Model, plan: Plan, interrupt: Interrupt) -> Observation:
        started = time.monotonic()
        limits = (plan.want.value, plan.seeds, plan.time_limit, plan.solution_limit)
        task = (dump_model(model), self.name, self.solver, dict(self.options), limits)
        worker = Worker("cpqueens.crosscheck.participants:work", task, self.memory)
        store, ended = SolutionStore(plan.packing), ""
        try:
            seen, ended = self._listen(worker, store, plan, interrupt)
        finally:
            exit_code = worker.end(0.0 if ended else 0.5)
        store.finish()
        if seen is not None:
            return _complete(seen, model, store)
        code, message = (None, "") if ended == "interrupted" else _death(ended == "hung", exit_code)
        return Observation(
            self.name, frozenset({self.name}), "exact", plan.want, False, store=store, error=code,
            message=message, count=store.distinct, seconds=time.monotonic() - started,
            interrupted=interrupt.seen,
        )  # fmt: skip

    def _listen(
        self, worker: Worker, store: SolutionStore, plan: Plan, interrupt: Interrupt
    ) -> tuple[Observation | None, str]:
        """Take in packed solutions and at last the observation.

        Without one, say why it never came: ``hung``, ``interrupted``, or empty if the process died.
        """
        limit = None if plan.time_limit is None else plan.time_limit * len(plan.seeds) + self.grace
        patience, last = Patience(limit, worker.pid), None
        while True:
            if last is None and interrupt.poll():
                last = time.monotonic() + LAST_WORDS
                worker.interrupt()
            if last is not None and time.monotonic() > last:
                return None, "interrupted"
            if patience.is_over():
                return None, "hung"
            try:
                found = worker.connection.recv() if worker.connection.poll(LOOK_EVERY) else None
            except (EOFError, ConnectionError):
                return None, "" if last is None else "interrupted"
            if isinstance(found, Observation):
                return found, ""
            if isinstance(found, BaseException):
                raise found  # the user's own mistake: refused as everywhere
            if found is not None:
                rows = np.frombuffer(found, dtype=f"S{plan.packing.width}")
                store.add(plan.packing.unpack(rows))


def _death(hung: bool, exit_code: int | None) -> tuple[Code, str]:
    if hung:
        return Code.HANG, "no end within the time limit, twice; the process was killed"
    if exit_code is not None and exit_code < 0:
        return Code.CRASH, f"the process died of signal {-exit_code}"
    return Code.CRASH, f"the process ended with exit code {exit_code}"


def _complete(seen: Observation, model: Model, store: SolutionStore) -> Observation:
    """Return the child's observation as one of this process."""
    outcome = seen.outcome
    if outcome is not None:
        outcome = replace(outcome, model=model)
    return replace(seen, outcome=outcome, store=None if seen.want is Want.COUNT else store)


def work(
    connection: Connection, text: str, name: str, solver: str, options: dict[str, Any], limits: Any
) -> None:
    """Run one backend and send what was seen; runs in the child process."""
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


# ---- a run that writes a proof ---------------------------------------------------------------------------


@dataclass(frozen=True)
class ProofParticipant:
    """The search that explains itself; its proof is checked as soon as it is written."""

    name: str = "proof"

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Run it and check every step."""
        with TemporaryDirectory() as folder:
            place = Path(folder) / "run.proof"
            limits = {"time_limit": plan.time_limit, "proof": place}
            seen = observe_backend(
                model, self.name, "auto", plan.want, plan.packing, progress=plan.progress, **limits
            )
            seen = replace(seen, families=frozenset({"proving"}))
            if seen.error is not None or not seen.claims_all:
                return seen
            try:
                checked = check_proof(model, place)
            except BadProof as error:
                return replace(seen, message=f"its proof is not believed: {error}")
        if not checked.complete:
            return seen
        return replace(seen, proof=f"{checked.steps:,} steps of a proof, each checked by cpqueens.proofs")
