"""The constraints of a model in the order in which they were added, and where that was.

Relations between single terms are kept as rows, not as objects: a double loop adds them by the ten
thousand, and that many objects keep Python's garbage collector busier than everything else.

Many small linear relations as few arrays, for everything that handles them in bulk.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, compress, pairwise
from pathlib import Path
from threading import RLock
from types import CodeType
from typing import Any, overload

import numpy as np

from cpqueens.language.arrays import concatenate_rows, of_variables
from cpqueens.language.constraints.base import CODES, Constraint
from cpqueens.language.constraints.connective import Connective, Implication, Or
from cpqueens.language.constraints.linear import Linear, related
from cpqueens.language.conversion import concatenate, registry_of
from cpqueens.language.expressions import LinearArray, Registry
from cpqueens.language.pending import Form, Pending, flatten
from cpqueens.language.ranges import DIFFERENCE
from cpqueens.language.rows import IntArray, Mask, as_rows
from cpqueens.language.term import Term, join_terms


def join_linear(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Return the constraints with linear relations of one sign and like width joined into arrays.

    The joined arrays come first; their rows keep the order in which they came. Relations without any
    element are left out: they are true.
    """
    given = list(constraints)
    return [_joined([given[k] for k in numbers]) for numbers in joined_numbers(given)]


def joined_numbers(constraints: Iterable[Constraint]) -> list[list[int]]:
    """Return of each constraint that `join_linear` makes the numbers of those that it is made of."""
    arrays: dict[tuple[str, int], list[int]] = {}
    single: dict[tuple[str, int], list[int]] = {}
    others: list[list[int]] = []
    for k, constraint in enumerate(constraints):
        if type(constraint) is not Linear:
            others.append([k])
            continue
        expression = constraint.expression
        if type(expression) is Term:
            single.setdefault((constraint.relation, len(expression.variable_list)), []).append(k)
        elif expression.size:
            width = max(1, expression.width)
            arrays.setdefault((constraint.relation, width.bit_length()), []).append(k)
    return [*arrays.values(), *single.values(), *others]


def _joined(constraints: Sequence[Any]) -> Constraint:
    """Return linear relations of one sign, arrays or single ones, as one array; others come alone."""
    first: Constraint = constraints[0]
    if type(first) is not Linear:
        return first
    expressions = [c.expression for c in constraints]
    if type(first.expression) is Term:
        return related(join_terms(registry_of(*expressions), expressions), first.relation)
    if len(expressions) == 1:
        return first.flattened()
    return related(concatenate_rows([e.bind(first.registry) for e in expressions]), first.relation)


def join(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Return the constraints with single connectives joined too, by kind and number of literals."""
    single: dict[tuple[type[Connective], int], list[tuple[Term, ...]]] = {}
    others: list[Constraint] = []
    for constraint in join_linear(constraints):
        if isinstance(constraint, Connective) and constraint.parts is not None:
            single.setdefault((type(constraint), len(constraint.parts)), []).append(constraint.parts)
        else:
            others.append(constraint)
    return others + [join_parts(kind, parts) for (kind, _), parts in single.items()]


def join_parts(kind: type[Connective], many: Sequence[tuple[Term, ...]]) -> Connective:
    """Return connectives of equally many 0/1 terms as one array of them."""
    terms = list(chain.from_iterable(many))
    return kind.over(join_terms(registry_of(*terms), terms).reshape(len(many), len(many[0])))


TOGETHER = 1 << 18
"""Terms of constraints that are checked together."""


class Alike:
    """Constraints that differ in their terms alone, checked together where there are few assignments.

    They are the first one of them over several assignments: to the places of its terms.
    """

    def __init__(self, many: Sequence[Constraint]) -> None:
        sides = list(zip(*(c.arguments for c in many), strict=True))
        moving = [k == 0 or not _are_equal(side) for k, side in enumerate(sides)]
        self._many, self._sides = len(many), [*map(_side_by_side, compress(sides, moving))]
        ends = [0, *accumulate(side[0].size * moves for side, moves in zip(sides, moving, strict=True))]
        places = (
            of_variables(array.registry, np.arange(first, last), array.shape) if last > first else array
            for (array, *_), (first, last) in zip(sides, pairwise(ends), strict=True)
        )
        self._one, self._width = many[0].map(lambda _: next(places)), ends[-1]

    def holds(self, values: IntArray) -> Mask:
        """Return where all hold, (batch,), for ``values`` (batch, variables)."""
        batch, found = len(values), []
        for side, many in self._sides:
            each = side.evaluate(values).reshape(batch, many, side.size // many)
            found.append(each if many == self._many else each.repeat(self._many, axis=1))
        rows = np.concatenate(found, axis=2).reshape(batch * self._many, self._width)
        everywhere: Mask = np.logical_and.reduce(self._one.holds(rows).reshape(batch, self._many), axis=1)
        return everywhere


def _side_by_side(arrays: Sequence[LinearArray]) -> tuple[LinearArray, int]:
    """Return arrays of one shape as one, and how many it is of: of one that stands there always that one."""
    if len({*map(id, arrays)}) == 1:
        return arrays[0], 1
    return concatenate(arrays), len(arrays)


def _are_equal(arrays: Sequence[LinearArray]) -> bool:
    """Say whether all are the same numbers, of one shape."""
    first, *others = arrays
    return not any(a.width for a in arrays) and all((a.constants == first.constants).all() for a in others)


def alike(constraints: Iterable[Constraint]) -> list[Constraint | Alike]:
    """Return constraints for checks of few assignments: those together that differ in their terms alone."""
    found: list[Constraint | Alike] = []
    groups: dict[Any, list[Constraint]] = {}
    for c in constraints:
        if c.shape or isinstance(c, Linear | Connective) or c.kind == "AllDifferent":  # joined, or quick
            found.append(c)
            continue
        values = [getattr(c, name) for name in c.fields]
        same = [v.shape if isinstance(v, LinearArray) else _named(v) for v in values]
        groups.setdefault((type(c), *same), []).append(c)
    for many in groups.values():
        step = max(1, TOGETHER // max(1, sum(array.size for array in many[0].arguments)))
        for first in range(0, len(many), step):
            some = many[first : first + step]
            found.append(Alike(some) if len(some) > 1 else some[0])
    return found


def _named(value: Any) -> Any:
    """Return what equal values have, or the same one."""
    return value if isinstance(value, int | str | tuple) else id(value)


_WIDEST = 2**40

_NOBODYS = tuple(
    str(Path(__file__).parents[1].joinpath(folder, "")) + os.sep for folder in ("crosscheck", "exchange")
)
"""Where the package itself adds constraints on behalf of others: no line of these says anything to a user."""

_SETTLING = RLock()
"""Held while truths are defined: a model may be solved in several threads."""

Source = tuple[CodeType | str, int]
"""Where a constraint was added: a code object and the instruction in it, or a file and a line."""


@dataclass(frozen=True)
class Posted:
    """A constraint as it was added: its name (or None) and the user's file and line.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=2, name="x")
    >>> m.add(x[0] < x[1], name="rising")
    >>> (posted,) = m.constraints
    >>> posted.name, posted.constraint.kind, posted.where.endswith(":1")
    ('rising', 'Linear', True)

    Attributes
    ----------
    constraint
        A constraint kind's object (`AllDifferent`, `Linear`, ...).
    name
        What it was given, or None.
    source
        The user's file and line, or None.
    """

    constraint: Constraint
    name: str | None
    source: tuple[str, int] | None

    @property
    def where(self) -> str:
        """The user's file and line as text, or ''; also of what was posted for a model from elsewhere."""
        if self.source is None or self.source[0].startswith(_NOBODYS):
            return ""
        return f"{self.source[0]}:{self.source[1]}"


class ConstraintList(Sequence[Constraint]):
    """A list of constraints that holds relations between single terms as rows."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._entries: list[Constraint | int] = []  # a number is that of a row
        self._relations: list[str] = []
        self._ends: list[int] = []  # where each row ends in the two flat lists
        self._variables: list[int] = []
        self._coefficients: list[int] = []
        self._constants: list[int] = []
        self._whole: list[int] = []  # positions of the entries that are constraints
        self._blocks: list[Connective | None] = []  # a number below 0 is that of an element of one
        self._members: list[list[int]] = []  # per block, the positions of its elements
        self.pending: dict[Form, Pending] = {}  # of which a block is made
        self._latest: Pending | None = None  # what was added to last
        self._settling = False
        self._files: list[CodeType | str | None] = []
        self._places: list[int] = []
        self._arrays: tuple[tuple[int, int], list[Linear]] | None = None  # what `rows` made, and of what
        self.cuts = 0  # how often it was truncated: as long as it is not, the length tells its state

    def append(self, constraint: Constraint, source: Source | None) -> None:
        """Add a constraint at the end."""
        file, place = source or (None, 0)
        if type(constraint) is Linear and isinstance(constraint.sides[0], Term):
            self.append_row(constraint, file, place)
        elif isinstance(constraint, Connective) and constraint.operands is not None:
            self.append_single(constraint, file, place)
        else:
            self.append_whole(constraint, file, place)

    def append_plain(self, constraint: Any, code: CodeType, at: int) -> bool:
        """Add what loops add by the ten thousand, if it is such a constraint of the model itself."""
        kind, registry = type(constraint), self._registry
        if kind is Linear:
            left = constraint.sides[0]
            if left.registry is registry and not registry.has_partial:
                (self.append_row if isinstance(left, Term) else self.append_whole)(constraint, code, at)
                return True
        elif kind is Or or kind is Implication:  # posted as they are
            operands = constraint.operands
            if operands is not None and operands[0].registry is registry:
                self.append_single(constraint, code, at)
                return True
        elif isinstance(constraint, Constraint) and not isinstance(constraint, Connective):
            if constraint.registry is not registry or registry.has_partial:
                return False
            constraint.require_sense()
            self.append_whole(constraint, code, at)
            return True
        return False

    def append_whole(self, constraint: Constraint, file: CodeType | str | None, place: int) -> None:
        """Add a constraint that stays an object."""
        self._files.append(file)
        self._places.append(place)
        self._whole.append(len(self._entries))
        self._entries.append(constraint)

    def append_single(self, constraint: Connective, file: CodeType | str | None, place: int) -> None:
        """Add a connective of single truths, which waits until `settle`."""
        parts: list[int | Term] = []
        form = flatten(constraint, parts)
        pending = self._latest
        if pending is None or form != pending.form:  # loops add one form again and again
            pending = self._latest = self.pending.get(form)
        if pending is None:
            self._members.append([])
            first = -len(self._blocks) * _WIDEST
            pending = self._latest = Pending(form, len(self._blocks), first, self._members[-1])
            self.pending[form] = pending
            self._blocks.append(None)
        pending.count += 1
        pending.parts += parts
        self._files.append(file)
        self._places.append(place)
        pending.members.append(len(self._entries))
        self._entries.append(pending.first - pending.count)

    def settle(self) -> None:
        """Make arrays of the connectives that wait, which defines their truths."""
        with _SETTLING:
            if self._settling:  # what is made asks the registry, which comes here again
                return
            self._settling = True
            try:
                for pending in self.pending.values():
                    self._blocks[pending.block] = pending.made(self._registry)
                self.pending, self._latest = {}, None
            finally:
                self._settling = False

    def append_row(self, constraint: Linear, file: CodeType | str | None, place: int) -> None:
        """Add ``left relation right`` at the end, see `Linear.sides`."""
        left, right = constraint.sides
        variables, constant = self._variables, left.constant
        variables += left.variable_list
        self._coefficients += left.coefficient_list
        if isinstance(right, int):
            constant -= right
        elif right is not None:
            variables += right.variable_list
            self._coefficients.append(-right.coefficient_list[0])
            constant -= right.constant
        self._files.append(file)
        self._places.append(place)
        self._entries.append(len(self._relations))
        self._relations.append(constraint.sign)
        self._ends.append(len(variables))
        self._constants.append(constant)

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

    def _block(self, entry: int) -> tuple[Connective, int]:
        """Return the array of connectives of a number below 0, and the place in it."""
        block, row = divmod(-entry - 1, _WIDEST)
        found = self._blocks[block]
        assert found is not None
        return found, row

    def __iter__(self) -> Iterator[Constraint]:
        return (e if isinstance(e, Constraint) else self._row(e) for e in self._entries)

    def _row(self, k: int) -> Constraint:
        if k < 0:
            block, row = self._block(k)
            return block.take(np.array(row))
        mine = slice(self._ends[k - 1] if k else 0, self._ends[k])
        variables, coefficients = tuple(self._variables[mine]), tuple(self._coefficients[mine])
        return related(Term(self._registry, variables, coefficients, self._constants[k]), self._relations[k])

    def source(self, k: int) -> tuple[str, int] | None:
        """Return the file and line where constraint ``k`` was added."""
        code = self._files[k]
        return None if code is None else place_of((code, self._places[k]))

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
        self.cuts += 1
        rows = [e for e in self._entries[:length] if isinstance(e, int) and e >= 0]
        kept = rows[-1] + 1 if rows else 0
        end = self._ends[kept - 1] if kept else 0
        del self._relations[kept:], self._constants[kept:], self._ends[kept:]
        del self._variables[end:], self._coefficients[end:]
        for positions in (self._whole, *self._members):
            positions[:] = [k for k in positions if k < length]
        del self._entries[length:], self._files[length:], self._places[length:]

    def copy(self, registry: Registry) -> ConstraintList:
        """Return an independent list whose rows belong to ``registry``."""
        other = ConstraintList(registry)
        for name, column in vars(self).items():
            if isinstance(column, list):
                setattr(other, name, list(column))
        other._members = list(map(list, self._members))
        other.cuts = self.cuts
        return other

    def __getstate__(self) -> dict[str, object]:
        """Return the list as it is pickled: places in code become file and line."""
        sources = [self.source(k) or (None, 0) for k in range(len(self))]
        files, places = [file for file, _ in sources], [line for _, line in sources]
        return vars(self) | {"_files": files, "_places": places, "_arrays": None}

    def others(self) -> list[tuple[list[int], Constraint]]:
        """Return all but the relations between single terms, with positions; single connectives as arrays."""
        entries = self._entries
        found: list[tuple[list[int], Constraint]] = [([k], entries[k]) for k in self._whole]  # type: ignore[misc]
        if not self._members:
            return found
        for block, positions in zip(self._blocks, self._members, strict=True):
            if positions:
                assert block is not None  # it was settled
                whole = len(positions) == block.size
                found.append((positions, block if whole else block.take(np.arange(len(positions)))))
        return sorted(found, key=lambda one: one[0][0])

    def rows(self, first: int = 0) -> list[Linear]:
        """Return the relations between single terms, from position ``first`` on, as few arrays.

        They go by relation and width. Those of one variable that are always true are left out: what only such
        ones look at, as the truth in ``(a & b) <= 1``, need not be defined.
        """
        if not self._relations:
            return []
        if first:
            added = next((e for e in self._entries[first:] if isinstance(e, int) and e >= 0), None)
            return [] if added is None else [found for _, found in self._sorts(added)]
        state = len(self._entries), self.cuts
        if self._arrays is None or self._arrays[0] != state:
            self._arrays = state, [found for _, found in self._sorts(0)]
        return list(self._arrays[1])

    def row_positions(self) -> list[list[int]]:
        """Return of each array that `rows` makes the positions of the relations in it."""
        positions = as_rows([k for k, e in enumerate(self._entries) if isinstance(e, int) and e >= 0])
        return [positions[mine].tolist() for mine, _ in self._sorts(0)]

    def _sorts(self, first: int) -> Iterator[tuple[IntArray, Linear]]:
        """Yield, of rows from one on, those of each relation and width: which they are, and the relations."""
        codes, ends = as_rows(list(map(CODES.__getitem__, self._relations))), as_rows(self._ends)
        variables, coefficients = as_rows(self._variables), as_rows(self._coefficients)
        constants, sorts = as_rows(self._constants), codes * _WIDEST + ends
        sorts[1:] -= ends[:-1]  # how many variables each has
        for sort in sorted(set(sorts.tolist())):
            code, width = divmod(sort, _WIDEST)
            relation, mine = list(CODES)[code], (sorts == sort).nonzero()[0]
            mine = mine[mine.searchsorted(first) :]
            places = (ends[mine] - width)[:, None] + np.arange(width)
            columns = variables[places], coefficients[places], constants[mine]
            terms = LinearArray(self._registry, mine.shape, *columns)
            if (relation, width) == ("<=", 1):
                open_ones = (terms.bounds(DIFFERENCE)[1] > 0) | self._registry.partial_terms(terms)
                mine, terms = mine[open_ones], terms[open_ones]
            if mine.size:
                yield mine, related(terms, relation)

    def joined(self) -> list[Constraint]:
        """Return all constraints with linear relations and single connectives joined into arrays."""
        return [*self.rows(), *join(c for _, c in self.others())]


def place_of(source: Source | None) -> tuple[str, int] | None:
    """Return the file and line of a place in code."""
    if source is None:
        return None
    code, at = source
    return (code, at) if isinstance(code, str) else (code.co_filename, _line(code, at))


@cache
def _line(code: CodeType, at: int) -> int:
    """Return the line of an instruction, looked up only when asked: adding must be quick."""
    for start, stop, number in code.co_lines():
        if start <= at < stop and number is not None:
            return number
    return code.co_firstlineno
