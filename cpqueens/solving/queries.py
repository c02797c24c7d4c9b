"""What a model is asked besides its solutions: samples, checks, why there is none, how it looks elsewhere."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from cpqueens.answers.check import Check, check
from cpqueens.answers.outcome import Outcome
from cpqueens.answers.solution import Solution, SolutionSet
from cpqueens.answers.trace import Trace
from cpqueens.errors import ModelError
from cpqueens.language.statement import Statement
from cpqueens.solving import sampling, solve
from cpqueens.solving.explain import Explanation, explain_infeasible
from cpqueens.solving.keywords import BackendParameters
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    from cpqueens.backends.cpsat.translation import Export

Values: TypeAlias = Mapping[Any, Any] | Solution | Outcome
"""An assignment: ``{variable or name: value(s)}``, a solution, or an outcome that has one."""

LogLine: TypeAlias = Callable[[str], None] | bool


class Queries(Statement):
    """A model with the verbs that ask more of it than solutions."""

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
        options = solve.given(
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
