"""Which definitions some terms reach, and in which order they are evaluated."""

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

import numpy as np

from cpqueens.language.definitions import Definition, results_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.store import VariableStore


def part_of(definition: Definition, rows: IntArray) -> Definition:
    """Return some rows of a definition."""
    return definition.take(rows, definition.results[rows])


def reached_by(roots: Iterable[LinearArray], store: VariableStore, others: Iterable[Definition]) -> Mask:
    """Return which variables terms reach by the store's definitions: these come after those that they need.

    Not those that ``others`` define, whose terms are among the roots.
    """
    known = bytearray(store.variable_count)  # which Python reads sooner than an array
    reached: Mask = np.frombuffer(known, dtype=np.bool_)
    kept = np.ones(len(known), dtype=bool)
    kept[results_of(others)] = False

    def reach(arrays: Iterable[LinearArray]) -> None:
        for array in arrays:
            reached[array.variables[array.coefficients != 0]] = True

    reach(roots)
    for first, definition in zip(reversed(store.firsts), reversed(store.definitions), strict=True):
        single = definition.single_terms()
        if single is None:
            rows = np.flatnonzero(reached[definition.results] & kept[definition.results])
            if len(rows):
                reach((definition if len(rows) == definition.size else part_of(definition, rows)).arguments)
        elif known[first] and kept[first]:
            for term in single:
                for variable in term.variable_list:
                    known[variable] = 1
    reached &= kept
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


def blocks_of(store: VariableStore, chosen: Mask) -> list[Definition]:
    """Return the store's definitions of the chosen variables, as blocks, each after those that it needs."""
    blocks: list[Definition] = []
    known = chosen.tobytes()
    for first, definition in zip(store.firsts, store.definitions, strict=True):
        if len(definition.results) == 1:
            if known[first]:
                blocks.append(definition)
            continue
        kept = chosen[definition.results]
        if kept.all():
            blocks.append(definition)
        elif kept.any():
            blocks.append(part_of(definition, np.flatnonzero(kept)))
    return blocks


def in_order(blocks: list[Definition]) -> list[Definition]:
    """Return blocks in an order of evaluation, as single rows where some blocks need each other."""
    rows = (part_of(block, np.array([row])) for block in blocks for row in range(block.size))
    return _sorted(blocks) or _sorted(list(rows))


def _sorted(blocks: list[Definition]) -> list[Definition]:
    """Return blocks in an order of evaluation, none if some need each other: of single rows none do."""
    producer = {result: k for k, block in enumerate(blocks) for result in block.results.tolist()}
    needs = {k: {producer[v] for v in block.needed() if v in producer} for k, block in enumerate(blocks)}
    try:
        return [blocks[k] for k in TopologicalSorter(needs).static_order()]
    except CycleError:
        return []
