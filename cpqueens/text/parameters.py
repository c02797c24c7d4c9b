"""What a caller must give, and what problems, backends and strategies can be told: strictly validated."""

import os
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from cpqueens.errors import ModelError
from cpqueens.text.foreign import read_by
from cpqueens.text.plaintext import did_you_mean, shown


def needed(value: Any, kind: type[Any] | tuple[type[Any], ...], what: str) -> Any:
    """Return ``value``, which must be of a type; ``what`` says what is needed, perhaps also where."""
    if not isinstance(value, kind):
        told = got(value, kind)
        raise ModelError(f"{what} is needed, got {told or f'{type(value).__name__} {shown(value)}'}")
    return value


def got(value: Any, kind: type[Any] | tuple[type[Any], ...]) -> str:
    """Return what was given and how to get a model that is needed from it; '' where that is not known.

    >>> got(7, str)
    ''

    Parameters
    ----------
    value
        What was given: a model of another library, or an object that has a model.
    kind
        What is needed.
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not any(one.__name__ == "Model" for one in kinds):
        return ""
    reader = read_by(value)
    kept = isinstance(getattr(value, "__dict__", {}).get("model"), kind)
    if reader is None and not kept:
        return ""
    name = type(value).__name__
    if reader is None:
        return f"an object of the class {name}; its .model is one"
    return f"a {name} of {type(value).__module__.partition('.')[0]}; write {reader}(...).model"


def as_path(value: Any) -> str | os.PathLike[str]:
    """Return a path; a number, which the system would take for an open file, is none."""
    path: str | os.PathLike[str] = needed(value, (str, os.PathLike), "a path")
    if "\0" in str(path):
        raise ModelError(f"a path without a null byte is needed, got {shown(str(path))}")
    return path


def as_switch(value: Any, what: str) -> bool:
    """Return what must be True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ModelError(f"{what}: True or False is needed, got {shown(value)}")
    return bool(value)


def as_function(value: Any, what: str) -> Any:
    """Return a function, or None where none is given."""
    if value is not None and not callable(value):
        raise ModelError(f"{what} is needed, got {shown(value)}")
    return value


MAX_TEXT = 1_000_000
_SHOWN = 40
REQUIRED: Any = object()
"""The default of a parameter that has none."""
LARGEST_COUNT = 1 << 40
"""What is never counted to."""
COUNTS: Any = list[Annotated[int, msgspec.Meta(ge=1, le=LARGEST_COUNT)]]
PASSES: Any = list[Literal["substitution", "choices", "cliques", "parts"]]
IMPLIED: Any = list[Literal["parts", "cliques", "circles", "distances", "relaxation"]]
PHASES: Any = list[tuple[str | list[str], Any, Any]]
SHARES: Any = list[tuple[str | list[str], Annotated[int, msgspec.Meta(ge=0, le=100)]]]


@dataclass(frozen=True)
class Parameter:
    """One parameter: its type, default, meaning and, where few, its values; for a number perhaps its limits.

    Parameters
    ----------
    type
        ``int``, ``float``, ``bool``, ``str``, a type that msgspec can check, or ``Any``.
    limits
        The least and the greatest value of a number.
    function
        What a Python function does that is accepted too, "" where none is.
    """

    type: Any
    default: Any = REQUIRED
    meaning: str = ""
    choices: tuple[Any, ...] = ()
    limits: tuple[float, float] | None = None
    function: str = ""

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is REQUIRED

    @property
    def allowed(self) -> str:
        """What it accepts, in words."""
        if self.choices:
            names = "one of " + ", ".join(str(choice) for choice in self.choices)
            return f"{names}, or in Python a function" if self.function else names
        words = _WORDS.get(self.type) or f"a value of type {_type_name(self.type)}".removesuffix(
            " of type Any"
        )
        return words if self.limits is None else "{} from {} to {}".format(words, *self.limits)

    def parse(self, name: str, text: str) -> Any:
        """Return the value that ``text`` stands for.

        Raises
        ------
        ModelError
            If it is not a value that the parameter, called ``name``, accepts.
        """
        if len(text) > MAX_TEXT:
            raise ModelError(f"{name}: {len(text)} characters, allowed are at most {MAX_TEXT}")
        try:
            value = self._chosen(text) if self.choices else _PARSERS.get(self.type, msgspec.json.decode)(text)
        except (ValueError, msgspec.DecodeError, RecursionError):
            if self.type is not Any:
                raise self._refusal(name, text) from None
            value = text
        return self.validate(name, value)

    def _chosen(self, text: str) -> Any:
        return {str(choice): choice for choice in self.choices}.get(text, text)

    def validate(self, name: str, value: Any) -> Any:
        """Return ``value`` if the parameter accepts it.

        Nothing is converted but numpy's numbers, lists, and integers where a float is meant.

        Raises
        ------
        ModelError
            If it does not; the message begins with ``name``.
        """
        if self.function and callable(value):
            return value
        if self.choices:
            if not any(type(value) is type(choice) and value == choice for choice in self.choices):
                raise self._refusal(name, value)
            return value
        if self.type is Any:
            return value
        try:
            found = msgspec.convert(_plain(value), self.type, strict=True)
        except (msgspec.ValidationError, TypeError, ValueError, OverflowError, RecursionError):
            raise self._refusal(name, value) from None
        if self.limits is not None and not self.limits[0] <= found <= self.limits[1]:
            raise self._refusal(name, value)
        return found

    def _refusal(self, name: str, value: Any) -> ModelError:
        text = shown(value, 2 * _SHOWN)
        text = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
        near = did_you_mean(value, map(str, self.choices)) if isinstance(value, str) else ""
        near = near if "did you mean" in near else ""
        return ModelError(f"{name}: {self.allowed} is needed, got {text}{near}")


def _parse_integer(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,4000}", text.strip(), re.ASCII):
        raise ValueError
    return int(text)


def _parse_truth(text: str) -> bool:
    truths = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
    if text.strip().lower() not in truths:
        raise ValueError
    return truths[text.strip().lower()]


_PARSERS: dict[Any, Callable[[str], Any]] = {int: _parse_integer, bool: _parse_truth, str: str}
_WORDS: dict[Any, str] = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "a text",
    COUNTS: "a list of integers from 1 on, such as [100, 200]",
    PASSES: 'a list of passes of presolve, such as ["cliques", "parts"]',
    IMPLIED: 'a list of what is found before the search, such as ["cliques", "circles"]',
    PHASES: 'a list of triples, such as [["x", "smallest-domain", "ascending"]]',
    SHARES: 'a list of names and percentages, such as [["x", 80]]',
    tuple[tuple[int, int], ...]: "a list of pairs of integers, such as [[0, 3], [4, 1]]",
}


def _type_name(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not typing.get_args(kind) else str(kind)


def _plain(value: Any) -> Any:
    """Return ``value`` with numpy's numbers and arrays of integers as Python's."""
    if isinstance(value, np.integer | np.floating | np.bool_):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def parse_assignments(declared: Mapping[str, Parameter], assignments: Iterable[str]) -> dict[str, Any]:
    """Return the values of texts such as ``n=8``.

    Raises
    ------
    ModelError
        For a text without ``=``, an unknown or repeated name, or a value that is not accepted.
    """
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = needed(assignment, str, "a text such as n=8").partition("=")
        name = name.strip()
        if not equals:
            raise ModelError(f"{shown(assignment)}: a parameter is given as name=value, such as n=8")
        if name in values:
            raise ModelError(f"{name}: given twice")
        values[name] = _known(declared, name).parse(name, text)
    return values


def _known(declared: Mapping[str, Parameter], name: str) -> Parameter:
    if name not in declared:
        advice = did_you_mean(name, declared) if declared else "; there are none"
        raise ModelError(f"no parameter {shown(name)}{advice}")
    return declared[name]


def complete(declared: Mapping[str, Parameter], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a validated value for every parameter: the given one or the default.

    Raises
    ------
    ModelError
        For an unknown name, a value that is not accepted, or a missing one without default.
    """
    given = {name: _known(declared, name).validate(name, value) for name, value in values.items()}
    for name, parameter in declared.items():
        if parameter.required and name not in given:
            raise ModelError(f"{name}: missing; {parameter.allowed} is needed")
    return {name: given.get(name, parameter.default) for name, parameter in declared.items()}
