"""Ascending marks with different distances against all assignments, and which models have such marks."""

import random
from itertools import combinations, pairwise

import numpy as np
import pytest
from cpqueens.models.golomb_ruler import golomb_ruler
from each import each
from propagation import Bench, Strength, random_domains

from cpqueens import AllDifferent, Model
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.crosscheck import oracle
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.apart import KINDS
from cpqueens.kernels.exact.propagators.distances import (
    HEADER,
    LACKS,
    LEVELS,
    REACH,
    distance_data,
    distances,
)
from cpqueens.lowered.forms import compile_model


def are_different(row: tuple[int, ...], reach: int) -> bool:
    lengths = [row[j] - row[i] for i, j in combinations(range(len(row)), 2) if j - i <= reach]
    return all(a < b for a, b in pairwise(row)) and len(set(lengths)) == len(lengths)


ENDS = [(0, 1), (1, 4), (3, 8), (6, 11), (9, 13)]


@pytest.mark.parametrize(
    ("ends", "reach"), [([(0, 7)] * 4, 3), ([(0, 6)] * 4, 2), (ENDS, 4), (ENDS, 2), (ENDS, 1)]
)
def test_no_ruler_is_lost(ends: list[tuple[int, int]], reach: int) -> None:
    for seed in range(20 if ends is ENDS else 5):
        source = random.Random(seed)
        domains = random_domains(source, ends)
        data = distance_data(len(ends), reach)
        bench = Bench(distances, domains, lambda row: are_different(row, reach), data=data)
        bench.walk(source, Strength.SOUND)


@pytest.mark.parametrize("marks", [4, 6, 9])
def test_what_distances_lack_is_what_covers_each_step_equally(marks: int) -> None:
    """Of each level all distances, and what they lack, have every step equally often."""
    data = distance_data(marks, marks - 1)
    for steps in range(1, marks):
        for level in range(1, min(data[LEVELS], steps - 1) + 1):
            seen = [0] * steps
            for width in range(1, level + 1):
                for first in range(steps + 1 - width):
                    for k in range(first, first + width):
                        seen[k] += 1
            place = HEADER + ((steps - 1) * 4 + level - 1) * LACKS
            lacking = sorted((level * (level + 1) // 2 - n for n in seen), reverse=True)
            assert [n for n in lacking if n] == [n for n in data[place : place + LACKS] if n]


def chains(m: Model) -> list[tuple[int, int]]:
    """Return of each chain of marks that the engine sees how many there are, and the reach."""
    memory, _ = build_memory(compile_model(m), check_only=False)
    found = []
    for p in range(0, int(memory.net[at.START]), at.P_WIDTH):
        if memory.net[p + at.KIND] == KINDS["distances"]:
            first, end, data = memory.net[[p + at.START, p + at.END, p + at.ROWS]].tolist()
            found.append(((end - first) // 2, int(memory.net[data + REACH])))
    return found


def test_rulers_are_seen_however_they_are_written() -> None:
    first, second = np.triu_indices(5, 1)
    named, backwards, near, unordered = (Model() for _ in range(4))
    for m in (named, backwards, near, unordered):
        m.intvar(0, 12, shape=5, name="x")
    x, d = named["x"], named.intvar(1, 12, shape=10, name="d")
    named.add(d == x[second] - x[first], AllDifferent(d))
    x = backwards["x"]
    backwards.add(AllDifferent(x[first] - x[second]), x[:-1] < x[1:])
    x = near["x"]
    near.add(AllDifferent(x[1:] - x[:-1] + 3), x[1:] > x[:-1])
    x = unordered["x"]
    unordered.add(AllDifferent(x[second] - x[first]), x[1:] >= x[:-1] - 1)
    assert [chains(m) for m in (named, backwards, near, unordered)] == [[(5, 4)], [(5, 4)], [(5, 1)], []]


@each("seed", range(12))
def test_partial_rulers_are_listed_whole(seed: int) -> None:
    """Some distances of some marks in some order, against every assignment."""
    source = random.Random(seed)
    m = Model()
    marks = source.choice([4, 5])
    x = m.intvar(0, 7 if marks == 5 else 9, shape=marks, name="x")
    order = source.sample(range(marks), marks)
    m.add(*(x[a] < x[b] for a, b in pairwise(order)))
    pairs = [(a, b) for a, b in combinations(order, 2) if source.random() < 0.9]
    sign = source.choice([1, -1])
    m.add(AllDifferent([sign * (x[b] - x[a]) for a, b in pairs]), x[order[0]] <= 2)
    if source.random() < 0.5:
        m.add(x[source.randrange(marks)] != source.randint(1, 6))
    expected = {tuple(row) for row in oracle.solve(m).solutions.tolist()}
    for search in ("lexicographic", "dom/wdeg"):
        outcome = m.enumerate(solver="backtracking:forward", variable_order=search)
        assert {tuple(row) for row in outcome.solutions.matrix.tolist()} == expected


def test_a_ruler_of_eight_marks_needs_few_nodes() -> None:
    """Without bounds of distances it needed 2,453."""
    outcome = golomb_ruler(8).solve(solver="backtracking")
    assert outcome.objective == 34
    assert outcome.statistics["nodes"] < 1000
