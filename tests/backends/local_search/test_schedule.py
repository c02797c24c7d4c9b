"""Schedules: optima against exact ones, the state of the lists, and what is no schedule."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from each import each

from cpqueens import Cumulative, Model, NoOverlap, Or, maximum
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.local_search import schedule as module
from cpqueens.backends.local_search.schedule import ScheduleWalk
from cpqueens.backends.local_search.search import Limits
from cpqueens.backends.local_search.slices import Alone
from cpqueens.kernels.local import info as at, schedule as codes
from cpqueens.lowered.structures.schedule import TaskNetwork
from cpqueens.lowered.structures.table import Structures

TASKS = 6


def schedule_of(m: Model) -> TaskNetwork | None:
    """Return the schedule that a model is, if it is one."""
    return Structures(m, takes=takes).find("schedule")


def begun(schedule: TaskNetwork, seed: int) -> ScheduleWalk:
    """Return a walk that has a first schedule."""
    walk = ScheduleWalk(schedule, seed)
    walk.begin(Alone(walk, Limits(), None))
    return walk


def shop(seed: int) -> Model:
    """Return a random model of all that a schedule may have; its objective is written in one of four ways."""
    random = np.random.default_rng(seed)
    m = Model("shop")
    start = m.intvar(0, 20, shape=TASKS, name="start")
    duration = random.integers(0, 5, TASKS)
    end = start + duration
    m.add(start[1] >= end[0], start[3] - start[2] >= int(random.integers(-2, 4)), start[4] <= 15)
    m.add(NoOverlap([start[0], start[1] + 1, start[2]], duration[:3]), NoOverlap(start[2:5], duration[2:5]))
    m.add(Or([end[0] + 2 <= start[5], ~(start[0] < end[5] + 1)]))
    m.add(Cumulative(start, duration, random.integers(0, 3, TASKS), 3))
    last = m.intvar(0, 40, name="last")
    ways: list[Callable[[], None]] = [
        lambda: m.minimize(maximum(end)),
        lambda: (m.add(last == maximum(end)), m.minimize(last)),
        lambda: (m.add(last >= end), m.minimize(2 * last + 3)),
        lambda: (m.add(last == start[0] + 7), m.minimize((random.integers(0, 4, TASKS) * end).sum() + last)),
    ]
    ways[seed % 4]()
    return m


def test_a_machine_keeps_its_tasks_and_no_pairs_of_them() -> None:
    m = Model()
    start = m.intvar(0, 900, shape=300, name="start")
    m.add(NoOverlap(start, 2))
    schedule = schedule_of(m)
    assert schedule is not None
    assert (len(schedule.pairs), [len(tasks) for tasks in schedule.machines]) == (0, [300])
    walk = begun(schedule, 1)
    assert len(walk.arena) < 50 * 300
    assert sorted(walk.best().tolist()) == list(range(0, 600, 2))


def test_two_tasks_of_one_start_on_a_machine_are_no_schedule() -> None:
    m = Model()
    start = m.intvar(0, 9, shape=2, name="start")
    m.add(NoOverlap([start[0], start[1], start[0] + 3], 2))
    assert schedule_of(m) is None


@each("seed", range(8))
def test_the_best_schedule_is_found(seed: int) -> None:
    m = shop(seed)
    found = m.solve(solver="local-search", random_seed=seed, step_limit=600)
    best = m.solve(solver="backtracking")
    assert found.statistics["special"] == "schedule"
    assert (found.status, found.objective) == ("FEASIBLE", best.objective)


def test_deadlines_without_an_objective_are_kept() -> None:
    m = Model()
    start = m.intvar([0, 0, 2, 1], [4, 9, 3, 1], shape=4, name="start")
    m.add(NoOverlap(start, [3, 4, 2, 1]), start[1] >= start[0])
    found = m.solve(solver="local-search", step_limit=600)
    assert found.status == "FEASIBLE"
    assert found.statistics["special"] == "schedule"


def test_what_has_no_schedule_goes_to_the_general_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHARE", 150)
    m = Model()
    m.add(NoOverlap(m.intvar(0, 1, shape=3), 1))
    found = m.solve(solver="local-search", step_limit=250)
    assert found.status == "UNKNOWN"
    assert found.statistics["special_steps"] == 150


@pytest.mark.parametrize("seed", range(3))
def test_lists_keep_all_lags_and_starts_follow_from_them(seed: int) -> None:
    schedule = schedule_of(shop(seed))
    assert schedule is not None
    walk = begun(schedule, seed)
    for _ in range(50):
        codes.schedule_search(3, walk.arena, walk.random)
        place, start = walk.part(codes.PLACE), walk.part(codes.START).copy()
        assert (np.sort(walk.part(codes.ORDER)) == np.arange(len(place))).all()
        assert (walk.part(codes.ORDER)[place] == np.arange(len(place))).all()
        j, i, c = schedule.lags.T
        assert (place[i] < place[j]).all()
        assert (start[j] >= start[i] + c).all()
        cost = int(walk.info[at.COST])
        codes.decode(0, walk.arena)
        assert (walk.part(codes.START) == start).all()
        assert walk.info[at.COST] == cost


@each("seed", range(3))
def test_the_first_schedule_is_made_in_pieces(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = schedule_of(shop(seed))
    assert schedule is not None
    monkeypatch.setattr(module, "AT_ONCE", 1)
    walk = begun(schedule, seed)
    assert walk.info[codes.PLACED] == len(schedule.lower)
    assert walk.info[at.STEPS] == 0
    best, cost = walk.part(codes.BEST).copy(), int(walk.info[at.LEAST])
    codes.decode(0, walk.arena)
    assert (walk.part(codes.START) == best).all()
    assert walk.info[at.COST] == cost


def test_the_first_schedule_ends_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    schedule, answers = schedule_of(shop(0)), iter([False, False, True, *[False] * TASKS])
    assert schedule is not None
    monkeypatch.setattr(module, "AT_ONCE", 1)
    walk = ScheduleWalk(schedule, 0)
    run = Alone(walk, Limits(None, lambda: next(answers)), None)
    assert (walk.begin(run), walk.info[codes.PLACED]) == ("stopped", 3)
    result = walk.result("stopped", run)
    assert (walk.has_found, result.objective) == (False, None)
    assert (result.x >= 0).all()
    assert walk.begin(run) is None
    assert (walk.part(codes.BEST) == begun(schedule, 0).part(codes.BEST)).all()


@each("seed", range(8))
def test_starts_are_the_first_that_fit(seed: int) -> None:
    random = np.random.default_rng(seed)
    m, many = Model(), 12
    start = m.intvar(0, 100, shape=many)
    length, need = random.integers(1, 7, many), random.integers(1, 5, many)
    m.add(Cumulative(start, length, need, 6))
    m.minimize(maximum(start + length))
    schedule = schedule_of(m)
    assert schedule is not None
    walk = begun(schedule, seed)
    found, load = walk.present(), np.zeros(100, dtype=np.int64)
    for t in (node for node in walk.part(codes.ORDER).tolist() if node in schedule.node):
        (k,) = np.flatnonzero(schedule.node == t)
        fits = [s for s in range(90) if (load[s : s + length[k]] + need[k] <= 6).all()]
        assert found[k] == fits[0]
        load[fits[0] : fits[0] + length[k]] += need[k]


def test_the_first_call_has_one_step_since_that_may_take_long() -> None:
    schedule, calls = schedule_of(shop(0)), list[int]()
    assert schedule is not None
    walk = ScheduleWalk(schedule, 0)

    def stalled(most: int) -> int:
        calls.append(most)
        return at.STALLED

    walk.kernel = stalled
    walk.walk(Alone(walk, Limits(None, lambda: len(calls) > 0), None))
    assert calls == [1]


def test_no_task_of_a_machine_is_put_before_another_one_alone() -> None:
    """What stands between them on the machine comes first, too, so that it would have to precede itself."""
    m = Model()
    start = m.intvar(0, 9, shape=3)
    m.add(NoOverlap(start, 2))
    schedule = schedule_of(m)
    assert schedule is not None
    walk = begun(schedule, 1)
    first, second, third = walk.part(codes.ORDER).tolist()
    assert codes.bring(first, third, walk.arena) == -1
    assert codes.bring(first, second, walk.arena) == 0
    assert walk.part(codes.ORDER).tolist() == [second, first, third]


def circle(m: Model, s: object) -> None:
    m.add(s[0] >= s[1] - 3, s[1] >= s[0])  # type: ignore[index]


NOT_SCHEDULES: dict[str, Callable[[Model, object], None]] = {
    "late is better": lambda m, s: m.minimize(s[0] - s[1]),  # type: ignore[index]
    "a lag that bounds from both sides": circle,
    "three variables": lambda m, s: m.add(s[0] + s[1] >= s[2]),  # type: ignore[index]
    "a gap": lambda m, s: m.add(s[0] != 3),  # type: ignore[index]
    "a maximum that must be large": lambda m, s: m.add(maximum(s) >= 5),
    "a maximum that waits for another task": lambda m, s: m.add(maximum(s) >= m.intvar(0, 9) + 2),
    "a task that may be absent": lambda m, s: m.add(NoOverlap(s, 2, m.boolvar(3))),
    "a duration to choose": lambda m, s: m.add(NoOverlap(s, m.intvar(1, 2, shape=3))),
    "one of three": lambda m, s: m.add(Or([s[0] >= s[1], s[1] >= s[2], s[2] >= s[0]])),  # type: ignore[index]
}


@each("what", NOT_SCHEDULES)
def test_other_models_are_no_schedules(what: str) -> None:
    m = Model()
    s = m.intvar(0, 9, shape=3)
    m.add(NoOverlap(s, 2))
    assert schedule_of(m) is not None
    m.minimize(s.sum())
    NOT_SCHEDULES[what](m, s)
    assert schedule_of(m) is None
