"""Running the search that learns clauses: room for them, limits and statistics around the compiled kernel."""

from contextlib import nullcontext
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.clause_audit import Audit
from cpqueens.backends.backtracking.clauses import attach, exported, imported
from cpqueens.backends.backtracking.explained import Explained, explained
from cpqueens.backends.backtracking.portfolio import CompetingSearch, Slices
from cpqueens.backends.backtracking.rows import Proved
from cpqueens.backends.base import Deliver, Ended, Request, StopReason, Want
from cpqueens.backends.known import LearnedClauses
from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.apart import KINDS
from cpqueens.kernels.exact.learning import heap, literals as of, search as learning
from cpqueens.lowered.compiled import Compiled
from cpqueens.system.stopping import Pace

FIRST_CLAUSES = 1 << 16
"""Words for learned clauses at first."""

FIRST_TRAIL = 4
"""Levels that change everything for which the trail has room at first."""

MOST_WORDS = 1 << 26
"""Words of clauses, or of the trail, at most: 512 MB."""

KEPT = 4000
"""Learned clauses from which on some are forgotten."""

BETWEEN = 100
"""Failures between two times that clauses have no room, and half of them are forgotten; else it gives up."""

FADING = 8
"""At each turn one in so many of the failures of late becomes an early one."""

CHANCE, SPARED, LEAST, MOST = 0.15, 128, 1 / 16, 16
"""How many times the work of another it may do after a turn: so many for each level that a failure of late
led back over beyond its own, on average and beyond what clauses spare by chance, within limits. Golomb rulers
spare it 0.02, still lifes and Mycielski's graphs 0.12 (0.09 to 0.15 at a time), what it proves in a tenth of
the time of others 0.2 and more.
"""

EXPLAINING = 12
"""Runs of a propagator that take as long as an explanation with what an analysis does with it."""

BOUNDS_ONLY = (
    kinds.ABS,
    kinds.PRODUCT,
    *map(KINDS.__getitem__, ("cumulative", "distances", "fractional_bound", "lexicographic", "no_overlap")),
)
"""Propagators that read nothing of their arguments but bounds, which explain what they do."""

_COUNTS = {
    "nodes": of.NODES,
    "failures": of.FAILURES,
    "restarts": of.RESTARTS,
    "deepest": of.DEEPEST,
    "clauses_learned": of.LEARNED,
    "clauses_forgotten": of.DELETED,
    "explained_by_all": of.BY_ALL,
    "explained": of.EXPLAINED,
}


class ClauseSearch(CompetingSearch):
    """One run of the strategy ``learning``: for one solution, or the best."""

    takes_solutions = True

    def __init__(
        self,
        compiled: Compiled,
        start: Explained,
        request: Request,
        facts: dict[str, Any],
        audit: Audit | None = None,
    ) -> None:
        super().__init__(compiled, request, start.memory, start.objective)
        self.start, self.facts = start, facts
        self.memory = _with_log(at.copied(start.memory))
        self._prefer_earlier()
        kept = self._kept()
        words = 0 if kept is None else of.C_LITERALS * kept.many + kept.literals.size
        self.learner = _learner(self.memory, start, compiled.decision_count, words)
        self._refuted = not attach(self.memory, self.learner, start.clauses)
        self.audit = audit
        self._is_left, self._learned_at_solution = False, -1
        self._early = 0  # failures that no longer count for its share
        self._forgot = -BETWEEN  # failures when clauses had no room last, and were to be forgotten
        if kept is not None:
            self.facts = facts | {"clauses_kept": kept.many}
            self._audit_kept(kept)
            self._refuted = self._refuted or not attach(self.memory, self.learner, kept)
        self._number = 0 if request.profiling is None else request.profiling.follow(self)
        self.pace = Pace(1)
        self._gave_up = False
        self._demand_limit()
        learning.begin(self.memory, self.learner)

    # ---- running ----------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """Whether there is machine code: in plain form its turns would last hundreds of times as long."""
        return learning.learn.is_ready(self.memory, self.learner, 1)

    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, slice by slice."""
        reason = self._limit()
        while reason is None:
            if self._refuted:
                return self._ended(True, None)
            self._hear_of_others()
            answer = self._advance()
            self._learn_bound()
            if self._count(of.STORED):
                reason = self._flush(deliver)
            if answer == learning.EXHAUSTED:
                return self._ended(reason is None, reason)
            if self._gave_up:
                self.facts = self.facts | {"gave_up": "no more room for clauses, trail or log"}
                return self._ended(False, StopReason.GAVE_UP)
            yield self._count(of.FOUND)
            reason = reason or self._limit()
        return self._ended(False, reason)

    @property
    def found(self) -> int:
        """The solutions so far."""
        return self._count(of.FOUND)

    @property
    def failures(self) -> int:
        """The dead ends so far."""
        return self._count(of.FAILURES)

    @property
    def work(self) -> int:
        """The propagators that have run, changes that clauses looked at and explanations, by their time."""
        return super().work + self._count(of.LOOKED) + EXPLAINING * self._count(of.EXPLAINED)

    @property
    def share(self) -> float:
        """How many times the work of another it should do: more where conflicts lead back farther."""
        spared = self._count(of.SKIPPED) / max(1, self.failures - self._early)
        return min(max(LEAST, SPARED * (spared - CHANCE)), MOST)

    def give_turn(self, failures: int) -> None:
        """Let it fail so often before the next turn of others; for its share counts less what is past."""
        self._turn_end = self.failures + failures
        self._early += (self.failures - self._early) // FADING
        self.learner.state[of.SKIPPED] -= self._count(of.SKIPPED) // FADING
        self.learner.state[of.ASK_FAILURES] = self._turn_end

    def _count(self, place: int) -> int:
        return int(self.learner.state[place])

    @property
    def decisions(self) -> int:
        """The decisions so far, as a limit of steps counts them."""
        return self._count(of.NODES)

    def _advance(self) -> int:
        """Run the kernel for a slice of time, and make room where it asks for it."""
        steps = self.pace.steps if self.audit is None else 1
        if self.request.step_limit is not None:
            steps = min(steps, self.request.step_limit - self.decisions)
        learned = self._count(of.LEARNED)
        profiling = self.request.profiling
        with nullcontext() if profiling is None else profiling.running(self._number):
            answer = self.pace.timed(
                lambda most: int(learning.learn(self.memory, self.learner, most)),
                steps,
                unmade=learning.PAUSED,
            )
        if self.audit is not None and self._count(of.LEARNED) > learned:
            self._audit(self.audit)
        if answer in (learning.NO_CLAUSES, learning.NO_TRAIL, learning.NO_LOG):
            self._make_room(answer)
        return answer

    def _audit(self, audit: Audit) -> None:
        """Check the last clause; without an objective those behind a solution say that it is not wanted."""
        row = self.start.objective
        if row >= 0 or not self.found:
            audit.check(self.learner, int(self.memory.net[row + at.CONSTANT]) if row >= 0 else 0)

    def _make_room(self, answer: int) -> None:
        """Grow what was too short; the search is before its first decision, where it also forgets clauses."""
        memory, learner = self.memory, self.learner
        too_long = len(learner.arena if answer == learning.NO_CLAUSES else memory.stack) >= MOST_WORDS
        if too_long and answer == learning.NO_CLAUSES and self.failures >= self._forgot + BETWEEN:
            learner.state[of.MOST_CLAUSES], self._forgot = self._count(of.CLAUSES) // 2, self.failures
        elif too_long or memory.stack[at.LOG_FULL]:
            self._gave_up = True
        elif answer == learning.NO_CLAUSES:
            self.learner = learner._replace(
                arena=np.concatenate([learner.arena, np.zeros_like(learner.arena)])
            )
        else:
            trail, log = (2, 1) if answer == learning.NO_TRAIL else (1, 2)
            self.memory = _with_log(memory, trail, log, learner)
            self.learner = _with_regions(learner, self.memory)

    def _flush(self, deliver: Deliver) -> StopReason | None:
        """Deliver what is stored."""
        stored = self._count(of.STORED)
        if self.found == stored:
            self._learned_at_solution = self._count(of.LEARNED)
        if self.request.want is Want.BEST:
            self._best = self._demanded(self.memory) + 1
        go_on = deliver(self.learner.solutions[:stored].copy())
        self.learner.state[of.STORED] = 0
        return None if go_on else StopReason.CALLBACK

    # ---- what is kept for a model that has grown ----------------------------------------------------

    def _kept(self) -> LearnedClauses | None:
        """Return clauses of an earlier search that hold for all solutions that this one looks for."""
        clauses = None if self.request.known is None else self.request.known.clauses
        if clauses is None:
            return None
        super()._hear_of_others()
        if clauses.limit is not None and (
            self.objective_row < 0 or self._demanded(self.memory) > clauses.limit
        ):
            return None
        return imported(self.compiled, self.memory, clauses)

    def _audit_kept(self, kept: LearnedClauses) -> None:
        """Refute the opposite of each, under the demand on the objective."""
        row, audit = self.objective_row, self.audit
        if audit is not None:
            constant = int(self.memory.net[row + at.CONSTANT]) if row >= 0 else 0
            for literals in np.split(kept.literals, np.cumsum(kept.lengths)[:-1]):
                audit.refute([(literal, value) for literal, value in literals.tolist()], constant)

    def leave(self) -> None:
        """Hand over what was learned; but not what says of a solution that it is not wanted."""
        sink, learned = self.request.learned, self._count(of.LEARNED)
        if sink is None or self._is_left or not learned:
            return
        self._is_left, last = True, 0
        if self.objective_row < 0 and self.found:
            last = self._count(of.LAST_CLAUSE)
            if not last or learned > self._learned_at_solution:
                return
        limit = None
        if self.objective_row >= 0 and self._demanded(self.memory) < self._demanded(self.start.memory):
            limit = self._demanded(self.memory)
        if self._count(of.DEPTH):  # nothing is decided after this, so only domains are put back
            first = int(of.level_place(self.learner, 0))
            trail, cells = self.learner.room[[first + of.L_TRAIL, first + of.L_CELLS]].tolist()
            at.restore(self.memory, trail, cells)
        clauses = exported(self.compiled, self.memory, self.learner, limit, last)
        if clauses is not None:
            sink.append(clauses)

    def _ended(self, exhausted: bool, reason: StopReason | None) -> Ended:
        if not exhausted:
            self.leave()
        return super()._ended(exhausted, reason)

    # ---- the objective ----------------------------------------------------------------------------

    def _demand(self, most: int) -> None:
        """Let the objective be at most so much; it only ever becomes less."""
        if most < self._demanded(self.memory):
            super()._demand(most)
            at.enqueue(self.memory, self.objective_row)

    def _hear_of_others(self) -> None:
        """Demand better than what others have met."""
        super()._hear_of_others()
        self.learner.state[of.HALVES] = self._best is not None

    def _learn_bound(self) -> None:
        """Take the least value that the objective may have before all decisions."""
        objective = self.compiled.objective
        if self.request.want is Want.BEST and objective is not None and self.learner.state[of.HAS_LEAST]:
            self._prove(
                min(self._count(of.LEAST) + int(objective.constant[0]), self._demanded(self.memory) + 1)
            )

    # ---- results ------------------------------------------------------------------------------------

    def statistics(self) -> dict[str, Any]:
        """Return what it did."""
        learned = self._count(of.LEARNED)
        audited = {} if self.audit is None else {"clauses_audited": self.audit.checked}
        return self.facts | {
            "strategy": "learning",
            "decisions": self.decisions,
            "propagations": super().work,
            **{name: self._count(place) for name, place in _COUNTS.items()},
            "literals_learned": self._count(of.LITERALS),
            "mean_clause_length": round(self._count(of.LITERALS) / learned, 1) if learned else None,
            **audited,
        }


def clause_search(
    compiled: Compiled, request: Request, facts: dict[str, Any], proved: Proved = ()
) -> ClauseSearch | str:
    """Return a search that learns, audited if that is asked for; or why the model is not for it."""
    profiling = request.profiling
    sources = None if profiling is None else profiling.sources
    without = request.parameters.get("without", ())
    start = explained(compiled, proved=proved, sources=sources, without=without)
    if isinstance(start, str):
        return start
    audit = None
    if request.parameters.get("audit"):
        whole = explained(compiled, False, without=without)
        assert not isinstance(whole, str), "it has the same variables"
        audit = Audit(whole, compiled.decision_count)
    return ClauseSearch(compiled, start, request, facts, audit)


# ---- arrays ---------------------------------------------------------------------------------------


def _with_log(m: at.Memory, trail: int = 1, log: int = 1, learner: of.Learner | None = None) -> at.Memory:
    """Return a memory with a log behind the trail, or with one of both longer by a factor."""
    base = int(m.stack[at.TRAIL_TOP])
    if learner is None:
        variables, cells = int(m.stack[at.VARIABLES]) // at.X_WIDTH, int(m.stack[at.MARKS])
        sizes = FIRST_TRAIL * (len(m.x) + 1024), at.R_WIDTH * (2 * (cells + 4 * variables) + 256)
    else:
        end = int(learner.state[of.TRAIL_END])
        sizes = trail * (end - base), log * (len(m.stack) - end)
    stack = np.zeros(base + sum(sizes), dtype=np.int64)
    stack[:base] = m.stack[:base]
    stack[at.LOG_TOP], stack[at.LOG_END] = base + sizes[0], len(stack)
    stack[at.REASON] = of.BY_DECISION
    m.x[at.FROZEN : stack[at.VARIABLES] : at.X_WIDTH] = at.LOGGED
    if learner is not None:
        learner.state[[of.LOG_BASE, of.SEEN, of.TRAIL_END]] = stack[at.LOG_TOP]
    return m._replace(stack=stack)


def _learner(m: at.Memory, start: Explained, count: int, more: int) -> of.Learner:
    """Return the arrays of a search that has not begun, with room for ``more`` words of clauses."""
    variables = int(m.stack[at.VARIABLES]) // at.X_WIDTH
    state = np.zeros(of.HEADER, dtype=np.int64)
    state[of.COUNT], state[of.OBJECTIVE] = count, start.objective
    state[[of.LOG_BASE, of.SEEN, of.TRAIL_END]] = m.stack[at.LOG_TOP]
    state[of.BOUNDS_ONLY] = sum(1 << kind for kind in BOUNDS_ONLY)
    state[of.MOST_CLAUSES], state[of.LIMIT], state[of.ASK_FAILURES] = KEPT, 100, 1 << 62
    state[of.LUBY], state[of.LUBY_BITS] = 2, 1
    lists = of.OPERATORS * variables
    state[of.ARENA_TOP] = state[of.FIRST_CLAUSE] = lists
    words = more + of.C_LITERALS * start.clauses.many + start.clauses.literals.size
    arena = np.zeros(lists + words + FIRST_CLAUSES, dtype=np.int64)
    solutions = np.zeros((1, count), dtype=np.int64)
    learner = _with_regions(of.Learner(state, np.zeros(0, dtype=np.int64), arena, solutions), m)
    places = learner.room[state[of.PLACES] : state[of.PLACES] + variables]
    places[:] = heap.NEVER
    places[start.decided] = np.arange(len(start.decided))
    first = int(state[of.HEAP])
    learner.room[first : first + len(start.decided)] = np.array(start.decided, dtype=np.int64) * at.X_WIDTH
    state[of.HEAP_SIZE] = len(start.decided)
    return learner


def _with_regions(learner: of.Learner, m: at.Memory) -> of.Learner:
    """Return a learner with regions as large as the memory's log needs; the first ones stay in place."""
    state = learner.state
    variables, cells = int(m.stack[at.VARIABLES]) // at.X_WIDTH, int(m.stack[at.MARKS])
    wide = int(np.count_nonzero(m.x[at.FIRST : m.stack[at.VARIABLES] : at.X_WIDTH] < 0))
    levels = 4 * variables + 66 * wide + 16
    records = (len(m.stack) - int(state[of.TRAIL_END])) // at.R_WIDTH
    sizes = [
        variables,
        variables,
        of.L_WIDTH * (levels + 1),
        levels + 2,
        4 * levels + 4 * cells + 64,
        records + 1,
    ]
    first = np.cumsum([0, *sizes]).tolist()
    places = (of.HEAP, of.PLACES, of.LEVELS, of.STAMPS, of.FACTS, of.MARKED)
    state[list(places)] = first[:-1]
    state[of.LEVELS_END] = levels
    state[of.FACTS_TOP], state[of.FACTS_END] = state[of.FACTS], state[of.MARKED]
    state[of.MARKED_TOP] = state[of.MARKED]
    room = np.zeros(first[-1], dtype=np.int64)
    room[: min(len(room), len(learner.room))] = learner.room[: len(room)]
    return learner._replace(room=room)
