"""What CP-SAT is told of a model: its variables and constraints as text and copies, see `native.Copies`."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from itertools import chain, count, groupby
from typing import Any

import numpy as np

from cpqueens.backends.cpsat.clauses import plain_literals
from cpqueens.backends.cpsat.native import Copies, Part, library
from cpqueens.language.constraints.linear import OPPOSITE
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, Mask, as_rows, distinct, greatest
from cpqueens.language.store import VariableStore

LOWEST = -(2**63)
SMALL = 2**30  # up to it the sums of rows are bounded roughly
Row = tuple[list[int], list[int], int]

MANY = 50
"""So many terms of one constraint are copies; fewer are text."""


class NativeWriter:
    """Collects the parts of one model; ``index`` maps our variables to CP-SAT's."""

    def __init__(self, store: VariableStore, used: Mask, names: Mapping[int, str] | None = None) -> None:
        self.store = store
        self.parts: list[Part] = []
        # They come first: other constraints name them by their places.
        self._intervals: list[str | tuple[int, int, int, int]] = []
        self._places: dict[object, int] = {}
        self.positions = used.cumsum() - 1
        self.index: list[int] = self.positions.tolist()
        self.count = int(used.sum())
        self.written = 0  # how many constraints the model that was read before has
        self.offset = 0  # of the objective
        self.least, self.terms_reach = 0, 0.0  # of CP-SAT's objective without it, and of all terms in size
        self.extremes = False  # whether there is a ``lin_max``
        self.span = 0  # the largest absolute value of any variable
        self.reach = 0  # the same, and of what any row may sum up to
        self.sizes: list[int] = []
        self._literals: dict[Any, int] = {}
        self._texts: dict[object, str] = {}  # of the tables of terms that elements are of
        self._tables: list[tuple[str, list[int]]] = []
        self._elements: list[tuple[int, IntArray, int]] = []  # of numbers: index, table and target
        self._constants: dict[int, int] = {}  # the variables that stand for numbers of tables
        self.stated: Sequence[Any] = ()  # what is written plainly
        self._write_variables(used, names or {})

    def further(self, store: VariableStore, written: int, used: Mask) -> "NativeWriter":
        """Return a writer of what is added to a model of ``written`` constraints: ``used`` are new variables.

        ``store`` has all variables, those of before with their numbers.
        """
        other = copy(self)
        other.store, other.written = store, written
        other.parts, other._intervals, other._tables, other._elements = [], [], [], []
        other._places, other._literals = dict(self._places), dict(self._literals)
        other._constants, other._texts = dict(self._constants), dict(self._texts)
        other.sizes = list(self.sizes)
        other.positions = np.cumsum(used) - 1 + self.count
        before = np.flatnonzero(~used[: len(self.positions)])
        other.positions[before] = self.positions[before]
        other.index = other.positions.tolist()
        other.count = self.count + int(used.sum())
        other._write_variables(used, {})
        return other

    def _write_variables(self, used: Mask, names: Mapping[int, str]) -> None:
        store, first = self.store, len(self.sizes)
        self.span = max(self.span, store.span)
        self.reach = max(self.reach, self.span)
        kept = np.flatnonzero(used)
        low, high = store.lower[kept], store.upper[kept]
        self.sizes += np.maximum(-low, high).tolist()
        new, ends = Copies(len(kept), "variables"), np.array((low, high)).T
        new.text = f"variables{{{new.field('domain', ends)}}}"
        domains: list[list[int]] = []
        for variable, values in store.domains.items():
            if used[variable]:
                domains = domains or ends.tolist()
                domains[self.index[variable] - first] = intervals(values)
        if domains:
            new.text, new.fields["domain"] = "variables{}", domains
        if names:
            new.fields["name"] = [names.get(v, "") for v in kept.tolist()]
        self.parts.append(new)

    # ---- pieces ---------------------------------------------------------------------------------

    def new_variable(self, low: int, high: int) -> int:
        """Add an auxiliary variable whose value the constraints must determine; return its index."""
        self.parts.append(f"variables{{domain:[{low},{high}]}}")
        self.sizes.append(max(abs(low), abs(high)))
        self.span = max(self.span, self.sizes[-1])
        self.reach = max(self.reach, self.span)
        self.count += 1
        return self.count - 1

    def bounds(self, row: Row) -> tuple[int, int]:
        """Return the bounds of one term."""
        variables, coefficients, low = row
        high, lower, upper = low, self.store.lower, self.store.upper
        for v, a in zip(variables, coefficients, strict=True):
            first, last = a * lower.item(v), a * upper.item(v)
            if a > 0:
                low, high = low + first, high + last
            else:
                low, high = low + last, high + first
        return low, high

    def names(self, variables: Iterable[int], *indices: int) -> str:
        """Return CP-SAT's indices of our variables, then further indices of its own, as a list."""
        return joined([*(self.index[v] for v in variables), *indices])

    def truth(self, row: Row, relation: str, literal: int | None = None) -> int:
        """Write that a literal, by default a new one, is true exactly where ``row relation 0``; return it."""
        literal = self.new_variable(0, 1) if literal is None else literal
        names = self.names(row[0])
        for sign, enforce in ((relation, literal), (OPPOSITE[relation], -literal - 1)):
            self.raw_linear(names, row[1], row[2], sign, enforce)
        return literal

    def raw_linear(
        self, names: str, coefficients: list[int], constant: int, relation: str, *enforce: int | None
    ) -> None:
        """Write a relation over CP-SAT's own indices, given as text, under literals."""
        reach = self.span * sum(map(abs, coefficients)) + abs(constant) + 1
        if reach >= SMALL:
            sizes = (self.sizes[int(name)] for name in names.split(",") if name)  # none: a constant
            reach = sum(abs(a) * end for a, end in zip(coefficients, sizes, strict=True)) + abs(constant) + 1
            self.reach = max(self.reach, reach)
        domain = joined(_allowed(relation, constant, reach))
        numbers = f"vars:[{names}]coeffs:[{joined(coefficients)}]domain:[{domain}]"
        self.parts.append(f"constraints{{{_enforced(*enforce)}linear{{{numbers}}}}}")

    def rows(
        self,
        variables: IntArray,
        coefficients: IntArray,
        constants: IntArray,
        relation: str,
        enforce: IntArray | None = None,
    ) -> None:
        """Write ``row relation 0`` for rows of equal width, given CP-SAT's indices, each (rows, width).

        ``enforce`` are the literals under which each holds, (rows, literals).
        """
        under = np.zeros((len(constants), 0), dtype=np.int64) if enforce is None else enforce
        most = self._reach(coefficients, constants) + 1
        if most >= SMALL:
            parts = (column.tolist() for column in (variables, coefficients, constants, under))
            for v, a, c, literals in zip(*parts, strict=True):
                self.raw_linear(joined(v), a, c, relation, *literals)
            return
        domain = np.array([end + 0 * constants for end in _allowed(relation, constants, int(most))]).T
        new = Copies(len(constants))
        inner = new.field("linear.vars", variables) + new.field("linear.coeffs", coefficients)
        inner += new.field("linear.domain", domain)
        self._copied(new, f"linear{{{inner}}}", under)

    def _copied(self, new: Copies, inner: str, under: IntArray) -> None:
        """Write constraints, each under its literals, (rows, literals)."""
        if new.count:
            literals = new.field("enforcement_literal", under) if under.shape[1] else ""
            new.text = f"constraints{{{literals}{inner}}}"
            self.parts.append(new)

    def functions(
        self, kind: str, results: IntArray, sign: int, terms: Sequence[tuple[IntArray, IntArray, IntArray]]
    ) -> None:
        """Write `function` for each row of results: of terms without padding, given as columns."""
        new = Copies(len(results))
        target = new.field(f"{kind}.target.vars", results[:, None])
        inner = f"target{{{target}coeffs:{sign}}}"
        for k, (variables, coefficients, constants) in enumerate(terms):
            path = f"{kind}.exprs.{k}"
            term = new.field(f"{path}.vars", self.positions[variables])
            term += new.field(f"{path}.coeffs", coefficients)
            term += new.field(f"{path}.offset", constants) if constants.any() else ""
            inner += f"exprs{{{term}}}"
            self._reaches(coefficients, constants)
        self._copied(new, f"{kind}{{{inner}}}", np.zeros((new.count, 0), dtype=np.int64))

    def _reach(self, coefficients: IntArray, constants: IntArray) -> float:
        """Return the most that the parts of a term may add up to, of any of some."""
        sums = np.add.reduce(np.abs(coefficients), axis=1, dtype=np.float64)
        return float(greatest(self.span * sums + np.abs(constants), initial=0))

    def _reaches(self, coefficients: IntArray, constants: IntArray) -> None:
        """Take notice of what terms may reach."""
        most = self._reach(coefficients, constants)
        if most >= SMALL:
            self.reach = max(self.reach, int(most))

    def affine(self, row: Row) -> str:
        """Return the text of a term ``a*x + b``, through an auxiliary variable if it has several."""
        scaled, constant = self._scaled(row)
        return f"{scaled}offset:{constant}"

    def _scaled(self, row: Row) -> tuple[str, int]:
        """Return the text of ``a*x`` and the number ``b`` of a term ``a*x + b``."""
        variables, coefficients, constant = row
        if len(variables) > 1:
            return f"vars:{self.auxiliary(row)} coeffs:1 ", 0
        if not variables:
            return "", constant
        return f"vars:{self.index[variables[0]]} coeffs:{coefficients[0]} ", constant

    def affines(self, rows: Iterable[Row]) -> str:
        """Return the text of several terms."""
        return "".join([f"exprs{{{self.affine(row)}}}" for row in rows])

    def auxiliary(self, row: Row) -> int:
        """Return a variable equal to the term."""
        variables, coefficients, constant = row
        new = self.new_variable(*self.bounds(row))
        self.raw_linear(self.names(variables, new), [*coefficients, -1], constant, "==")
        return new

    def plain_intervals(self, start: LinearArray, sizes: IntArray) -> list[int]:
        """Return the places of intervals of given sizes, each from ``a*x + b`` on, which are always there."""
        starts = self.positions[start.variables[:, 0]], start.coefficients[:, 0], start.constants
        columns = [column.tolist() for column in (*starts, sizes)]
        sides = [max(map(abs, column), default=0) for column in columns[1:]]
        if self.span * sides[0] + sides[1] + sides[2] >= SMALL:
            self._reaches(start.coefficients, np.abs(start.constants) + sizes)
        keys, places = list(zip(*columns, strict=True)), self._places
        new = [key for key in dict.fromkeys(keys) if key not in places]
        places.update(zip(new, count(self.written + len(self._intervals))))
        self._intervals += new
        return list(map(places.__getitem__, keys))

    def interval(self, start: Row, size: Row, end: Row, present: Row) -> int:
        """Return the place of the interval from start to end, which is there where ``present`` is 1."""
        key = f"{start} {size} {present}"
        if key not in self._places:
            self._places[key] = self.written + len(self._intervals)
            self._intervals.append(self._interval(start, size, end, present))
        return self._places[key]

    def _interval(self, start: Row, size: Row, end: Row, present: Row) -> str:
        self.reach = max(self.reach, *map(abs, self.bounds(end)))
        scaled, constant = self._scaled(start)
        ends = self.affine(end) if size[0] else f"{scaled}offset:{constant + size[2]}"
        sides = f"start{{{scaled}offset:{constant}}}end{{{ends}}}size{{{self.affine(size)}}}"
        return f"constraints{{{_enforced(self.literal(present) if present[0] else None)}interval{{{sides}}}}}"

    def literal(self, row: Row) -> int:
        """Return the literal of a 0/1 term: a Boolean variable, its negation or an auxiliary one."""
        variables, coefficients, constant = row
        lower, upper = self.store.lower, self.store.upper
        if len(variables) == 1 and (lower[variables[0]], upper[variables[0]]) == (0, 1):
            index = self.index[variables[0]]
            if coefficients == [1] and constant == 0:
                return index
            if coefficients == [-1] and constant == 1:
                return -index - 1
        key = (tuple(variables), tuple(coefficients), constant)
        if key not in self._literals:
            if variables:
                self._literals[key] = self.auxiliary(row)
            else:
                self._literals[key] = self.new_variable(constant, constant)
        return self._literals[key]

    def native(self, literals: IntArray) -> IntArray:
        """Return CP-SAT's literals for the store's, ``v`` or ``-v - 1``."""
        variables = np.where(literals < 0, -literals - 1, literals)
        found = self.positions[variables]
        return np.where(literals < 0, -found - 1, found)

    def literal_array(self, array: LinearArray) -> IntArray:
        """Return CP-SAT's literals of 0/1 terms, in the shape of ``array``."""
        plain, known = plain_literals(array, self.store)
        plain, known = plain.reshape(-1), known.reshape(-1)
        if known.all():
            return self.native(plain).reshape(array.shape)
        found = np.zeros(plain.shape, dtype=np.int64)
        found[known] = self.native(plain[known])  # of constants alone there may be no variable at all
        others = np.flatnonzero(~known)
        for place, row in zip(others.tolist(), array.reshape(-1)._pick(others).rows(), strict=True):
            found[place] = self.literal(row)
        return found.reshape(array.shape)

    def booleans(self, kind: str, literals: IntArray, enforce: IntArray | None = None) -> None:
        """Write `boolean` for each row of literals, perhaps under a row of others."""
        under = np.zeros((len(literals), 0), dtype=np.int64) if enforce is None else enforce
        new = Copies(len(literals))
        self._copied(new, f"{kind}{{{new.field(f'{kind}.literals', literals)}}}", under)

    def boolean(self, kind: str, literals: Sequence[int], enforce: int | None = None) -> None:
        """Write ``bool_or``, ``bool_and``, ``bool_xor``, ``at_most_one`` or ``exactly_one``."""
        self.parts.append(f"constraints{{{_enforced(enforce)}{kind}{{literals:[{joined(literals)}]}}}}")

    def function(self, kind: str, target: int, sign: int, terms: str) -> None:
        """Write that ``sign * target`` is ``lin_max`` or ``int_prod`` of terms, given as text."""
        self.parts.append(f"constraints{{{kind}{{target{{vars:{target} coeffs:{sign}}}{terms}}}}}")

    def expressions(self, kind: str, array: LinearArray, target: str = "") -> None:
        """Write a constraint over affine expressions, perhaps with a target."""
        if not target and array.size < MANY and array.are_variables:
            self.another(f"{kind}.exprs.*.vars", self.positions[array.variables[:, 0]].tolist())
        elif array.width == 1 and array.size >= MANY and array.coefficients.all():
            self.parts.append(f"constraints{{{kind}{{{target}}}}}")
            self._terms(kind, array.variables[:, 0], array.coefficients[:, 0], array.constants)
        else:
            self.parts.append(f"constraints{{{kind}{{{target}{self.entries(array)}}}}}")

    def variables(self, kind: str, variables: Sequence[int]) -> None:
        """Write a constraint over variables of ours."""
        if len(variables) < MANY:
            self.another(f"{kind}.exprs.*.vars", list(map(self.index.__getitem__, variables)))
            return
        self.parts.append(f"constraints{{{kind}{{}}}}")
        numbers = np.array(variables, dtype=np.int64)
        self._terms(kind, numbers, np.ones_like(numbers), np.zeros_like(numbers))

    def another(self, field: str, row: list[int]) -> None:
        """Write a constraint of variables or of a list, with the last ones if it differs in these only."""
        last: Any = self.parts[-1]
        is_alike = isinstance(last, Copies) and last.only == field
        if is_alike and ("*" not in field or len(last.fields[field][0]) == len(row)):
            last.fields[field].append(row)
            last.count += 1
            return
        kind, _, name = field.partition(".")
        terms = "".join(map("exprs{{vars:{} coeffs:1}}".format, row))
        new = Copies(1)
        new.text = f"constraints{{{kind}{{{terms if '*' in field else f'{name}:[{joined(row)}]'}}}}}"
        new.only, new.fields[field] = field, [row]
        self.parts.append(new)

    def _terms(self, kind: str, variables: IntArray, coefficients: IntArray, constants: IntArray) -> None:
        """Add terms ``a*x + b`` to the last constraint."""
        new = Copies(len(variables), f"{kind}.exprs")
        term = new.field("vars", self.positions[variables][:, None])
        term += new.field("coeffs", coefficients[:, None])
        term += new.field("offset", constants) if constants.any() else ""
        new.text = f"constraints{{{kind}{{exprs{{{term}}}}}}}"
        self.parts.append(new)

    def entries(self, array: LinearArray) -> str:
        """Return the text of the terms of an array."""
        if array.width == 1 and array.coefficients.all():
            places, factors = self.positions[array.variables[:, 0]], array.coefficients[:, 0]
            parts = zip(places.tolist(), factors.tolist(), array.constants.tolist(), strict=True)
            return "".join([f"exprs{{vars:{v} coeffs:{a} offset:{c}}}" for v, a, c in parts])
        return self.affines(array.rows())

    def table(self, terms: LinearArray, values: list[int], negated: bool = False) -> None:
        """Write a table of allowed rows, or of forbidden ones; its numbers come with `finish`."""
        kind = "negated:true " if negated else ""
        self._tables.append((f"constraints{{table{{{kind}{self.entries(terms)}}}}}", values))

    def tables(self, array: LinearArray) -> Sequence[IntArray | str]:
        """Return each row of an array as a table for `element`: numbers, or the text of its terms."""
        many = array.shape[-1]
        if not (array.width and array.coefficients.any()):
            return list(array.constants.reshape(-1, many))
        places = np.arange(array.size).reshape(-1, many)
        return [self._entries_once(array._pick(row)) for row in places]

    def _entries_once(self, array: LinearArray) -> str:
        """Return `entries`; of a table that was written before they are there."""
        columns = array.variables, array.coefficients, array.constants
        key = array.width, *(column.tobytes() for column in columns)
        if key not in self._texts:
            self._texts[key] = self.entries(array)
        return self._texts[key]

    def element(self, place: tuple[int, int, int], table: IntArray | str, target: int) -> None:
        """Write that a variable of CP-SAT's is the entry of a table at a place, see `tables`, `place`."""
        if not isinstance(table, str):
            self._elements.append((place[0], table, target))
            return
        index = "vars:{} coeffs:{} offset:{}".format(*place)
        inner = f"linear_index{{{index}}}linear_target{{vars:{target} coeffs:1}}{table}"
        self.parts.append(f"constraints{{element{{{inner}}}}}")

    def place(self, row: Row, table: IntArray | str) -> tuple[int, int, int]:
        """Return a position as a variable of CP-SAT's, a factor and a constant, in numbers 1 and 0."""
        variables, coefficients, constant = row
        if len(variables) == 1 and (isinstance(table, str) or (coefficients[0], constant) == (1, 0)):
            return self.index[variables[0]], coefficients[0], constant
        return self.auxiliary(row), 1, 0

    def all_parts(self) -> list[Part]:
        """Return what is the model one after the other, which `finish` completes."""
        found: list[Part] = []
        for kind, some in groupby(self._intervals, type):
            group: Any = list(some)
            found += group if kind is str else [_plain_intervals(as_rows(list(chain(*group))).reshape(-1, 4))]
        return [*found, *self.parts, *(text for text, _ in self._tables)]

    def finish(self, proto: Any) -> None:
        """Add to the model that was read what OR-Tools takes faster in lists than in text."""
        constraints = proto.constraints
        first = len(constraints) - len(self._tables)
        for k, (_, values) in enumerate(self._tables):
            constraints[first + k].table.values.extend(values)
        if self._elements:
            self._add_elements(proto)

    def _add_elements(self, proto: Any) -> None:
        """Add elements of numbers in the older form, with variables for these.

        In the newer one, which CP-SAT itself turns that into before anything else, each entry is a message:
        ten times the time.
        """
        same: dict[bytes, list[tuple[int, IntArray, int]]] = {}
        for found in self._elements:
            same.setdefault(found[1].tobytes(), []).append(found)
        tables = [some[0][1] for some in same.values()]
        one, constant, known = library().ConstraintProto(), library().IntegerVariableProto(), self._constants
        constant.domain.extend([0, 0])
        for value in distinct(np.concatenate(tables)).tolist():
            if value not in known:
                known[value], self.count = self.count, self.count + 1
                self.sizes.append(abs(value))
                constant.domain[0] = constant.domain[1] = value
                proto.variables.append(constant)
        element, entries = one.element, one.element.vars
        for table, some in zip(tables, same.values(), strict=True):
            entries.clear()
            entries.extend([known[value] for value in table.tolist()])
            for element.index, _, element.target in some:
                proto.constraints.append(one)


def _plain_intervals(keys: IntArray) -> Copies:
    """Return intervals that are always there, of sizes that are known: variable, factor, offset and size."""
    new = Copies(len(keys))
    v, a, offset, size = keys.T
    inner = ""
    for name, constant in (("start", offset), ("end", offset + size)):
        path = f"interval.{name}"
        term = new.field(f"{path}.vars", v[:, None]) + new.field(f"{path}.coeffs", a[:, None])
        inner += f"{name}{{{term}{new.field(f'{path}.offset', constant)}}}"
    new.text = f"constraints{{interval{{{inner}size{{{new.field('interval.size.offset', size)}}}}}}}"
    return new


def joined(numbers: Iterable[int]) -> str:
    """Return numbers as the text of a list, without its brackets."""
    return ",".join([str(n) for n in numbers])


def _enforced(*literals: int | None) -> str:
    return "".join([f"enforcement_literal:{literal} " for literal in literals if literal is not None])


def intervals(values: IntArray) -> list[int]:
    """Return ascending values as CP-SAT's list of closed intervals."""
    gaps = np.flatnonzero(np.diff(values) > 1)
    starts = values[np.concatenate([[0], gaps + 1])]
    ends = values[np.concatenate([gaps, [len(values) - 1]])]
    return list(chain.from_iterable(zip(starts.tolist(), ends.tolist(), strict=True)))


_ENDS: dict[str, tuple[int | None, ...]] = {
    "==": (0, 0),
    "!=": (None, -1, 1, None),
    "<=": (None, 0),
    "<": (None, -1),
    ">=": (0, None),
    ">": (1, None),
}
"""The ends of the intervals that ``sum + constant relation 0`` allows: what is added to
``-constant``, None for the end of everything."""


def _allowed(relation: str, constant: Any, reach: int) -> list[Any]:
    """Return the ends of the intervals that ``sum + constant relation 0`` allows, within ``reach`` of 0."""
    ends = enumerate(_ENDS[relation])
    return [(reach if k else -reach) if shift is None else shift - constant for k, shift in ends]
