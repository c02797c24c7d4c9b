"""Every error that cpqueens raises on purpose; each message is one line: what, where, what is allowed."""

ONE_BY_ONE = (
    "export one stage after another: one = m.copy(), one.minimize(first); when its best value is known, "
    "one.add(first == best), one.minimize(second)"
)
"""What to write where a language has one objective and the model several."""


class CpqueensError(Exception):
    """Base of all errors raised on purpose; ``exit_code`` is what the command line returns.

    >>> from cpqueens import CpqueensError, Model
    >>> try:
    ...     Model().intvar(3, 1)
    ... except CpqueensError as error:
    ...     print(type(error).__name__, error.exit_code)
    ModelError 2
    """

    exit_code = 2


class ModelError(CpqueensError, ValueError):
    """The model, or a value that was given for it, is not valid.

    >>> from cpqueens import Model
    >>> Model().intvar(3, 1)
    Traceback (most recent call last):
        ...
    cpqueens.errors.ModelError: variable: empty domain 3..1; lower <= upper is needed
    """


class IntegerError(ModelError, TypeError):
    """A value that must be an integer is not one.

    >>> from cpqueens import Model
    >>> Model().intvar(0, float("nan"))
    Traceback (most recent call last):
        ...
    cpqueens.errors.IntegerError: upper bound: integers only, got nan
    """


class BadIndex(ModelError, IndexError):  # noqa: N818
    """A key that picks nothing from an array of terms."""


class NoSolution(CpqueensError, LookupError):  # noqa: N818 - the name says what happened, as a status does
    """Values were read from an outcome without a solution.

    >>> from cpqueens.models.queens import queens
    >>> queens(30).solve(solver="local-search", step_limit=1)["q"]
    Traceback (most recent call last):
        ...
    cpqueens.errors.NoSolution: local-search found no solution: status UNKNOWN, stopped by step_limit

    Where it is proved that there is none, the message names `Model.explain_infeasible`.
    """


class Undefined(CpqueensError, ArithmeticError):  # noqa: N818
    """An expression was read where a partial function in it (a quotient, an element, ...) is undefined.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x, y = m.intvar(1, 1, name="x"), m.intvar(0, 0, name="y")
    >>> m.solve()[x // y]
    Traceback (most recent call last):
        ...
    cpqueens.errors.Undefined: undefined: x // y: divisor y = 0
    """


class UnknownBackend(CpqueensError, LookupError):  # noqa: N818
    """No backend or strategy has this name.

    >>> from cpqueens.models.queens import queens
    >>> queens(4).solve(solver="cpsta")
    Traceback (most recent call last):
        ...
    cpqueens.errors.UnknownBackend: no solver 'cpsta'; did you mean 'cpsat'?
    """


class UnknownParameter(CpqueensError, TypeError):  # noqa: N818
    """The backend or the function has no parameter of this name, or does not accept this value.

    >>> from cpqueens.models.queens import queens
    >>> queens(4).solve(solver="las-vegas", tenure=3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cpqueens.errors.UnknownParameter: las-vegas has no parameter 'tenure'; known are after, attempts, ...
    """


class UnsupportedConstraint(CpqueensError):  # noqa: N818
    """A backend can express a constraint neither directly nor by decomposition.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=3, name="x")
    >>> m += x[0] * x[1] == x[2]
    >>> m.solve(solver="backtracking:sums")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cpqueens.errors.UnsupportedConstraint: backtracking:sums needs AllDifferents over sums...
    """

    exit_code = 20


class UnsupportedRequest(CpqueensError):  # noqa: N818
    """A backend does not support a request (enumeration, an objective, hints, ...).

    >>> from cpqueens.models.queens import queens
    >>> queens(4).count(solver="las-vegas")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cpqueens.errors.UnsupportedRequest: las-vegas cannot do 'count' (no feature enumerate); ...
    """

    exit_code = 20


class NotInTime(CpqueensError, TimeoutError):  # noqa: N818
    """What is made by trying was not found within its time."""

    exit_code = 3


class MissingLibrary(CpqueensError, ImportError):  # noqa: N818
    """An optional library is not installed; the message has the command that installs it.

    It is also an ``ImportError``.

    >>> from cpqueens import MissingLibrary
    >>> issubclass(MissingLibrary, ImportError)
    True
    """


class ModelInvalid(CpqueensError):  # noqa: N818
    """A backend refused the model; this does not mean that the model is infeasible.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(1, 10**6 + 1, name="x")
    >>> m.solve(solver="python-constraint")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cpqueens.errors.ModelInvalid: ...
    """

    exit_code = 21


FAULT_EXITS = {
    "FALSE_UNSAT": 11,
    "DUPLICATE": 12,
    "UNORDERED": 12,
    "OBJ_MISMATCH": 13,
    "OPT_CROSSED": 13,
    "CRASH": 30,
}
"""Exit codes of breaches other than a wrong solution (10)."""


class BackendFault(CpqueensError):  # noqa: N818
    """A backend broke its contract, for instance by delivering a wrong or unordered solution.

    It ends the run; the exit code says which part of the contract was broken.

    >>> from cpqueens import BackendFault
    >>> BackendFault("two solutions are one", "DUPLICATE").exit_code
    12
    """

    exit_code = 10

    def __init__(self, message: str, code: str = "INVALID_SOLUTION") -> None:
        super().__init__(message)
        self.code = code
        self.exit_code = FAULT_EXITS.get(code, 10)
