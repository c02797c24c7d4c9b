"""Independent parts of a model: each is searched apart, or counted, and counts are multiplied.

Together, a part that is proved would be proved anew for every solution of another one. Objectives are sums:
what each part adds is made best on its own, and the best solutions are put together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.backtracking.portfolio import Slices, added
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled, Definitions, Terms, offsets

Flags = NDArray[np.bool_]

Part = tuple[int, ...]
"""Decision variables, ascending."""

MOST = 32
"""Parts; of more the smallest are one."""

Begin = Callable[[Compiled, Request, Deliver], Slices]
"""Makes a search of a part."""


def scopes_of(c: Compiled) -> Iterator[tuple[IntArray, IntArray, int]]:
    """Yield of each sort of constraints, definitions too, the variables, whose they are, how many there are.

    In this order: rows, clauses, AllDifferents, tables, wholes, definitions.
    """
    yield c.linear.variable, np.repeat(np.arange(len(c.linear)), np.diff(c.linear.start)), len(c.linear)
    for terms, start in ((c.literals, c.clause_start), (c.different, c.different_start)):
        of_term = np.repeat(np.arange(len(start) - 1), np.diff(start))
        yield terms.variable, np.repeat(of_term, np.diff(terms.start)), len(start) - 1
    yield _joined([terms.variable] for terms, _ in c.tables)
    yield _joined([w.terms(a).variable for a in w.constraint.arguments] for w in c.wholes)
    yield _joined([np.array([d.result]), d.terms.variable] for d in c.definitions)


def _joined(scopes: Iterator[Sequence[IntArray]]) -> tuple[IntArray, IntArray, int]:
    none = np.zeros(0, dtype=np.int64)
    each = [np.concatenate([none, *scope]) for scope in scopes]
    owner = np.repeat(np.arange(len(each)), [len(scope) for scope in each])
    return np.concatenate([none, *each]), owner.astype(np.int64), len(each)


def parts_of_model(c: Compiled) -> list[Flags]:
    """Return of each part which variables are in it; those that decide nothing are in the first.

    A constraint that is in no part is in all.
    """
    is_open = c.lower < c.upper
    label, _ = _labels(c, is_open)
    decided = label[: c.decision_count][is_open[: c.decision_count]]
    found, sizes = np.unique(decided, return_counts=True)
    large = found[np.argsort(-sizes, kind="stable")][: MOST - 1]
    parts = [label == part for part in np.sort(large)]
    rest = np.isin(label, np.setdiff1d(found, large))
    if rest.any():
        parts.append(rest)
    if parts:
        parts[0] = parts[0] | ~np.any(parts, axis=0)
    return parts


def counted_parts(c: Compiled, m: Memory) -> tuple[int, list[Part]]:
    """Return the values of free variables, multiplied, and the open variables of each other part.

    Domains are those of ``m``; nothing needs to have been propagated.
    """
    x = m.x[: c.variable_count * at.X_WIDTH].reshape(-1, at.X_WIDTH)
    is_open = x[:, at.LOW] != x[:, at.HIGH]
    label, linked = _labels(c, is_open)
    free, members = 1, dict[int, list[int]]()
    for v in np.flatnonzero(is_open[: c.decision_count]).tolist():
        if linked[v]:
            members.setdefault(int(label[v]), []).append(v)
        else:
            free *= int(at.size(m, v * at.X_WIDTH))
    return free, [tuple(part) for part in members.values()]


def _labels(c: Compiled, is_open: Flags) -> tuple[IntArray, Flags]:
    """Return the least variable of each variable's part, and which variables are in some constraint.

    Variables with one value connect nothing.
    """
    variables, hubs, begin = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], 0
    for scope, owner, many in scopes_of(c):
        seen = is_open[scope]
        variables.append(scope[seen])
        hubs.append(owner[seen] + begin)
        begin += many
    variable, least = np.concatenate(variables), np.zeros(begin, dtype=np.int64)
    hub, label = np.concatenate(hubs), np.arange(c.variable_count)
    linked = np.zeros(c.variable_count, dtype=np.bool_)
    linked[variable] = True
    while True:
        before = label.copy()
        least[:] = c.variable_count
        np.minimum.at(least, hub, label[variable])
        np.minimum.at(label, variable, least[hub])
        label = label[label]
        if (label == before).all():
            return label, linked


def restricted(c: Compiled, part: Flags) -> Compiled:
    """Return a part of a model: all other variables have one value, and there are no constraints on them."""
    elsewhere = (c.lower < c.upper) & ~part
    kept = [np.bincount(owner, elsewhere[scope], many)[:many] == 0 for scope, owner, many in scopes_of(c)]
    rows, clauses, different, tables, wholes, definitions = kept
    upper = np.where(elsewhere, c.lower, c.upper)
    literals, clause_start = _groups(c.literals, c.clause_start, clauses)
    terms, different_start = _groups(c.different, c.different_start, different)
    return replace(
        c,
        upper=upper,
        domains={v: values for v, values in c.domains.items() if not elsewhere[v]},
        linear=c.linear.picked(np.flatnonzero(rows)),
        relation=c.relation[rows],
        literals=literals,
        clause_start=clause_start,
        different=terms,
        different_start=different_start,
        tables=[table for table, here in zip(c.tables, tables, strict=True) if here],
        wholes=[whole for whole, here in zip(c.wholes, wholes, strict=True) if here],
        definitions=Definitions.of(d for d, here in zip(c.definitions, definitions, strict=True) if here),
        objective=None if c.objective is None else _share(c.objective, part),
    )


def _groups(terms: Terms, start: IntArray, kept: Flags) -> tuple[Terms, IntArray]:
    lengths = np.diff(start)
    return terms.picked(np.flatnonzero(np.repeat(kept, lengths))), offsets(lengths[kept])


def _share(objective: Terms, part: Flags) -> Terms:
    """Return what a part adds to the objective."""
    mine = part[objective.variable]
    many = int(mine.sum())
    return Terms(
        offsets([many]), objective.variable[mine], objective.coefficient[mine], np.zeros(1, dtype=np.int64)
    )


class Parted:
    """Searches of the parts, one after the other: first each until it has a solution, then to their ends."""

    def __init__(self, compiled: Compiled, parts: Sequence[Flags], begin: Begin, request: Request) -> None:
        self._compiled, self._parts, self._begin, self._request = compiled, parts, begin, request
        self._models = [restricted(compiled, part) for part in parts]
        self._rows: dict[int, IntArray] = {}
        self._ended: dict[int, Ended] = {}

    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, slice by slice."""
        own = replace(self._request, bounds=None, incumbent=None, heard=None, known=None, learned=None)
        searches = [self._begin(c, own, self._taker(k, deliver)) for k, c in enumerate(self._models)]
        for far in (False, self._request.want is Want.BEST):
            for k, search in enumerate(searches):
                while k not in self._ended and (far or k not in self._rows):
                    try:
                        yield int(next(search) > 0 and len(self._rows) == len(self._parts))
                    except StopIteration as end:
                        self._ended[k] = end.value
                        self._prove()
                if k in self._ended and not self._is_done(k):
                    return self._whole_ended(self._ended[k])
        return self._whole_ended(None)

    def _taker(self, number: int, deliver: Deliver) -> Deliver:
        """Return what takes the solutions of a part, ever better ones, and delivers whole ones."""

        def take(batch: IntArray) -> bool:
            self._rows[number] = batch[-1]
            if len(self._rows) < len(self._parts):
                return self._request.want is Want.BEST
            return deliver(self._whole()[None])

        return take

    def _whole(self) -> IntArray:
        """Return the solution that those of all parts make."""
        row = self._compiled.lower[: self._compiled.decision_count].copy()
        for k, mine in self._rows.items():
            here = self._parts[k][: len(row)]
            row[here] = mine[here]
        return row

    def _is_done(self, number: int) -> bool:
        """Say whether all that is wanted is known of a part whose search has ended."""
        return number in self._rows and (self._request.want is Want.ONE or self._ended[number].exhausted)

    def _bound(self) -> int | None:
        """Return what no solution is better than; None without an objective."""
        if self._compiled.objective is None:
            return None
        sign = -1 if self._compiled.maximizing else 1
        total = sign * int(self._compiled.objective.constant[0])
        for k, model in enumerate(self._models):
            known = self._ended[k].bound if k in self._ended else None
            total += sign * _least(model) if known is None else known
        return total

    def _prove(self) -> None:
        bound = self._bound()
        if bound is not None:
            self._request.prove(bound)

    def _whole_ended(self, last: Ended | None) -> Ended:
        """Return how the whole ended, by the part that decided it if one did."""
        each = [end.statistics for end in self._ended.values()]
        statistics = {**each[-1], **added(each)} if each else {}
        statistics["parts"] = len(self._parts)
        if last is not None and last.exhausted:  # a part has no solution
            return Ended(True, StopReason.EXHAUSTED, statistics=statistics)
        exhausted = last is None and self._request.want is Want.BEST
        reason = last.stop_reason if last is not None else StopReason.EXHAUSTED
        if last is None and not exhausted:
            reason = self._ended[max(self._ended)].stop_reason if self._ended else StopReason.CALLBACK
        return Ended(exhausted, reason, bound=self._bound(), statistics=statistics)


def _least(c: Compiled) -> int:
    """Return the least value of the objective within the domains, minimised."""
    assert c.objective is not None
    v, a = c.objective.variable, c.objective.coefficient.astype(object)
    ends = np.minimum(a * c.lower[v], a * c.upper[v])
    return int(ends.sum()) if len(v) else 0


def counted_apart(free: int, searches: Sequence[Callable[[], Slices]]) -> Slices:
    """Count the parts one after the other; yields the solutions of the whole that are known by then."""
    ended: list[Ended] = []
    for k, search in enumerate(searches):
        done = free * math.prod(end.count or 0 for end in ended)
        part = search()
        try:
            while True:
                found = next(part)
                yield done * found if k + 1 == len(searches) else 0
        except StopIteration as end:
            ended.append(end.value)
        if not ended[-1].exhausted or not ended[-1].count:
            break
    last, sums = ended[-1], added(end.statistics for end in ended)
    is_known = len(ended) == len(searches) or not last.count  # all were searched, or one decides
    count = free * math.prod(end.count or 0 for end in ended) if is_known else 0
    return replace(last, count=count, statistics={**last.statistics, **sums, "parts": len(searches)})
