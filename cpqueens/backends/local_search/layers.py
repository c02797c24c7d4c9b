"""Choosing a layer for each constraint and building the kernels' arrays.

* plain: AllDifferent with one variable per term, each variable once; linear relations of variables;
* rows: AllDifferent over linear terms of variables, or over their absolute values;
* deep: everything else, and everything that sees a definition.

An AllDifferent that is kept by the neighbourhood (its group) needs no counters and is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from cpqueens.backends.local_search.assembler import NONE, Assembler, Entries, Entry, Several
from cpqueens.kernels.exact import kinds
from cpqueens.kernels.local import deep as codes
from cpqueens.kernels.local.arena import OWNER, part
from cpqueens.kernels.local.state import Core, Deep, Rows
from cpqueens.language.rows import IntArray, distinct
from cpqueens.lowered.columns import KINDS_AND_SIGNS, RELATIONS, bounds, merged, scaled
from cpqueens.lowered.compiled import Compiled, DefinitionBlock, Terms, joined, offsets, stable_order

FUNCTIONS = kinds.FUNCTIONS | {"truth_linear": codes.TRUTH_LINEAR, "truth_or": kinds.TRUTH_OR}
"""Kind of a definition -> its code in the kernels."""

OWNERS = {
    "AllDifferent": codes.OWNER_ALL_DIFFERENT,
    "Count": codes.OWNER_LINEAR,  # of the number; what is counted has owners of its own
    "Linear": codes.OWNER_LINEAR,
    "Or": codes.OWNER_CLAUSE,
    "Table": codes.OWNER_TABLE,
}


class _Supports:
    """The decision variables that variables depend on; most definitions depend on what others depend on."""

    def __init__(self, decision_count: int, count: int) -> None:
        self._n = decision_count
        self.number = list(
            range(count)
        )  # of each variable that of its support: a decision variable's is its own
        self._sets = list(np.arange(decision_count)[:, None])
        self._unions: dict[tuple[int, ...], int] = {}

    def unions(self, terms: Terms, start: IntArray) -> list[int]:
        """Return the numbers of the supports of groups of terms; ``start[k]`` is the first one of group k."""
        rows, variables, _ = merged(terms)  # some may cancel
        found, number, mine = list[int](), self.number, variables.tolist()
        for first, end in pairwise(rows.searchsorted(start).tolist()):
            if end - first == 1:
                support = number[mine[first]]
            else:
                key = tuple(sorted({number[v] for v in mine[first:end]}))
                support = key[0] if len(key) == 1 else self._unions.setdefault(key, len(self._sets))
                if support == len(self._sets):
                    union = np.array(key, dtype=np.int64)
                    if key and key[-1] >= self._n:
                        union = distinct(np.concatenate([self._sets[k] for k in key]))
                    self._sets.append(union)
            found.append(support)
        return found

    def of(self, numbers: Sequence[int]) -> tuple[IntArray, IntArray]:
        """Return the sizes of supports, and their variables one after the other, ascending in each."""
        found = [self._sets[k] for k in numbers]
        return np.fromiter(map(len, found), dtype=np.int64, count=len(found)), np.concatenate([NONE, *found])


def _side_by_side(columns: Sequence[IntArray | int]) -> IntArray:
    """Return columns, of which the first says how long they are, as one array; most are short."""
    rows = np.empty((np.size(columns[0]), len(columns)), dtype=np.int64)
    for k, column in enumerate(columns):
        rows[:, k] = column
    return rows


class _DeepBuilder:
    """The layer's own terms, each with one owner: first those of definitions, then those of constraints."""

    def __init__(self, assembler: Assembler) -> None:
        self.assembler = assembler
        self.compiled = assembler.compiled
        self.n = assembler.n
        self.parts: list[Terms] = []
        self.owners: list[IntArray] = []  # rows of an owner's number of terms, its kind, itself and the base
        self.size = self.data_size = self.defined = 0
        self.data: list[IntArray] = []
        self.tables = np.zeros((len(assembler.entries), 4), dtype=np.int64)
        entries = [part.of_deep_layer() for part in assembler.entries.parts if part.deep.any()]
        reached = self._reached([several.terms for several in entries])
        self.used = np.flatnonzero(reached)
        self.supports = _Supports(self.n, self.compiled.variable_count)
        self.definitions: list[IntArray] = []
        for block in self.compiled.definitions.blocks:  # in order of evaluation: arguments come first
            for one in [block] if reached[block.results].all() else block:
                if reached[one.results].all():
                    self._define(one)
        for several in entries:
            self._constrain(several)
        scoped = [several for several in entries if several.kind != "AllDifferent"]
        if scoped:
            sizes = np.concatenate([np.diff(several.start) for several in scoped])
            unions = self.supports.unions(joined([several.terms for several in scoped]), offsets(sizes))
            lengths, variables = self.supports.of(unions)
            numbers = np.concatenate([several.numbers for several in scoped])
            assembler.scopes.append((np.repeat(numbers, lengths), variables))

    def _reached(self, pending: list[Terms]) -> IntArray:
        """Return 1 for each variable that is a defined one that terms reach, else 0."""
        reached = np.zeros(self.compiled.variable_count, dtype=np.int64)
        for terms in pending:
            reached[terms.variable] = 1
        for block in reversed(self.compiled.definitions.blocks):
            variables = block.terms.variable
            ends = block.terms.start[block.each * np.arange(len(block.results) + 1)]
            reached[variables[(reached[block.results] == 1).repeat(ends[1:] - ends[:-1])]] = 1
        reached[: self.n] = 0
        return reached

    def _add(self, terms: Terms, owners: Sequence[IntArray | int]) -> None:
        """Add terms of owners: how many each has, their kind, which they are, and their base."""
        self.parts.append(terms)
        self.owners.append(_side_by_side(owners))
        self.size += len(terms)

    def _put(self, data: IntArray) -> int:
        """Add data; return where they begin."""
        self.data.append(data)
        self.data_size += len(data)
        return self.data_size - len(data)

    def _define(self, block: DefinitionBlock) -> None:
        """Add the arguments of definitions, and what the kernels know of these."""
        many, each, relation, terms = len(block.results), block.each, 0, block.terms
        at = block.results.item(0)
        self.supports.number[at : at + many] = self.supports.unions(terms, each * np.arange(many + 1))
        lengths, places = np.full(many, each), np.zeros(many, dtype=np.int64)
        kinds_of = np.full(many, FUNCTIONS[block.kind])
        if block.kind == "truth_linear":
            relation, sign = RELATIONS[block.relation]
            terms = scaled(terms, sign)
        elif block.kind == "element":
            constant = (terms.lengths.reshape(many, each)[:, 1:] == 0).all(axis=1)  # but for the index
            entries = terms.constant.reshape(many, each)[constant]
            entries[:, 0] = each - 1
            kinds_of[constant], lengths[constant] = codes.ELEMENT_CONSTANT, 1
            places[constant] = self._put(entries.reshape(-1)) + each * np.arange(len(entries))
            terms = terms.picked(np.flatnonzero(~constant[:, None] | (np.arange(each) == 0)))
        first, number = self.size + offsets(lengths)[:-1], self.defined
        self.defined += many
        self.definitions.append(_side_by_side((kinds_of, first, lengths, places, relation, 0)))
        self._add(terms, (lengths, codes.OWNER_DEFINITION, number + np.arange(many), 0))

    def _constrain(self, several: Several) -> None:
        """Add the terms of constraints, of which others than linear ones and clauses come one by one."""
        terms, sizes, numbers, base = several.terms, np.diff(several.start), several.numbers, 0
        signs = KINDS_AND_SIGNS[several.relations, 1]
        if several.kind == "AllDifferent":
            base = self.assembler.reserve(int(numbers[0]), *bounds(terms, self.compiled))
        elif several.kind == "Count":
            owner = codes.OWNER_COUNT if signs[0] > 0 else codes.OWNER_SIGNED_COUNT
            last = len(terms) - 1
            self._add(terms.part(0, last), (sizes - 1, owner, numbers, several.value))
            terms, sizes, signs = terms.part(last, last + 1), np.ones(1, dtype=np.int64), -signs
        elif several.rows is not None:
            place = self._put(several.rows.reshape(-1))
            self.tables[numbers[0]] = self.size, len(terms), place, len(several.rows)
        self._add(scaled(terms, np.repeat(signs, sizes)), (sizes, OWNERS[several.kind], numbers, base))

    def build(self) -> Deep:
        """Return the layer's arrays."""
        terms, count = joined(self.parts), self.size
        rows, variables, coefficients = merged(terms)
        node = np.arange(self.compiled.variable_count)  # definitions that are not used have none
        node[self.used] = self.n + np.arange(len(self.used))
        node_start = offsets(2 * np.bincount(node[variables], minlength=self.n + len(self.used)))
        flat = np.stack([rows, coefficients], axis=1)[stable_order(node[variables])].reshape(-1)
        reach_start, reach = self._reach()
        owners = np.concatenate([np.zeros((0, 4), dtype=np.int64), *self.owners])
        owners = np.repeat(owners, owners[:, 0], axis=0)
        owners[:, 0] = 0  # their values
        different = np.flatnonzero(owners[:, 1] == codes.OWNER_ALL_DIFFERENT)
        lengths = np.zeros(count, dtype=np.int64)
        lengths[different], supports = self.supports.of(
            self.supports.unions(terms.picked(different), np.arange(len(different) + 1))
        )
        zeros: Any = np.zeros
        return Deep(
            node_start, flat, owners.reshape(-1), terms.constant,
            np.concatenate([NONE, *(rows.reshape(-1) for rows in self.definitions)]),
            np.concatenate(self.data) if self.data_size else np.zeros(1, dtype=np.int64),
            self.tables.reshape(-1), reach_start, reach,
            np.array(self.assembler.kinds, dtype=np.int64),
            np.concatenate([offsets(lengths), supports]), 0, count + 1,
            zeros(len(self.used), np.int64),
            zeros(count, np.int64), zeros(count + 1, np.int64), zeros(count, np.int64),
            zeros(len(self.assembler.kinds), np.int64),
        )  # fmt: skip

    def _reach(self) -> tuple[IntArray, IntArray]:
        """Return, per decision variable, the definitions that depend on it, ascending."""
        lengths, variable = self.supports.of([self.supports.number[v] for v in self.used.tolist()])
        definition = np.repeat(np.arange(len(lengths)), lengths)
        return offsets(np.bincount(variable, minlength=self.n)), definition[stable_order(variable)]


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
        return np.flatnonzero((owners[:, 1] == codes.OWNER_ALL_DIFFERENT) & (owners[:, 2] == entry.number))

    def part(self, which: int) -> IntArray:
        """Return a view of one part of the core arena, see ``cpqueens.kernels.local.arena``."""
        return part(self.core.arena, which)


def build_arrays(compiled: Compiled, kept: frozenset[int]) -> Arrays:
    """Build the arrays of all constraints but the ``kept`` AllDifferents; O(the model's size)."""
    assembler = Assembler(compiled, kept)
    deep = _DeepBuilder(assembler).build() if assembler.entries.summary()["deep"] else None
    return Arrays(compiled, assembler.core(), assembler.row_layer(), deep, assembler.entries, assembler.bases)
