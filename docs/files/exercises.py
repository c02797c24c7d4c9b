"""Checkers for the exercises of the lessons: each is a model that accepts only the right answers.

``cpqueens check exercises.py:corner 4`` says whether 4 is right. What is right is worked out when it is
asked for, by a search or by the mean over many runs.
"""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from cpqueens.models.queens import queens

from cpqueens import Model, Predicate, compare
from cpqueens.answers.symmetry import fundamental

RUNS = 1500
MOST = 9999  # that an answer can be
DEVIATIONS = 4  # by which a mean that the reader measured may differ


def corner() -> Model:
    """Lesson 1, exercise 2: in how many boards of 8 the first queen stands in the corner."""
    board = queens(8)
    board += board["q"][0] == 0
    return _one_of([board.count()])


def smallest() -> Model:
    """Lesson 1, exercise 3: the least n above 1 for which n queens fit."""
    fits = [n for n in range(2, 9) if queens(n).solve(solver="backtracking").solution is not None]
    return _one_of(fits[:1])


def restarts() -> Model:
    """Lesson 2, exercise 1: how many starts steepest ascent needs on 8 x 8 in the mean, as a whole number."""
    solved = queens(8).runs("local-search:sideways", RUNS, max_sideways=0, start="independent").solved
    error = DEVIATIONS * np.sqrt(solved.mean() * (1 - solved.mean()) / RUNS)
    return _one_of(range(int(1 / (solved.mean() + error)), int(np.ceil(1 / (solved.mean() - error))) + 1))


def kinds() -> Model:
    """Lesson 2, exercise 3: how many boards of 8 there are if turned and mirrored ones count once."""
    found = queens(8).enumerate(solver="backtracking").solutions.matrix
    return _one_of([len(fundamental(found))])


def by_chance(n: int = 8) -> Model:
    """Lesson 3, exercise 1: for how many queens by chance a run costs fewest nodes, within a tenth."""
    cost = [float(queens(n).runs("las-vegas", RUNS, stop_vegas=k).steps.mean()) for k in range(n + 1)]
    return _one_of(k for k in range(n + 1) if cost[k] <= 1.1 * min(cost))


def luck() -> Model:
    """Lesson 3, exercise 2: how often eight queens placed by chance are a board, in percent."""
    outcome = queens(8).solve(solver="las-vegas", stop_vegas=8, attempts=4 * RUNS, random_seed=0)
    p = outcome.statistics["successes"] / outcome.statistics["attempts"]
    error = DEVIATIONS * np.sqrt(p * (1 - p) / (4 * RUNS))
    return _one_of(range(int(100 * (p - error)), int(np.ceil(100 * (p + error))) + 1))


def enough() -> Model:
    """Lesson 3, exercise 3: how many runs tell 2 from 4 queens by chance, within a factor of two."""
    some, others = (queens(8).runs("las-vegas", RUNS, stop_vegas=k).steps for k in (2, 4))
    needed = 4 * (some.var() + others.var()) / (some.mean() - others.mean()) ** 2
    return _one_of(range(int(needed / 2), int(2 * needed) + 1))


def lost() -> Model:
    """Lesson 4, exercise 3: what `cpqueens compare` ends with if a constraint was lost."""
    whole = queens(6)
    return _one_of([compare(whole, whole.without([2])).exit_code])


def hours() -> Model:
    """Lesson 5, exercise 1: how many hours the timetable needs at least."""
    lessons = [("7a", "Ada"), ("7a", "Ben"), ("7b", "Ada"), ("7b", "Cleo"), ("7c", "Ben"), ("7c", "Ada")]
    m = Model("timetable")
    hour = m.intvar(1, 6, shape=6, name="hour")
    pairs = combinations(range(6), 2)
    m += [hour[i] != hour[j] for i, j in pairs if set(lessons[i]) & set(lessons[j])]
    m += [(hour == h).sum() <= 2 for h in range(1, 7)]
    m.minimize(hour.max())
    return _one_of([m.solve().objective])


def fewest() -> Model:
    """Lesson 6, exercise 3: how few things of the knapsack have the best value."""
    weight, value = [12, 7, 11, 8, 9, 6, 5, 14], [24, 13, 23, 15, 16, 11, 9, 28]
    m = Model("knapsack")
    take = m.boolvar(shape=8, name="take")
    m.add(take @ weight <= 26)
    m.maximize(take @ value)
    m.then_minimize(take.sum())
    return _one_of([m.solve().objectives[1]])


def _one_of(right: Iterable[int]) -> Model:
    """Return a model that accepts these answers, and whose messages do not give them away."""
    answers = frozenset(right)
    m = Model("the right answer")

    def is_right(answer: int) -> bool:
        return answer in answers

    m.add(Predicate(is_right, m.intvar(0, MOST, name="answer")), name="right")
    return m
