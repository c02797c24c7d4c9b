"""Counting by propagation in threads: the parts cover the space once, and limits reach all of them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from cpqueens.models.latin_square import latin_square
from cpqueens.models.magic_square import magic_square
from each import each

from cpqueens import AllDifferent, Model, StopReason
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.backtracking.tally import _PARTS, split
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.kernels.exact.domains import HIGH, LOW, X_WIDTH, Memory
from cpqueens.kernels.jit import tiers
from cpqueens.lowered.forms import compile_model
from cpqueens.solving.solve import count_solutions

FORWARD = "backtracking:forward"


def parts_of(model: Model, workers: int = 2) -> list[Memory]:
    compiled = compile_model(model)
    whole, _ = build_memory(compiled, check_only=False)
    return split(compiled, whole, Request(Want.COUNT, Clock(None), workers=workers))[0]


def fixed(part: Memory, variables: int) -> dict[int, int]:
    x = part.x.reshape(-1, X_WIDTH)[:variables]
    return {v: int(x[v, LOW]) for v in range(variables) if x[v, LOW] == x[v, HIGH]}


def test_every_solution_is_in_exactly_one_part() -> None:
    model = magic_square(3)
    solutions = model.enumerate(solver="cpsat").solutions.matrix.tolist()
    parts = parts_of(model)
    for row in solutions:
        assert sum(all(row[v] == w for v, w in fixed(part, 9).items()) for part in parts) == 1


@pytest.mark.parametrize("workers", [1, 2, 9])
def test_there_are_enough_parts_for_all_threads(workers: int) -> None:
    m = Model()
    x = m.intvar(0, 9, shape=6, name="x")
    m += AllDifferent(x)
    assert len(parts_of(m, workers)) >= max(_PARTS, 24 * workers)


def test_counting_in_parts_twice_gives_the_same() -> None:
    model = magic_square(3)
    first, second = (count_solutions(model, FORWARD, num_workers=2) for _ in range(2))
    assert first.count == second.count == 8
    assert first.statistics["nodes"] == second.statistics["nodes"]


def models() -> dict[str, tuple[Model, int]]:
    """Models with few parts or odd ones, and their numbers of solutions."""
    empty, none, wide, mixed, single = (Model() for _ in range(5))
    a = none.intvar(0, 3, shape=3)
    none += [AllDifferent(a), a.sum() > 6]
    b = wide.intvar(-(10**12), 10**12, shape=2)  # no values are listed: nothing to split
    wide += [b[0] == 2 * b[1], b[0] >= 0, b[0] <= 100]
    c, d = mixed.intvar(0, 10**9), mixed.intvar(domain=[1, 5, 7])
    mixed += [c >= 10 * d, c <= 10 * d + 2]
    single.fix(single.intvar(0, 9), 4)
    return {
        "no variables": (empty, 1),
        "no solution": (none, 0),
        "wide domains": (wide, 51),
        "one wide domain": (mixed, 9),
        "one solution": (single, 1),
    }


@each("workers", [1, 2, 3])
@each("name", models())
def test_few_parts(name: str, workers: int) -> None:
    model, expected = models()[name]
    outcome = count_solutions(model, FORWARD, num_workers=workers)
    assert (outcome.count, outcome.complete) == (expected, True)


@pytest.mark.slow
def test_threads_are_told_and_nodes_are_nearly_those_of_one() -> None:
    one, two = (count_solutions(magic_square(4), FORWARD, num_workers=w) for w in (1, 2))
    assert one.count == two.count == 7040
    assert two.statistics["workers"] == 2
    assert abs(two.statistics["nodes"] - one.statistics["nodes"]) <= _PARTS


def test_a_time_limit_ends_all_threads() -> None:
    started = time.process_time()
    with tiers.mode("plain"):  # that searches at once, with no wait for a compiler
        outcome = count_solutions(magic_square(5), FORWARD, num_workers=2, time_limit=0.3)
    assert not outcome.complete
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert outcome.statistics["nodes"] > 0
    assert time.process_time() - started < 30


@pytest.mark.slow
def test_progress_is_shown_with_an_estimate() -> None:
    shown: list[dict[str, Any]] = []
    outcome = count_solutions(latin_square(6, "row"), FORWARD, on_progress=lambda p: shown.append(dict(p)))
    assert outcome.count == 9408 * 120  # OEIS A000315 reduced squares, and the order of the rows below
    assert shown[-1]["total"] >= shown[-1]["done"] > 0
    assert [p["count"] for p in shown] == sorted(p["count"] for p in shown)
    low, high = shown[-1]["interval"]
    assert low <= outcome.count <= high
    assert low <= shown[-1]["estimate"] <= high
