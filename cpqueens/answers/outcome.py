"""What a run says: an outcome that never claims more than was proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NoReturn

from cpqueens.answers.profile import Profile
from cpqueens.answers.quality import objectives_text
from cpqueens.answers.solution import Solution, SolutionSet, solutions_of
from cpqueens.answers.stated import AssumptionCore, SoftViolation
from cpqueens.answers.trace import Trace
from cpqueens.errors import NoSolution
from cpqueens.language.statement import Statement
from cpqueens.text.foreign import explaining_keywords, no_attribute
from cpqueens.text.plaintext import counted

if TYPE_CHECKING:
    import pandas as pd


class Status(StrEnum):
    """The status of a model after a run, named as in CP-SAT.

    >>> from cpqueens.models.queens import queens
    >>> [str(queens(3).solve(solver=s, step_limit=99).status) for s in ("backtracking", "local-search")]
    ['INFEASIBLE', 'UNKNOWN']
    """

    OPTIMAL = "OPTIMAL"
    """A solution, and a proof that none is better."""
    FEASIBLE = "FEASIBLE"
    """A solution; with an objective the best found."""
    INFEASIBLE = "INFEASIBLE"
    """Proved: there is none."""
    UNKNOWN = "UNKNOWN"
    """Nothing was found, and nothing is proved."""


class StopReason(StrEnum):
    """Why a run ended.

    >>> from cpqueens.models.queens import queens
    >>> queens(6).enumerate(solver="backtracking", solution_limit=3).stop_reason
    <StopReason.SOLUTION_LIMIT: 'solution_limit'>
    """

    EXHAUSTED = "exhausted"
    """The whole space was searched."""
    SOLUTION_LIMIT = "solution_limit"
    """As many solutions were found as were asked for."""
    TIME_LIMIT = "time_limit"
    """``time_limit``."""
    STEP_LIMIT = "step_limit"
    """``step_limit``."""
    GAP_LIMIT = "gap_limit"
    """The best found was near enough to what is proved of the optimum."""
    LOCAL_OPTIMUM = "local_optimum"
    """No move makes it better."""
    PLATEAU_LIMIT = "plateau_limit"
    """Too many sideways moves in a row."""
    GAVE_UP = "gave_up"
    """A rule of the solver's own, which the statistics name under this word."""
    INTERRUPTED = "interrupted"
    """A signal, such as Ctrl-C."""
    CALLBACK = "callback"
    """A callback returned `STOP`."""


@dataclass(frozen=True)
class Fault:
    """A breach of a backend's contract that the pipeline found.

    Attributes
    ----------
    code
        ``INVALID_SOLUTION``, ``DUPLICATE``, ``UNORDERED``, ``OBJ_MISMATCH`` or ``BAD_ASSIGNMENT``.
    message
        In words.
    values
        What was delivered, where that is what is wrong.
    """

    code: str  # INVALID_SOLUTION, DUPLICATE, UNORDERED, OBJ_MISMATCH, BAD_ASSIGNMENT
    message: str
    values: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The result of one run of a solver, with the conclusions that can be drawn from it.

    ``complete`` says that the search was finished: infeasibility, the optimum or the full set was proved.
    ``count`` is the number of distinct, checked solutions delivered (or counted).

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 9, name="x")
    >>> m.maximize(x)
    >>> outcome = m.solve(time_limit=10)
    >>> outcome.status, outcome.complete, outcome.objective, outcome.bound, outcome[x]
    (<Status.OPTIMAL: 'OPTIMAL'>, True, 9, 9, 9)

    Attributes
    ----------
    status, complete, stop_reason
        What is known, whether it was proved, and why the run ended (`Status`, `StopReason`).
    solution, solutions
        The best solution, without an objective the last one (None if there is none), and all that were kept.
    objective, bound, objectives
        The best value, what was proved about it, and the values of all objectives in their order; None
        without.
    bounds
        Of several objectives what was proved of each, where those before it have these values; else None.
    violated, penalty
        Which soft constraints the solution violates, and what that costs.
    core
        The assumptions (``assumptions=``) that are to blame, if there is no solution under them
        (`AssumptionCore`).
    count
        How many solutions were delivered.
    statistics, messages, faults
        What solver and checker say besides (`Fault`).
    solver, model, trace, profile, closest
        The solver that answered, and the model; the recorded search (`Trace`), if ``trace=`` was given; what
        each constraint took (`Profile`), if ``profile=True`` was; the nearest that a heuristic came to a
        solution.
    """

    model: Statement
    solver: str
    status: Status
    complete: bool
    stop_reason: StopReason
    solutions: SolutionSet
    count: int
    objective: int | None = None
    bound: int | None = None
    closest: Solution | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    messages: tuple[str, ...] = ()
    trace: Trace | None = None
    core: AssumptionCore | None = None
    profile: Profile | None = None
    bounds: tuple[int | None, ...] = ()
    _best_values: tuple[int, ...] = field(default=(), repr=False)  # also where no solution was kept
    _best_at: int = field(default=-1, repr=False)  # in `solutions`

    @property
    def solution(self) -> Solution | None:
        """The best solution, or without an objective the last one delivered; None if there is none.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m += x.sum() == 6
        >>> m.solve().solution
        Solution(x=[3, 3])
        """
        return self.solutions[self._best_at] if len(self.solutions) else None

    @property
    def violated(self) -> tuple[SoftViolation, ...]:
        """The soft constraints that the solution violates; () without a solution.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 5, name="x")
        >>> m.add_soft(x == 3, weight=2, name="three")
        >>> m += x > 3
        >>> outcome = m.solve(time_limit=10)
        >>> [violation.name for violation in outcome.violated]
        ['three']
        """
        return () if self.solution is None else self.solution.violated

    @property
    def penalty(self) -> int | None:
        """The total cost of the violated soft constraints; None without a solution.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 5, name="x")
        >>> m.add_soft(x == 3, weight=2, name="three")
        >>> m += x > 3
        >>> outcome = m.solve(time_limit=10)
        >>> outcome.penalty
        2
        """
        return None if self.solution is None else self.solution.penalty

    @property
    def objectives(self) -> tuple[int, ...]:
        """The solution's values of all objectives that the model had, in their order; () if there is none.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m.minimize(x.sum(), x[0])
        >>> m.solve(time_limit=10).objectives
        (2, 1)
        """
        solution = self.solution
        return (
            self._best_values
            if solution is None
            else tuple(solution[goal.term] for goal in self.solutions.stated.goals)
        )

    def __getitem__(self, expression: Any) -> Any:
        """Return the value(s) of an expression, or of the variable of this name, in the solution.

        Raises
        ------
        NoSolution
            If the run found no solution.
        Undefined
            If a partial function in it has no value there.
        """
        return self._some()[expression]

    @explaining_keywords
    def to_frame(self, *expressions: Any, long: bool = False) -> pd.DataFrame:
        """Return the solution's values as a pandas DataFrame (`Solution.to_frame`).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> start = m.intvar(0, 9, shape=["cut", "sew"], name="start")
        >>> m += [start[0] >= 2, start[1] >= start[0] + 3]
        >>> m.minimize(start.sum())
        >>> print(m.solve().to_frame(start, {"end": start + [3, 4]}))
             start  end
        cut      2    5
        sew      5    9

        Parameters
        ----------
        expressions, long
            As for `Solution.to_frame`.

        Raises
        ------
        NoSolution
            If the run found no solution.
        MissingLibrary
            Without pandas.
        """
        return self._some().to_frame(*expressions, long=long)

    def write_back(self) -> dict[str, int]:
        """Write the solution's values into the library that the model came from (`Solution.write_back`).

        >>> from constraint import Problem
        >>> from cpqueens import from_python_constraint
        >>> theirs = Problem()
        >>> theirs.addVariable("a", [1])
        >>> from_python_constraint(theirs).model.solve().write_back()
        {'a': 1}

        Raises
        ------
        NoSolution
            If the run found no solution.
        ModelError
            If the model was made here, or that library's own evaluation does not accept the values.
        """
        return self._some().write_back()

    def _some(self) -> Solution:
        if self.solution is None:
            why = "; m.explain_infeasible() says why" if self.status is Status.INFEASIBLE else ""
            ended = f"status {self.status}, {_stopped(self.stop_reason)}{why}"
            raise NoSolution(f"{self.solver} found no solution: {ended}")
        return self.solution

    def _solution_or_closest(self) -> Solution:
        """Return the solution; if there is none, the state that the search left closest to one.

        Raises
        ------
        NoSolution
            If there is neither.
        """
        return self._some() if self.closest is None or self.solution is not None else self.closest

    if not TYPE_CHECKING:  # to a type checker a class with this has every attribute

        def __getattr__(self, name: str) -> NoReturn:
            model = vars(self).get("model")  # none while a copy is made
            raise no_attribute(self, name, model.blocks.by_name if model else ())

    def __bool__(self) -> NoReturn:
        raise TypeError("an outcome is neither true nor false; look at .status or .solution")

    def __iter__(self) -> NoReturn:
        raise TypeError(
            "an outcome is not a list or a dict: write outcome[x], dict(outcome.solution), m.solutions()"
        )

    def __repr__(self) -> str:
        found = "" if self.solution is None else f", {self.solution!r}"
        return f"<Outcome {self}{found}>"

    @property
    def ending(self) -> str:
        """How the run ended, in words: all solutions, as many as requested, or the reason for the stop.

        >>> from cpqueens.models.queens import queens
        >>> queens(8).solve(solver="backtracking").ending
        'found one, as asked'
        """
        if not self.complete and self.stop_reason is StopReason.SOLUTION_LIMIT:
            return f"found {'one, as' if self.count == 1 else 'as many as'} asked"
        return f"{'complete' if self.complete else 'not complete'}, {_stopped(self.stop_reason)}"

    def __str__(self) -> str:
        parts = [f"{self.status}", counted(self.count, "solution")]
        if self.objective is not None:
            parts.append(f"objective {objectives_text(self)}")
        if self.statistics.get("workers", 1) > 1:
            parts.append(f"{self.statistics['workers']} workers")
        return f"{self.solver}: " + ", ".join([*parts, self.ending])

    def _repr_html_(self) -> str:
        return self.model.drawn(self, "outcome") or ""


def restated(outcome: Outcome, model: Statement) -> Outcome:
    """Return an outcome as that of a model with the same variables, of which the run's was a copy."""
    closest = None if outcome.closest is None else solutions_of(model, outcome.closest._set)[0]
    return replace(outcome, model=model, solutions=solutions_of(model, outcome.solutions), closest=closest)


def _stopped(reason: StopReason) -> str:
    """Say what ended a run: nothing that was open, or what stopped it."""
    return "nothing is left to search" if reason is StopReason.EXHAUSTED else f"stopped by {reason}"
