"""The plainer representations against the plain twin: the same nodes in the same order as `bitmask`."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pattern_twin import list_all, random_pattern, twin
from seeds import seeds

from cpqueens import Model, UnsupportedConstraint
from cpqueens.kernels.boards.bitmask import BitmaskSearch
from cpqueens.kernels.boards.pattern import Pattern, queens
from cpqueens.kernels.boards.search import PatternSearch
from cpqueens.kernels.boards.tables import CheckSearch, RowmaskSearch, TableSearch

SEARCHES: list[type[PatternSearch]] = [CheckSearch, TableSearch, RowmaskSearch]
REPRESENTATION = pytest.mark.parametrize("representation", SEARCHES)

PLAIN_MODE = """
import random
import numpy as np
from cpqueens.kernels.boards.bitmask import BitmaskSearch
from cpqueens.kernels.boards.pattern import Group, Pattern, queens
from cpqueens.kernels.boards.tables import CheckSearch, RowmaskSearch, TableSearch
from cpqueens.kernels.jit.tiers import MODE
from pattern_twin import list_all, random_pattern, superqueens, toroidal

full = Pattern(64, np.array([2**64 - 1, 2**63 + 1], dtype=np.uint64), queens(2).groups)
patterns = [queens(1), queens(6), toroidal(5), superqueens(6), full]
patterns += [random_pattern(random.Random(seed)) for seed in range(12)]
for pattern in patterns:
    for representation in BitmaskSearch, CheckSearch, TableSearch, RowmaskSearch:
        search = representation(pattern)
        found = list_all(search, 4, 9)
        counting = representation(pattern)
        while not counting.exhausted:
            counting.count(20)
        print(MODE, hash(str(found)), search.nodes, search.failures, counting.nodes)
"""


@REPRESENTATION
@seeds(range(40))
def test_random_patterns_equal_the_plain_twin(representation: type[PatternSearch], seed: int) -> None:
    pattern = random_pattern(random.Random(seed))
    solutions, nodes, failures = twin(pattern)
    listing, counting = representation(pattern), representation(pattern)
    assert list_all(listing, batch=2, budget=5) == solutions
    while not counting.exhausted:
        counting.count(6)
    assert (listing.nodes, listing.failures, listing.solutions) == (nodes, failures, len(solutions))
    assert (counting.nodes, counting.failures, counting.solutions) == (nodes, failures, len(solutions))


@REPRESENTATION
def test_8_queens(representation: type[PatternSearch]) -> None:
    search = representation(queens(8))
    out = np.zeros((1, 8), dtype=np.uint8)
    search.fill(out, budget=1000)
    assert (search.nodes, out[0].tolist()) == (114, [0, 4, 7, 5, 2, 6, 1, 3])
    while not search.exhausted:
        search.count()
    assert (search.nodes, search.solutions) == (2057, 92)  # A319284 summed, A000170


@REPRESENTATION
def test_no_rows(representation: type[PatternSearch]) -> None:
    search = representation(queens(0))
    assert not search.exhausted
    assert search.count() == 1
    assert (search.exhausted, search.nodes) == (True, 1)


@REPRESENTATION
def test_first_solution_of_12_queens(representation: type[PatternSearch]) -> None:
    search = representation(queens(12))
    search.fill(np.zeros((1, 12), dtype=np.uint8), budget=1000)
    assert search.nodes == 262


@REPRESENTATION
def test_resuming_after_any_assignment(representation: type[PatternSearch]) -> None:
    solutions = twin(queens(6))[0]
    for after in itertools.islice(itertools.product(range(0, 6, 2), repeat=6), 0, None, 5):
        expected = [s for s in solutions if tuple(s) > after]
        assert list_all(representation(queens(6), after=after)) == expected


@REPRESENTATION
def test_resuming_visits_the_same_nodes_as_bitmask(representation: type[PatternSearch]) -> None:
    for solution in twin(queens(7))[0]:
        search, other = representation(queens(7), after=solution), BitmaskSearch(queens(7), after=solution)
        assert list_all(search) == list_all(other)
        assert (search.nodes, search.failures) == (other.nodes, other.failures)


@REPRESENTATION
def test_prefixes_split_the_search(representation: type[PatternSearch]) -> None:
    for prefix in itertools.product(range(6), repeat=2):
        search, other = representation(queens(6), prefix=prefix), BitmaskSearch(queens(6), prefix=prefix)
        assert list_all(search) == list_all(other)
        assert (search.nodes, search.failures) == (other.nodes, other.failures)


@REPRESENTATION
@pytest.mark.parametrize("width", [7, 8, 9, 17, 64])
def test_words_of_eight_columns(representation: type[PatternSearch], width: int) -> None:
    """Free columns at all places of a word, and rows that are longer than one."""
    source = random.Random(width)
    for n in (1, 7, 8, 9, 12):
        some = 3 if n < 9 else 2
        rows = [sum(1 << c for c in source.sample(range(width), some)) for _ in range(n)]
        pattern = Pattern(width, np.array(rows, dtype=np.uint64), queens(n).groups)
        search, other = representation(pattern), BitmaskSearch(pattern)
        assert list_all(search, batch=3, budget=50) == list_all(other, batch=3, budget=50)
        assert (search.nodes, search.failures) == (other.nodes, other.failures)


def test_a_square_that_all_rows_attack() -> None:
    """127 rows of which the last takes what all others attack, and one more, which would overflow a byte."""
    for n in (127, 128):
        m = Model("rows")
        x = m.intvar(0, 1, shape=n, name="x")
        m += [x[-1] != x[k] for k in range(n - 1)]
        m += [x[k] == 0 for k in range(n - 1)]
        if n > 127:
            with pytest.raises(UnsupportedConstraint, match="at most 127 queens, and has 128"):
                m.count(solver="backtracking:table")
        else:
            assert m.count(solver="backtracking:table") == m.count(solver="backtracking:rowmask") == 1


def test_plain_mode_gives_the_same() -> None:
    outputs = []
    for disabled in ("0", "1"):
        settings = {"NUMBA_DISABLE_JIT": disabled, "PYTHONHASHSEED": "0"}
        environment = {**os.environ, **settings, "PYTHONPATH": str(Path(__file__).parent)}
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", PLAIN_MODE],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        outputs.append(run.stdout)
    assert outputs[0].replace("compiled", "plain") == outputs[1]
    assert "compiled" in outputs[0]
