"""`Model`: the statement of a problem plus the verbs that solve it; the one file that knows both sides."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias, Unpack

from cpqueens.answers.outcome import Outcome
from cpqueens.answers.runs import Runs
from cpqueens.answers.solution import Solution
from cpqueens.backends.base import Backend
from cpqueens.language.expressions import Operand
from cpqueens.language.rows import IntArray
from cpqueens.solving import diversity, solve
from cpqueens.solving.keywords import BackendParameters
from cpqueens.solving.queries import LogLine, Queries, Values
from cpqueens.solving.runs import runs
from cpqueens.solving.stream import SolutionStream, solutions

Truths: TypeAlias = Iterable[Operand] | Mapping[str, Operand]
"""Truths in a list, or by names of their own."""

Callback: TypeAlias = Callable[[Solution], object] | Any
"""A function of a solution (returning `STOP` ends the run), or an object with ``on_solution_callback``."""

ProgressNote: TypeAlias = Callable[[Mapping[str, Any]], None]


class Model(Queries):
    """A model: decision variables, constraints, and optionally objectives.

    >>> from cpqueens import AllDifferent, Model
    >>> import numpy as np
    >>> m = Model("queens")
    >>> q = m.intvar(0, 3, shape=4, name="q")
    >>> m += [AllDifferent(q), AllDifferent(q + np.arange(4)), AllDifferent(q - np.arange(4))]
    >>> m.count(solver="python-constraint")
    2

    Parameters
    ----------
    name
        What it is called in messages and files.
    view
        How solutions are drawn, such as ``Board("q")``; None for names and values.

    Raises
    ------
    ModelError
        For a name with control characters, or of more than 1000 characters.
    """

    def solve(
        self,
        solver: str = "auto",
        *,
        time_limit: float | None = None,
        step_limit: int | None = None,
        random_seed: int | None = None,
        num_workers: int | None = None,
        hint: Values | None = None,
        assumptions: Truths | None = None,
        near: Any = None,
        weight: int | None = None,
        over: Any = None,
        distance: str | None = None,
        proof: str | PathLike[str] | None = None,
        on_improvement: Callback | None = None,
        on_progress: ProgressNote | None = None,
        log: LogLine | None = None,
        **parameters: Unpack[BackendParameters],
    ) -> Outcome:
        """Find one solution, or the best one if there are objectives (several in lexicographic order).

        If the same solver has solved this model before, and only constraints and variables were added since,
        results that are still valid are reused: infeasibility, a bound, the solution, learned clauses.
        ``statistics["kept"]`` lists them.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, name="x")
        >>> m.maximize(x % 7)
        >>> m.solve(time_limit=10, assumptions=[x >= 7]).objective
        2

        Parameters
        ----------
        solver
            ``backend`` or ``backend:strategy``. ``auto`` chooses by rules; if none applies, two exact solvers
            race (``statistics["reason"]`` explains the choice). With ``heuristic+exact``, such as
            ``local-search+cpsat``, the exact solver starts from the solution of the heuristic.
        time_limit
            Seconds for building, translating and searching; time in callbacks does not count.
        step_limit
            Limit on search steps, for solvers that count them; with several objectives, for each stage.
        random_seed
            Seed of all random choices, from 0 to 2^31 - 1. With a seed, nothing of earlier runs is reused.
        num_workers
            Number of threads, for solvers that have them. Without it and without a seed, CP-SAT starts with
            one; on two or more processors, OR-Tools' portfolio of eight or more joins after 0.3 s.
        hint
            Values to start from, for some or all variables. If there is an objective and the hint is a
            complete solution, every solver takes it as first incumbent; ``statistics["hint"]`` says how it
            was used.
        assumptions
            Conditions that must hold in this run. If there is no solution under them, ``outcome.core`` lists
            those that cannot hold together.
        near
            An earlier solution that should change as little as possible: a solution, an outcome,
            ``{variable or name: values}``, or a frame. It may be of another model: variables are matched by
            name, and by the labels of their axes. The objective comes first, then the changes. The outcome is
            that of a copy of the model in which the changes are the last objective; their number is
            ``statistics["changes"]``.
        weight
            The cost of a change. With it, objective and changes are added up; soft constraints count as
            they do in the objective.
        over
            The variables that are compared, in a list; by default all that have an earlier value.
        distance
            ``hamming``, the number of variables that change (the default), or ``manhattan``, the sum of
            their differences.
        proof
            A file for the steps of the search, which ``cpqueens check-proof`` and
            `cpqueens.proofs.check.check_proof` verify. A separate search in plain Python runs, or Pumpkin
            (``solver="cpmpy:pumpkin"``); the outcome lists the features that are off. An existing file is
            replaced.
        on_improvement
            A function that is called with each better solution; if it returns `STOP`, the run ends.
        on_progress
            A function that is called with the progress of a long run: with ``{"bound": b}`` for each better
            proved bound of the (first) objective; during a count with ``count`` and an estimate.
        log
            A function that takes a line of the solver's log, or True for standard error.
        **parameters
            The backend's own parameters.

        Returns
        -------
        Outcome
            The status, what was proved, the solution (``outcome[x]``), statistics.

        Raises
        ------
        BackendFault
            If the backend delivered something that is not a solution.
        UnsupportedRequest, UnsupportedConstraint
            Before the search, if the solver does not support the request; the message names solvers that do.
        UnknownBackend, UnknownParameter, ModelError
            For a solver, a parameter or a value that is not allowed.
        """
        options = solve.given(
            time_limit=time_limit, step_limit=step_limit, random_seed=random_seed, num_workers=num_workers,
            hint=hint, assumptions=assumptions, near=near, weight=weight, over=over, distance=distance,
            proof=proof, on_improvement=on_improvement, on_progress=on_progress, log=log,
        )  # fmt: skip
        return solve.solve(self, solver, **options, **parameters)

    def runs(
        self,
        solver: str | Backend = "auto",
        seeds: int | Sequence[int] | IntArray = 100,
        *,
        time_limit: float | None = None,
        total_time_limit: float | None = None,
        step_limit: int | None = None,
        num_workers: int | None = None,
        hint: Values | None = None,
        log: LogLine | None = None,
        **parameters: Unpack[BackendParameters],
    ) -> Runs:
        """Solve once for each seed, and return the results as arrays with a row for each run.

        >>> from cpqueens.models.queens import queens
        >>> m = queens(6)
        >>> found = m.runs("local-search:sosic-gu", seeds=range(20))
        >>> int(found.solved.sum()), found[m["q"]].shape
        (20, (20, 6))

        Parameters
        ----------
        solver
            As for `solve`. Local search and Las Vegas make many runs in one call, other solvers one by one.
        seeds
            A number k for the seeds 0 to k - 1, or the seeds.
        total_time_limit
            Seconds for all runs together; runs that did not end in this time are left out. ``time_limit`` is
            for each run.
        time_limit, step_limit, num_workers, hint, log, parameters
            As for `solve`, for each run.

        Raises
        ------
        BackendFault
            If the solver delivered something that is not a solution.
        CpqueensError
            For everything that is refused before the search.
        """
        options = solve.given(
            time_limit=time_limit, total_time_limit=total_time_limit, step_limit=step_limit,
            num_workers=num_workers, hint=hint, log=log,
        )  # fmt: skip
        return runs(self, solver, seeds, **options, **parameters)

    def solutions(
        self,
        solver: str = "auto",
        *,
        solution_limit: int | None = None,
        optimal: bool = False,
        gap: int | None = None,
        best: int | None = None,
        after: Values | None = None,
        prove_complete: bool = False,
        time_limit: float | None = None,
        step_limit: int | None = None,
        random_seed: int | None = None,
        num_workers: int | None = None,
        hint: Values | None = None,
        assumptions: Truths | None = None,
        on_progress: ProgressNote | None = None,
        log: LogLine | None = None,
        **parameters: Unpack[BackendParameters],
    ) -> SolutionStream:
        """Iterate over all solutions while the search runs in a thread; leaving the iterator stops it.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, name="x")
        >>> m += x % 4 == 1
        >>> [s[x] for s in m.solutions("backtracking")]
        [1, 5, 9]

        Parameters
        ----------
        solver, solution_limit, optimal, gap, best, after, prove_complete
            As for `enumerate`.
        time_limit, step_limit, random_seed, num_workers, hint, assumptions, on_progress, log, parameters
            As for `solve`.

        Returns
        -------
        SolutionStream
            An iterator that can be closed or used in ``with``; at its end, ``outcome`` says what was proved.

        Raises
        ------
        CpqueensError
            As for `solve`, when the first solution is requested.
        """
        options = solve.given(
            solution_limit=solution_limit, optimal=optimal, gap=gap, best=best, after=after,
            prove_complete=prove_complete, time_limit=time_limit, step_limit=step_limit,
            random_seed=random_seed, num_workers=num_workers, hint=hint, assumptions=assumptions,
            on_progress=on_progress, log=log,
        )  # fmt: skip
        return solutions(self, solver, **options, **parameters)

    def enumerate(
        self,
        on_solution: Callback | None = None,
        solver: str = "auto",
        *,
        solution_limit: int | None = None,
        optimal: bool = False,
        gap: int | None = None,
        best: int | None = None,
        after: Values | None = None,
        prove_complete: bool = False,
        time_limit: float | None = None,
        step_limit: int | None = None,
        random_seed: int | None = None,
        num_workers: int | None = None,
        hint: Values | None = None,
        assumptions: Truths | None = None,
        proof: str | PathLike[str] | None = None,
        on_progress: ProgressNote | None = None,
        log: LogLine | None = None,
        **parameters: Unpack[BackendParameters],
    ) -> Outcome:
        """Find all solutions and pass each to ``on_solution``, or, without it, keep them in the outcome.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m += x.sum() >= 17
        >>> m.minimize(x.sum())
        >>> m.enumerate(optimal=True, solver="backtracking").solutions.values(x).tolist()
        [[8, 9], [9, 8]]
        >>> m.enumerate(best=3).solutions.values(x.sum()).tolist()
        [17, 17, 18]

        Parameters
        ----------
        on_solution
            A function of a solution, which may return `STOP`, or an object with
            ``on_solution_callback(solution)`` and ``stop``.
        solver
            As for `solve`.
        solution_limit
            The number of solutions after which to stop.
        optimal
            Only optimal solutions. The optimum is proved first; without this proof nothing is delivered.
        gap
            Only solutions whose objective is at most this far from the optimum.
        best
            Only this number of the best solutions, the best first.
        after
            Resume after this solution, on backends that deliver in lexicographic order
            (``backtracking`` does with ``variable_order="lexicographic"``).
        prove_complete
            At the limit, search on until it is known whether there are more solutions.
        time_limit, step_limit, random_seed, num_workers, hint, assumptions, proof
            As for `solve`.
        on_progress, log, parameters
            As for `solve`.

        Returns
        -------
        Outcome
            Its ``complete`` says whether all requested solutions were found; for optimal ones, both the
            optimum and the enumeration must be proved.

        Raises
        ------
        CpqueensError
            As for `solve`.
        """
        options = solve.given(
            solution_limit=solution_limit, optimal=optimal, gap=gap, best=best, after=after,
            prove_complete=prove_complete, time_limit=time_limit, step_limit=step_limit,
            random_seed=random_seed, num_workers=num_workers, hint=hint, assumptions=assumptions,
            proof=proof, on_progress=on_progress, log=log,
        )  # fmt: skip
        return solve.enumerate_solutions(self, on_solution, solver, **options, **parameters)

    def count(
        self,
        solver: str = "auto",
        *,
        optimal: bool = False,
        gap: int | None = None,
        time_limit: float | None = None,
        step_limit: int | None = None,
        random_seed: int | None = None,
        num_workers: int | None = None,
        hint: Values | None = None,
        assumptions: Truths | None = None,
        proof: str | PathLike[str] | None = None,
        on_progress: ProgressNote | None = None,
        log: LogLine | None = None,
        **parameters: Unpack[BackendParameters],
    ) -> int:
        """Return the number of solutions.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m += x[0] < x[1]
        >>> m.count()
        45

        Parameters
        ----------
        optimal, gap
            Count only optimal solutions, or those at most ``gap`` from the optimum; as for `enumerate`.
        solver, time_limit, step_limit, random_seed, num_workers, hint, assumptions, proof
            As for `solve`.
        on_progress, log, parameters
            As for `solve`.

        Raises
        ------
        IncompleteCount
            If a limit or Ctrl-C ended the run before the count was proved.
        CpqueensError
            As for `solve`.
        """
        options = solve.given(
            optimal=optimal, gap=gap, time_limit=time_limit, step_limit=step_limit, random_seed=random_seed,
            num_workers=num_workers, hint=hint, assumptions=assumptions, proof=proof,
            on_progress=on_progress, log=log,
        )  # fmt: skip
        return solve.count(self, solver, **options, **parameters)

    def diverse(
        self,
        k: int,
        solver: str = "auto",
        *,
        distance: str | None = None,
        over: Any = None,
        time_limit: float | None = None,
        random_seed: int | None = None,
        num_workers: int | None = None,
        log: LogLine | None = None,
        **parameters: Unpack[BackendParameters],
    ) -> diversity.Diverse:
        """Return k solutions so that the two closest ones are as far apart as possible.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 4, shape=2, name="x")
        >>> m += x.sum() == 4
        >>> found = m.diverse(3, distance="manhattan")
        >>> sorted(found.solutions.values(x).tolist()), found.distance
        ([[0, 4], [2, 2], [4, 0]], 4)

        Objectives and soft constraints are ignored. ``solve(near=...)`` finds a good solution close to a
        given one.

        Parameters
        ----------
        k
            How many solutions, at least 1.
        solver
            Any solver that supports objectives; exact ones say whether a larger distance is possible.
        distance
            ``hamming``, the number of variables in which two solutions differ (the default), or
            ``manhattan``, the sum of their differences.
        over
            The variables that are compared, in a list; by default all.
        time_limit
            Seconds for everything. At most half of them are spent on finding one solution after another.
        random_seed, num_workers, log, parameters
            As for `solve`, for each run.

        Returns
        -------
        Diverse
            The solutions, their smallest distance, and what is proved about it; fewer than k solutions if
            there are not more.

        Raises
        ------
        ModelError
            For an unknown distance, or expressions in ``over``.
        CpqueensError
            As for `solve`.
        """
        options = solve.given(
            distance=distance, over=over, time_limit=time_limit, random_seed=random_seed,
            num_workers=num_workers, log=log,
        )  # fmt: skip
        return diversity.diverse(self, k, solver, **options, **parameters)
