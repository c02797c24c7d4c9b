"""Every error that cpqueens raises on purpose; each message is one line: what, where, what is allowed."""


class CpqueensError(Exception):
    """Base of all errors raised on purpose; ``exit_code`` is what the command line returns."""

    exit_code = 2


class ModelError(CpqueensError, ValueError):
    """The model, or a value given for it, is not well-formed."""


class IntegerError(ModelError, TypeError):
    """A value that must be an integer is not one."""


class BadIndex(ModelError, IndexError):  # noqa: N818
    """A key that picks nothing from an array of terms."""


class NoSolution(CpqueensError, LookupError):  # noqa: N818 - the name says what happened, as a status does
    """An outcome without a solution was asked for values."""


class Undefined(CpqueensError, ArithmeticError):  # noqa: N818
    """A term was read where a partial function in it (a quotient, an element, ...) has no value."""


class UnknownBackend(CpqueensError, LookupError):  # noqa: N818
    """No backend or strategy has this name."""


class UnknownParameter(CpqueensError, TypeError):  # noqa: N818
    """The backend has no parameter of this name, or not with this value."""


class UnsupportedConstraint(CpqueensError):  # noqa: N818
    """A backend can express a constraint neither directly nor by decomposition."""

    exit_code = 20


class UnsupportedRequest(CpqueensError):  # noqa: N818
    """A backend lacks what was asked for (enumeration, an objective, hints, ...)."""

    exit_code = 20


class NotInTime(CpqueensError, TimeoutError):  # noqa: N818
    """What is made by trying was not found within its time."""

    exit_code = 3


class MissingLibrary(CpqueensError, ImportError):  # noqa: N818
    """An optional library is not installed; the message has the command that installs it."""


class ModelInvalid(CpqueensError):  # noqa: N818
    """A backend refused the model; never to be read as infeasible."""

    exit_code = 21


FAULT_EXITS = {"FALSE_UNSAT": 11, "DUPLICATE": 12, "UNORDERED": 12, "OBJ_MISMATCH": 13, "OPT_CROSSED": 13}
"""Exit codes of breaches other than a wrong solution (10)."""


class BackendFault(CpqueensError):  # noqa: N818
    """A backend broke its contract, for instance by delivering a wrong or unordered solution."""

    exit_code = 10

    def __init__(self, message: str, code: str = "INVALID_SOLUTION") -> None:
        super().__init__(message)
        self.code = code
        self.exit_code = FAULT_EXITS.get(code, 10)
