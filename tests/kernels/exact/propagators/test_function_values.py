"""Functions by values against all assignments, and where they are looked at so."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from collection.latin_squares import quasigroup_5
from each import each
from propagation import Bench, Strength, random_domains

from cpqueens import Model, element
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.backtracking.wholes import implied
from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.apart import KINDS
from cpqueens.kernels.exact.propagators import function_values as kernel
from cpqueens.kernels.exact.propagators.function_values import function_values
from cpqueens.language.expressions import LinearArray
from cpqueens.lowered.forms import compile_model

TABLE = [3, -1, 0, 3, 2]

FUNCTIONS: dict[int, Callable[[int, int], int]] = {
    kinds.PRODUCT: lambda a, b: a * b,
    kinds.QUOTIENT: lambda a, b: a // b if b else 0,
    kinds.QUOTIENT_TRUNCATED: lambda a, b: int(np.trunc(a / b)) if b else 0,
    kinds.REMAINDER: lambda a, b: a % b if b else 0,
    kinds.REMAINDER_TRUNCATED: lambda a, b: int(np.fmod(a, b)) if b else 0,
}


@each("kind", FUNCTIONS)
def test_functions_of_two(kind: int) -> None:
    for seed in range(12):
        source = random.Random(seed)
        domains = random_domains(source, [(-3, 3), (-2, 2), (-6, 6)])
        bench = Bench(
            function_values, domains, lambda row: FUNCTIONS[kind](row[0], row[1]) == row[2], constant=kind,
            bounds_only=[2] if seed % 4 == 0 and len(domains[2]) > 10 else [],
        )  # fmt: skip
        bench.walk(source, Strength.DOMAIN)


@each("seed", range(12))
def test_squares_and_elements(seed: int) -> None:
    source = random.Random(seed)
    domains = random_domains(source, [(-4, 4), (-2, 16)])
    square = Bench(
        function_values, domains, lambda row: row[0] * row[0] == row[1], constant=kinds.PRODUCT,
        data=[], arguments=[0, 0, 1],
    )  # fmt: skip
    square.walk(source, Strength.DOMAIN)
    domains = random_domains(source, [(-2, 6), (-2, 4)])

    def meaning(row: tuple[int, ...]) -> bool:
        return (TABLE[row[0]] if 0 <= row[0] < len(TABLE) else 0) == row[1]

    bench = Bench(function_values, domains, meaning, constant=kinds.ELEMENT, data=TABLE)
    bench.walk(source, Strength.DOMAIN)


@pytest.mark.parametrize("few", [8, 10**6], ids=["few entries", "any"])
@pytest.mark.parametrize("seed", range(8))
def test_elements_of_variables(seed: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Position, three variables, result: sound always, consistent where as many entries are looked at."""
    monkeypatch.setattr(kernel, "FEW_ENTRIES", few)
    source = random.Random(seed)
    domains = random_domains(source, [(0, 2), (-2, 3), (-1, 4), (-3, 2), (-3, 5)])
    bench = Bench(
        function_values, domains, lambda row: row[1 + row[0]] == row[4], constant=kinds.ELEMENT,
        data=[], bounds_only=[4] if seed % 4 == 0 else [],
    )  # fmt: skip
    bench.walk(source, Strength.DOMAIN if few > 8 else Strength.SOUND)


@each("seed", range(8))
def test_an_element_whose_result_is_known_loses_every_other_place(seed: int) -> None:
    """Also of more places than are looked at while several results are left."""
    source = random.Random(seed)
    domains = [*random_domains(source, [(0, 8), *[(-1, 2)] * 9]), [1]]
    bench = Bench(
        function_values, domains, lambda row: row[1 + row[0]] == 1, constant=kinds.ELEMENT, data=[],
    )  # fmt: skip
    bench.walk(source, Strength.DOMAIN)


def test_elements_of_variables_by_values_never_take_more_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for by_values in (True, False):
        if not by_values:
            monkeypatch.setattr(implied, "has_values", lambda kind, variables: False)
        m = quasigroup_5(5)
        assert is_looked_at(m) == by_values
        found.append(m.enumerate(solver="backtracking:forward", variable_order="lexicographic"))
    assert found[0].solutions.matrix.tolist() == found[1].solutions.matrix.tolist()
    nodes = [o.statistics["nodes"] + o.statistics["failures"] for o in found]
    assert nodes[0] <= nodes[1]


def looked_at(make: Callable[[LinearArray, LinearArray], LinearArray], most: int) -> bool:
    """Say whether a function of two variables up to some value is looked at by values."""
    m = Model()
    x = m.intvar(0, most, shape=2, name="x")
    m.add(make(x[0], x[1]) == 1)
    return is_looked_at(m)


def is_looked_at(m: Model) -> bool:
    memory, _ = build_memory(compile_model(m), check_only=False)
    records = memory.net[: memory.net[at.START]].reshape(-1, at.P_WIDTH)
    return KINDS["function_values"] in records[:, at.KIND]


def test_only_small_ones_are_looked_at() -> None:
    made = (
        lambda x, y: x * y,
        lambda x, y: x * x,
        lambda x, y: x // (y + 1),
        lambda x, y: element([5, 1, 2, 9], x % 4),
    )
    assert [looked_at(make, 5) for make in made] == [True] * 4
    assert [looked_at(make, 1) for make in made[:1]] == [False]
    assert not looked_at(lambda x, y: x * y, 100)
    many = Model()
    x = many.intvar(0, 5, shape=8, name="x")
    many.add((x[:4] * x[4:]).sum() == 30)  # of which only bounds are seen
    assert not is_looked_at(many)


def test_elements_of_variables_are_not_taken_for_constants() -> None:
    m = Model()
    x, k = m.intvar(0, 2, shape=3, name="x"), m.intvar(0, 2, name="k")
    m.add(x[k] == 2, x[0] == 0, x[1] != 2)
    assert m.count(solver="backtracking") == 2
