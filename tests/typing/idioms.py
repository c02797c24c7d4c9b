"""What people write, in sixty idioms: mypy passes it under --strict, and it runs."""

import numpy as np

from cpqueens import (
    STOP,
    AllDifferent,
    BoolArray,
    Count,
    LinearArray,
    Model,
    Outcome,
    Solution,
    Table,
    all_,
    any_,
    cross_check,
    element,
    maximum,
    minimum,
)


def main() -> None:
    """Write them down, and solve."""
    m = Model("idioms")
    x = m.intvar(0, 5, shape=4, name="x")
    y = m.intvar(0, 5, name="y")
    g = m.intvar(0, 3, shape=(2, 2), name="g")
    b = m.boolvar(shape=4, name="b")
    weights = np.array([1, 2, 3, 4])
    i = np.arange(4)

    # ---- arithmetic with numbers, lists and NumPy arrays
    sums: list[LinearArray] = [
        x + 1,
        1 + x,
        x - y,
        2 * x,
        x * 2,
        -x,
        x + [1, 2, 3, 4],  # noqa: RUF005
        [1, 2, 3, 4] + x,  # noqa: RUF005
        x * [1, 2, 3, 4],
        x + i,
        x - i,
        weights * x,
        weights @ x,
        x @ weights,
        x @ [1, 2, 3, 4],
        x + i[::-1],
        np.int64(3) * y,
        x // 2,
        x % 2,
        abs(x - y),
        x[0] * x[1],
        x.sum(),
        g.sum(axis=0),
        g.T,
        x[1:],
        x[[0, 2]],
        x[y % 4],
        g.reshape(-1),
        maximum(x),
        minimum([x[0], y, 3]),
        element([3, 1, 2], y % 3),
    ]

    # ---- functions of NumPy and of Python
    totals = [np.sum(x), np.sum(g, axis=0), np.abs(x), np.maximum(x, 2), np.concatenate([x, x]), sum(x)]
    diagonal = np.diff(x)
    factors = [1, 2, 3, 4]
    m.add(np.sum(x) <= 40, np.max(x) <= 9, np.min(x) >= y - 9, factors * x <= 40, 2 * np.sum(x) - y >= -9)

    # ---- truths
    truths: list[BoolArray] = [
        x == 3,
        x != y,
        x < [1, 2, 3, 4],
        x <= i,
        x >= 0,
        (x > 1) & (x < 4),
        weights * x <= 9,
        (x == 1) | (x == 2),
        ~(x == 5),
        (y == 0).implies(x[0] > 1),
        b[0].implies(y > 2),
        (x == 1) ^ (x == 2),
        any_(x == 1),
        all_([y >= 0, x[0] >= 0]),
    ]

    # ---- constraints
    m += x.sum() <= 12
    m += [AllDifferent(x), AllDifferent(x[0], y + 6)]
    m.add(Count(x, 1, 1), b.sum() == 2, name="counts")
    m.add(Table([x[0], y], [[0, 1], [2, 3], [1, 4]]))
    m.add(x[k] + b[k] <= 5 for k in range(4))
    m.add_soft(x[0] == 3, weight=2, name="three")
    m.add_soft(x == [1, 0, 3, 2], weight=[1, 2, 3, 4])
    m.fix(b[0], 1)
    m.minimize(weights @ x, y)
    m.then_maximize(x[0])

    # ---- solving
    def told(solution: Solution) -> object:
        return STOP if solution[y] > 100 else None

    outcome: Outcome = m.solve("cpsat", time_limit=20, random_seed=3, hint={x: [0, 1, 2, 3], "y": 1})
    best = m.enumerate(told, "backtracking", optimal=True, time_limit=20)
    count: int = m.count(optimal=True)
    with m.solutions("backtracking", solution_limit=2) as stream:
        found = [solution[x].tolist() for solution in stream]
    values = outcome[x] + 1
    number = int(outcome[y])
    assumed = m.solve(assumptions=[b[1], ~(x == 9)], hint=outcome)
    named = m.solve(assumptions={"first": b[1], "late": y >= 9}, linearization_level=0)
    tabu = m.copy().solve("local-search:tabu", tenure=4, time_limit=0.1) if len(m.goals) == 1 else None
    core = [assumption.name for assumption in named.core or ()]
    penalties = [(violation.name, violation.penalty) for violation in outcome.violated]
    checked: bool = m.check({x: [0, 1, 2, 3], "y": 1, "g": [[0, 0], [0, 0]], "b": [1, 1, 0, 0]}).ok
    agree = cross_check(m, ["cpsat", "backtracking"], time_limit=20, optimal=True).agree
    if outcome.solution is not None:
        plain = dict(outcome.solution)
        frame = outcome.to_frame(x, {"more": x + 1})
        wide, listed = outcome.solution.to_frame("g", long=False), best.solutions.to_frame(x)
        assert ("x" in plain, list(frame), wide.shape) == (True, ["x", "more"], (2, 2))
        assert len(listed) == len(best.solutions)
    assert outcome.complete
    assert best.complete
    assert count == best.count >= 1
    assert checked
    assert agree
    assert len(sums) + len(totals) + len(truths) + len(diagonal) >= 50
    assert (len(found), values.shape, number >= 0, len(core) <= 2, len(penalties) <= 5) == (
        2,
        (4,),
        True,
        True,
        True,
    )
    assert assumed.core is None
    assert tabu is None
