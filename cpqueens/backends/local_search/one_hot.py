"""Models whose constraints count values, as linear models with a 0/1 column for each value.

A roster says ``(shift[i] == NIGHT).sum() <= 5``: a sum of functions of one variable each. Over columns for
the values of each variable, of which one is 1, all such sums are linear, and so are relations of two
variables.
A variable that stands in sums only as ``a * x + b`` stays one column, with its place in the domain.

Source: the direct encoding of Walsh, "SAT v CSP", CP 2000; here of sums instead of clauses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from cpqueens.backends.local_search.linear import LinearForm, is_small
from cpqueens.backends.local_search.search import Search
from cpqueens.backends.local_search.tabulating import Scope, SumRow, Tabled, Tabulated, spread, tabulated
from cpqueens.kernels.search_plain import AT_MOST, EQUAL, NOT_EQUAL
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled, offsets

MOST_COLUMNS = 100_000
MOST_ENTRIES = 1_000_000
"""Of a form; beyond that the walk on the model itself does more in the same time."""
MOST_TERMS = 200_000
"""Of a model that is looked at."""

Column = tuple[int, int]
"""A column, and its coefficient in a row."""


def form_of(search: Search) -> LinearForm | None:
    """Return an objective under sums of functions of one variable as a linear form, None if it is none."""
    c = search.compiled
    terms = sum(len(part.variable) for part in (c.linear, c.literals, c.different))
    if c.objective is None or c.tables or search.audit != "final" or terms > MOST_TERMS:
        return None
    model = tabulated(c, frozenset())
    if model is None or model.objective is None:
        return None
    try:
        rows = [model.objective, *_rows(model)]
        return _Columns(model, rows).form(c)
    except NotLinearError:
        return None


class NotLinearError(Exception):
    """A row is no sum of functions of one variable, or there are too many columns."""


def _rows(model: Tabulated) -> Iterator[SumRow]:
    """Yield the rows with tables of one variable each; relations of two variables become such rows."""
    for row in model.rows:
        scope = sorted({v for variables in row.tables for v in variables})
        if len(scope) == 2 and (row.kind == NOT_EQUAL or any(len(s) == 2 for s in row.tables)):
            yield from _of_two(row, (scope[0], scope[1]), model)
        elif row.kind == NOT_EQUAL and len(scope) == 1:
            ((_, values),) = row.tables.items()
            yield SumRow(AT_MOST, 0, {(scope[0],): (values + row.constant == 0).astype(np.int64)})
        elif row.kind == NOT_EQUAL or any(len(s) == 2 for s in row.tables):
            raise NotLinearError
        else:
            yield row
    for terms in model.different:
        yield from _all_different(terms)


def _of_two(row: SumRow, scope: tuple[int, int], model: Tabulated) -> Iterator[SumRow]:
    """Yield for each value of the first variable that the second has none that does not go with it."""
    shape = len(model.domains[scope[0]]), len(model.domains[scope[1]])
    total = np.full(shape, row.constant, dtype=np.int64)
    for own, values in row.tables.items():
        total = total + spread(values, own, scope)
    wrong = {EQUAL: total != 0, NOT_EQUAL: total == 0, AT_MOST: total > 0}[row.kind].astype(np.int64)
    for place in np.flatnonzero(wrong.any(axis=1)).tolist():
        here = np.zeros(shape[0], dtype=np.int64)
        here[place] = 1
        yield SumRow(AT_MOST, -1, {(scope[0],): here, (scope[1],): wrong[place]})


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
    """Numbers the columns of a model's variables and writes its rows over them."""

    def __init__(self, model: Tabulated, rows: list[SumRow]) -> None:
        self.domains, self.rows = model.domains, rows
        sizes = np.array([len(domain) for domain in model.domains], dtype=np.int64)
        self.hot = sizes > 2
        affine = np.ones(len(sizes), dtype=bool)
        for row in rows:
            for (v,), values in row.tables.items():
                affine[v] &= bool((np.diff(values, n=2) == 0).all())
        self.hot &= ~affine
        self.first = offsets(np.where(self.hot, sizes, 1))
        if self.first[-1] > MOST_COLUMNS:
            raise NotLinearError

    def form(self, compiled: Compiled) -> LinearForm:
        """Return the rows, and before them those that say that a variable has one value."""
        entries: list[tuple[int, int, int]] = []
        constants, kinds = [], []
        for r, row in enumerate(self.rows):
            constant = row.constant
            for (v,), values in row.tables.items():
                base, columns = self._written(v, values)
                constant += base
                entries += [(r, column, a) for column, a in columns]
            constants.append(constant)
            kinds.append(row.kind)
            if len(entries) > MOST_ENTRIES:
                raise NotLinearError
        for v in np.flatnonzero(self.hot).tolist():
            entries += [(len(constants), column, 1) for column in range(self.first[v], self.first[v + 1])]
            constants.append(-1)
            kinds.append(EQUAL)
        row, variable, coefficient = np.array(sorted(entries), dtype=np.int64).reshape(-1, 3).T
        owner = np.repeat(np.arange(len(self.domains)), np.diff(self.first))
        place = np.arange(len(owner)) - self.first[owner]
        sizes = np.array([len(domain) for domain in self.domains], dtype=np.int64)
        values, start = np.concatenate(self.domains), offsets(sizes)
        hot = self.hot[owner]

        def into(x: IntArray) -> IntArray:
            places = np.array([d.searchsorted(w) for d, w in zip(self.domains, x, strict=True)], np.int64)
            return np.where(hot, places[owner] == place, places[owner]).astype(np.int64)

        def back(columns: IntArray) -> IntArray:
            weighed = np.bincount(owner, np.where(hot, place, 1) * columns, minlength=len(sizes))
            found: IntArray = values[start[:-1] + np.minimum(weighed.astype(np.int64), sizes - 1)]
            return found

        form = LinearForm(
            row, variable, coefficient, np.array(constants), np.array(kinds),
            np.zeros(len(owner), dtype=np.int64), np.where(hot, 1, sizes[owner] - 1), into, back,
        )  # fmt: skip
        if not is_small(form):
            raise NotLinearError
        return form

    def _written(self, v: int, values: IntArray) -> tuple[int, list[Column]]:
        """Return a table of one variable as a constant and columns, 0 without one where it is a value.

        Elsewhere the commonest value has none. Rows are mended by their columns: where days off are wished
        for, those of the shifts are of more use than that of no shift, although they are more.
        """
        first = int(self.first[v])
        if not self.hot[v]:
            step = int(values[1] - values[0]) if len(values) > 1 else 0
            return int(values[0]), [(first, step)] if step else []
        different, count = np.unique(values, return_counts=True)
        base = 0 if 0 in different else int(different[count.argmax()])
        return base, [(first + p, int(w) - base) for p, w in enumerate(values.tolist()) if w != base]
