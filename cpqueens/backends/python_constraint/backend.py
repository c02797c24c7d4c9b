"""python-constraint2 as a backend: its solvers, its own constraints where they fit, ours elsewhere."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Any

import constraint as library
import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Batches, Deliver, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.backends.python_constraint.formulas import Incumbent, supports
from cpqueens.backends.python_constraint.objects import LimitReached, Watch
from cpqueens.backends.python_constraint.problem import Placement, check_sizes
from cpqueens.errors import ModelInvalid, UnsupportedRequest
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import Supports, lower
from cpqueens.system.stopping import Stopped


class _OneOfMany(list[Any]):
    """The constraints of a variable; as the library counts them, all variables have equally many."""

    def __len__(self) -> int:
        return 1


class SmallestDomainFirst(library.BacktrackingSolver):  # type: ignore[misc]
    """The library's search, which asks for the most constraints first and then for the smallest domain.

    Here it is the other way round (Brelaz 1979). On a board of stars the squares at the edges touch fewer
    others: the library leaves them to the end, and with them what every row and column lacks.
    """

    def getSolutionIter(  # noqa: N802 - the library's name
        self, domains: dict[int, Any], constraints: Sequence[Any], vconstraints: dict[int, list[Any]]
    ) -> Iterator[dict[int, int]]:
        """Yield the solutions."""
        order = sorted(domains, key=lambda variable: -len(vconstraints[variable]))
        hidden = {variable: _OneOfMany(mine) for variable, mine in vconstraints.items()}
        found: Iterator[dict[int, int]] = super().getSolutionIter(
            {variable: domains[variable] for variable in order}, constraints, hidden
        )
        return found


DEEPEST = 500
"""Variables that the recursive solver may have: it nests that many generators."""

MIN_CONFLICTS_STEPS = 1000
"""Steps after which min-conflicts gives up, if nothing else is asked for."""


class Shuffles(Random):
    """The generator of min-conflicts, which shuffles all variables once a step and tells of no step itself.

    Attributes
    ----------
    made
        How many times something was shuffled.
    """

    made = 0

    def shuffle(self, x: Any) -> None:
        """Shuffle in place, and count that."""
        self.made += 1
        super().shuffle(x)


@dataclass(frozen=True)
class LibrarySolver:
    """One of the library's solvers: how it is made, and how it takes the values of a domain."""

    make: Callable[[Request, Shuffles], Any]
    ascending: bool
    exhausts: bool = True
    supports: Supports = supports
    most_variables: float = inf

    def refuse(self, name: str, model: Statement, request: Request) -> None:
        """Raise if the solver, which the user calls ``name``, cannot do what is asked for."""
        if len(model.decisions) > self.most_variables:
            raise ModelInvalid(
                f"python-constraint:{name} nests one call per variable: {len(model.decisions)} variables, "
                f"allowed are at most {self.most_variables}; use python-constraint:backtracking"
            )
        if self.exhausts:
            return
        if request.want is not Want.ONE or (request.solution_limit or 1) > 1:
            raise UnsupportedRequest(
                f"python-constraint:{name} finds one solution only, not {request.want.value!r}; "
                "use python-constraint:backtracking"
            )
        if request.hint is not None:
            raise UnsupportedRequest(f"python-constraint:{name} starts at random and takes no hint")


def _forwardcheck(request: Request) -> bool:
    return bool(request.parameters.get("forwardcheck", True))


def _min_conflicts(request: Request, random: Shuffles) -> Any:
    patient = request.clock.limited
    steps = request.step_limit or (10**9 if patient else MIN_CONFLICTS_STEPS)
    return library.MinConflictsSolver(steps, random)


def _pairwise(constraint: Constraint, context: str) -> bool:
    """Leave AllDifferent to its pairs: min-conflicts counts broken constraints, and needs to see how many."""
    return supports(constraint, context) and (context != "plain" or constraint.kind != "AllDifferent")


SOLVERS: dict[str, LibrarySolver] = {
    "backtracking": LibrarySolver(lambda r, _: SmallestDomainFirst(_forwardcheck(r)), ascending=False),
    "optimized": LibrarySolver(
        lambda r, _: library.OptimizedBacktrackingSolver(_forwardcheck(r)), ascending=False
    ),
    "recursive": LibrarySolver(
        lambda r, _: library.RecursiveBacktrackingSolver(_forwardcheck(r)),
        ascending=True,
        most_variables=DEEPEST,
    ),
    "min-conflicts": LibrarySolver(_min_conflicts, ascending=True, exhausts=False, supports=_pairwise),
}

ABOUT: dict[str, str] = {
    "backtracking": "The default: the smallest domain first, then the variable in the most constraints.",
    "optimized": "An order of variables that is fixed at the start: those in the most constraints first.",
    "recursive": "A recursion; variables in the most constraints first, then the smallest domain.",
    "min-conflicts": "Random starts, moves to values with the fewest broken constraints; it proves nothing.",
}


class PythonConstraint:
    """The library python-constraint: backtracking with its own propagation, and min-conflicts.

    Strategies are the library's solvers: ``backtracking`` (the default; here the smallest domain first, then
    the variable in the most constraints), ``optimized`` (an order fixed at the start), ``recursive`` (the
    most constraints first), and ``min-conflicts``, which proves nothing and gets AllDifferent as pairs.

    A node is a value that was tried. The step limit counts nodes, and for ``min-conflicts`` its steps, each
    of which tries all values of a variable in conflict (before the first, of all variables). Seed 0 keeps the
    order of variables and values, other seeds shuffle it. The order of solutions depends on the pruning, so
    that only distinctness is promised.

    Source: Niemeyer and Willemsen, the library `python-constraint2`.
    """

    name = "python-constraint"
    proves = True
    features = frozenset(
        {Feature.ENUMERATE, Feature.OBJECTIVE, Feature.HINT, Feature.SEED, Feature.STEP_LIMIT}
    )
    order = Order.DISTINCT
    strategies: tuple[str, ...] = tuple(SOLVERS)
    parameters: Mapping[str, Parameter] = {
        "forwardcheck": Parameter(bool, True, "hide values of open variables while searching")
    }

    def about(self, strategy: str) -> str:
        """Return what one of the library's solvers does, and its source."""
        return f"{ABOUT[strategy]}\n\nSource: Niemeyer and Willemsen, the library `python-constraint2`."

    def can_express(self, model: Statement) -> bool:
        """Say whether every constraint can be written (raises if not)."""
        check_sizes(model)
        lower(model, supports, self.name)
        return True

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search with one of the library's solvers.

        Raises
        ------
        ModelInvalid
            If a domain is too large to be listed, or the model too deep for the recursive solver.
        UnsupportedRequest
            If min-conflicts is asked for more than one solution, or for a hint.
        """
        name = request.strategy or "backtracking"
        check_sizes(model)
        SOLVERS[name].refuse(name, model, request)
        return _Listing(model, request, name, deliver).end()


class _Listing:
    """One run: translates, searches, delivers, and knows how it ended."""

    def __init__(self, model: Statement, request: Request, name: str, deliver: Deliver) -> None:
        self.model, self.request, self.solver = model, request, SOLVERS[name]
        self.decisions = model.decisions.tolist()
        self.batches = Batches(deliver, self._matrix, singly=request.want in (Want.ONE, Want.BEST))
        self.watch = Watch(request, self.batches, request.step_limit if self.solver.exhausts else None)
        self.incumbent: Incumbent | None = None
        self.shuffles = Shuffles(request.seed)
        self.statistics: dict[str, Any] = {"strategy": name}

    def _matrix(self, rows: list[Any]) -> IntArray:
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(self.decisions))

    def end(self) -> Ended:
        """Search to the end or to a limit."""
        try:
            reason = self._search()
            self.batches.flush()
            if self.batches.stopped:
                reason = StopReason.SOLUTION_LIMIT
            elif not self.solver.exhausts:
                reason = self._gave_up(reason)
        except LimitReached as limit:
            reason = limit.reason
            self.batches.flush()
        except Stopped:
            reason = self.request.why_stopped()
        exhausted = reason is StopReason.EXHAUSTED
        self.statistics["nodes"] = self.watch.nodes
        if not self.solver.exhausts:
            self.statistics["steps"] = self.shuffles.made
        value = bound = None
        if self.incumbent is not None:
            value = self.incumbent.value
            bound = value if exhausted else self.incumbent.root_bound
        return Ended(exhausted, reason, value, bound, statistics=self.statistics)

    def _gave_up(self, reason: StopReason) -> StopReason:
        """Return why a solver ended that proves nothing: without a limit by its own rule, not the user's."""
        if reason is StopReason.EXHAUSTED:
            self.statistics["gave_up"] = "a domain has no value left, which this solver does not prove"
            return StopReason.GAVE_UP
        if self.request.step_limit is not None:
            return StopReason.STEP_LIMIT
        self.statistics["gave_up"] = f"no limit was given, and {self.shuffles.made:,} steps were made"
        return StopReason.GAVE_UP

    def _search(self) -> StopReason:
        started = time.monotonic()
        self.request.clock.measure()
        self.watch.look()
        best = self.request.want is Want.BEST
        lowered = lower(self.model, self.solver.supports, "python-constraint", objective=best)
        placement = Placement(self.model, lowered, self.request, self.watch)
        self.incumbent = placement.incumbent
        self.statistics |= {"translate_time": time.monotonic() - started, "constraints": placement.how}
        if self.request.hint is not None:
            self.statistics["hint"] = "tried first"
        if not placement.possible:
            return StopReason.EXHAUSTED
        if not self.decisions:  # the library takes a problem without variables for one without solutions
            self.batches.put(())
            return StopReason.EXHAUSTED
        problem = placement.problem(
            self.solver.make(self.request, self.shuffles), ascending=self.solver.ascending
        )
        return self._list(problem) if self.solver.exhausts else self._try(problem)

    def _try(self, problem: Any) -> StopReason:
        """Ask for one solution; ``None`` means that the solver gave up, never that there is none."""
        solution = problem.getSolution()
        if solution is None:
            return StopReason.STEP_LIMIT
        self.batches.put([solution[v] for v in self.decisions])
        return StopReason.SOLUTION_LIMIT

    def _list(self, problem: Any) -> StopReason:
        """Put solution after solution; only an iterator that ends by itself has seen them all."""
        incumbent, decisions, batches = self.incumbent, self.decisions, self.batches
        for solution in problem.getSolutionIter():
            if incumbent is not None:
                incumbent.improve(solution)
            batches.put([solution[v] for v in decisions])
            if batches.stopped:
                return StopReason.SOLUTION_LIMIT
            if incumbent is not None and incumbent.is_constant:
                break
        return StopReason.EXHAUSTED
