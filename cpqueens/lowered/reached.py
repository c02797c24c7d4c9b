"""Which definitions some terms reach, and in which order they are evaluated."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

import numpy as np

from cpqueens.language.definitions import Definition
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.store import VariableStore


class ReachedDefinitions:
    """Which defined variables some terms reach, and what is still to be looked at, the latest first.

    A truth may be taken apart in the meantime, which defines more.
    """

    def __init__(self, scratch: VariableStore) -> None:
        self._scratch = scratch
        self.reached = np.zeros(scratch.variable_count, dtype=bool)
        self._seen = self.reached.copy()
        self._pending: list[int] = []  # a heap of the (negative) numbers of definitions

    def add(self, arrays: Iterable[LinearArray]) -> None:
        """Reach what terms are over."""
        self._grow()
        defined, firsts = self._scratch.is_defined, self._scratch.firsts
        for array in arrays:
            variables = array.variables[array.coefficients != 0]
            variables = variables[defined[variables] & ~self.reached[variables]]
            self.reached[variables] = True
            variables, at = np.sort(variables), 0
            while at < len(variables):
                number = bisect_right(firsts, variables.item(at)) - 1
                heappush(self._pending, -number)
                end = firsts[number] + len(self._scratch.definitions[number].results)
                at += int(np.searchsorted(variables[at:], end))

    def next(self) -> tuple[Definition, IntArray] | None:
        """Return a definition with those of its rows that are reached and have not been looked at."""
        while self._pending:
            number = -heappop(self._pending)
            definition, first = self._scratch.definitions[number], self._scratch.firsts[number]
            mine = slice(first, first + len(definition.results))
            rows = np.flatnonzero(self.reached[mine] & ~self._seen[mine])
            self._seen[mine] = self.reached[mine]
            if len(rows):
                return definition, rows
        return None

    def _grow(self) -> None:
        more = self._scratch.variable_count - len(self.reached)
        if more:
            self.reached, self._seen = (
                np.append(known, np.zeros(more, dtype=bool)) for known in (self.reached, self._seen)
            )


def results_of(definitions: Iterable[Definition]) -> IntArray:
    """Return the variables that are defined."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *(d.results for d in definitions)])


def part_of(definition: Definition, rows: IntArray) -> Definition:
    """Return some rows of a definition."""
    return definition.take(rows, definition.results[rows])


def reached_by(roots: Iterable[LinearArray], store: VariableStore) -> Mask:
    """Return which variables terms reach: definitions come after those that they need."""
    known = bytearray(store.variable_count)  # which Python reads sooner than an array
    reached: Mask = np.frombuffer(known, dtype=np.bool_)
    for array in roots:
        reached[array.variables[array.coefficients != 0]] = True
    for first, definition in zip(reversed(store.firsts), reversed(store.definitions), strict=True):
        single = definition.single_terms()
        if single is not None:
            if known[first]:
                for term in single:
                    for variable in term.variable_list:
                        known[variable] = 1
            continue
        rows = np.flatnonzero(reached[definition.results])
        arguments = definition.arguments
        if 0 < len(rows) < len(definition.results):
            arguments = definition.take(rows, np.zeros(0, dtype=np.int64)).arguments
        for array in arguments if len(rows) else ():
            reached[array.variables[array.coefficients != 0]] = True
    return reached


def defined_scope(arrays: Iterable[LinearArray], store: VariableStore) -> list[int]:
    """Return the defined variables that terms are over."""
    found: list[int] = []
    defined = store.is_defined
    for array in arrays:
        if array.width:
            variables = array.variables[array.coefficients != 0]
            found += variables[defined[variables]].tolist()
    return found


def evaluation_order(
    scratch: VariableStore, reached: Mask, replaced: Sequence[Definition]
) -> list[Definition]:
    """Return blocks of the reached results, each block after those it depends on."""
    blocks: list[Definition] = []
    reached = np.pad(reached, (0, scratch.variable_count - len(reached)))
    for definition in replaced:
        reached[definition.results] = False
    known = reached.tobytes()
    for first, definition in zip(scratch.firsts, scratch.definitions, strict=True):
        if len(definition.results) == 1:
            if known[first]:
                blocks.append(definition)
            continue
        kept = reached[definition.results]
        if kept.all():
            blocks.append(definition)
        elif kept.any():
            blocks.append(part_of(definition, np.flatnonzero(kept)))
    blocks += replaced
    if not replaced:
        return blocks
    return _sorted(blocks, scratch) or _sorted(
        [part_of(block, np.array([row])) for block in blocks for row in range(len(block.results))], scratch
    )


def _sorted(blocks: list[Definition], scratch: VariableStore) -> list[Definition]:
    """Return blocks in an order of evaluation, none if some need each other: of single rows none do."""
    producer = np.full(scratch.variable_count, -1)
    for k, block in enumerate(blocks):
        producer[block.results] = k
    needs = [np.unique(producer[defined_scope(block.arguments, scratch)]).tolist() for block in blocks]
    place, order = [0] * len(blocks), topological(needs)
    for at, k in enumerate(order):
        place[k] = at
    sorted_ = all(place[need] < place[k] for k, needed in enumerate(needs) for need in needed)
    return [blocks[k] for k in order] if sorted_ else []


def topological(needs: list[list[int]]) -> list[int]:
    """Return the numbers of ``needs`` in an order in which each comes after those that it needs."""
    state = [0] * len(needs)
    order: list[int] = []
    for root in range(len(needs)):
        stack = [root]
        while stack:
            node = stack[-1]
            if state[node] == 0:
                state[node] = 1
                stack += [k for k in needs[node] if state[k] == 0]
                continue
            stack.pop()
            if state[node] == 1:
                state[node] = 2
                order.append(node)
    return order
