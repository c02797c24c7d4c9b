"""The compiled part of OR-Tools' CP-SAT: its messages, a solver and a callback, without its modelling layer.

``ortools.sat.python.cp_model`` imports pandas, which takes three quarters of the 0.2 s of its own import.
Models are written as protocol buffers here, so what is behind it, ``cp_model_helper``, is enough.

What is added to a message is text, which OR-Tools parses, or copies of one constraint of which some fields
are filled again for each. A constraint as text takes OR-Tools 0.2 us and 0.1 us more for each number. Filled
again, a field takes 0.3 us and hardly more for 20 numbers; a copy takes 0.3 us.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import repeat, starmap
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.errors import ModelInvalid
from cpqueens.language.rows import IntArray

if TYPE_CHECKING:
    Proto = Any  # ortools.sat.python.cp_model_helper.CpModelProto


CONCLUSIVE = ("OPTIMAL", "INFEASIBLE")
"""Names of the statuses with which nothing is left to search."""


def library() -> Any:
    """Return OR-Tools' compiled module, which is imported when it is first asked for."""
    from ortools.sat.python import cp_model_helper

    return cp_model_helper


def new_proto(other: Proto = None) -> Proto:
    """Return the protocol buffer of a model: a copy of another, or of one without anything."""
    proto = library().CpModelProto()
    if other is not None:
        proto.copy_from(other)
    return proto


@cache
def model_class() -> Any:
    """Return OR-Tools' ``CpModel``, which makes the older names of its methods when somebody asks for one.

    To make all of them with each model takes longer than to translate a small one.
    """
    from ortools.sat.python import cp_model

    class CpModel(cp_model.CpModel):  # type: ignore[misc, unused-ignore]
        def __init__(self, proto: Proto) -> None:
            super(cp_model.CpModel, self).__init__(proto)

        def __getattr__(self, name: str) -> Any:
            return getattr(cp_model.CpModel(self.model_proto), name)

    return CpModel


def invalid(proto: Proto) -> str:
    """Return what makes a model invalid, "" if it is valid."""
    return str(library().CpSatHelper.validate_model(proto))


# ---- parts of a model -------------------------------------------------------------------------------


class Copies:
    """Variables, constraints or terms of a constraint that differ in some fields only.

    Attributes
    ----------
    count
        How many they are.
    text
        One of them, without the fields in which they differ.
    fields
        Where these are, ``linear.vars`` or ``int_prod.exprs.0.offset``, and what each of them has there: a
        list of numbers, or a number or a name.
        In ``all_diff.exprs.*.vars`` each number is the first one of such a field.
    place
        Where they go: ``variables``, ``constraints``, or a place in the last constraint, ``all_diff.exprs``.
    """

    def __init__(self, count: int, place: str = "constraints") -> None:
        self.count, self.place, self.text = count, place, ""
        self.fields: dict[str, IntArray | Sequence[Any]] = {}
        self.only = ""  # the one field in which they differ, if the text has it too, as it is in the first

    def field(self, path: str, values: IntArray) -> str:
        """Return as text what is the same in all of them; what differs is filled again for each."""
        if not len(values):
            return ""
        name = path.rpartition(".")[2]
        text = f"{name}:{values[0].tolist()} "
        if (values != values[:1]).any():
            self.fields[path] = values
            return text if values.ndim == 1 or values.shape[1] <= _FEW else ""
        return text


_FEW = 2
"""So many numbers of a list are set each by itself; a list of more is filled anew."""

_SINGLE = ("name", "offset")
"""The fields that are no lists."""

_READ_AT_ONCE = 2_000_000
"""Characters that OR-Tools reads in some hundredths of a second."""

_AT_ONCE = 2_048
"""Copies of which the numbers are lists of Python at one time; more would set off the garbage collector."""

Part = str | Copies
"""Whole variables and constraints, or terms of the last constraint."""


def read(proto: Any, parts: Sequence[Part]) -> None:
    """Add parts to a native model.

    A limit is seen between two calls of the library, each of which reads about `_READ_AT_ONCE` characters,
    or a constraint that has more, or makes one copy.

    Raises
    ------
    ModelInvalid
        If CP-SAT cannot read it.
    """
    texts, length = list[str](), 0
    for part in parts:
        text = part if isinstance(part, str) else part.text
        copied = None if isinstance(part, str) else part
        if copied is not None and copied.count == 1 and not copied.fields.keys() - {copied.only}:
            copied = None  # all that it is stands in its text
        if copied is None:
            texts.append(text)
            length += len(text)
        if length >= _READ_AT_ONCE or copied is not None:
            _parse(proto, texts)
            texts, length = [], 0
        if copied is not None:
            _copy(proto, copied)
    _parse(proto, texts)


def _parse(proto: Any, texts: list[str]) -> None:
    if texts and not proto.merge_text_format("".join(texts)):
        raise ModelInvalid("cpsat could not read the translated model")


def _copy(proto: Any, copies: Copies) -> None:
    """Add copies of what is given as text, with some fields filled again for each."""
    own = type(proto)()  # OR-Tools keeps it no longer than this name does
    _parse(own, [copies.text])
    path, pattern, there = copies.place.split("."), own, proto
    if path[0] not in ("variables", "constraints"):
        pattern, there = own.constraints[0], proto.constraints[len(proto.constraints) - 1]
    pattern, there = _at(pattern, path)[0], _at(there, path)
    for first in range(0, copies.count, _AT_ONCE):
        many = min(_AT_ONCE, copies.count - first)
        steps: list[Iterator[Any]] = []
        for field, rows in copies.fields.items():
            steps += _filling(pattern, field.split("."), rows[first : first + many])
        # They take turns: fill each field with a row's numbers, and then add a copy of what is there.
        deque(zip(*steps, map(there.append, repeat(pattern, many)), strict=False), maxlen=0)


def _filling(pattern: Any, path: Sequence[str], rows: Any) -> list[Iterator[Any]]:
    """Return the steps that fill a field of a message with one row after the other, of an array or a list."""
    if "*" in path:
        at = path.index("*")
        fields = [_at(holder, path[at + 1 :]) for holder in _at(pattern, path[:at])]
        columns = zip(*rows, strict=True)
        return [map(f.__setitem__, repeat(0), column) for f, column in zip(fields, columns, strict=True)]
    message, name = _at(pattern, path[:-1]), path[-1]
    field = getattr(message, name)
    columns = rows.T.tolist() if isinstance(rows, np.ndarray) else rows
    if name in _SINGLE:
        return [map(getattr(type(message), name).fset, repeat(message), columns)]
    if len(field) and isinstance(rows, np.ndarray):
        changed = [k for k, first in enumerate(field) if (rows[:, k] != first).any()]
        return [map(field.__setitem__, repeat(k), columns[k]) for k in changed]
    if columns is not rows and columns:
        rows = zip(*columns, strict=True)  # one tuple that is filled again, where lists are made anew
    return [starmap(field.clear, repeat(())), map(field.extend, rows)]


def _at(message: Any, path: Iterable[str]) -> Any:
    """Return a field of a message of OR-Tools."""
    for name in path:
        message = message[int(name)] if name.isdigit() else getattr(message, name)
    return message


# ---- solving ----------------------------------------------------------------------------------------


def make_callback(take: Callable[[Any], None]) -> Any:
    """Return a callback object that hands over the response with each solution."""

    class Callback(library().SolutionCallback):  # type: ignore[misc]
        def OnSolutionCallback(self) -> None:  # noqa: N802 (OR-Tools' name)
            take(self.Response())

    return Callback()


class Solver:
    """One run of CP-SAT, as OR-Tools' own ``CpSolver`` does it.

    Attributes
    ----------
    parameters
        CP-SAT's ``SatParameters``.
    response
        CP-SAT's ``CpSolverResponse`` after `solve`.
    """

    def __init__(self) -> None:
        self.parameters = library().SatParameters()
        self.log_callback: Callable[[str], None] | None = None
        self.response: Any = None
        self._running: Any = None
        self._lock = threading.Lock()

    def solve(self, proto: Proto, callback: Any = None, hear: Callable[[float], None] | None = None) -> str:
        """Search, and return the name of CP-SAT's status."""
        with self._lock:
            running = self._running = library().SolveWrapper()
        running.set_parameters(self.parameters)
        if callback is not None:
            running.add_solution_callback(callback)
        if self.log_callback is not None:
            running.add_log_callback(self.log_callback)
        if hear is not None:
            running.add_best_bound_callback(hear)
        self.response = running.solve(proto)
        if callback is not None:
            running.clear_solution_callback(callback)
        with self._lock:
            self._running = None
        return str(self.response.status.name)

    def stop_search(self) -> None:
        """End the search that runs, if one does, from any thread."""
        with self._lock:
            if self._running is not None:
                self._running.stop_search()
