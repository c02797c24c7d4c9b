"""Running one solver for a cross-check, without stopping at its faults and without believing it.

What everyone in a cross-check is asked for, and who can be asked.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from cpqueens import errors
from cpqueens.answers.outcome import Fault, Outcome, StopReason
from cpqueens.answers.solution import SolutionSet
from cpqueens.backends import named
from cpqueens.backends.base import Backend, Want
from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.sets import Packing, SolutionStore
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.definitions import Truth
from cpqueens.language.rows import IntArray
from cpqueens.language.term import Term
from cpqueens.model import Model
from cpqueens.solving.collect import Callbacks, Collector
from cpqueens.solving.request import choose
from cpqueens.solving.solve import run
from cpqueens.system.interrupts import Interrupt
from cpqueens.text.plaintext import one_line

FAULTS_KEPT = 60
HEAD = 1000

Progress = Callable[[str, int, float], None]
"""Called now and then with a solver's name, its solutions so far and the seconds of the cross-check."""


class Observer(Collector):
    """A receiving end that goes on after faults, and counts them."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.fault_counts: Counter[str] = Counter()

    def deliver(self, batch: IntArray) -> bool:
        """Receive a batch; only limits, callbacks and interrupts end the run, faults do not."""
        known, self.faults = self.faults, []  # with faults in sight the collector would end the run
        super().deliver(batch)
        self.fault_counts.update(fault.code for fault in self.faults)
        self.faults = [*known, *self.faults][:FAULTS_KEPT]
        return self.stopped is None

    def _in_order(self, batch: IntArray) -> IntArray:
        super()._in_order(batch)
        return batch  # the store finds duplicates; what comes after a breach must not be lost


@dataclass(frozen=True)
class Observation:
    """What was seen of one solver: its claims, and its solutions as far as the checker accepts them."""

    name: str
    families: frozenset[str]  # what has one in common is not independent
    role: str
    want: Want
    proves: bool
    store: SolutionStore | None = None
    outcome: Outcome | None = None
    error: Code | None = None
    message: str = ""
    claims_all: bool = False
    """It claims that nothing is left out: all solutions, infeasibility, or the optimum."""
    claims_none: bool = False
    """It claims that there is no solution."""
    count: int | None = None
    invalid: int = 0
    duplicates: int = 0
    fault_counts: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    best: tuple[int, IntArray] | None = None  # objective and row of the best checked solution
    sequence: str = ""
    head: IntArray | None = None
    seed: int = 0
    seconds: float = 0.0
    decomposed: frozenset[str] = frozenset()
    native: int = 0
    heuristic: Any = None  # heuristic.Trials, where there were several
    exporter: str = ""
    """What the model went through that other backends share, if any."""
    missed: int = 0
    """Given solutions that are valid, but not as good as asked for."""
    interrupted: bool = False
    """Whether Ctrl-C ended it."""
    proof: str = ""
    """Who checked a proof of what it claims, step by step; "" if nobody."""

    def close(self) -> None:
        """Remove the files of its set."""
        if self.store is not None:
            self.store.close()

    @property
    def ended_by(self) -> str:
        """Why it ended, in the pipeline's words."""
        if self.error is not None:
            return str(self.error)
        return str(StopReason.EXHAUSTED if self.outcome is None else self.outcome.stop_reason)

    @property
    def objective_bound(self) -> int | None:
        """The bound it claims, if any."""
        return None if self.outcome is None or self.want is not Want.BEST else self.outcome.bound


@dataclass
class Recorder:
    """Takes checked solutions of one run: into the store, a digest of their sequence, and a head."""

    name: str
    store: SolutionStore
    progress: Progress | None
    started: float
    count: int = 0
    shown: float = 0.0
    digest: Any = field(default_factory=partial(hashlib.blake2b, digest_size=16))
    heads: list[IntArray] = field(default_factory=list)

    def __call__(self, _interrupt: Interrupt, found: SolutionSet) -> None:
        """Record a batch; always goes on."""
        rows = np.ascontiguousarray(found.matrix)
        self.store.add(rows)
        self.digest.update(rows.tobytes())
        if self.count < HEAD:
            self.heads.append(rows[: HEAD - self.count].copy())
        self.count += len(rows)
        now = time.monotonic()
        if self.progress is not None and now - self.shown > 0.2:
            self.shown = now
            self.progress(self.name, self.count, now - self.started)

    @property
    def head(self) -> IntArray:
        """The first solutions in the order of delivery."""
        return np.concatenate(self.heads) if self.heads else np.zeros((0, 0), dtype=np.int64)


def observe_backend(
    model: Model,
    name: str,
    solver: str | Backend,
    want: Want,
    packing: Packing,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> Observation:
    """Run one backend and return what was seen; refusals and crashes are part of the observation."""
    started = time.monotonic()
    store, theirs = SolutionStore(packing), Callbacks()
    recorder = Recorder(name, store, None if progress is None else theirs.watched(progress), started)
    options = theirs.watched_in(options)
    collectors: list[Observer] = []

    def collect(*parts: Any) -> Observer:
        collectors.append(Observer(*parts))
        return collectors[-1]

    proves, seed = False, int(options.get("random_seed") or 0)
    try:
        _, backend, strategy = choose(model, solver, want)
        proves = backend.proves
        if want is Want.ONE:
            options.setdefault("solution_limit", 1)
        consumer = None if want is Want.COUNT else recorder
        outcome = run(model, solver, want, consumer, options, collect=collect, look_ahead=False)
    except Exception as error:
        store.finish()
        if error is theirs.raised:
            store.close()
            raise
        return Observation(
            name, frozenset({name}), "exact" if proves else "heuristic", want, proves,
            store=store, error=_code_of(error, running=bool(collectors)), message=_one_line(error), seed=seed,
            seconds=time.monotonic() - started,
        )  # fmt: skip
    store.finish()
    families = named.families(backend, strategy, outcome.statistics.get("contributors", ()))
    seen = _seen(model, name, families, proves, want, outcome, collectors[-1], recorder, seed)
    return replace(seen, exporter=getattr(backend, "exporter", ""))


def _seen(
    model: Model,
    name: str,
    families: frozenset[str],
    proves: bool,
    want: Want,
    outcome: Outcome,
    collector: Observer,
    recorder: Recorder,
    seed: int,
) -> Observation:
    how = outcome.statistics.get("constraints", [])
    decomposed = _taken_apart(model, how) if "decomposed" in how else []
    best: tuple[int, IntArray] | None = None
    if len(model.goals) > 1 and outcome.solution is not None and outcome.objective is not None:
        best = (outcome.objective, outcome.solution.values)  # the collector is that of the last objective
    elif collector.best is not None and collector.best_value is not None:
        best = (collector.best_value, collector.best)
    listed = want is Want.COUNT or recorder.store.raw == 0
    claims = _claims_all(outcome, proves, collector)
    return Observation(
        name=name,
        families=families,
        role="exact" if proves else "heuristic",
        want=want,
        proves=proves,
        store=None if want is Want.COUNT else recorder.store,
        outcome=outcome,
        claims_all=claims,
        claims_none=claims and not collector.delivered and not outcome.count,
        count=outcome.count if listed else recorder.store.distinct,
        invalid=collector.delivered - collector.accepted,
        duplicates=collector.duplicates + recorder.store.raw - recorder.store.distinct,
        fault_counts=collector.fault_counts,
        faults=outcome.faults,
        best=best,
        sequence=recorder.digest.hexdigest(),
        head=recorder.head,
        seed=seed,
        seconds=float(outcome.statistics["total_time"]),
        decomposed=frozenset(c.kind for c in decomposed),
        native=len(how) - len(decomposed),
        interrupted=outcome.stop_reason is StopReason.INTERRUPTED,
    )


def _taken_apart(model: Model, how: Sequence[str]) -> list[Constraint]:
    """Return the constraints that a solver was given in other ones, but for clauses in other words."""
    clauses = Rewording(model)
    rewritten = [p.constraint for p, h in zip(model.constraints, how, strict=False) if h == "decomposed"]
    return [c for c in rewritten if not clauses.clause(c)]


def _claims_all(outcome: Outcome, proves: bool, collector: Observer) -> bool:
    """Say whether the backend claims completeness, also where the pipeline did not believe it."""
    claims = proves and bool(outcome.statistics["exhausted"]) and collector.stopped is None
    if "stages" in outcome.statistics:
        return proves and outcome.complete  # each of which was concluded before the next one
    if collector.request.want is Want.BEST and collector.best is not None:
        return claims and outcome.bound == collector.best_value
    return claims


_ERRORS: tuple[tuple[type[BaseException], Code], ...] = (
    (errors.UnsupportedConstraint, Code.UNSUPPORTED),
    (errors.UnsupportedRequest, Code.UNSUPPORTED),
    (errors.MissingLibrary, Code.UNSUPPORTED),
    (errors.ModelInvalid, Code.MODEL_INVALID),
    (MemoryError, Code.OUT_OF_MEMORY),
)


def _code_of(error: Exception, running: bool) -> Code:
    for kind, code in _ERRORS:
        if isinstance(error, kind):
            return code
    if isinstance(error, errors.CpqueensError):
        if not running:
            raise error  # the user's own mistake: refused as everywhere
        return Code[error.code] if isinstance(error, errors.BackendFault) else Code.UNSUPPORTED
    return Code.CRASH


def _one_line(error: BaseException) -> str:
    first = one_line((str(error).strip().splitlines() or [""])[0])
    return first if isinstance(error, errors.CpqueensError) else f"{type(error).__name__}: {first}"


# ---- clauses in other words ------------------------------------------------------------------------------


_KINDS = frozenset({"And", "Implication", "Negation", "Or"})


class Rewording:
    """Says of connectives of one model whether they are clauses in other words; each definition once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[int, bool] = {}

    def clause(self, constraint: Constraint) -> bool:
        """Say whether it is a clause, a conjunction of such or a negation, of relations and 0/1 variables.

        Every engine takes these as they are: that ``a -> b`` is ``not a or b`` is no decomposition that could
        deceive two of them.

        Parameters
        ----------
        constraint
            Any constraint of the model.
        """
        if not isinstance(constraint, Connective) or constraint.kind not in _KINDS:
            return False
        if constraint.operands is not None:
            return all(map(self._literal, constraint.operands))
        return all(map(self._variable, set(constraint.literals.variables.ravel().tolist())))

    def _literal(self, truth: Any) -> bool:
        if isinstance(truth, Term):
            return all(map(self._variable, truth.variable_list))
        return truth.kind == "Linear" or self.clause(truth)

    def _variable(self, variable: int) -> bool:
        made = self._model.producer(variable)
        if made is None:
            return True
        definition = made[0]
        if id(definition) not in self._known:
            inner = definition.constraint if isinstance(definition, Truth) else None
            self._known[id(definition)] = inner is not None and self._literal(inner)
        return self._known[id(definition)]


@dataclass(frozen=True)
class NarrowedTo:
    """What a model was narrowed to: answers to ``stated`` that miss it are valid, but not good enough."""

    stated: Model
    best: str
    gap: int = 0

    def missed_by(self, objective: str) -> str:
        """Say how far an answer with this objective is from what was asked for."""
        within = f", allowed are {self.gap} more or less" if self.gap else ""
        return f"valid, but its objective is {objective}, the best is {self.best}{within}"


@dataclass(frozen=True)
class Plan:
    """What every participant is asked for."""

    want: Want
    seeds: tuple[int, ...]
    packing: Packing
    time_limit: float | None = None
    solution_limit: int | None = None
    progress: Progress | None = None
    target: NarrowedTo | None = None


class Participant(Protocol):
    """Someone who answers for a model."""

    @property
    def name(self) -> str:
        """How it is called in the report."""

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Answer as planned."""
