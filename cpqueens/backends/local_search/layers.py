"""Choosing a layer for each constraint and building the kernels' arrays.

* plain: AllDifferent with one variable per term, each variable once; linear relations of variables;
* rows: AllDifferent over linear terms of variables, or over their absolute values;
* deep: everything else, and everything that sees a definition.

An AllDifferent that is kept by the neighbourhood (its group) needs no counters and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cpqueens.backends.local_search.assembler import Assembler, Entries, Entry
from cpqueens.kernels.exact import kinds
from cpqueens.kernels.local import deep as codes
from cpqueens.kernels.local.arena import OWNER, part
from cpqueens.kernels.local.deep import OWNER_ALL_DIFFERENT
from cpqueens.kernels.local.state import Core, Deep, Rows
from cpqueens.language.rows import IntArray, distinct
from cpqueens.lowered.columns import RELATIONS, block, bounds, joined, merged, scaled
from cpqueens.lowered.compiled import Compiled, CompiledDefinition, Terms, offsets

FUNCTIONS = kinds.FUNCTIONS | {"truth_linear": codes.TRUTH_LINEAR, "truth_or": kinds.TRUTH_OR}
"""Kind of a definition -> its code in the kernels."""

OWNERS = {
    "AllDifferent": codes.OWNER_ALL_DIFFERENT,
    "Count": codes.OWNER_LINEAR,  # of the number; what is counted has owners of its own
    "Linear": codes.OWNER_LINEAR,
    "Or": codes.OWNER_CLAUSE,
    "Table": codes.OWNER_TABLE,
}


_NO_SCOPE = np.zeros(0, dtype=np.int64)

_SHORT = 64
"""Variables that Python puts together sooner than numpy."""


class _Supports:
    """The decision variables that variables depend on; most definitions depend on what others depend on."""

    def __init__(self, decision_count: int) -> None:
        self._n = decision_count
        self._number: dict[int, int] = {}  # of a defined variable: that of its support
        self._sets: list[IntArray] = []
        self._known: dict[bytes, int] = {}
        self._unions: dict[tuple[int, ...], int] = {}

    def define(self, variable: int, terms: Terms) -> None:
        """Note that a variable is a function of terms, whose variables are known."""
        self._number[variable] = self._union(terms)

    def of_variable(self, variable: int) -> IntArray:
        """Return the support of a defined variable, ascending."""
        return self._sets[self._number[variable]]

    def of(self, terms: Terms) -> IntArray:
        """Return the decision variables that ``terms`` depend on, ascending."""
        return self._sets[self._union(terms)]

    def _union(self, terms: Terms) -> int:
        variables = terms.variable.tolist()
        if len(set(variables)) < len(variables):  # some may cancel
            variables = distinct(merged(terms)[1]).tolist()
        n, number = self._n, self._number
        key = tuple(sorted({~v if v < n else number[v] for v in variables}))
        if len(key) == 1 and key[0] >= 0:
            return key[0]
        found = self._unions.get(key)
        if found is None:
            union = np.array([~k for k in reversed(key) if k < 0], dtype=np.int64)
            parts = [union, *(self._sets[k] for k in key if k >= 0)]
            if len(parts) > 1:
                few = sum(map(len, parts)) < _SHORT
                union = (
                    np.array(sorted(set().union(*(part.tolist() for part in parts))), dtype=np.int64)
                    if few
                    else distinct(np.concatenate(parts))
                )
            found = self._known.setdefault(union.tobytes(), len(self._sets))
            if found == len(self._sets):
                self._sets.append(union)
            self._unions[key] = found
        return found


class _DeepBuilder:
    """The layer's own terms, each with one owner: first those of definitions, then those of constraints."""

    def __init__(self, assembler: Assembler) -> None:
        self.assembler = assembler
        self.compiled = assembler.compiled
        self.n = assembler.n
        self.parts: list[Terms] = []
        self.owners: list[tuple[int, int, int, int]] = []  # how many terms, their kind, owner and base
        self.size = 0
        self.data: list[int] = []
        self.tables = np.zeros((len(assembler.entries), 4), dtype=np.int64)
        entries = list(assembler.entries.of_layer("deep"))
        self.used = self._reached([e.terms for e in entries])
        self.supports = _Supports(self.n)
        self.definitions = []
        for k, variable in enumerate(self.used.tolist()):  # in order of evaluation: arguments come first
            definition = self.compiled.definitions[variable - self.n]
            self.supports.define(variable, definition.terms)
            self.definitions.append(self._definition(k, definition))
        scopes = [(entry.number, scope) for entry in entries if len(scope := self._constraint(entry))]
        if scopes:
            numbers, found = zip(*scopes, strict=True)
            lengths = [len(scope) for scope in found]
            assembler.scopes.append((np.repeat(numbers, lengths), np.concatenate(found)))

    def _reached(self, pending: list[Terms]) -> IntArray:
        """Return the defined variables that terms reach, ascending."""
        reached = np.zeros(self.compiled.variable_count, dtype=bool)
        for terms in pending:
            reached[terms.variable] = True
        for k in range(len(self.compiled.definitions) - 1, -1, -1):
            if reached[self.n + k]:
                reached[self.compiled.definitions[k].terms.variable] = True
        return self.n + np.flatnonzero(reached[self.n :])

    def _add(self, terms: Terms, kind: int, owner: int, base: int = 0) -> None:
        self.parts.append(terms)
        self.owners.append((len(terms), kind, owner, base))
        self.size += len(terms)

    def _definition(self, k: int, definition: CompiledDefinition) -> tuple[int, ...]:
        """Add the arguments of definition ``k``; return what the kernels know of it."""
        first, offset, relation, terms = self.size, 0, 0, definition.terms
        code = FUNCTIONS[definition.kind]
        if code == codes.TRUTH_LINEAR:
            relation, sign = RELATIONS[definition.relation]
            terms = scaled(terms, sign)
        elif code == kinds.ELEMENT and len(terms.variable) == terms.start[1]:  # constants but for the index
            code, offset = codes.ELEMENT_CONSTANT, len(self.data)
            self.data += [len(terms) - 1, *terms.constant[1:].tolist()]
            terms = block(terms, 0, 1)
        self._add(terms, codes.OWNER_DEFINITION, k)
        return code, first, len(terms), offset, relation, 0

    def _constraint(self, entry: Entry) -> IntArray:
        """Add the terms of a constraint; return its scope, of an AllDifferent nothing."""
        found, number, terms, base = _NO_SCOPE, entry.number, entry.terms, 0
        _, sign = RELATIONS[entry.relation]
        if entry.kind == "AllDifferent":
            base = self.assembler.reserve(number, *bounds(terms, self.compiled))
        else:
            found = self.supports.of(terms)
        if entry.kind == "Count":
            owner = codes.OWNER_COUNT if sign > 0 else codes.OWNER_SIGNED_COUNT
            last = len(terms) - 1
            self._add(block(terms, 0, last), owner, number, entry.value)
            terms = scaled(block(terms, last, last + 1), -1)
        elif entry.rows is not None:
            self.tables[number] = self.size, len(terms), len(self.data), len(entry.rows)
            self.data += entry.rows.reshape(-1).tolist()
        self._add(scaled(terms, sign), OWNERS[entry.kind], number, base)
        return found

    def build(self) -> Deep:
        """Return the layer's arrays."""
        terms, count = joined(self.parts), self.size
        rows, variables, coefficients = merged(terms)
        node = np.arange(self.compiled.variable_count)  # definitions that are not used have none
        node[self.used] = self.n + np.arange(len(self.used))
        node_start = offsets(2 * np.bincount(node[variables], minlength=self.n + len(self.used)))
        flat = np.stack([rows, coefficients], axis=1)[np.argsort(node[variables], kind="stable")].reshape(-1)
        reach_start, reach = self._reach()
        owners = np.array(self.owners, dtype=np.int64).reshape(-1, 4)
        owners = np.repeat(owners, owners[:, 0], axis=0)
        owners[:, 0] = 0  # their values
        supports = [np.zeros(0, dtype=np.int64)] * count
        for t in np.flatnonzero(owners[:, 1] == codes.OWNER_ALL_DIFFERENT).tolist():
            supports[t] = self.supports.of(block(terms, t, t + 1))
        zeros: Any = np.zeros
        return Deep(
            node_start, flat, owners.reshape(-1), terms.constant,
            np.array(self.definitions, dtype=np.int64).reshape(-1),
            np.array(self.data or [0], dtype=np.int64), self.tables.reshape(-1), reach_start, reach,
            np.array(self.assembler.kinds, dtype=np.int64),
            np.concatenate([offsets([len(s) for s in supports]), *supports]), 0, count + 1,
            zeros(len(self.used), np.int64),
            zeros(count, np.int64), zeros(count + 1, np.int64), zeros(count, np.int64),
            zeros(len(self.assembler.kinds), np.int64),
        )  # fmt: skip

    def _reach(self) -> tuple[IntArray, IntArray]:
        """Return, per decision variable, the definitions that depend on it, ascending."""
        supports = [self.supports.of_variable(v) for v in self.used.tolist()]
        variable = np.concatenate([np.zeros(0, dtype=np.int64), *supports])
        definition = np.repeat(np.arange(len(supports)), [len(s) for s in supports])
        order = np.lexsort((definition, variable))
        return offsets(np.bincount(variable, minlength=self.n)), definition[order]


def build_deep(assembler: Assembler) -> Deep:
    """Return the deep layer of the constraints that ``assembler`` put there."""
    return _DeepBuilder(assembler).build()


@dataclass
class Arrays:
    """The kernels' arrays of a model; ``core.x`` and all other state are meaningless before a rebuild."""

    compiled: Compiled
    core: Core
    rows: Rows | None
    deep: Deep | None
    entries: Entries
    bases: dict[int, int]  # AllDifferent -> counter of value 0

    def occupants(self, entry: Entry) -> IntArray:
        """Return what the counters of an AllDifferent call its terms: variables or numbers of terms."""
        if entry.layer == "plain":
            return merged(entry.terms)[1]
        if self.rows is not None and entry.layer == "rows":
            return np.flatnonzero(part(self.rows.static, OWNER) == entry.number)
        assert self.deep is not None
        owners = self.deep.terms.reshape(-1, 4)
        return np.flatnonzero((owners[:, 1] == OWNER_ALL_DIFFERENT) & (owners[:, 2] == entry.number))

    def part(self, which: int) -> IntArray:
        """Return a view of one part of the core arena, see ``cpqueens.kernels.local.arena``."""
        arena = self.core.arena
        view: IntArray = arena[arena[which] : arena[which + 1]]
        return view

    @cached_property
    def summary(self) -> dict[str, int]:
        """How many constraints each layer has."""
        return self.entries.summary()


def build_arrays(compiled: Compiled, kept: frozenset[int]) -> Arrays:
    """Build the arrays of all constraints but the ``kept`` AllDifferents; O(the model's size)."""
    assembler = Assembler(compiled, kept)
    deep = build_deep(assembler) if assembler.entries.summary()["deep"] else None
    return Arrays(compiled, assembler.core(), assembler.row_layer(), deep, assembler.entries, assembler.bases)
