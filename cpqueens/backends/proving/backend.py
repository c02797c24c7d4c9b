"""The search that writes proofs as a backend; only runs with ``proof=`` use it.

The search: propagates, explains each failure, and writes down what it concludes.

For one solution or the best one, a failure is explained up to the first unique implication point and what is
learned stays for a while; there are restarts. For all solutions the tree is gone through once: a failure, or
the exclusion of a solution, is explained by decisions alone, the last of these is denied, and nothing else is
kept, so that memory stays flat and nothing is found twice.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Batches, Deliver, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.backends.proving import propagators
from cpqueens.backends.proving.trail import Contradiction, Source, Trail, TrailEntry
from cpqueens.language.statement import Statement
from cpqueens.proofs.log import HEADER
from cpqueens.proofs.parts import DENIED_SIGN, Literal, ModelPart, ModelParts, Row, better, denied, goals_of
from cpqueens.proofs.refuters import ends

_KEPT_INFERENCES = 20_000
"""Inferences that stay in the proof, those that were named last, to be named again."""
_FIRST_RESTART = 100
_KEPT_CLAUSES = 3000
_FORGOTTEN = 100
"""Clauses that one line forgets."""
_WIDE = 32
"""Values of a variable from which its domain is halved instead of one being tried."""


class Finished(Exception):  # noqa: N818
    """The empty clause was derived."""


class Engine:
    """One search over one model.

    Parameters
    ----------
    model
        The user's own.
    write
        Takes lines of the proof; None where none is asked for.
    listing
        Whether all solutions are wanted; else one, or the best.
    """

    def __init__(self, model: Statement, write: Callable[[str], None] | None, listing: bool) -> None:
        self.model, self.write, self.listing = model, write, listing
        stated, new = ModelParts(model), propagators.NewVariables(model)
        parts = [stated[name] if listing else new.viewed(stated[name]) for name in stated.names]
        parts += new.definitions()
        self.trail, self._scratch = Trail(new.domains), new.scratch
        count = len(new.domains.low)
        self.decisions: list[int] = model.decisions.tolist()
        self.activity = [0.0] * count
        self._bump = 1.0
        self.saved: list[int | None] = [None] * count
        self._heard: dict[str, list[list[propagators.ExplainingPropagator]]] = {
            change: [[] for _ in range(count)] for change in ("any", "ends", "fixed")
        }
        self._watched: dict[str, list[list[tuple[Literal, propagators.Clause]]]] = {
            operator: [[] for _ in range(count)] for operator in DENIED_SIGN
        }
        self._queue, self._dear = (OrderedDict[propagators.ExplainingPropagator, None]() for _ in range(2))
        self._changed: deque[tuple[int, bool, bool]] = deque()
        self.clauses = 0  # how many were written, or would have been
        self._inferred = OrderedDict[tuple[str, tuple[Literal, ...]], int]()
        self._forgotten: list[int] = []
        self._learned: list[propagators.Clause] = []
        self._goals = goals_of(model)
        self._better: list[propagators.ExplainingPropagator] = []  # propagators of the bound
        self.failures = self.nodes = 0
        self._until_restart, self._restarts = _FIRST_RESTART, 0
        self.trail.changed, self.trail.infer = self._changed.append, self.infer
        self._line(f"model {model.variable_count} {len(model.constraints)}")
        for row, v in new.sums.items():
            self._line(definition_of(v, row))
        for part in parts:
            clause = propagators.clause_of(part, new.domains, new.scratch)
            if clause is None:
                self._attach(propagators.propagators_of(self.trail, part, new.scratch))
            else:
                self._watch(propagators.Clause(clause, self._written(f"i {{}} {part.name}", clause)))
        self._stated = self.clauses  # those that are no part of the search
        if not listing:
            for v, a in zip(*self._goals[0][:2], strict=True) if self._goals else ():
                self.saved[v] = new.domains.low[v] if a > 0 else new.domains.high[v]

    def _attach(self, many: list[propagators.ExplainingPropagator]) -> None:
        """Let propagators hear of their variables, and run once."""
        for propagator in many:
            for v in propagator.scope:
                self._heard[propagator.hears][v].append(propagator)
            self._wake(propagator)

    def _wake(self, propagator: propagators.ExplainingPropagator) -> None:
        (self._dear if propagator.dear else self._queue)[propagator] = None

    def _watch(self, clause: propagators.Clause) -> None:
        for literal in clause.literals[:2]:
            self._watched[literal[1]][literal[0]].append((literal, clause))

    # ---- writing ----------------------------------------------------------------------------------

    def _line(self, text: str) -> None:
        if self.write is not None:
            self.write(text)

    def _written(self, step: str, literals: list[Literal], used: str = "") -> int:
        """Write a clause; return its number."""
        self.clauses += 1
        if self.write is not None:
            self.write(step.format(self.clauses) + text_of(literals) + used)
        return self.clauses

    def infer(self, part: str, premises: list[Literal], literal: Literal | None) -> int:
        """Return the number of an inference, which is written if it is not known."""
        clause = [denied(premise) for premise in premises]
        if literal is not None:
            clause.append(literal)
        key = part, tuple(clause)
        if key not in self._inferred:
            self._inferred[key] = self._written(f"i {{}} {part}", clause)
            if len(self._inferred) > _KEPT_INFERENCES:
                self._forgotten.append(self._inferred.popitem(last=False)[1])
        self._inferred.move_to_end(key)
        return self._inferred[key]

    # ---- propagation ------------------------------------------------------------------------------

    def propagate(self) -> None:
        """Draw all conclusions.

        Raises
        ------
        Contradiction
            For the first one.
        """
        low, high = self.trail.domains.low, self.trail.domains.high
        while True:
            while self._changed:
                v, rose, fell = self._changed.popleft()
                fixed = low[v] == high[v]
                for change, so in (("any", True), ("ends", rose or fell), ("fixed", fixed)):
                    for propagator in self._heard[change][v] if so else ():
                        self._wake(propagator)
                        if change == "fixed":
                            propagator.pending.add(v)
                for operator, may in (("<=", rose), (">=", fell), ("!=", fixed), ("==", True)):
                    if may and self._watched[operator][v]:
                        self._visit(self._watched[operator], v)
            queue = self._queue or self._dear
            if not queue:
                if self.trail.level == 0:
                    self._settle()
                return
            propagator, _ = queue.popitem(last=False)
            propagator.run()

    def _visit(self, lists: list[list[tuple[Literal, propagators.Clause]]], v: int) -> None:
        """Look at the clauses that watch literals of a variable that may have become false."""
        holds = self.trail.domains.holds
        watching = lists[v]
        lists[v] = kept = []
        for k, watch in enumerate(watching):
            if holds(watch[0]) is not False:
                kept.append(watch)
                continue
            literals = watch[1].literals
            if not literals:
                continue  # it was forgotten
            if literals[0] == watch[0]:
                literals[0], literals[1] = literals[1], literals[0]
            first = holds(literals[0])
            if first is True:
                kept.append(watch)
                continue
            for i in range(2, len(literals)):
                if holds(literals[i]) is not False:
                    new = literals[i]
                    literals[1], literals[i] = new, literals[1]
                    self._watched[new[1]][new[0]].append((new, watch[1]))
                    break
            else:
                kept.append(watch)
                if first is False or not self.trail.post(literals[0], watch[1]):
                    kept += watching[k + 1 :]
                    raise Contradiction(watch[1], [denied(literal) for literal in literals])

    def _settle(self) -> None:
        """Write what was concluded at the root as clauses of one literal."""
        for entry in self.trail.entries[self.trail.root :]:
            if entry.maker is not None:
                number = entry.maker.number([], entry.literal)
                if entry.maker.named:
                    self._written("d {}", [entry.literal], f" : {number}")
        self.trail.root = len(self.trail.entries)

    # ---- explaining -------------------------------------------------------------------------------

    def explain(self, conflict: Contradiction) -> tuple[list[Source], str]:
        """Return entries and what is needed of them, whose denials are a clause, and the clauses it uses.

        Raises
        ------
        Finished
            If the contradiction rests on nothing but the root.
        """
        trail = self.trail
        need: dict[TrailEntry, Literal] = {}
        heap: list[int] = []

        def add(sources: Iterable[Source]) -> None:
            for entry, needed in sources:
                if entry not in need:
                    need[entry] = needed
                    heappush(heap, -entry.time)
                elif need[entry] != needed:
                    need[entry] = entry.literal

        premises, first = trail.needed(conflict.premises, len(trail.entries))
        add(first)
        level = max((entry.level for entry in need), default=0)
        number = conflict.maker.number(premises, None)
        here = sum(entry.level == level for entry in need)
        cited = [number]
        done: list[Source] = []
        while heap:
            entry = trail.entries[-heappop(heap)]
            if entry.maker is None or (not self.listing and level and (here == 1 or entry.level < level)):
                done.append((entry, need[entry]))
                continue
            if entry.sources is None:
                found = entry.maker.premises(entry.data, entry.literal, entry.time)
                entry.premises, entry.sources = trail.needed(found, entry.time)
            cited.append(entry.maker.number(entry.premises, entry.literal))
            if not self.listing:
                self._bump_all(entry.literal[0])
                here += sum(e.level == level and e not in need for e in {e for e, _ in entry.sources}) - 1
            add(entry.sources)
        used = " : " + " ".join(map(str, reversed(cited)))
        if not done:
            self._written("d {}", [], used)
            raise Finished
        return done, used

    def _bump_all(self, variable: int) -> None:
        self.activity[variable] += self._bump
        if self.activity[variable] > 1e100:
            self.activity = [a * 1e-100 for a in self.activity]
            self._bump *= 1e-100

    # ---- learning ---------------------------------------------------------------------------------

    def learn(self, conflict: Contradiction) -> None:
        """Learn from a contradiction, go back and conclude from what was learned.

        Raises
        ------
        Finished
            If nothing is left.
        """
        self.failures += 1
        for waiting in (self._queue, self._dear, self._changed):
            waiting.clear()
        done, used = self.explain(conflict)  # the last entry first
        self._bump *= 1.05
        literals = [denied(literal) for _, literal in done]
        for literal in literals:
            self._bump_all(literal[0])
        clause = propagators.Clause(literals, self._written("d {}", literals, used))
        second = max((entry.level for entry, _ in done[1:]), default=0)
        clause.levels = len({entry.level for entry, _ in done})
        self._back(done[0][0].level - 1 if self.listing else second)
        if not self.listing and len(literals) > 1:
            self._learned.append(clause)
            self._watch(clause)
        if not self.trail.post(literals[0], clause):
            raise AssertionError("a learned clause that is false where it is to be true")
        self._until_restart -= 1
        if not self.listing and self._until_restart <= 0:
            self._restart()
        if len(self._learned) > _KEPT_CLAUSES:
            self._reduce()

    def _restart(self) -> None:
        self._restarts += 1
        self._until_restart = _FIRST_RESTART * _luby(self._restarts + 1)
        self._back(0)

    def _reduce(self) -> None:
        """Forget half of the learned clauses, those of many levels first, but for what is a reason now."""
        used = {id(entry.maker) for entry in self.trail.entries}
        self._learned.sort(key=lambda clause: (id(clause) in used or clause.levels <= 2, -clause.levels))
        half = len(self._learned) // 2
        for clause in self._learned[:half]:
            if id(clause) not in used:
                self._forgotten.append(clause.named)
                clause.literals = []
        self._learned = [c for c in self._learned if c.literals]

    def _back(self, level: int) -> None:
        d = self.trail.domains
        for entry in reversed(self.trail.entries):
            if entry.level <= level:
                break
            v = entry.literal[0]
            if d.low[v] == d.high[v]:
                self.saved[v] = d.low[v]
            if self.listing and entry.maker is not None and entry.maker.named > self._stated:
                self._forgotten.append(entry.maker.named)
        self.trail.back(level)
        if len(self._forgotten) > _FORGOTTEN:
            self._line(f"f {' '.join(map(str, self._forgotten))}")
            self._forgotten.clear()
        for propagator in self._better:
            self._wake(propagator)

    # ---- searching --------------------------------------------------------------------------------

    def run(self) -> Iterator[tuple[int, ...] | None]:
        """Yield solutions, and None after each decision and failure; end when the space is exhausted."""
        try:
            while True:
                try:
                    self.propagate()
                except Contradiction as found:
                    self.learn(found)
                    yield None
                    continue
                variable = self._choose()
                if variable is not None:
                    self._decide(variable)
                    yield None
                    continue
                row = tuple([self.trail.domains.low[v] for v in self.decisions])
                if self._goals and not self.listing:
                    self._improve(row)
                    yield row
                    continue
                self.clauses += 1
                self._line(f"s {self.clauses} {' '.join(map(str, row))}")
                excluded: list[Literal] = [(v, "!=", x) for v, x in zip(self.decisions, row, strict=True)]
                exclusion = propagators.Clause(excluded, self.clauses)
                yield row
                if not row:
                    return
                self.learn(Contradiction(exclusion, exclusion.premises(None, None, 0)))
                self._forgotten.append(exclusion.named)
        except Finished:
            return

    def _improve(self, row: tuple[int, ...]) -> None:
        """Let only what is better than a solution be left."""
        self._line(f"o {' '.join(map(str, row))}")
        for v, x in zip(self.decisions, row, strict=True):
            self.saved[v] = x
        for propagator in self._better:
            for v in propagator.scope:
                self._heard[propagator.hears][v].remove(propagator)
        scope = tuple(sorted({v for goal in self._goals for v in goal[0]}))
        bound = better(self._goals, tuple([ends(goal, self.trail.domains)[0] for goal in self._goals]))
        part = ModelPart(bound.name, bound.kind, scope, bound.fields, scope, bound.satisfying)
        self._better = propagators.propagators_of(self.trail, part, self._scratch)
        self._attach(self._better)

    def _choose(self) -> int | None:
        """Return the variable that is decided next, None if all have one value."""
        d = self.trail.domains
        for variables in (self.decisions, range(len(d.low))):
            open_ = [v for v in variables if d.low[v] < d.high[v]]
            if open_:
                return min(open_, key=lambda v: (self._size(v), -self.activity[v], v))
        return None

    def _size(self, v: int) -> int:
        """Return how many values are left of a variable."""
        d = self.trail.domains
        low, high, gone = d.low[v], d.high[v], d.gone[v]
        return high - low + 1 - (sum(low < x < high for x in gone) if gone else 0)

    def _decide(self, v: int) -> None:
        self.nodes += 1
        d = self.trail.domains
        self.trail.level += 1
        saved = self.saved[v]
        low, high = d.low[v], d.high[v]
        literal: Literal = (v, "==", low)
        if not self.listing and saved is not None and d.contains(v, saved):
            literal = (v, "==", saved)
        elif high - low >= _WIDE:
            literal = (v, "<=", (low + high) // 2)
        posted = self.trail.post(literal)
        assert posted, "a decision within a domain"


def definition_of(variable: int, row: Row) -> str:
    """Return the line that says that a new variable is a term.

    >>> definition_of(8, ((0, 3), (2, -1), 5))
    'n 8 0*2 3*-1 : 5'
    """
    terms = "".join([f" {v}*{a}" for v, a in zip(row[0], row[1], strict=True)])
    return f"n {variable}{terms} : {row[2]}"


def text_of(literals: Iterable[Literal]) -> str:
    """Return literals as a line has them, each behind a space.

    >>> text_of([(0, "!=", 3), (12, ">=", -1)])
    ' 0!=3 12>=-1'
    """
    return "".join([f" {v}{operator}{value}" for v, operator, value in literals])


def _luby(k: int) -> int:
    """Return the k-th number of Luby, Sinclair and Zuckerman (1993), from 1."""
    bits = k.bit_length()
    return 1 << (bits - 1) if k == (1 << bits) - 1 else _luby(k - (1 << (bits - 1)) + 1)


OFF = "presolve, implied constraints, structures, remembered subproblems, symmetry and splitting are off"
"""What other searches have and this one does without, since it would not be seen in the steps."""

_LOOK = 16
"""Decisions between two looks at the limits."""


@dataclass
class Prover:
    """One search that explains itself, from the user's own constraints.

    Parameters
    ----------
    write
        Takes lines of the proof; None for none.
    """

    write: Callable[[str], None] | None = None
    name: str = "proving"
    proves: bool = True
    features: frozenset[Feature] = frozenset({Feature.ENUMERATE, Feature.OBJECTIVE, Feature.STEP_LIMIT})
    order: Order = Order.DISTINCT
    strategies: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search to the end, or to a limit."""
        started = time.monotonic()
        if self.write is not None:
            self.write(HEADER)
        listing = request.want in (Want.ALL, Want.COUNT)
        engine = Engine(model, self.write, listing)
        facts: dict[str, object] = {"translate_time": time.monotonic() - started}
        batches = Batches(deliver, np.array, singly=not listing)
        reason = StopReason.EXHAUSTED
        best: int | None = None
        for looks, row in enumerate(engine.run()):
            if row is not None:
                best = objective_of(model, row) if request.want is Want.BEST else None
                batches.put(row)
            if looks % _LOOK == 0:
                batches.flush_old()
            if batches.stopped:
                reason = StopReason.CALLBACK
            elif looks % _LOOK == 0 and request.should_stop():
                reason = request.why_stopped()
            elif request.step_limit is not None and engine.nodes >= request.step_limit:
                reason = StopReason.STEP_LIMIT
            if reason is not StopReason.EXHAUSTED:
                break
        batches.flush()
        done = reason is StopReason.EXHAUSTED
        facts |= {"nodes": engine.nodes, "failures": engine.failures, "clauses": engine.clauses}
        return Ended(done, reason, objective=best, bound=best if done else None, statistics=facts)


def objective_of(model: Statement, row: Sequence[int]) -> int:
    """Return the value of the objective in a solution."""
    assert model.objective is not None
    matrix = np.array([row], dtype=np.int64)
    return int(model.objective.evaluate(model.complete(matrix, model.decisions))[0, 0])
