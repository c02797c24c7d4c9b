"""Models whose constraints count values, as linear models with a 0/1 column for each value.

A roster says ``(shift[i] == NIGHT).sum() <= 5``: a sum of functions of one variable each. Over columns for
the values of each variable, of which one is 1, all such sums are linear, and so are relations of two
variables.
A variable that stands in sums only as ``a * x + b`` stays one column, with its place in the domain.

Source: the direct encoding of Walsh, "SAT v CSP", CP 2000; here of sums instead of clauses.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from cpqueens.kernels.local.plain import AT_MOST, EQUAL, NOT_EQUAL
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled, offsets
from cpqueens.lowered.structures.linear import LinearForm, is_small
from cpqueens.lowered.term_tables import Scope, SumRow, Tabled, Tabulated, spread, tabulated

MOST_COLUMNS = 100_000
MOST_ENTRIES = 1_000_000
"""Of a form; beyond that the walk on the model itself does more in the same time."""
MOST_TERMS = 200_000
"""Of a model that is looked at."""


def find(compiled: Compiled) -> LinearForm | None:
    """Return an objective under sums of functions of one variable as a linear form, None if it is none."""
    c = compiled
    terms = sum(len(part.variable) for part in (c.linear, c.literals, c.different))
    if c.objective is None or c.tables or terms > MOST_TERMS:
        return None
    model = tabulated(c, frozenset())
    if model is None or model.objective is None or any(len(scope) > 1 for scope in model.objective.tables):
        return None
    try:
        return _Columns(model, [_SumRows.of(model.objective), *_rows(model)]).form()
    except NotLinearError:
        return None


class NotLinearError(Exception):
    """A row is no sum of functions of one variable, or there are too many columns."""


@dataclass(frozen=True)
class _SumRows:
    """Rows of one kind: sums of functions of one variable each, that are compared with 0.

    Attributes
    ----------
    constants
        Of each row.
    tables
        By variable, the values of its functions, (rows, values).
    """

    kind: int
    constants: IntArray
    tables: dict[int, IntArray]

    @classmethod
    def of(cls, row: SumRow) -> "_SumRows":
        """Return a row with tables of one variable each."""
        return cls(row.kind, np.array([row.constant]), {v: t[None, :] for (v,), t in row.tables.items()})


def _rows(model: Tabulated) -> Iterator[_SumRows]:
    """Yield the rows with tables of one variable each; relations of two variables become such rows."""
    for row in model.rows:
        scope = sorted({v for variables in row.tables for v in variables})
        if len(scope) == 2 and (row.kind == NOT_EQUAL or any(len(s) == 2 for s in row.tables)):
            yield from _of_two(row, (scope[0], scope[1]), model)
        elif row.kind == NOT_EQUAL and len(scope) == 1:
            ((_, values),) = row.tables.items()
            yield _SumRows(
                AT_MOST, np.array([0]), {scope[0]: (values + row.constant == 0).astype(np.int64)[None]}
            )
        elif row.kind == NOT_EQUAL or any(len(s) == 2 for s in row.tables):
            raise NotLinearError
        else:
            yield _SumRows.of(row)
    for terms in model.different:
        yield from map(_SumRows.of, _all_different(terms))


def _of_two(row: SumRow, scope: tuple[int, int], model: Tabulated) -> Iterator[_SumRows]:
    """Say for each value of the first variable that the second has none that does not go with it."""
    shape = len(model.domains[scope[0]]), len(model.domains[scope[1]])
    total = np.full(shape, row.constant, dtype=np.int64)
    for own, values in row.tables.items():
        total = total + spread(values, own, scope)
    wrong = {EQUAL: total != 0, NOT_EQUAL: total == 0, AT_MOST: total > 0}[row.kind].astype(np.int64)
    places, step = np.flatnonzero(wrong.any(axis=1)), max(1, MOST_ENTRIES // sum(shape))
    for some in (places[first : first + step] for first in range(0, len(places), step)):
        here = (some[:, None] == np.arange(shape[0])).astype(np.int64)
        yield _SumRows(AT_MOST, np.full(len(some), -1), {scope[0]: here, scope[1]: wrong[some]})


def _all_different(terms: Iterable[Tabled]) -> Iterator[SumRow]:
    """Yield for each value that at most one term has it."""
    users: dict[int, list[tuple[Scope, IntArray]]] = defaultdict(list)
    for scope, values in terms:
        if len(scope) == 2:
            raise NotLinearError
        for value in np.unique(values).tolist():
            users[value].append((scope, (values == value).astype(np.int64)))
    for each in users.values():
        if len(each) > 1:
            tables: dict[Scope, IntArray] = {}
            constant = -1
            for scope, has in each:
                if scope:
                    tables[scope] = tables[scope] + has if scope in tables else has
                else:
                    constant += int(has)
            yield SumRow(AT_MOST, constant, tables)


class _Columns:
    """Numbers the columns of a model's variables, writes rows over them, and knows what they stand for."""

    def __init__(self, model: Tabulated, rows: list[_SumRows]) -> None:
        self.domains, self.rows = model.domains, rows
        self.sizes = np.array([len(domain) for domain in model.domains], dtype=np.int64)
        affine = np.ones(len(self.sizes), dtype=bool)
        is_affine: dict[tuple[int, bytes], bool] = {}  # by the tables, which mostly many have
        for row in rows:
            for v, values in row.tables.items():
                table = len(values), values.tobytes()
                if table not in is_affine:
                    is_affine[table] = bool((np.diff(values, n=2) == 0).all())
                affine[v] &= is_affine[table]
        self.hot = ~affine
        self.first = offsets(np.where(self.hot, self.sizes, 1))
        if self.first[-1] > MOST_COLUMNS:
            raise NotLinearError
        self.owner = np.repeat(np.arange(len(self.sizes)), np.diff(self.first))
        self.place = np.arange(len(self.owner)) - self.first[self.owner]
        self.values, self.start = np.concatenate(self.domains), offsets(self.sizes)

    def into(self, x: IntArray) -> IntArray:
        """Return the columns of an assignment."""
        places = [domain.searchsorted(value) for domain, value in zip(self.domains, x, strict=True)]
        mine = np.array(places, dtype=np.int64)[self.owner]
        return np.where(self.hot[self.owner], mine == self.place, mine).astype(np.int64)

    def back(self, columns: IntArray) -> IntArray:
        """Return an assignment: of a variable with several values, or none, some value."""
        weights = np.where(self.hot[self.owner], self.place, 1) * columns
        place = np.bincount(self.owner, weights, minlength=len(self.sizes)).astype(np.int64)
        found: IntArray = self.values[self.start[:-1] + np.minimum(place, self.sizes - 1)]
        return found

    def form(self) -> LinearForm:
        """Return the rows, and behind them those that say that a variable has one value."""
        written: dict[tuple[int, bytes, bool], tuple[IntArray, IntArray]] = {}
        constants, kinds, size, count = list[IntArray](), list[IntArray](), 0, 0
        places, parts = [], []  # of tables: their first row and column, and what is written
        first, hot = self.first.tolist(), self.hot.tolist()
        for several in self.rows:
            constant, many = several.constants, len(several.constants)
            for v, values in several.tables.items():
                table = many, values.tobytes(), hot[v]
                if table not in written:
                    written[table] = self._written(v, values)
                base, entries = written[table]
                constant = constant + base
                places.append((count, first[v], 0))
                parts.append(entries)
                size += len(entries)
            constants.append(constant)
            kinds.append(np.full(many, several.kind))
            count += many
            if size > MOST_ENTRIES:
                raise NotLinearError
        for v in np.flatnonzero(self.hot).tolist():
            places.append((count, first[v], 0))
            one = np.ones_like(self.domains[v])
            parts.append(np.stack([0 * one, np.arange(self.sizes[v]), one], axis=1))
            constants.append(np.array([-1]))
            kinds.append(np.array([EQUAL]))
            count += 1
        where = np.array(places, dtype=np.int64).reshape(-1, 3)
        entries = np.concatenate([np.zeros((0, 3), dtype=np.int64), *parts])
        row, variable, coefficient = (entries + where.repeat([len(part) for part in parts], axis=0)).T
        order = np.lexsort((variable, row))
        row, variable, coefficient = row[order], variable[order], coefficient[order]
        upper = np.where(self.hot, 1, self.sizes - 1)[self.owner]
        form = LinearForm(
            row, variable, coefficient, np.concatenate(constants), np.concatenate(kinds),
            np.zeros(len(upper), dtype=np.int64), upper, self.into, self.back,
        )  # fmt: skip
        if not is_small(form):
            raise NotLinearError
        return form

    def _written(self, v: int, values: IntArray) -> tuple[IntArray, IntArray]:
        """Return tables of one variable as constants and entries (row, place of a column, coefficient).

        There is no column where one is a value. Elsewhere the commonest value has none. Rows are mended by
        their columns: where days off are wished for, those of the shifts are of more use than that of no
        shift, although they are more.
        """
        if not self.hot[v]:
            base, left = values[:, 0], np.diff(values[:, :2])  # the steps, if there is more than one value
        else:
            base = np.zeros(len(values), dtype=np.int64)
            for k in np.flatnonzero((values != 0).all(axis=1)).tolist():
                different, count = np.unique(values[k], return_counts=True)
                base[k] = different[count.argmax()]
            left = values - base[:, None]
        row, place = np.nonzero(left)
        return base, np.array([row, place, left[row, place]]).T
