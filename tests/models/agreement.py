"""What every problem is tested with: its model, its plain check and brute force must say the same."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from cpqueens.problems import catalog


def raw(instance: catalog.Instance, row: tuple[int, ...]) -> dict[str, Any]:
    """Return decision values as the raw solution that ``verify`` reads."""
    values, named = np.array(row, dtype=np.int64), {}
    for block in instance.model.blocks:
        part, values = values[: block.size], values[block.size :]
        named[block.name] = part.reshape(block.shape).tolist()
    return named


def by_brute_force(instance: catalog.Instance) -> set[tuple[int, ...]]:
    """Return all assignments that ``verify`` accepts, by trying every one."""
    model = instance.model
    domains = [model.domain_values(int(v), 1000).tolist() for v in model.decisions]
    return {row for row in itertools.product(*domains) if not instance.verify(raw(instance, row))}


def by_solver(instance: catalog.Instance, solver: str = "cpsat") -> set[tuple[int, ...]]:
    """Return all solutions that a solver finds."""
    outcome = instance.model.enumerate(solver=solver)
    assert outcome.complete
    assert outcome.count == len(outcome.solutions)
    return {tuple(row) for row in outcome.solutions.matrix.tolist()}


def agree(name: str, **parameters: Any) -> int:
    """Assert that brute force over ``verify`` and the solver give one set; return its size."""
    instance = catalog.find(name).instance(**parameters)
    expected = by_brute_force(instance)
    assert by_solver(instance) == expected
    return len(expected)


def solutions_verified(name: str, **parameters: Any) -> int:
    """Assert that ``verify`` accepts every solution of the solver; return their number."""
    instance = catalog.find(name).instance(**parameters)
    rows = by_solver(instance)
    assert not any(instance.verify(raw(instance, row)) for row in rows)
    return len(rows)


def complaints(name: str, solution: dict[str, Any], **parameters: Any) -> list[str]:
    """Return what the problem's check says about a raw solution."""
    return catalog.find(name).instance(**parameters).verify(solution)
