"""The search: propagates, explains each failure, and writes down what it concludes.

For one solution or the best one, a failure is explained up to the first unique implication point and what is
learned stays for a while; there are restarts. For all solutions the tree is gone through once: a failure, or
the exclusion of a solution, is explained by decisions alone, the last of these is denied, and nothing else is
kept, so that memory stays flat and nothing is found twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from heapq import heappop, heappush

from cpqueens.backends.proving.propagators import Clause, ExplainingPropagator, clause_of, propagators_of
from cpqueens.backends.proving.trail import Contradiction, Reason, Trail
from cpqueens.language.statement import Statement
from cpqueens.proofs.domains import DENIED_SIGN, Domains, Literal, Row, denied
from cpqueens.proofs.parts import ModelPart, ModelParts, better, goals_of, related
from cpqueens.proofs.refuters import ends

_KEPT_INFERENCES = 200_000
"""Inferences of few literals that stay in the proof, to be named again."""
_SHORT = 3
_FIRST_RESTART = 100
_KEPT_CLAUSES = 3000
_LOOK = 32
"""Decisions after which the caller may look at its limits."""
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
        stated, domains, sums = ModelParts(model), Domains.of(model), dict[Row, int]()
        parts = [viewed(stated[name], sums, domains) for name in stated.names]
        self.trail = Trail(domains)
        count = len(domains.low)
        self.decisions: list[int] = model.decisions.tolist()
        self.activity = [0.0] * count
        self._bump = 1.0
        self.saved: list[int | None] = [None] * count
        self._any: list[list[ExplainingPropagator]] = [[] for _ in range(count)]
        self._fixed: list[list[ExplainingPropagator]] = [[] for _ in range(count)]
        self._watched: dict[str, list[list[tuple[Literal, Clause]]]] = {
            operator: [[] for _ in range(count)] for operator in DENIED_SIGN
        }
        self._queue: deque[ExplainingPropagator] = deque()
        self._dear: deque[ExplainingPropagator] = deque()
        self._changed: deque[tuple[int, bool, bool]] = deque()
        self._number = 0
        self._inferred: dict[tuple[str, tuple[Literal, ...]], int] = {}
        self._fleeting: set[int] = set()  # clauses that are forgotten with the entry that uses them
        self._forgotten: list[int] = []
        self._learned: list[Clause] = []
        self._goals = goals_of(model)
        self._better: list[ExplainingPropagator] = []  # propagators of the bound
        self.failures = self.nodes = 0
        self.step_limit: int | None = None
        self._until_restart, self._restarts = _FIRST_RESTART, 0
        self.trail.changed, self.trail.infer = self._changed.append, self.infer
        self._line(f"model {model.variable_count} {len(model.constraints)}")
        self._build(parts, sums)

    @property
    def clauses(self) -> int:
        """How many clauses were written, or would have been."""
        return self._number

    @property
    def out_of_steps(self) -> bool:
        """Whether there were as many decisions as allowed."""
        return self.step_limit is not None and self.nodes >= self.step_limit

    # ---- building ---------------------------------------------------------------------------------

    def _build(self, parts: list[ModelPart], sums: dict[Row, int]) -> None:
        for row, v in sums.items():
            self._line(definition_of(v, row))
            parts.append(related(f"x{v}", ((*row[0], v), (*row[1], -1), row[2]), "=="))
        for part in parts:
            clause = clause_of(part, self.trail.domains)
            if clause is None:
                self._attach(propagators_of(self.trail, part))
            else:
                self._watch(Clause(clause, self._written(f"i {{}} {part.name}", clause)))
        if not self.listing:
            for v, a in zip(*self._goals[0][:2], strict=True) if self._goals else ():
                self.saved[v] = self.trail.domains.low[v] if a > 0 else self.trail.domains.high[v]

    def _attach(self, propagators: list[ExplainingPropagator]) -> None:
        """Let propagators hear of their variables, and run once."""
        for propagator in propagators:
            heard = self._fixed if propagator.wakes_on_fix else self._any
            for v in propagator.scope:
                heard[v].append(propagator)
            self._wake(propagator)

    def _wake(self, propagator: ExplainingPropagator) -> None:
        if not propagator.queued:
            propagator.queued = True
            (self._dear if propagator.dear else self._queue).append(propagator)

    def _watch(self, clause: Clause) -> None:
        for literal in clause.literals[:2]:
            self._watched[literal[1]][literal[0]].append((literal, clause))

    # ---- writing ----------------------------------------------------------------------------------

    def _line(self, text: str) -> None:
        if self.write is not None:
            self.write(text)

    def _written(self, step: str, literals: list[Literal], used: str = "") -> int:
        """Write a clause; return its number."""
        self._number += 1
        if self.write is not None:
            self.write(step.format(self._number) + text_of(literals) + used)
        return self._number

    def infer(self, part: str, premises: list[Literal], literal: Literal | None) -> int:
        """Return the number of an inference, which is written if it is not known."""
        clause = [denied(premise) for premise in premises]
        if literal is not None:
            clause.append(literal)
        key = part, tuple(clause)
        number = self._inferred.get(key)
        if number is None:
            number = self._written(f"i {{}} {part}", clause)
            if len(clause) <= _SHORT and len(self._inferred) < _KEPT_INFERENCES:
                self._inferred[key] = number
            else:
                self._fleeting.add(number)
        return number

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
                for propagator in self._any[v]:
                    self._wake(propagator)
                fixed = low[v] == high[v]
                if fixed:
                    for propagator in self._fixed[v]:
                        propagator.pending.append(v)
                        self._wake(propagator)
                for operator, may in (("<=", rose), (">=", fell), ("!=", fixed), ("==", True)):
                    if may and self._watched[operator][v]:
                        self._visit(self._watched[operator], v)
            queue = self._queue or self._dear
            if not queue:
                if self.trail.level == 0:
                    self._settle()
                return
            propagator = queue.popleft()
            propagator.queued = False
            propagator.run()

    def _visit(self, lists: list[list[tuple[Literal, Clause]]], v: int) -> None:
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
                if first is False or not self.trail.post(literals[0], (watch[1], None)):
                    kept += watching[k + 1 :]
                    raise Contradiction(watch[1], [denied(literal) for literal in literals])

    def _settle(self) -> None:
        """Write what was concluded at the root as clauses of one literal."""
        trail = self.trail
        for entry in range(trail.root, len(trail.literals)):
            reason, literal = trail.reasons[entry], trail.literals[entry]
            if reason is not None and not trail.numbers[entry]:
                number = reason[0].number([], literal)
                if isinstance(reason[0], Clause):
                    self._written("d {}", [literal], f" : {number}")
            trail.root = entry + 1

    # ---- explaining -------------------------------------------------------------------------------

    def explain(self, conflict: Contradiction) -> tuple[list[tuple[int, Literal]], str]:
        """Return entries and what is needed of them, whose denials are a clause, and the clauses it uses.

        Raises
        ------
        Finished
            If the contradiction rests on nothing but the root.
        """
        trail = self.trail
        need: dict[int, Literal] = {}
        heap: list[int] = []

        def add(sources: Iterable[tuple[int, Literal]]) -> None:
            for entry, needed in sources:
                if entry not in need:
                    need[entry] = needed
                    heappush(heap, -entry)
                elif need[entry] != needed:
                    need[entry] = trail.literals[entry]

        premises, first = trail.needed(conflict.premises, len(trail.literals))
        add(first)
        level = max((trail.levels[entry] for entry in need), default=0)
        number = conflict.maker.number(premises, None)
        here = sum(trail.levels[entry] == level for entry in need)
        cited: list[tuple[int, int]] = []
        done: list[tuple[int, Literal]] = []
        while heap:
            entry = -heappop(heap)
            reason = trail.reasons[entry]
            if reason is None or (not self.listing and level and (here == 1 or trail.levels[entry] < level)):
                done.append((entry, need[entry]))
                continue
            sources = trail.explained[entry]
            if sources is None:
                sources = self._explained(entry, reason)
            cited.append((entry, trail.numbers[entry]))
            if not self.listing:
                self._bump_all(trail.literals[entry][0])
                here += sum(trail.levels[e] == level and e not in need for e in {e for e, _ in sources}) - 1
            add(sources)
        cited.sort()
        used = " : " + " ".join([*(str(n) for _, n in cited), str(number)])
        self._forget(number)
        if not done:
            self._written("d {}", [], used)
            raise Finished
        return done, used

    def _explained(self, entry: int, reason: Reason) -> list[tuple[int, Literal]]:
        """Return from what an entry was concluded; the clause that says so is written."""
        trail, literal = self.trail, self.trail.literals[entry]
        premises, found = trail.needed(reason[0].premises(reason[1], literal, entry), entry)
        if not trail.numbers[entry]:
            trail.numbers[entry] = reason[0].number(premises, literal)
        trail.explained[entry] = found
        return found

    def _forget(self, number: int) -> None:
        """Forget a clause behind the next step, if nothing else uses it."""
        if number in self._fleeting:
            self._fleeting.discard(number)
            self._forgotten.append(number)

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
        self._drop_queues()
        done, used = self.explain(conflict)
        self._bump *= 1.05
        done.sort(reverse=True)
        trail = self.trail
        literals = [denied(literal) for _, literal in done]
        for literal in literals:
            self._bump_all(literal[0])
        clause = Clause(literals, self._written("d {}", literals, used))
        second = max((trail.levels[entry] for entry, _ in done[1:]), default=0)
        clause.levels = len({trail.levels[entry] for entry, _ in done})
        self._back(trail.levels[done[0][0]] - 1 if self.listing else second)
        if len(literals) > 1:
            if self.listing:
                self._fleeting.add(clause.named)
            else:
                self._learned.append(clause)
                self._watch(clause)
        if not trail.post(literals[0], (clause, None)):
            raise AssertionError("a learned clause that is false where it is to be true")
        if len(literals) == 1:
            trail.numbers[-1] = clause.named
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
        used = {id(reason[0]) for reason in self.trail.reasons if reason is not None}
        self._learned.sort(key=lambda clause: (id(clause) in used or clause.levels <= 2, -clause.levels))
        half = len(self._learned) // 2
        for clause in self._learned[:half]:
            if id(clause) not in used:
                self._forgotten.append(clause.named)
                clause.literals = []
        self._learned = [c for c in self._learned if c.literals]

    def _drop_queues(self) -> None:
        for queue in (self._queue, self._dear):
            for propagator in queue:
                propagator.queued = False
                propagator.pending.clear()
            queue.clear()
        self._changed.clear()

    def _back(self, level: int) -> None:
        trail = self.trail
        low, high = trail.domains.low, trail.domains.high
        for entry in range(len(trail.literals) - 1, -1, -1):
            if trail.levels[entry] <= level:
                break
            v = trail.literals[entry][0]
            if low[v] == high[v]:
                self.saved[v] = low[v]
            reason = trail.reasons[entry]
            number = trail.numbers[entry]
            if not number and reason is not None and isinstance(reason[0], Clause):
                number = reason[0].named
            self._forget(number)
        trail.back(level)
        if len(self._forgotten) > _FORGOTTEN:
            self._line(f"f {' '.join(map(str, self._forgotten))}")
            self._forgotten.clear()
        for propagator in self._better:
            self._wake(propagator)

    # ---- searching --------------------------------------------------------------------------------

    def run(self) -> Iterator[tuple[int, ...] | None]:
        """Yield solutions, and None now and then; end when the space is exhausted."""
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
                    if self.nodes % _LOOK == 0 or self.out_of_steps:
                        yield None
                    continue
                row = tuple([self.trail.domains.low[v] for v in self.decisions])
                if self._goals and not self.listing:
                    self._improve(row)
                    yield row
                    continue
                exclusion: list[Literal] = [(v, "!=", x) for v, x in zip(self.decisions, row, strict=True)]
                self._number += 1
                self._line(f"s {self._number} {' '.join(map(str, row))}")
                number = self._number
                self._fleeting.add(number)
                yield row
                if not exclusion:
                    return
                self.learn(Contradiction(Clause(exclusion, number), [denied(one) for one in exclusion]))
        except Finished:
            return

    def _improve(self, row: tuple[int, ...]) -> None:
        self._line(f"o {' '.join(map(str, row))}")
        d = self.trail.domains
        for v in self.decisions:
            self.saved[v] = d.low[v]
        for propagator in self._better:
            for v in propagator.scope:
                self._any[v].remove(propagator)
        scope = tuple(sorted({v for goal in self._goals for v in goal[0]}))
        bound = better(self._goals, tuple([ends(goal, d)[0] for goal in self._goals]))
        part = replace(bound, scope=scope, inputs=scope)
        self._better = propagators_of(self.trail, part)
        self._attach(self._better)

    def _choose(self) -> int | None:
        """Return the variable that is decided next, None if all have one value."""
        low, high = self.trail.domains.low, self.trail.domains.high
        open_ = [v for v in self.decisions if low[v] < high[v]]
        if not open_:
            open_ = [v for v in range(len(low)) if low[v] < high[v]]
            if not open_:
                return None
        return min(open_, key=lambda v: (self._size(v), -self.activity[v], v))

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
        if not self.listing and saved is not None and d.contains(v, saved):
            literal: Literal = (v, "==", saved)
        elif high - low >= _WIDE:
            literal = (v, "<=", (low + high) // 2)
        else:
            literal = (v, "==", low)
        posted = self.trail.post(literal, None)
        assert posted, "a decision within a domain"


def viewed(part: ModelPart, sums: dict[Row, int], domains: Domains) -> ModelPart:
    """Return an AllDifferent whose terms of several variables are new variables, others as they are."""
    if part.kind != "AllDifferent":
        return part
    rows: list[Row] = []
    for row in part.fields["terms"]:
        if len(row[0]) > 1:
            if row not in sums:
                sums[row] = len(domains.low)
                domains.add(*ends(row, domains))
            row = (sums[row],), (1,), 0
        rows.append(row)
    scope = tuple(sorted({v for row in rows for v in row[0]}))
    return ModelPart(part.name, part.kind, scope, {"terms": rows}, scope, lambda rows: rows)


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
