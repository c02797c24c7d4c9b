"""Draws are uniform: chi-square tests over listed spaces, over orbits, and where parts are counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens
from fake_backend import FakeBackend, installed, says
from scipy.stats import chisquare

from cpqueens import AllDifferent, Circuit, Cumulative, Model, StopReason
from cpqueens.answers.symmetry import QUEENS_BOARD, canonical
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.crosscheck import oracle
from cpqueens.errors import BackendFault, ModelError, NoSolution
from cpqueens.fuzzing.generate import random_model
from cpqueens.solving import diagram, sampling
from cpqueens.solving.sampling import NotSampled

DRAWS = 30
"""For each solution."""


def small_models() -> Iterator[tuple[str, Model]]:
    """Yield 20 models with 2 to 600 solutions."""
    for n in (4, 5, 6, 7):
        yield f"queens {n}", queens(n)
    latin = Model()
    x = latin.intvar(1, 4, shape=(4, 4), name="x")
    latin += [AllDifferent(line) for square in (x, x.T) for line in square]
    yield "latin", latin
    tour = Model()
    tour += Circuit(tour.intvar(0, 5, shape=6, name="next"))
    yield "circuit", tour
    tasks = Model()
    tasks += Cumulative(tasks.intvar(0, 4, shape=3, name="start"), [2, 2, 1], [1, 1, 2], 2)
    yield "tasks", tasks
    holes = Model()
    y = holes.intvar(domain=[-5, 0, 2, 9], shape=3, name="y")
    holes.add(y[0] * y[1] != y[2])
    yield "holes", holes
    seed, taken = 0, 0
    while taken < 12:
        model = random_model(seed)
        if 2 <= len(oracle.solve(model).solutions) <= 300:
            yield f"random {seed}", model
            taken += 1
        seed += 1


def ways(few: int) -> dict[str, tuple[int, float]]:
    """Return by the way of counting how many solutions are listed, and how wide a diagram may be."""
    return {"listed": (sampling.LISTED, -1), "diagram": (few, diagram.WIDEST), "counted": (few, -1)}


def p_value(drawn: np.ndarray, expected: np.ndarray) -> float:
    """Return how likely a distribution as uneven as that of the rows is; each expected row has a weight."""
    space, weights = np.unique(expected, axis=0, return_counts=True)
    found, many = np.unique(drawn, axis=0, return_counts=True)
    place = {tuple(row): k for k, row in enumerate(space.tolist())}
    counted = np.zeros(len(space))
    for row, number in zip(found.tolist(), many.tolist(), strict=True):
        counted[place[tuple(row)]] = number
    return float(chisquare(counted, weights * len(drawn) / len(expected)).pvalue) if len(space) > 1 else 1.0


def test_draws_are_uniform_over_solutions_and_orbits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the space is listed, drawn from a diagram, or where parts of it are counted and listed."""
    found: dict[str, float] = {}
    for name, model in small_models():
        space = model.enumerate(solver="cpsat").solutions.matrix
        assert 2 <= len(space) <= 600
        for way, (few, widest) in ways(1 + len(space) // 4).items():
            monkeypatch.setattr(sampling, "LISTED", few)
            monkeypatch.setattr(diagram, "WIDEST", widest)
            drawn = model.sample(DRAWS * len(space), "backtracking", random_seed=7)
            assert (drawn.count, drawn.exact) == (len(space), True)
            found[f"{name}, {way}"] = p_value(drawn.solutions.matrix, space)
            if name.startswith("queens"):
                orbits = canonical(drawn.solutions.matrix), canonical(space, QUEENS_BOARD)
                found[f"{name}, {way}, orbits"] = p_value(*orbits)
        again = model.sample(20, "backtracking", random_seed=7).solutions.matrix
        assert (again == model.sample(20, "backtracking", random_seed=7).solutions.matrix).all()
    assert len(found) == 3 * 20 + 3 * 4
    assert min(found.values()) > 1e-3, found
    assert 0.3 < np.mean(list(found.values())) < 0.8, found


def test_marginals_are_the_shares_of_all_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model()
    x = model.intvar(0, 3, shape=(2, 2), name="x")
    shade = model.var(["light", "dark"], name="shade")
    model.add(x.sum() == 5, (shade == "dark").implies(x[0, 0] > x[1, 1]))
    space = oracle.solve(model).solutions
    kept, read_once, counted, drawn = (
        (sampling.LISTED, 0, -1),
        (2, sampling.STREAMED, -1),
        (2, 0, -1),
        (2, 0, 30),
    )
    for few, streamed, widest in (kept, read_once, counted, drawn):
        monkeypatch.setattr(sampling, "LISTED", few)
        monkeypatch.setattr(diagram, "WIDEST", widest)
        monkeypatch.setattr(sampling, "STREAMED", streamed)
        found = model.marginals("backtracking")
        assert found.count == len(space)
        for value in range(5):
            expected = (space[:, :4] == value).mean(axis=0).reshape(2, 2)
            assert np.allclose(found.share(x, value), expected)
        number = {"light": 0, "dark": 1}["dark"]
        assert found.share("shade", "dark") == (space[:, 4] == number).mean()
        frame = found.to_frame()
        assert np.allclose(frame.sum(axis=1), 1)
        assert frame.loc["x[1,0]", 2] == found.share(x[1, 0], 2)
    with pytest.raises(ModelError):
        found.share(x + 1, 0)


def test_what_cannot_be_counted_is_refused_or_said_to_be_approximate() -> None:
    model = Model()
    x = model.intvar(0, 7, shape=(8, 8), name="x")
    model += [AllDifferent(line) for square in (x, x.T) for line in square]
    with pytest.raises(NotSampled, match="approximate=True") as error:
        model.sample(3, "backtracking", time_limit=0.5)
    assert "\n" not in str(error.value)
    assert error.value.exit_code == 3
    drawn = model.sample(2, "backtracking", approximate=True)
    assert (len(drawn), drawn.count, drawn.exact) == (2, None, False)
    assert "not known" in drawn.guarantee
    assert all(s.check().ok for s in drawn)
    assert len({s.values.tobytes() for s in drawn}) == 2


def test_the_walk_keeps_the_uniform_distribution() -> None:
    """On a space whose halves are well connected, every second state is nearly independent."""
    model = Model()
    x = model.intvar(0, 2, shape=4, name="x")
    model.add(x.sum() == 4)
    drawn = model.sample(200, "backtracking", approximate=True, random_seed=3)
    assert p_value(drawn.solutions.matrix[::2], oracle.solve(model).solutions) > 1e-3


def test_nothing_to_draw_and_bad_requests() -> None:
    for approximate in (False, True):
        with pytest.raises(NoSolution):
            queens(3).sample(1, "backtracking", approximate=approximate)
    with pytest.raises(NoSolution):
        queens(3).marginals("backtracking")
    for options in (
        {"k": 0},
        {"k": 1, "random_seed": 0.5},
        {"k": 1, "approximate": 3},
        {"k": 1, "time_limit": 0},
    ):
        with pytest.raises(ModelError) as error:
            queens(6).sample(**options)  # type: ignore[arg-type]
        assert "\n" not in str(error.value)


def test_a_count_that_listing_does_not_confirm_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model()
    model.intvar(0, 4, name="x")
    every = says(np.arange(5)[:, None])
    monkeypatch.setattr(sampling, "LISTED", 3)
    monkeypatch.setattr(diagram, "WIDEST", -1)
    for claimed in (3, 9):

        def script(model: Any, request: Request, deliver: Deliver, claimed: int = claimed) -> Ended:
            if request.want is Want.COUNT:
                return Ended(True, StopReason.EXHAUSTED, count=claimed)
            return every(model, request, deliver)

        with installed(FakeBackend(script)), pytest.raises(BackendFault):
            model.sample(2, "fake")


def test_a_local_search_may_start_from_a_draw() -> None:
    model = Model()
    x = model.intvar(0, 3, shape=(3, 4), name="x")
    model.add((x == 1).sum(axis=0) == 1)
    model.minimize(x.sum())
    for start in model.sample(3, random_seed=2):
        walked = model.solve("local-search", hint=start, step_limit=20, random_seed=0, trace=50)
        assert next(iter(walked.trace.states())).tolist() == start["x"].reshape(-1).tolist()
        assert walked.objective <= start["x"].sum()


def test_shares_are_told_by_names_and_labels() -> None:
    model = Model()
    x = model.var(["D", "N"], shape=["Al", "Bo"], name="x")
    model.add((x["Al"] == "D") | (x["Bo"] == "D"))
    found = model.marginals("backtracking")
    assert str(found).splitlines() == [
        "of 2 variables in 3 solutions",
        "  x[Al]  D: 0.667, N: 0.333",
        "  x[Bo]  D: 0.667, N: 0.333",
    ]
    assert repr(found) == "<Marginals of 2 variables in 3 solutions>"


def test_a_roster_of_more_solutions_than_could_be_listed_is_drawn_from() -> None:
    """Seven weeks of five days: they are independent, so the count of one says that of all."""
    week = Model()
    roster(week.intvar(0, 2, shape=(2, 5), name="shift"), week)
    model = Model()
    x = model.intvar(0, 2, shape=(2, 35), name="shift")
    for first in range(0, 35, 5):
        roster(x[:, first : first + 5], model)
    one = len(oracle.solve(week).solutions)
    assert one**7 > 10**15
    drawn = model.sample(400, "backtracking", random_seed=1)
    assert (drawn.count, drawn.exact) == (one**7, True)
    assert all(solution.check().ok for solution in drawn)
    found, all_of_week = drawn[x], oracle.solve(week).solutions.reshape(-1, 2, 5)
    shares = model.marginals()
    for first in range(0, 35, 5):
        for value in range(3):
            share = (all_of_week == value).mean(axis=0)
            seen = (found[:, :, first : first + 5] == value).mean(axis=0)
            assert (abs(seen - share) < 5 * np.sqrt(share * (1 - share) / 400) + 1e-9).all()
            assert np.allclose(shares.share(x[:, first : first + 5], value), share)


def roster(x: Any, model: Model) -> None:
    """State that somebody works each day, nobody early after late, or all five days."""
    model.add((x > 0).sum(axis=0) >= 1, (x > 0).sum(axis=1) <= 4, ~((x[:, :-1] == 2) & (x[:, 1:] == 1)))


@pytest.mark.parametrize("approximate", [False, True])
def test_what_was_interrupted_does_not_ask_for_a_longer_limit(approximate: bool) -> None:
    m = Model()
    m += AllDifferent(m.intvar(0, 99, shape=9, name="x") ** 2 % 101)
    stopped = FakeBackend(says(exhausted=False, reason="interrupted"))
    with installed(stopped), pytest.raises(NotSampled, match=r"^interrupted before"):
        m.sample(1, "fake", approximate=approximate, time_limit=0.4)
