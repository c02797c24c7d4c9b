"""`Model`: the statement of a problem plus the verbs that solve it; the one file that knows both sides."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from cpqueens.answers.check import Check, check
from cpqueens.answers.outcome import Outcome
from cpqueens.answers.runs import Runs
from cpqueens.answers.solution import Solution, SolutionSet
from cpqueens.answers.trace import Trace
from cpqueens.backends.base import Backend
from cpqueens.errors import ModelError
from cpqueens.language.expressions import Operand
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.solving import diversity, sampling, solve
from cpqueens.solving.explain import Explanation, explain_infeasible
from cpqueens.solving.keywords import BackendParameters
from cpqueens.solving.runs import runs
from cpqueens.solving.stream import SolutionStream, solutions
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    from cpqueens.backends.cpsat.translation import Export

Values: TypeAlias = Mapping[Any, Any] | Solution | Outcome
"""An assignment: ``{variable or name: value(s)}``, a solution, or an outcome that has one."""

Truths: TypeAlias = Iterable[Operand] | Mapping[str, Operand]
"""Truths in a list, or by names of their own."""

Callback: TypeAlias = Callable[[Solution], object] | Any
"""A function of a solution (returning `STOP` ends the run), or an object with ``on_solution_callback``."""

ProgressNote: TypeAlias = Callable[[Mapping[str, Any]], None]
LogLine: TypeAlias = Callable[[str], None] | bool


class Model(Statement):
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
        options = _given(
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
        options = _given(
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
        options = _given(
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
        options = _given(
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
        options = _given(
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
        options = _given(
            distance=distance, over=over, time_limit=time_limit, random_seed=random_seed,
            num_workers=num_workers, log=log,
        )  # fmt: skip
        return diversity.diverse(self, k, solver, **options, **parameters)

    def sample(
        self,
        k: int,
        solver: str = "auto",
        *,
        random_seed: int = 0,
        time_limit: float | None = None,
        approximate: bool = False,
    ) -> sampling.Sample:
        """Draw k solutions uniformly at random, independently of each other.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m += x[0] < x[1]
        >>> drawn = m.sample(1000, random_seed=1)
        >>> drawn.count, drawn[x].shape, bool((drawn[x[0]] < drawn[x[1]]).all())
        (45, (1000, 2), True)

        A solution may be drawn several times. Objectives and soft constraints are ignored. Up to 300,000
        solutions are listed. More are counted: by a decision diagram if the model has few states, as rosters
        have day by day, otherwise by the solver, part by part.

        Parameters
        ----------
        k
            How many draws.
        solver
            Any solver that lists and counts.
        random_seed
            The same seed draws the same solutions.
        time_limit
            Seconds for counting; by default 60 seconds of processor time.
        approximate
            Do not count, but walk from one solution to another. The walk converges to the uniform
            distribution, but may be far from it; `Sample.guarantee` says so. If the time limit ends the walk,
            there are fewer draws.

        Raises
        ------
        NotSampled
            If the solutions could not be counted within the limit.
        NoSolution
            If there is none.
        CpqueensError
            As for `enumerate`.
        """
        return sampling.sample(
            self, k, solver, random_seed=random_seed, time_limit=time_limit, approximate=approximate
        )

    def marginals(self, solver: str = "auto", *, time_limit: float | None = None) -> sampling.Marginals:
        """Return, for each variable and value, the share of all solutions in which it has this value.

        >>> from cpqueens import AllDifferent, Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=3, name="x")
        >>> m += [AllDifferent(x), x[0] < x[1]]
        >>> m.marginals().share(x[2], 3)
        0.3333333333333333

        Parameters
        ----------
        solver, time_limit
            As for `sample`.

        Raises
        ------
        NotSampled
            If the solutions could not be counted within the limit.
        NoSolution
            If there is none.
        """
        return sampling.marginals(self, solver, time_limit=time_limit)

    @explaining_keywords
    def check(self, assignment: Values) -> Check:
        """Return every constraint that an assignment violates, with amounts, places and values.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m.add(x[0] < x[1], name="ordered")
        >>> bool(m.check({x: [1, 2]})), m.check({"x": [4, 2]}).amount
        (True, 3)

        Parameters
        ----------
        assignment
            ``{variable or name: value(s)}``, a solution or an outcome.

        Raises
        ------
        ModelError
            For anything else. Missing, unknown or unsuitable values are part of the result.
        """
        return check(self, assignment)

    def explain_infeasible(
        self,
        solver: str = "auto",
        *,
        time_limit: float | None = None,
        step_limit: int | None = None,
        random_seed: int | None = None,
        num_workers: int | None = None,
        log: LogLine | None = None,
        **parameters: Unpack[BackendParameters],
    ) -> Explanation:
        """Return a minimal unsatisfiable subset of the constraints.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=3, name="x")
        >>> m += [x[0] < x[1], x[1] < x[2], x[2] < x[0], x.sum() <= 20]
        >>> m.explain_infeasible().positions
        (0, 1, 2)

        Parameters
        ----------
        solver
            Any exact solver.
        time_limit
            Seconds for the whole call. If the subset is not minimal by then, the explanation says so.
        step_limit, random_seed, num_workers, log, parameters
            As for `solve`, for each run.

        Raises
        ------
        NotInfeasible
            If the model has a solution, or infeasibility is not proved within the limits.
        ModelError
            If the solver cannot prove.
        """
        options = _given(
            time_limit=time_limit, step_limit=step_limit, random_seed=random_seed, num_workers=num_workers,
            log=log,
        )  # fmt: skip
        return explain_infeasible(self, solver, **options, **parameters)

    def to_cpsat(self) -> "Export":
        """Return the native OR-Tools model, with its decision variables by name.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, name="x")
        >>> sorted(m.to_cpsat().variables)
        ['x']

        Raises
        ------
        MissingLibrary, ModelInvalid, UnsupportedRequest
            Without OR-Tools, for numbers that CP-SAT refuses, or for several objectives.
        """
        from cpqueens.backends.cpsat.translation import export

        return export(self)

    @explaining_keywords
    def drawn(self, answer: Solution | SolutionSet | Outcome | Check | Trace, form: str) -> str | None:
        """Return a solution or an outcome of this model as a picture.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(3, 3, name="x")
        >>> m.drawn(m.solve(), "svg") is None
        True

        Parameters
        ----------
        answer
            An outcome, a solution, a set of solutions, a check or a trace.
        form
            ``text``, ``html``, ``svg`` or ``outcome``; ``sheet`` for several solutions, ``check`` for a
            check, ``replay`` for a trace.

        Returns
        -------
        str or None
            None if there is nothing to draw.

        Raises
        ------
        ModelError
            For an unknown form.
        """
        from cpqueens.report.html import FORMS

        if not isinstance(form, str) or form not in FORMS:
            raise ModelError(f"form {shown(form)}: allowed are {' '.join(FORMS)}")
        return FORMS[form](answer)

    def _repr_html_(self) -> str:
        from cpqueens.report.html import model_fragment

        return model_fragment(self)


_SWITCHES = frozenset({"optimal", "prove_complete", "log"})


def _given(**options: Any) -> dict[str, Any]:
    """Return the options that were given: None stands for absence, and so does False of a switch."""
    return {k: v for k, v in options.items() if v is not None and (v is not False or k not in _SWITCHES)}
