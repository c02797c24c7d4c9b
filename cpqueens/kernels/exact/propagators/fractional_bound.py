"""A linear row together with the objective: the bound that they have where variables may be fractions.

After Dantzig (1957), "Discrete-variable extremum problems". All variables stand where the objective is
least; what the row has too much then is taken off by the variables that do it at the least price, the last
of them, the *critical* one, to the needed fraction. With its price as a multiplier every other variable has
a price for leaving its end, which must fit in what the best solution so far leaves (Fisher 1981, "The
Lagrangian relaxation method"). All numbers are multiplied by the critical coefficient: nothing is rounded.

The arguments are those of both, with the row's coefficients (0: only in the objective), first those on which
both disagree, by ascending price. ``ROWS`` has how many these are, the objective's propagator, and then the
objective's coefficient of each argument.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry

DISPUTED, OBJECTIVE, COSTS = range(3)


@inner_kernel
def stands_low(cost: int, a: int) -> Any:
    """Say at which end the objective is least, and the row where the objective does not mind."""
    return cost > 0 or (cost == 0 and a > 0)


@inner_kernel
def at_best(m: Memory, p: int) -> Any:
    """Return the row's and the objective's term where all variables stand at their best ends."""
    row = entry(m.net, p + at.CONSTANT)
    cost = entry(m.net, p + at.ROWS) + COSTS
    objective = entry(m.net, entry(m.net, entry(m.net, p + at.ROWS) + OBJECTIVE) + at.CONSTANT)
    for k in range(entry(m.net, p + at.START), entry(m.net, p + at.END), 2):
        v, a, c = entry(m.net, k), entry(m.net, k + 1), entry(m.net, cost)
        x = entry(m.x, v + at.LOW) if stands_low(c, a) else entry(m.x, v + at.HIGH)
        row += a * x
        objective += c * x
        cost += 1
    return row, objective


@inner_kernel
def keep_within(m: Memory, p: int, critical: int, slack: int, dear: int, heavy: int) -> Any:
    """Let no variable go so far from its end that it costs more than ``slack``.

    ``dear`` and ``heavy`` are the critical variable's coefficients, of the objective and of the row.
    """
    first = entry(m.net, p + at.START)
    disputed = first + 2 * entry(m.net, entry(m.net, p + at.ROWS) + DISPUTED)
    cost = entry(m.net, p + at.ROWS) + COSTS
    for k in range(first, entry(m.net, p + at.END), 2):
        v, a, c = entry(m.net, k), entry(m.net, k + 1), entry(m.net, cost)
        cost += 1
        low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        by_row, by_cost = dear * abs(a), heavy * abs(c)
        price = by_row + by_cost
        if k < disputed:
            price = abs(by_row - by_cost)
        if k == critical or price == 0 or price * (high - low) <= slack:
            continue
        most = slack // price
        if stands_low(c, a) != (k < critical and k < disputed):
            high = low + most
        else:
            low = high - most
        if not tighten(m, v, low, high):
            return 0
    return 1


@propagator
def fractional_bound(m: Memory, p: int) -> Any:
    """Prune for a row ``<= 0`` and the objective ``<= 0``."""
    need, total = at_best(m, p)
    if total > 0:
        return 0
    if need <= 0:
        return 1
    rows, k = entry(m.net, p + at.ROWS), entry(m.net, p + at.START)
    disputed = k + 2 * entry(m.net, rows + DISPUTED)
    cost = rows + COSTS
    while k < disputed:
        v = entry(m.net, k)
        span = entry(m.x, v + at.HIGH) - entry(m.x, v + at.LOW)
        dear, heavy = abs(entry(m.net, cost)), abs(entry(m.net, k + 1))
        if heavy * span >= need:
            slack = -(heavy * total + dear * need)
            return 0 if slack < 0 else keep_within(m, p, k, slack, dear, heavy)
        need -= heavy * span
        total += dear * span
        cost += 1
        k += 2
    return 0
