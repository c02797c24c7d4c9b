"""Values at places of a matrix, whose entries differ: what is seen of rows, columns and the other entries."""

import random

from seeds import sweep

from cpqueens import AllDifferent, Model, element
from cpqueens.backends.backtracking.backend import model_form
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.local_search.root import propagated
from cpqueens.crosscheck import oracle
from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.lowered.forms import compiled_of
from cpqueens.lowered.structures.table import Structures


def walk(seed: int) -> Model:
    """Return a model of two values, one of them a step from the other; places may lie beyond the matrix."""
    source = random.Random(seed)
    m = Model(f"walk {seed}")
    x = m.intvar(source.choice([0, 1]), 4, shape=4, name="x")
    row, column = m.intvar(source.choice([-1, 0]), 1, name="row"), m.intvar(0, source.choice([1, 2]))
    down, right = m.intvar(-1, 1, name="down"), m.intvar(-1, 1, name="right")
    m.add(AllDifferent(x))
    value, other = source.choice([0, 1, 2, 3]), source.choice([0, 1, 2, 3])
    m.add(element([*x], 2 * row + column) == value)
    m.add(element([*x], 2 * (row + down) + (column + right)) == other)
    if seed % 3:
        m.add(row + down >= 0, row + down <= 1, column + right >= 0, column + right <= 1)
    if seed % 2:
        m.add(x[source.randrange(4)] != value, 2 * row + column >= source.choice([0, 1]))
    return m


def test_random_walks_have_the_same_solutions_and_only_clauses_that_follow() -> None:
    possible = audited = 0
    for seed in sweep(15, 40):
        expected = set(oracle.solve(walk(seed)).rows)
        listed = walk(seed).enumerate(solver="backtracking:forward")
        assert set(map(tuple, listed.solutions.matrix.tolist())) == expected, seed
        possible += bool(expected)
        one = walk(seed).solve(solver="backtracking:learning", audit=True)
        assert (one.solution is not None) == bool(expected), seed
        audited += one.statistics["clauses_audited"]
    assert possible > 4
    assert audited > 3


def test_a_value_is_where_its_position_says_and_nowhere_else() -> None:
    m = Model()
    x, p, q = m.intvar(0, 4, shape=5, name="x"), m.intvar(0, 4, name="p"), m.intvar(0, 4, name="q")
    m.add(AllDifferent(x), element([*x], p) == 3, element([*x], q) == 3, p != 1, q >= 1)
    root = propagated(Structures(m, "local-search", takes), Request(Want.ONE, Clock(None)))
    assert root is not None
    left = [list(range(d[0], d[1] + 1)) if isinstance(d, tuple) else d.tolist() for d in root.domains()]
    assert [3 in values for values in left[:5]] == [False, False, True, True, True]
    assert left[5:] == [[2, 3, 4], [2, 3, 4]]


def test_only_numbers_are_looked_for_in_all_entries() -> None:
    m = Model()
    x, p, q, y = m.intvar(0, 4, shape=5, name="x"), *(m.intvar(0, 4) for _ in range(3))
    m.add(AllDifferent(x), element([*x], p) == 3, element([*x], q) == y)
    compiled = compiled_of(m, model_form(False))
    net = build_memory(compiled, False)[0].net
    elements = [r for r in net[: net[at.START]].reshape(-1, at.P_WIDTH) if r[at.KIND] == kinds.ELEMENT]
    assert sorted(r[at.CONSTANT] for r in elements) == [0, 1]


def test_a_place_in_a_matrix_is_seen_by_values() -> None:
    m = Model()
    row, column, down, right = m.intvar(0, 3), m.intvar(0, 3), m.intvar(-1, 1), m.intvar(-1, 1)
    place = m.intvar(0, 39)
    m.add(place == 10 * (row + down) + (column + right), row + down >= 0, row + down <= 3)
    m.add(column + right >= 0, column + right <= 3)
    root = propagated(Structures(m, "local-search", takes), Request(Want.ONE, Clock(None)))
    assert root is not None
    found = root.domains()[4]
    assert not isinstance(found, tuple)
    assert found.tolist() == [10 * r + c for r in range(4) for c in range(4)]


def test_a_known_result_leaves_the_positions_that_have_it() -> None:
    """On a board of 64 places, too, where bounds say nothing of what is between the first and the last."""
    m = Model()
    x, place = m.intvar(1, 64, shape=64, name="x"), m.intvar(0, 63, name="place")
    m.add(x[[k for k in range(64) if k not in (5, 17, 40)]] != 7, element(x, place) == 7)
    root = propagated(Structures(m, "local-search", takes), Request(want=Want.ONE, clock=Clock(None)))
    assert root is not None
    *_, left = root.domains()
    assert list(left) == [5, 17, 40]
