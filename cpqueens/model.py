"""`Model`: the statement of a problem plus the verbs that solve it; the one file that knows both sides."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from cpqueens.answers.check import Check, check
from cpqueens.answers.outcome import Outcome, Solution, SolutionSet
from cpqueens.answers.runs import Runs
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

        Of a model that has only got more constraints and variables since the same solver was asked, what is
        still true is taken over: infeasibility, a bound, the solution, learned clauses.
        ``statistics["kept"]`` says what.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, name="x")
        >>> m.maximize(x % 7)
        >>> m.solve(time_limit=10, assumptions=[x >= 7]).objective
        2

        Parameters
        ----------
        solver
            ``backend`` or ``backend:strategy``; ``auto`` chooses by the model, and two exact solvers race
            where no rule says which is faster (the statistics have its ``reason``). ``heuristic+exact``, as
            in ``local-search+cpsat``, lets the one propose and the other prove.
        time_limit
            Seconds for build, translation and search; time in callbacks does not count.
        step_limit
            Steps of the search, for solvers that count them; of each stage where there are several.
        random_seed
            Of all random choices, from 0 to 2^31 - 1. With one, nothing is taken over from an earlier run.
        num_workers
            Threads, for solvers that have them. Where neither this nor a seed is given, CP-SAT begins with
            one, and OR-Tools' portfolio of eight or more joins after 0.3 s, if there are two processors.
        hint
            Values to begin with, of some variables or all. With an objective, a solution given as hint is the
            first incumbent, on every solver; ``statistics["hint"]`` says what became of it.
        assumptions
            Conditions that are to hold this time. If there is no solution under them, ``outcome.core`` says
            which of them are to blame.
        near
            An earlier solution, of which as little as possible is to change: a solution or an outcome, also
            of another model (its variables are found by names, and by labels along their axes),
            ``{variable or name: values}``, a frame. The objective comes first, changes after it; the
            outcome is that of a copy of the model with changes as the last objective, and
            ``statistics["changes"]`` says how many there are.
        weight
            What a change costs; then the objective and the changes are added up. Soft constraints count
            as they do in the objective.
        over
            The variables that are compared, in a list; by default all that have an earlier value.
        distance
            ``hamming``, the number of variables that change (the default), or ``manhattan``, by how much
            they change in all.
        proof
            A file to which the steps of the search are written, from the constraints to the claim, for
            ``cpqueens check-proof`` and `cpqueens.proofs.check.check_proof`. One search of its own runs, in
            plain Python, or Pumpkin (``solver="cpmpy:pumpkin"``); the outcome says what is off. A file of
            this name is replaced.
        on_improvement
            Called with each better solution.
        on_progress
            Called with what a long search has done so far: with ``{"bound": b}`` for each better bound of the
            (first) objective that is proved; of a count now and then with ``count`` and an estimate.
        log
            A function of one line, or True for standard error.
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
            If the solver lacks what is asked for, before the search; the message names those that have it.
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
            As for `solve`. Local search and Las Vegas make many runs in one call; all others one by one.
        seeds
            A number k for the seeds 0 to k - 1, or the seeds.
        total_time_limit
            Seconds for all runs together; what was not run to its end is left out. ``time_limit`` is for
            each.
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
            An iterator that can be closed, or used in ``with``; ``outcome`` says at its end what was proved.

        Raises
        ------
        CpqueensError
            As for `solve`, where the first solution is asked for.
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
        """Find all solutions: pass each once to ``on_solution``, or without it keep them in the outcome.

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
            Deliver at most so many.
        optimal
            Only the optimal solutions: the optimum is proved first, without which nothing is delivered.
        gap
            Only solutions whose objective is at most this far from the optimum.
        best
            Only so many, the best ones, the best first.
        after
            Resume behind this solution, on backends that deliver in lexicographic order; with
            ``backtracking`` the listing begins with ``variable_order="lexicographic"``.
        prove_complete
            At the limit, look as long as it takes whether there are more solutions.
        time_limit, step_limit, random_seed, num_workers, hint, assumptions, proof
            As for `solve`.
        on_progress, log, parameters
            As for `solve`.

        Returns
        -------
        Outcome
            ``complete`` if nothing that was asked for is missing: of optimal solutions, if both the optimum
            and the enumeration were proved.

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
            If a limit or Ctrl-C ended it before the count was proved.
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

        Objectives and soft constraints do not count; what is best and near an assignment is found by
        ``solve(near=...)``.

        Parameters
        ----------
        k
            How many, from 1.
        solver
            Any that takes objectives; those that prove say whether more distance is possible.
        distance
            ``hamming``, the number of variables in which two solutions differ (the default), or
            ``manhattan``, by how much they differ in all.
        over
            The variables that are compared, in a list; by default all.
        time_limit
            Seconds for everything. Half of them, at most, are for one solution after another.
        random_seed, num_workers, log, parameters
            As for `solve`, for each run.

        Returns
        -------
        Diverse
            The solutions, their least distance, what is proved of it. Where not so many differ, these.

        Raises
        ------
        ModelError
            For a distance that is not known, or expressions in ``over``.
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
        """Draw k solutions, each uniformly from all of them and independently of the others.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m += x[0] < x[1]
        >>> drawn = m.sample(1000, random_seed=1)
        >>> drawn.count, drawn[x].shape, bool((drawn[x[0]] < drawn[x[1]]).all())
        (45, (1000, 2), True)

        A solution may come several times. The objective and soft constraints do not count. Up to 300,000
        solutions are listed; more are counted by a decision diagram, if few states tell what may follow, as
        of rosters day by day, or part by part by the solver, as long as that is possible.

        Parameters
        ----------
        k
            How many draws.
        solver
            Any that lists and counts.
        random_seed
            The same seed draws the same solutions.
        time_limit
            Seconds for counting; by default 60 of the processor.
        approximate
            Do not count: draw by a walk from one solution to another, which keeps the uniform distribution
            but may be far from it; `Sample.guarantee` says so. Where the time ends before, there are fewer
            draws.

        Raises
        ------
        NotSampled
            If the solutions are not counted within the limit.
        NoSolution
            If there is none.
        CpqueensError
            As for `enumerate`.
        """
        return sampling.sample(
            self, k, solver, random_seed=random_seed, time_limit=time_limit, approximate=approximate
        )

    def marginals(self, solver: str = "auto", *, time_limit: float | None = None) -> sampling.Marginals:
        """Return the share of all solutions in which each variable has each of its values.

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
            If the solutions are not counted within the limit.
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
            If it is nothing of the kind; missing, unknown or unfit values are part of the result.
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
            Any that proves.
        time_limit
            Seconds for the whole call; a subset that is not minimal by then is returned as such.
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
        """Return the native OR-Tools model, and each decision variable in it by its name.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, name="x")
        >>> sorted(m.to_cpsat().variables)
        ['x']

        Raises
        ------
        MissingLibrary, ModelInvalid, UnsupportedRequest
            Without OR-Tools, for numbers that CP-SAT refuses, or of several objectives.
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
            What `solve` or `enumerate` returned, its solution, or its solutions; a check or a trace.
        form
            ``text``, ``html``, ``svg`` or ``outcome``; ``sheet`` of several solutions, ``check`` of a
            check, ``replay`` of a trace.

        Returns
        -------
        str or None
            None where there is nothing to draw.

        Raises
        ------
        ModelError
            For another form.
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
    given = {name: value for name, value in options.items() if value is not None}
    return {name: value for name, value in given.items() if value is not False or name not in _SWITCHES}
