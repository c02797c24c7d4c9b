"""Branch and bound: the linear relaxation is solved at every node, within what is left there.

The one sum of rows that other searches have, with the root's multipliers, says little once much is decided:
where a plant is closed, others serve its customers, at other prices. Here each node has multipliers of its
own. They are made integers and the rows are added up exactly: what GLOP says in floating point is a guess at
what to decide, and closes nothing.

Source: Land and Doig (1960), "An automatic method of solving discrete programming problems"; reduced costs as
in Crowder, Johnson and Padberg (1983), "Solving large-scale zero-one linear programming problems"; what
decisions cost as in Benichou et al. (1971), "Experiments in mixed-integer linear programming".
"""

import heapq
import math
from collections.abc import Iterable
from contextlib import nullcontext
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.orders import tree_search
from cpqueens.backends.backtracking.portfolio import CompetingSearch, Slices
from cpqueens.backends.backtracking.rows import rows_of
from cpqueens.backends.base import Deliver, Request, StopReason
from cpqueens.backends.relaxation.inequalities import Inequality, inequalities
from cpqueens.backends.relaxation.program import LinearProgram, Simplex
from cpqueens.backends.relaxation.relaxation import Relaxation
from cpqueens.kernels.exact import branching as tree, domains as at
from cpqueens.kernels.exact.domains import Memory, copied, enqueue, forget, tighten
from cpqueens.kernels.exact.forward import TRAIL_FULL, search
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled
from cpqueens.system.stopping import doubled

Decision = tuple[int, int, int]
"""A variable, and between which values it is to be."""

INTEGRAL = 1e-6
"""How far from an integer a value may be."""
LEAST_GAIN = 1e-4
"""What a decision is taken to gain at least: where one side gains nothing, the other one tells."""
UNPROVEN, CLOSE, GAINING = 1 / 2, 2, 10
"""How many times the work of another it may do before it has closed any of the gap, how much more where the
root's relaxation leaves nothing of it, and how much more once it has closed all that this left, by the square
of what it has closed: first steps are easy."""
NEARLY = 1 / 10
"""What the relaxation leaves, at most, of the gap between propagation and the best solution, to be close."""
SHORT = 3
"""The terms of a row, or of a definition, that takes as long as a short propagator."""
_TOPS = [at.TRAIL_TOP, at.CELLS_TOP]


class Node(NamedTuple):
    """What is open: nothing there is better than its bound. Of equal ones the deepest comes first."""

    bound: int
    height: int
    number: int
    decisions: tuple[Decision, ...] = ()


class Branch(NamedTuple):
    """How a node was made: on which side of a variable's value, how far from it, and the objective there."""

    side: tuple[int, int]
    distance: float
    objective: float


class BranchAndBound(CompetingSearch):
    """A search for the best solution: from the best open node down, as the relaxation's vertex says."""

    found = failures = decisions = 0

    def __init__(
        self,
        compiled: Compiled,
        request: Request,
        network: tuple[Memory, int],
        relaxation: Relaxation,
        facts: dict[str, Any],
    ) -> None:
        super().__init__(compiled, request, *network)
        root = ForwardSearch(compiled, network, request, False, {})
        self._refuted = not root.propagates()
        self._root, self.memory = root.memory, copied(root.memory)
        self._tree = tree_search(compiled.decision_count, objective=self.objective_row)
        self._fresh = self._tree.state.copy()
        self._relaxation = relaxation
        self._missing: LinearProgram | None = None  # how far rows are from holding, once that is asked
        self.facts, profiling = facts, request.profiling
        self._number = 0 if profiling is None else profiling.follow(self)
        self._floor = self._at_least(self._root)  # by propagation alone
        self._open = [Node(self._least, 0, 0)]
        self._node: Node | None = None  # whose domains are in memory
        self._branch: Branch | None = None
        self._gains, self._tries = np.zeros((2, 2, compiled.decision_count))
        self._first_bound: int | None = None
        self._solved = self._cost = self._deepest = 0
        self._demand_limit()

    # ---- running ----------------------------------------------------------------------------------

    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, node by node."""
        reason = self._limit()
        while reason is None and not self._refuted:
            self._hear_of_others()
            if self._node is None and not self._take():
                return self._ended(True, None)
            reason = self._visit(deliver)
            if reason is StopReason.GAVE_UP:
                self.facts = self.facts | {"gave_up": "its relaxation takes too long"}
                return self._ended(False, reason)
            yield self.found
            reason = reason or self._limit()
        return self._ended(self._refuted, reason)

    @property
    def work(self) -> int:
        """The propagators that have run, and relaxations, by their time: the first is paid in advance."""
        return super().work + int(max(self._cost, self._relaxation.work) / self._dearness)

    @cached_property
    def _dearness(self) -> float:
        """How many times as long as a short propagator one takes: as rows are long, on the average."""
        c, defined = self.compiled, self.compiled.definitions.blocks
        terms = len(c.linear.variable) + sum(len(block.terms.variable) for block in defined)
        return max(1.0, terms / SHORT / max(1, len(c.linear) + sum(len(block.results) for block in defined)))

    @property
    def share(self) -> float:
        """How many times the work of another it should do: the more, the more it closes of the gap."""
        if self._first_bound is None or self._best is None:
            return UNPROVEN
        closed = max(0, self._least - self._first_bound) / max(1, self._best - self._first_bound)
        apart = (self._best - self._first_bound) / max(1, self._best - self._floor)
        return UNPROVEN + CLOSE * max(0.0, 1 - apart / NEARLY) + GAINING * closed**2

    @property
    def is_turn_over(self) -> bool:
        """Whether others have their turn: after each node, which takes as long as thousands of theirs."""
        return True

    def give_turn(self, failures: int) -> None:
        """Its turns are nodes."""

    # ---- nodes ------------------------------------------------------------------------------------

    def _take(self) -> bool:
        """Go to the best open node; say whether there is one that is as good as is demanded."""
        if not self._open or self._open[0].bound > self._demanded(self.memory):
            return False
        self._node, self._branch = heapq.heappop(self._open), None
        self._prove(self._node.bound)
        m, root = self.memory, self._root
        np.copyto(m.x, root.x)
        np.copyto(m.cells, root.cells)
        m.stack[_TOPS] = root.stack[_TOPS]
        m.stack[at.LEVEL] = root.stack[at.LEVEL] + 1
        self._narrow(self._node.decisions)
        return True

    def _visit(self, deliver: Deliver) -> StopReason | None:
        """Bound the node in memory; close it, or go down one of its branches."""
        if self._node is None:  # it failed at once
            return None
        self.decisions += 1
        self._deepest = max(self._deepest, len(self._node.decisions))
        simplex = self._solved_by(self._program)
        if simplex is not None:
            self._bound(simplex)
        elif not self._program.infeasible:
            return StopReason.GAVE_UP
        elif self._is_refuted():
            self._fail()
        if self._node is None:
            return None
        lower, upper = self._ends()
        point = lower.astype(np.float64)
        if simplex is not None:
            point[self._program.columns] = simplex.vertex
        return self._divide(np.clip(point, lower, upper)[: self.compiled.decision_count], simplex, deliver)

    def _solved_by(self, program: LinearProgram) -> Simplex | None:
        """Solve a program within the domains in memory."""
        program.within(*self._ends())
        simplex = program.solve()
        steps = 0 if simplex is None else simplex.iterations
        self._solved += 1
        self._cost += program.work(steps)
        return simplex

    def _bound(self, simplex: Simplex) -> None:
        """Take what the sum of rows proves: of the node, of its variables' ends, and of the last decision."""
        node, branch, most = self._node, self._branch, self._demanded(self.memory)
        assert node is not None, "it is in memory"
        if branch is not None:
            self._gains[branch.side] += max(0.0, simplex.objective - branch.objective) / branch.distance
            self._tries[branch.side] += 1
        proof = self._program.proof(simplex.multipliers, most)
        if self._first_bound is None:
            self._first_bound = node.bound if proof is None else proof.least
        if proof is None:
            return
        if proof.least > most:
            self._fail()
            return
        self._node = node._replace(bound=max(node.bound, proof.least))
        closer = np.flatnonzero(proof.is_closer)
        ends = (self._program.columns, proof.lower, proof.upper)
        self._narrow(zip(*(each[closer].tolist() for each in ends), strict=True))

    def _is_refuted(self) -> bool:
        """Say whether some sum of rows cannot hold within the domains in memory."""
        if self._missing is None:
            self._missing = LinearProgram(self._rows, None, *self._ends(), again=True)
        simplex = self._solved_by(self._missing)
        proof = None if simplex is None else self._missing.proof(simplex.multipliers, 0)
        return proof is not None and proof.least > 0

    def _divide(
        self, point: NDArray[np.float64], simplex: Simplex | None, deliver: Deliver
    ) -> StopReason | None:
        """Branch at a variable whose value is no integer; where there is none, try these values first."""
        node, reason = self._node, None
        assert node is not None, "it is open"
        lower, upper = (ends[: len(point)] for ends in self._ends())
        open_variables = np.flatnonzero(lower < upper)
        fractional = open_variables[np.abs(point - np.rint(point))[open_variables] > INTEGRAL]
        if len(fractional):
            v = int(fractional[self._scores(fractional, point[fractional]).argmax()])
        else:
            values = np.clip(np.rint(point).astype(np.int64), lower, upper)  # floating point has 53 bits
            self._node, reason = None, self._try(values, deliver)
            if not len(open_variables):
                return reason
            v = int(open_variables[(upper - lower)[open_variables].argmin()])
        cut = max(int(lower[v]), min(math.floor(point[v] + INTEGRAL), int(upper[v]) - 1))
        sides = (v, int(lower[v]), cut), (v, cut + 1, int(upper[v]))
        up = int(point[v] - cut > 1 / 2)
        heapq.heappush(self._open, self._child(node, sides[1 - up]))
        if self._node is None:
            heapq.heappush(self._open, self._child(node, sides[up]))
            return reason
        self._node = self._child(node, sides[up])
        if simplex is not None:
            self._branch = Branch((up, v), abs(cut + up - point[v]), simplex.objective)
        self._narrow([sides[up]])
        return reason

    def _scores(self, variables: IntArray, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the products of what both sides are expected to cost: so much as they did on the average."""
        gains, tries = self._gains[:, variables], self._tries[:, variables]
        all_tries = self._tries.sum(axis=1, keepdims=True)
        usual = np.where(
            all_tries > 0, self._gains.sum(axis=1, keepdims=True) / np.maximum(all_tries, 1), 1.0
        )
        down = values - np.floor(values)
        costs = np.where(tries > 0, gains / np.maximum(tries, 1), usual) * [down, 1 - down]
        products: NDArray[np.float64] = np.maximum(costs, LEAST_GAIN).prod(axis=0)
        return products

    def _child(self, node: Node, decision: Decision) -> Node:
        """Return a branch of a node."""
        return Node(node.bound, node.height - 1, self.decisions, (*node.decisions, decision))

    def _fail(self) -> None:
        """Close the node in memory."""
        self._node = None
        self.failures += 1

    @cached_property
    def _rows(self) -> list[Inequality]:
        """Those that say something within the ends of the root, and the cuts."""
        lower, upper = self._ends(self._root)
        return [*inequalities(self.compiled, (lower.tolist(), upper.tolist())), *self._relaxation.cuts]

    @cached_property
    def _program(self) -> LinearProgram:
        """The relaxation, made with the first node."""
        assert self.compiled.objective is not None, "there is a bound"
        objective = rows_of(self.compiled.objective)[0]
        return LinearProgram(self._rows, objective, *self._ends(self._root), again=True)

    # ---- domains ----------------------------------------------------------------------------------

    def _ends(self, memory: Memory | None = None) -> tuple[IntArray, IntArray]:
        m = memory or self.memory
        x = m.x[: self.compiled.variable_count * at.X_WIDTH].reshape(-1, at.X_WIDTH)
        return x[:, at.LOW].copy(), x[:, at.HIGH].copy()

    def _narrow(self, decisions: Iterable[Decision]) -> None:
        """Propagate decisions, and what is demanded of the objective, from the domains in memory."""
        m = self.memory
        for v, low, high in decisions:
            if not tighten(m, v * at.X_WIDTH, low, high):
                forget(m)
                self._fail()
                return
        enqueue(m, self.objective_row)
        self._advance(tree.UNFINISHED + tree.NARROWED)
        if self._tree.state[tree.PHASE] == tree.RETREAT:
            self._fail()

    def _advance(self, phase: int) -> None:
        """Let the kernel take a step from this phase, to the end of its propagation."""
        state, profiling = self._tree.state, self.request.profiling
        state[:] = self._fresh
        state[tree.PHASE] = phase
        with nullcontext() if profiling is None else profiling.running(self._number):
            answer = search(self.memory, self._tree, 1)
            while answer == TRAIL_FULL or (state[tree.PHASE] >= tree.UNFINISHED and not self._limit()):
                if answer == TRAIL_FULL:
                    self.memory = self.memory._replace(stack=doubled(self.memory.stack))
                answer = search(self.memory, self._tree, 1)

    def _try(self, values: IntArray, deliver: Deliver) -> StopReason | None:
        """Deliver values if they are a solution; the domains in memory are theirs now."""
        failures = self.failures
        self._narrow((v, value, value) for v, value in enumerate(values.tolist()))
        if self.failures > failures or self._tree.state[tree.PHASE] != tree.DESCEND:  # or time is over
            return None
        self._advance(tree.DESCEND)
        if not self._tree.state[tree.FOUND]:
            return None
        self.found += 1
        self._best = self._demanded(self.memory) + 1
        return None if deliver(self._tree.solutions[:1].copy()) else StopReason.CALLBACK

    # ---- results ----------------------------------------------------------------------------------

    def statistics(self) -> dict[str, Any]:
        """Return what it did, and how many relaxations it solved."""
        return self.facts | {
            "strategy": "branch and bound",
            "decisions": self.decisions,
            "propagations": super().work,
            "nodes": self.decisions,
            "failures": self.failures,
            "deepest": self._deepest,
            "relaxations": self._solved,
        }
