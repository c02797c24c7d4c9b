"""Which propagators AllDifferents, equations and absolute values get, by what it costs and may save."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cpqueens import AllDifferent, Model
from cpqueens.backends.backtracking.network import build_memory
from cpqueens.kernels import apart
from cpqueens.kernels import domains as at
from cpqueens.lowered.compiled import compile_model

Post = Callable[[Model, Any], None]
VALUES, ENDS, EQUATION, ABSOLUTE = (
    "all_different_values",
    "all_different_ends",
    "equation_values",
    "absolute_values",
)


def boards(m: Model, q: Any) -> None:
    i = np.arange(q.size)
    m.add(AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i))


def boards_with_a_queen(m: Model, q: Any) -> None:
    boards(m, q)
    m.add(q[0] == 1)


def differ(m: Model, q: Any) -> None:
    m.add(AllDifferent(q))


CASES: list[tuple[int, int, Post, set[str]]] = [
    (8, 8, boards, set()),
    (8, 8, boards_with_a_queen, {VALUES}),
    (8, 7, differ, {VALUES}),  # pigeons
    (8, 16, differ, {VALUES}),
    (8, 17, differ, {ENDS}),
    (8, 65, differ, set()),
    (2, 2, differ, set()),
    (600, 600, differ, {ENDS}),
    (1100, 1100, differ, set()),
    (8, 8, lambda m, q: m.add(q[0] + q[1] == q[2]), {EQUATION}),
    (8, 100, lambda m, q: m.add(q[0] + q[1] == q[2]), set()),
    (8, 100, lambda m, q: m.add(q[0] == 2 * q[1] + 1), {EQUATION}),
    (8, 8, lambda m, q: m.add(abs(q[0] - q[1]) == q[2]), {ABSOLUTE, EQUATION}),
]


@pytest.mark.parametrize(("terms", "values", "post", "expected"), CASES)
def test_what_pays_is_looked_for(terms: int, values: int, post: Post, expected: set[str]) -> None:
    model = Model()
    post(model, model.intvar(0, values - 1, shape=terms, name="q"))
    for check_only in (False, True):
        memory, _ = build_memory(compile_model(model), check_only)
        wanted = np.flatnonzero(memory.stack[at.ADDRESSES : at.HEADER] == at.WANTED)
        assert {apart.NAMES[code] for code in wanted} == (set() if check_only else expected)
