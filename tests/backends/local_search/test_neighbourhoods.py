"""Large neighbourhoods of a solution, which the exact engine searches beside the walk."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cpqueens import Model, ModelError
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.backends.local_search import root
from cpqueens.backends.local_search.neighbourhoods import LEAST, Neighbourhoods, kept_of
from cpqueens.backends.local_search.root import Root, Tree, propagated
from cpqueens.errors import UnknownParameter
from cpqueens.lowered.structures.table import Structures
from cpqueens.system.stopping import Stopped


def chain(n: int) -> Model:
    """Neighbours differ by at most 1, and the ends are far apart: a solution is one long slope."""
    m = Model()
    x = m.intvar(0, n, shape=n, name="x")
    m += [abs(x[1:] - x[:-1]) <= 1, x[0] == 0]
    m.maximize(x.sum())
    return m


def cut(n: int, seed: int) -> Model:
    """A cut of a random graph."""
    r, m = np.random.default_rng(seed), Model()
    x = m.boolvar(shape=n, name="x")
    i, j = np.triu_indices(n, 1)
    chosen = r.random(len(i)) < 0.3
    m.maximize((x[i[chosen]] != x[j[chosen]]).sum())
    return m


def root_of(model: Model) -> Root:
    found = propagated(Structures(model, "local-search", takes), request())
    assert found is not None
    return found


def request() -> Request:
    return Request(want=Want.BEST, clock=Clock(None))


def test_a_neighbourhood_follows_constraints_or_is_random_and_has_its_size() -> None:
    compiled = root_of(chain(40)).compiled
    around, same = Neighbourhoods(compiled, 3), Neighbourhoods(compiled, 3)
    assert around.size == LEAST
    around.size = same.size = 6
    together = 0
    for turn in range(20):
        free = around.choose()
        assert (free == same.choose()).all()
        assert np.count_nonzero(free) == 6
        places = np.flatnonzero(free)
        is_window = places[-1] - places[0] == 5
        together += is_window
        assert is_window or turn % 2
    assert 10 <= together < 20


def test_it_grows_where_it_is_exhausted_and_shrinks_where_it_is_too_large() -> None:
    around = Neighbourhoods(root_of(chain(40)).compiled, 1)
    sizes = []
    for exhausted in (True, True, True, False, False, False, False):
        around.learn(exhausted)
        sizes.append(around.size)
    assert sizes == [6, 8, 11, 8, 6, 4, 4]
    for _ in range(40):
        around.learn(True)
    assert around.size == 40
    assert around.choose().all()


def test_what_the_user_named_is_kept_with_its_chance_in_every_second_one() -> None:
    model = chain(40)
    kept = kept_of(model, [("x", 0), (["x[3]", "x[5]"], 100), ("x[7]", 50)])
    around = Neighbourhoods(root_of(model).compiled, 3, kept)
    named = []
    for turn in range(40):
        size, free = around.size, around.choose()
        around.learn(True)
        if turn % 2:
            assert np.count_nonzero(free) == size
        else:
            assert (around.size, free[[3, 5]].any()) == (size, False)
            assert np.count_nonzero(free) >= 37
            named.append(free[7])
    assert 5 <= sum(named) <= 15
    with pytest.raises(ModelError, match="y"):
        model.solve("local-search", relax=[("y", 50)])
    with pytest.raises(UnknownParameter, match="names and percentages"):
        model.solve("local-search", relax=[("x", 101)])


def test_what_is_not_free_stays_and_what_is_found_is_as_good_as_demanded() -> None:
    tree = Tree(root_of(chain(12)), request())
    x = np.zeros(12, dtype=np.int64)
    free = np.arange(12) >= 8
    found = tree.repair(x, free, 1000, -1)  # minimised
    assert found.solution is not None
    assert found.exhausted
    assert found.solution.tolist() == [0] * 8 + [1, 2, 3, 4]
    assert tree.repair(x, free, 1000, -11).solution is None
    x[3] = 5  # what the root has taken from it
    nothing = tree.repair(x, free, 1000, -1)
    assert (nothing.solution, nothing.exhausted) == (None, True)


def test_keeping_very_many_values_ends_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of a hundred thousand is set by a call in plain form, before the search looks at its limit."""
    looked = 0

    def slow(memory: Any, place: int, value: int) -> bool:
        nonlocal looked
        looked += 1
        end = time.thread_time() + 10  # seconds after which the test fails
        while time.thread_time() < end:
            pass
        return True

    tree = Tree(root_of(chain(12)), replace(request(), clock=Clock(0.03)))
    monkeypatch.setattr(root.at, "contains", slow)
    with pytest.raises(Stopped):
        tree.repair(np.zeros(12, dtype=np.int64), np.zeros(12, dtype=bool), 1000, None)
    assert looked == 1


def test_walks_and_neighbourhoods_take_turns_and_nothing_is_claimed_of_the_model() -> None:
    for seed in range(3):
        model = cut(26, seed)
        outcome = model.solve(solver="local-search", step_limit=30_000, seed=seed)
        assert outcome.statistics["presolve"]["neighbourhoods"] > 0
        assert outcome.objective is not None
        assert outcome.bound is None or outcome.bound >= outcome.objective
    again = model.solve(solver="local-search", step_limit=30_000, seed=2)
    for name in ("presolve", "trajectory", "improvements"):
        assert again.statistics.get(name) == outcome.statistics.get(name)
