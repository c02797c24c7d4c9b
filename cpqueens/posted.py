"""The constraints of a model in the order in which they were added, and where that was.

Relations between single terms are kept as rows, not as objects: a double loop adds them by the ten
thousand, and that many objects keep Python's garbage collector busier than everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import overload

from cpqueens.constraints.base import Constraint
from cpqueens.constraints.joining import join_linear
from cpqueens.constraints.linear import Linear
from cpqueens.expressions import Registry, Term, from_rows

Source = tuple[CodeType | str, int]
"""Where a constraint was added: a code object and the instruction in it, or a file and a line."""


@dataclass(frozen=True)
class Posted:
    """A constraint as it was added: its name (or None) and the user's file and line."""

    constraint: Constraint
    name: str | None
    source: tuple[str, int] | None

    @property
    def where(self) -> str:
        """The user's file and line as text, or ''."""
        return f"{self.source[0]}:{self.source[1]}" if self.source else ""


class ConstraintList(Sequence[Constraint]):
    """A list of constraints that holds relations between single terms as rows."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._entries: list[Constraint | int] = []  # a number is that of a row
        self._relations: list[str] = []
        self._variables: list[tuple[int, ...]] = []
        self._coefficients: list[tuple[int, ...]] = []
        self._constants: list[int] = []
        self._files: list[CodeType | str | None] = []
        self._places: list[int] = []

    def append(self, constraint: Constraint, source: Source | None) -> None:
        """Add a constraint at the end."""
        self._files.append(source[0] if source else None)
        self._places.append(source[1] if source else 0)
        if type(constraint) is Linear and type(constraint.expression) is Term:
            self._entries.append(len(self._relations))
            self._relations.append(constraint.relation)
            term = constraint.expression
            self._variables.append(term.variable_list)
            self._coefficients.append(term.coefficient_list)
            self._constants.append(term.constant)
        else:
            self._entries.append(constraint)

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, key: int) -> Constraint: ...
    @overload
    def __getitem__(self, key: slice) -> list[Constraint]: ...
    def __getitem__(self, key: int | slice) -> Constraint | list[Constraint]:
        if isinstance(key, slice):
            return [self[k] for k in range(*key.indices(len(self)))]
        entry = self._entries[key]
        return entry if isinstance(entry, Constraint) else self._row(entry)

    def __iter__(self) -> Iterator[Constraint]:
        return (e if isinstance(e, Constraint) else self._row(e) for e in self._entries)

    def _row(self, k: int) -> Linear:
        variables, coefficients = self._variables[k], self._coefficients[k]
        return Linear(Term(self._registry, variables, coefficients, self._constants[k]), self._relations[k])

    def source(self, k: int) -> tuple[str, int] | None:
        """Return the file and line where constraint ``k`` was added."""
        code, at = self._files[k], self._places[k]
        if code is None or isinstance(code, str):
            return None if code is None else (code, at)
        line = code.co_firstlineno
        for start, stop, number in code.co_lines():  # looked up late: adding must be quick
            if start <= at < stop and number is not None:
                line = number
        return code.co_filename, line

    def set_source(self, k: int, source: tuple[str, int] | None) -> None:
        """Say where constraint ``k`` was added."""
        self._files[k], self._places[k] = source or (None, 0)

    def select(self, positions: Iterable[int]) -> ConstraintList:
        """Return a list of the constraints at these positions."""
        chosen = ConstraintList(self._registry)
        for k in positions:
            chosen.append(self[k], self.source(k))
        return chosen

    def truncate(self, length: int) -> None:
        """Drop everything behind the first ``length`` constraints."""
        rows = [e for e in self._entries[:length] if isinstance(e, int)]
        kept = rows[-1] + 1 if rows else 0
        for part in (self._relations, self._variables, self._coefficients, self._constants):
            del part[kept:]  # type: ignore[attr-defined]
        for part in (self._entries, self._files, self._places):
            del part[length:]  # type: ignore[attr-defined]

    def copy(self, registry: Registry) -> ConstraintList:
        """Return an independent list whose rows belong to ``registry``."""
        other = ConstraintList(registry)
        for name in (
            "_entries",
            "_relations",
            "_variables",
            "_coefficients",
            "_constants",
            "_files",
            "_places",
        ):
            setattr(other, name, list(getattr(self, name)))
        return other

    def others(self) -> list[tuple[int, Constraint]]:
        """Return the constraints that are kept as objects, with their positions."""
        return [(k, e) for k, e in enumerate(self._entries) if not isinstance(e, int)]

    def rows(self) -> list[Linear]:
        """Return the relations between single terms as few arrays, by relation and width."""
        groups: dict[tuple[str, int], list[int]] = {}
        for k, (relation, variables) in enumerate(zip(self._relations, self._variables, strict=True)):
            key = (relation, len(variables))
            if key in groups:
                groups[key].append(k)
            else:
                groups[key] = [k]
        return [self._joined(relation, width, ks) for (relation, width), ks in groups.items()]

    def _joined(self, relation: str, width: int, rows: list[int]) -> Linear:
        columns = self._variables, self._coefficients
        variables, coefficients, constants = *columns, self._constants
        if len(rows) < len(constants):
            variables, coefficients = ([column[k] for k in rows] for column in columns)
            constants = [constants[k] for k in rows]
        return Linear(from_rows(self._registry, width, variables, coefficients, constants), relation)

    def joined(self) -> list[Constraint]:
        """Return all constraints with linear relations joined into arrays."""
        return [*self.rows(), *join_linear(c for _, c in self.others())]
