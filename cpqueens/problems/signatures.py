"""Parameters of a problem as the signature of its function declares them."""

import functools
import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, ParamSpec, TypeVar

from cpqueens.errors import ModelError
from cpqueens.text.foreign import no_keyword
from cpqueens.text.parameters import REQUIRED, Parameter, complete

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Between:
    """Limits of an integer parameter, both included: ``n: Annotated[int, Between(0, 100)] = 8``."""

    low: int
    high: int


Squares = tuple[tuple[int, int], ...]
"""Squares (row, column) of a board, both from 0."""


def read_parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Return by name the parameters that the signature of ``function`` declares, in its order.

    An annotation gives the type, `Between` in ``Annotated`` the limits; without an annotation the type of
    the default counts, and without either every value is accepted.

    Raises
    ------
    ModelError
        If the function takes ``*args``, ``**kwargs`` or positional-only parameters, or an annotation
        cannot be resolved.
    """
    try:
        hints = typing.get_type_hints(function, include_extras=True)
        declared = inspect.signature(function).parameters.values()
    except (NameError, TypeError, ValueError, SyntaxError) as error:
        raise ModelError(f"the signature cannot be read: {error}") from None
    found = {}
    for parameter in declared:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ModelError(f"the parameter {parameter} of a problem must be named")
        default = REQUIRED if parameter.default is parameter.empty else parameter.default
        found[parameter.name] = _declared(hints.get(parameter.name), default)
    return found


def _declared(hint: Any, default: Any) -> Parameter:
    limits = None
    if typing.get_origin(hint) is Annotated:
        limits = next(((e.low, e.high) for e in hint.__metadata__ if isinstance(e, Between)), None)
        hint = hint.__origin__
    if hint is None:
        hint = Any if default is REQUIRED or default is None else type(default)
    choices = typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
    return Parameter(hint if _convertible(hint) else Any, default, "", choices, limits)


def _convertible(hint: Any) -> bool:
    """Return whether msgspec can check values of this type."""
    if isinstance(hint, types.GenericAlias | types.UnionType) or typing.get_origin(hint) is not None:
        return True
    return hint in (int, bool, str, float, list, tuple, dict)


def validated(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` with its arguments checked against its signature, as the catalogue does.

    >>> @validated
    ... def double(n: Annotated[int, Between(0, 9)] = 4) -> int:
    ...     return 2 * n
    >>> double(3), double()
    (6, 8)
    >>> double(8.0)
    Traceback (most recent call last):
    cpqueens.errors.ModelError: double: n: an integer from 0 to 9 is needed, got 8.0
    """

    @functools.cache  # at the first call: annotations may name what the module defines later
    def declared() -> tuple[inspect.Signature, dict[str, Parameter]]:
        return inspect.signature(function), read_parameters(function)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            signature, parameters = declared()
            values = complete(parameters, signature.bind_partial(*args, **kwargs).arguments)
        except (ModelError, TypeError) as error:
            known = inspect.signature(function).parameters
            unknown = next((name for name in kwargs if name not in known), None)
            if unknown is not None:
                raise ModelError(str(no_keyword(function.__name__, unknown, known))) from None
            raise ModelError(f"{function.__name__}: {error}") from None
        return function(**values)  # type: ignore[call-arg]

    return checked
