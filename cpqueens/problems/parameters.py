"""Parameters of a problem: read from its function's signature, parsed from text, validated strictly."""

from __future__ import annotations

import functools
import inspect
import operator
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, ParamSpec, TypeVar

import msgspec
import numpy as np

from cpqueens.errors import ModelError
from cpqueens.text.plaintext import shown
from cpqueens.text.suggest import did_you_mean

P = ParamSpec("P")
R = TypeVar("R")

MAX_TEXT = 1_000_000
_SHOWN = 40
_REQUIRED: Any = inspect.Parameter.empty


@dataclass(frozen=True)
class Between:
    """Limits of an integer parameter, both included: ``n: Annotated[int, Between(0, 100)] = 8``."""

    low: int
    high: int


Squares = tuple[tuple[int, int], ...]
"""Squares (row, column) of a board, both from 0."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a problem: its name, type, default, and for an integer its limits."""

    name: str
    type: Any
    default: Any = _REQUIRED
    limits: Between | None = None

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is _REQUIRED

    @property
    def allowed(self) -> str:
        """What it accepts, in words."""
        if self.type is int:
            return f"an integer from {self.limits.low} to {self.limits.high}" if self.limits else "an integer"
        if typing.get_origin(self.type) is Literal:
            return "one of " + ", ".join(str(choice) for choice in typing.get_args(self.type))
        if self.type == Squares:
            return "a list of pairs of integers, such as [[0, 3], [4, 1]]"
        return _WORDS.get(self.type, f"a value of type {_type_name(self.type)}")

    def parse(self, text: str) -> Any:
        """Return the value that ``text`` stands for.

        Raises
        ------
        ModelError
            If it is not a value that the parameter accepts.
        """
        if len(text) > MAX_TEXT:
            raise ModelError(f"{self.name}: {len(text)} characters, allowed are at most {MAX_TEXT}")
        return self.validate(_PARSERS.get(self.type, self._parse_other)(self, text))

    def _parse_other(self, _parameter: Parameter, text: str) -> Any:
        if typing.get_origin(self.type) is Literal:
            texts = {str(choice): choice for choice in typing.get_args(self.type)}
            return texts.get(text, text)
        try:
            return msgspec.json.decode(text.encode())
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            if self.type is Any:
                return text
            raise self._refusal(text) from None

    def validate(self, value: Any) -> Any:
        """Return ``value`` if the parameter accepts it; nothing is converted but numpy integers and lists.

        Raises
        ------
        ModelError
            If it does not.
        """
        if self.type is Any:
            return value
        try:
            found = msgspec.convert(_plain(value), self.type, strict=True)
        except (msgspec.ValidationError, TypeError, ValueError, RecursionError):
            raise self._refusal(value) from None
        if self.limits is not None and not self.limits.low <= found <= self.limits.high:
            raise self._refusal(value)
        return found

    def _refusal(self, value: Any) -> ModelError:
        text = shown(value, 2 * _SHOWN)
        text = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
        near = ""
        if typing.get_origin(self.type) is Literal and isinstance(value, str):
            guess = did_you_mean(value, map(str, typing.get_args(self.type)))
            near = guess if "did you mean" in guess else ""
        return ModelError(f"{self.name}: {self.allowed} is needed, got {text}{near}")


def _parse_integer(parameter: Parameter, text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,4000}", text.strip(), re.ASCII):
        raise parameter._refusal(text)
    return int(text)


def _parse_truth(parameter: Parameter, text: str) -> bool:
    truths = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
    if text.strip().lower() not in truths:
        raise parameter._refusal(text)
    return truths[text.strip().lower()]


_PARSERS: dict[Any, Callable[[Parameter, str], Any]] = {
    int: _parse_integer,
    bool: _parse_truth,
    str: lambda _parameter, text: text,
}
_WORDS: dict[Any, str] = {bool: "true or false", str: "a text"}


def _type_name(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not typing.get_args(kind) else str(kind)


def _plain(value: Any) -> Any:
    """Return ``value`` with numpy's integers and arrays of integers as Python's."""
    if isinstance(value, np.integer):
        return operator.index(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def read_parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the parameters that the signature of ``function`` declares, in its order.

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
    found = []
    for parameter in declared:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ModelError(f"the parameter {parameter} of a problem must be named")
        found.append(_declared(parameter.name, hints.get(parameter.name), parameter.default))
    return tuple(found)


def _declared(name: str, hint: Any, default: Any) -> Parameter:
    limits = None
    if typing.get_origin(hint) is Annotated:
        limits = next((extra for extra in hint.__metadata__ if isinstance(extra, Between)), None)
        hint = hint.__origin__
    if hint is None:
        hint = Any if default is _REQUIRED or default is None else type(default)
    return Parameter(name, hint if _convertible(hint) else Any, default, limits)


def _convertible(hint: Any) -> bool:
    """Return whether msgspec can check values of this type."""
    if isinstance(hint, types.GenericAlias | types.UnionType) or typing.get_origin(hint) is not None:
        return True
    return hint in (int, bool, str, float, list, tuple, dict)


def parse_assignments(parameters: Iterable[Parameter], assignments: Iterable[str]) -> dict[str, Any]:
    """Return the values of texts such as ``n=8``.

    Raises
    ------
    ModelError
        For a text without ``=``, an unknown or repeated name, or a value that is not accepted.
    """
    known = {p.name: p for p in parameters}
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name = name.strip()
        if not equals:
            raise ModelError(f"{shown(assignment)}: a parameter is given as name=value, such as n=8")
        if name in values:
            raise ModelError(f"{name}: given twice")
        values[name] = _known(known, name).parse(text)
    return values


def _known(known: Mapping[str, Parameter], name: str) -> Parameter:
    if name not in known:
        advice = did_you_mean(name, known) if known else "; there are none"
        raise ModelError(f"no parameter {shown(name)}{advice}")
    return known[name]


def complete(parameters: Iterable[Parameter], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a validated value for every parameter: the given one or the default.

    Raises
    ------
    ModelError
        For an unknown name, a value that is not accepted, or a missing one without default.
    """
    known = {p.name: p for p in parameters}
    given = {name: _known(known, name).validate(value) for name, value in values.items()}
    for parameter in known.values():
        if parameter.name not in given and parameter.required:
            raise ModelError(f"{parameter.name}: missing; {parameter.allowed} is needed")
    return {name: given.get(name, p.default) for name, p in known.items()}


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
    def declared() -> tuple[inspect.Signature, tuple[Parameter, ...]]:
        return inspect.signature(function), read_parameters(function)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            signature, parameters = declared()
            values = complete(parameters, signature.bind_partial(*args, **kwargs).arguments)
        except (ModelError, TypeError) as error:
            raise ModelError(f"{function.__name__}: {error}") from None
        return function(**values)  # type: ignore[call-arg]

    return checked
