"""Small models as other people write them: each with the constraints, and the habits, of one field."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cpqueens import (
    ANY,
    AllDifferent,
    AllDifferentExcept,
    AllEqual,
    Among,
    BinPacking,
    Circuit,
    Count,
    Cumulative,
    GlobalCardinality,
    Increasing,
    Inverse,
    LexChainLess,
    LexLessEqual,
    Model,
    NegativeTable,
    NoOverlap,
    NoOverlap2D,
    NValue,
    Regular,
    SubCircuit,
    Table,
    ValuePrecede,
    Xor,
    all_,
    any_,
    div_trunc,
    element,
    maximum,
    minimum,
    mod_trunc,
)


def knapsack(m: Model) -> None:
    take = m.intvar(0, 2, shape=4, name="take")
    m.add(take @ [3, 4, 5, 2] <= 9)
    m.maximize(take @ [4, 5, 7, 1])


def knapsack_of_bools(m: Model) -> None:
    packed = m.boolvar(shape=5, name="packed")
    m.add(packed @ [2, 3, 4, 5, 9] <= 12, packed[0].implies(packed[3]), any_(packed[1:3]))
    m.maximize(packed @ [3, 4, 8, 8, 10] - 2 * (packed[0] & packed[4]))


def magic_square(m: Model) -> None:
    x = m.intvar(1, 9, shape=(3, 3), name="square")
    m.add(AllDifferent(x), x.sum(axis=0) == 15, x.sum(axis=1) == 15)
    m.add(x[0, 0] + x[1, 1] + x[2, 2] == 15, x[0, 2] + x[1, 1] + x[2, 0] == 15)


def latin_square(m: Model) -> None:
    x = m.intvar(0, 2, shape=(3, 3), name="latin")
    m.add(*(AllDifferent(row) for row in x), *(AllDifferent(column) for column in x.T), LexChainLess(x))


def letters(m: Model) -> None:
    t, w, o, f, u, r = m.intvar(0, 9, shape=6, name="letter")
    m.add(AllDifferent(t, w, o, f, u, r), t > 0, f == 1)
    m.add(2 * (100 * t + 10 * w + o) == 1000 * f + 100 * o + 10 * u + r)


def roster(m: Model) -> None:
    day = m.intvar(0, 2, shape=(2, 4), name="day")  # off, early, late
    m.add(
        *(Regular(week, [(0, 0, 0), (0, 1, 0), (0, 2, 1), (1, 0, 0), (1, 2, 1)], 0, [0, 1]) for week in day)
    )
    m.add(*(GlobalCardinality(column, [1, 2], [1, 1]) for column in day.T), Among(day[0], [1, 2], 4))


def roster_by_rules(m: Model) -> None:
    works = m.boolvar(shape=(2, 5), name="works")
    m.add(works.sum(axis=0) >= 1, works.sum(axis=1) <= 3)
    m.add(*((works[:, k] & works[:, k + 1]).implies(works[:, k + 2] == 0) for k in range(3)))


def stretch(m: Model) -> None:
    shift = m.intvar(0, 1, shape=6, name="shift")
    m.add(Regular.from_expression(shift, "0*(1{2,3}0+)*"), shift.sum() >= 2)


def two_letter_code(m: Model) -> None:
    code = m.intvar(1, 3, shape=3, name="code")
    arcs = [("a", 1, "b"), ("a", 1, "c"), ("b", 2, "a"), ("c", 3, "c"), ("c", 2, "b"), ("b", 3, "c")]
    m.add(Regular(code, arcs, "a", ["a", "c"]) | (code[0] == code[2]))


def one_machine(m: Model) -> None:
    start = m.intvar(0, 6, shape=3, name="start")
    m.add(NoOverlap(start, [2, 3, 1]), start[2] >= start[0] + 2)
    m.minimize(maximum(start + np.array([2, 3, 1])))


def shop(m: Model) -> None:
    start = m.intvar(0, 5, shape=(2, 2), name="start")
    m.add(start[:, 1] >= start[:, 0] + np.array([2, 1]))
    m.add(NoOverlap([start[0, 0], start[1, 1]], [2, 2]), NoOverlap([start[0, 1], start[1, 0]], [1, 1]))


def resource(m: Model) -> None:
    start, fast = m.intvar(0, 4, shape=3, name="start"), m.boolvar(name="fast")
    m.add(Cumulative(start, [2 - fast, 3, 2], [1 + fast, 1, 2], 3), start[0] <= start[2])


def optional_tasks(m: Model) -> None:
    start, there = m.intvar(0, 3, shape=3, name="start"), m.boolvar(shape=3, name="there")
    m.add(NoOverlap(start, [2, 2, 1], there), there.sum() >= 2, ((there == 0) & (start != 0)).sum() == 0)


def rectangles(m: Model) -> None:
    x, y = m.intvar(0, 2, shape=3, name="x"), m.intvar(0, 2, shape=3, name="y")
    m.add(NoOverlap2D(x, [2, 1, 1], y, [1, 2, 1]), x + np.array([2, 1, 1]) <= 3, y + np.array([1, 2, 1]) <= 3)


def bins(m: Model) -> None:
    where, load = m.intvar(0, 2, shape=4, name="where"), m.intvar(0, 6, shape=3, name="load")
    m.add(BinPacking(where, [3, 2, 2, 1], load, "=="), ValuePrecede(where, [0, 1, 2]))


def tour(m: Model) -> None:
    following = m.intvar(0, 4, shape=5, name="next")
    cost = np.array([[0, 3, 4, 2, 7], [3, 0, 4, 6, 3], [4, 4, 0, 5, 8], [2, 6, 5, 0, 6], [7, 3, 8, 6, 0]])
    m.add(Circuit(following))
    m.minimize(sum(element(cost[k], following[k]) for k in range(5)))


def subtour(m: Model) -> None:
    following = m.intvar(0, 3, shape=4, name="next")
    m.add(SubCircuit(following), following[1] != 1, Count(following, 3, "<=", 1))


def positions(m: Model) -> None:
    place, holder = m.intvar(0, 3, shape=4, name="place"), m.intvar(0, 3, shape=4, name="holder")
    m.add(Inverse(place, holder), place[0] < place[1], abs(place[2] - place[3]) > 1)


def series(m: Model) -> None:
    x, gap = m.intvar(0, 4, shape=5, name="x"), m.intvar(1, 4, shape=4, name="gap")
    m.add(AllDifferent(x), AllDifferent(gap), gap == abs(x[1:] - x[:-1]), x[0] < x[4])


def configuration(m: Model) -> None:
    board, chip, power = (m.intvar(0, 3, name=name) for name in ("board", "chip", "power"))
    m.add(Table([board, chip, power], [(0, ANY, 1), (1, 2, ANY), (2, 0, 0), (3, 3, 3)]))
    m.add(NegativeTable([chip, power], [(2, 1), (3, 1)]))


def prices(m: Model) -> None:
    model, colour = m.intvar(0, 3, name="model"), m.intvar(domain=[0, 2, 5], name="colour")
    m.add(element([10, 14, 9, 20], model) + 3 * colour <= 20, (model == 1).implies(colour != 0))
    m.minimize(element([10, 14, 9, 20], model) - colour)


def quotients(m: Model) -> None:
    x, y = m.intvar(-4, 4, name="x"), m.intvar(-2, 2, name="y")
    m.add((y == 0) | (x // y == -2) | (x % y == 1), (div_trunc(x, y) != 2) | (y == 0))


def quotients_that_cancel(m: Model) -> None:
    x, y = m.intvar(0, 5, name="x"), m.intvar(-1, 2, name="y")
    m.add((x // y - x // y == 0) | (x == 3), (0 * mod_trunc(x, y - 1) >= 0).implies(x > 1))


def outside_an_array(m: Model) -> None:
    x, at = m.intvar(1, 3, shape=3, name="x"), m.intvar(-1, 4, name="at")
    m.add(~(element(x, at) == 2) | (at == 4), (element(x, at - 1) > 1) | (at < 2))


def reified_globals(m: Model) -> None:
    x, b = m.intvar(0, 2, shape=3, name="x"), m.boolvar(shape=2, name="b")
    m.add(b[0] == AllDifferent(x), b[1].implies(Increasing(x)), ~(AllEqual(x) & (b[1] == 0)))


def counted_truths(m: Model) -> None:
    x = m.intvar(-2, 2, shape=4, name="x")
    m.add((x > 0).sum() == (x < 0).sum(), NValue(x, 3), Xor([x[0] > x[1], x[1] > x[2], x[2] > x[3]]))


def likes(m: Model) -> None:
    seat = m.intvar(0, 3, shape=4, name="seat")
    near = [abs(seat[a] - seat[b]) == 1 for a, b in ((0, 1), (1, 2), (2, 3), (0, 3))]
    m.add(AllDifferent(seat), any_(near[:2]), ~all_(near))
    m.maximize(sum(k * near[k - 1] for k in range(1, 5)))


def extremes(m: Model) -> None:
    x, low, high = (
        m.intvar(-3, 3, shape=3, name="x"),
        m.intvar(-3, 3, name="low"),
        m.intvar(-3, 3, name="high"),
    )
    m.add(low == minimum(x), high == maximum(x), high - low >= 4, x[0] * x[1] <= x[2] ** 2)


def pitchers(m: Model) -> None:
    full = m.intvar(0, [5, 3], shape=(3, 2), name="full")
    m.add(full[0] == 0)
    for before, after in ((full[0], full[1]), (full[1], full[2])):
        m.add((after[0] == before[0]) | (after[1] == before[1]) | (after.sum() == before.sum()))
        m.add(all_(after == before).implies(before.sum() > 0))


def sparse_ids(m: Model) -> None:
    x = [m.intvar(domain=[-7, 0, 3, 10**6], name=f"id {k}") for k in range(3)]
    m.add(AllDifferentExcept(x, [0]), LexLessEqual(x[:2], x[1:]), x[0] + x[1] + x[2] < 10**6 + 3)


def weights(m: Model) -> None:
    weight = m.intvar(1, 9, shape=3, name="weight")
    side = m.intvar(-1, 1, shape=(2, 3), name="side")
    m.add(Increasing(weight, strict=True), weight.sum() == 13)
    m.add(*((side[k] * weight).sum() == goal for k, goal in enumerate((2, 5))))


def graph(m: Model) -> None:
    colour, used = m.intvar(0, 2, shape=5, name="colour"), m.intvar(1, 3, name="used")
    for a, b in ((0, 1), (0, 2), (1, 2), (2, 3), (3, 4)):
        m.add(colour[a] != colour[b])
    m.add(used == values_used(colour), ValuePrecede(colour, [0, 1, 2]))
    m.minimize(used)


def values_used(terms: object) -> object:
    """Return the number of values as MiniZinc writes it: 1 + those that are used."""
    return 1 + sum(any_(terms == value) for value in (1, 2))  # type: ignore[call-overload]


STYLES: dict[str, Callable[[Model], None]] = {
    function.__name__: function
    for function in (
        knapsack, knapsack_of_bools, magic_square, latin_square, letters, roster, roster_by_rules, stretch,
        two_letter_code, one_machine, shop, resource, optional_tasks, rectangles, bins, tour, subtour,
        positions, series, configuration, prices, quotients, quotients_that_cancel, outside_an_array,
        reified_globals, counted_truths, likes, extremes, pitchers, sparse_ids, weights, graph,
    )
}  # fmt: skip


def styled(name: str) -> Model:
    """Return one of them."""
    model = Model(name)
    STYLES[name](model)
    return model
