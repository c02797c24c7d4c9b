"""Minima and maxima by values against all assignments, and where they are looked at so."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from each import each
from propagation import Bench, Domains, Strength, random_domains

from cpqueens import AllDifferent, Cumulative, Model, maximum, minimum
from cpqueens.backends.backtracking import memory
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.backtracking.wholes import implied
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.apart import KINDS
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.exact.propagators.extreme_values import extreme_values
from cpqueens.kernels.exact.propagators.functions import extreme
from cpqueens.lowered.forms import ModelForm, compile_model

EXTREMES: dict[int, Callable[..., int]] = {kinds.MINIMUM: min, kinds.MAXIMUM: max}


def bounds(m: Memory, p: int) -> bool:
    """Prune by bounds, for which the record of `extreme_values` is changed meanwhile."""
    m.net[p + at.KIND] = m.net[p + at.CONSTANT]
    m.net[p + at.END] -= 2
    m.net[p + at.RESULT] = m.net[m.net[p + at.END]]
    alive = bool(extreme(m, p))
    m.net[p + at.END] += 2
    return alive


def bounds_then_values(m: Memory, p: int) -> bool:
    return bounds(m, p) and bool(extreme_values.plain(m, p))


def values_then_bounds(m: Memory, p: int) -> bool:
    return bool(extreme_values.plain(m, p)) and bounds(m, p)


def bench_of(kind: int, domains: Domains, arguments: Sequence[int], turn: int, **options: Any) -> Bench:
    """Return arguments and, behind them, their extreme; at odd turns values are looked at first."""
    *_, r = arguments
    return Bench(
        values_then_bounds if turn % 2 else bounds_then_values,
        domains,
        lambda row: EXTREMES[kind](row[v] for v in arguments[:-1]) == row[r],
        constant=kind,
        arguments=arguments,
        data=[0] * (domains[r][-1] - domains[r][0] + 2),
        **options,
    )


@each("kind", EXTREMES)
@each("many", [1, 2, 3, 4])
def test_what_is_left_is_supported(kind: int, many: int) -> None:
    for seed in range(15):
        source = random.Random(seed)
        ends = [sorted(source.choices(range(-4, 5), k=2)) for _ in range(many)]
        domains = random_domains(source, [(low, high) for low, high in ends] + [(-5, 5)])
        bench_of(kind, domains, range(many + 1), seed).walk(source, Strength.DOMAIN)


@each("kind", EXTREMES)
@each("arguments", [(0, 1, 0, 2), (1, 0, 0, 0, 2), (0, 0, 1), (0, 2, 1, 2), (2, 2)], ids=str)
def test_an_argument_that_comes_twice_and_a_result_that_is_one(kind: int, arguments: Sequence[int]) -> None:
    """Bounds take one that comes twice for two, which is why models do not hand them such."""
    *before, _ = arguments
    strength = Strength.SOUND if len(set(before)) < len(before) else Strength.DOMAIN
    for seed in range(12):
        source = random.Random(seed)
        domains = random_domains(source, [(-3, 4), (-4, 3), (-4, 4)][: max(arguments) + 1])
        bench_of(kind, domains, arguments, seed).walk(source, strength)


def test_a_model_hands_on_each_argument_once() -> None:
    """Of x, y and x again only x can be 4, which bounds see where it comes once."""
    m = Model()
    x, y = m.intvar(0, 4, name="x"), m.intvar(0, 2, name="y")
    m.add(maximum([x, y, x]) >= 3)
    memory, _ = build_memory(compile_model(m), check_only=False)
    records = memory.net[: memory.net[at.START]].reshape(-1, at.P_WIDTH)
    lengths = records[:, at.END] - records[:, at.START]
    assert lengths[records[:, at.KIND] == kinds.MAXIMUM].tolist() == [4]
    assert lengths[records[:, at.KIND] == KINDS["extreme_values"]].tolist() == [6]


@each("kind", EXTREMES)
@each("bounds_only", [[3], [0], [0, 1, 2, 3]], ids=str)
def test_without_flags_nothing_wrong_is_said(kind: int, bounds_only: Sequence[int]) -> None:
    for seed in range(12):
        source = random.Random(seed)
        domains = random_domains(source, [(-3, 3), (-2, 2), (-4, 1), (-5, 4)])
        for v in bounds_only:
            domains[v] = list(range(domains[v][0], domains[v][-1] + 1))
        bench_of(kind, domains, range(4), seed, bounds_only=bounds_only).walk(source, Strength.SOUND)


@pytest.mark.parametrize("seed", range(12))
def test_arguments_that_list_their_values_without_flags(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LISTED", 6)
    source = random.Random(seed)
    gaps = [sorted({-9, *source.sample(range(-4, 4), 3)}) for _ in range(2)]
    bench = bench_of(kinds.MAXIMUM, [*gaps, [-3, -2], list(range(-2, 4))], range(4), seed)
    records = bench.memory.x[: 4 * at.X_WIDTH].reshape(-1, at.X_WIDTH)
    assert (records[:, at.FIRST] >= 0).tolist() == [False, False, True, True]
    bench.walk(source, Strength.DOMAIN)


def test_what_the_values_of_a_maximum_leave() -> None:
    """Worked by hand: the floor is 4, and 9 is the first argument's alone.

    If the second can be the result at 7, the first may lie below; if it cannot, the first is the result.
    """
    bench = bench_of(kinds.MAXIMUM, [[0, 2, 5, 6, 8, 9], [1, 4, 7], [4], [3, 4, 7, 9]], range(4), 0)
    assert bench.propagate()
    assert bench.left() == [[0, 2, 5, 6, 9], [1, 4, 7], [4], [4, 7, 9]]
    bench = bench_of(kinds.MAXIMUM, [[0, 2, 5, 6, 8, 9], [1, 4, 7], [4], [5, 6, 9]], range(4), 0)
    assert bench.propagate()
    assert bench.left() == [[5, 6, 9], [1, 4, 7], [4], [5, 6, 9]]


def groups(seed: int, make: Callable[[Any], Any]) -> Model:
    """Return four pairs of variables with gaps, the extremes of which are all different."""
    source = random.Random(seed)
    m = Model()
    x = [[m.intvar(domain=source.sample((1, 4, 6, 9), 3)) for _ in range(2)] for _ in range(4)]
    m.add(AllDifferent([make(group) for group in x]))
    m.add(x[0][0] != x[1][0], x[0][1] != x[1][1])
    return m


@pytest.mark.parametrize("make", [minimum, maximum])
def test_extremes_by_values_never_take_more_nodes(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[list[Any]] = [[], []]
    for by_values in (True, False):
        if not by_values:
            monkeypatch.setattr(implied, "has_values", lambda kind, variables: False)
        for seed in range(6):
            m = groups(seed, make)
            assert is_looked_at(m) == by_values
            found[by_values].append(
                m.enumerate(solver="backtracking:forward", variable_order="lexicographic")
            )
    fewer = 0
    for values, ends in zip(found[True], found[False], strict=True):
        assert values.solutions.matrix.tolist() == ends.solutions.matrix.tolist()
        for counter in ("nodes", "failures"):
            assert values.statistics[counter] <= ends.statistics[counter]
        fewer += values.statistics["failures"] < ends.statistics["failures"]
    assert fewer >= 3


def is_looked_at(m: Model) -> bool:
    memory, _ = build_memory(compile_model(m, ModelForm(takes=takes)), check_only=False)
    records = memory.net[: memory.net[at.START]].reshape(-1, at.P_WIDTH)
    return KINDS["extreme_values"] in records[:, at.KIND]


def test_many_values_are_looked_at_once() -> None:
    """Odd values go at first; later, what an argument loses stays until few values are left."""
    wide, few = [list(range(0, n, 2)) for n in (400, 120)], [list(range(n)) for n in (400, 120)]
    for even, whole, after in zip(wide, few, (2, 1), strict=True):
        bench = bench_of(kinds.MAXIMUM, [even, [0], whole], range(3), 0)
        assert bench.propagate()
        assert bench.left() == [even, [0], even]
        assert at.remove(bench.memory, 0, 50)
        assert bench.propagate()
        assert (50 in bench.left()[2]) == (after == 2)
        assert at.tighten(bench.memory, 0, 20, 90)
        assert bench.propagate()
        assert bench.left()[2] == [w for w in range(20, 91, 2) if w != 50]


def test_values_are_looked_at_where_a_constraint_sees_them() -> None:
    for seen in (True, False):
        m = Model()
        x = m.intvar(0, 4, shape=4, name="x")
        top = maximum(x[:3])
        m.add(Cumulative([2 * top + 1 if seen else 2 * x[3], x[0], x[1]], [2, 1, 3], [1, 1, 2], 2))
        m.add(top + x.sum() >= 5)
        assert is_looked_at(m) == seen


def test_where_bounds_say_as_much_or_values_are_many_nothing_is_looked_at() -> None:
    def looked_at(most: int, many: int = 3, seen: bool = True) -> bool:
        m = Model()
        x = m.intvar(0, most, shape=many, name="x")
        extreme = maximum(x)
        m.add(extreme != 1 if seen else x.sum() + extreme >= 3)
        return is_looked_at(m)

    assert looked_at(2)
    assert not looked_at(1)
    assert not looked_at(2, seen=False)
    assert looked_at(600, many=100)
    assert not looked_at(600, many=200)
    assert looked_at(4095)
    assert not looked_at(4096)
