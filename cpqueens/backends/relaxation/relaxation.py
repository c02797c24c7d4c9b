"""What one linear relaxation at the root proves of a model, exactly, whatever the floating point said.

It is solved once, whoever asks: both own engines have its bound.

Source: reduced costs and Lagrange multipliers as in Fisher (1981), "The Lagrangian relaxation method";
refutation by Farkas' lemma, with the multipliers of a relaxation that minimises how far rows are from
holding; exact sums as in Neumaier and Shcherbina (2004), "Safe bounds in linear and mixed-integer
programming".

Rows added up exactly: integers for floating-point multipliers, and what the sum proves.

Any multipliers give a row that holds in every solution, once none is negative where it may not be; rounding
them only loses strength.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.rows import Proved, Row, rows_of
from cpqueens.backends.base import Request
from cpqueens.backends.relaxation.cuts import cuts
from cpqueens.backends.relaxation.inequalities import (
    Ends,
    Inequality,
    by_values,
    ends_of,
    entries,
    inequalities,
    total,
)
from cpqueens.backends.relaxation.program import NO_ROW, LinearProgram, Simplex, is_installed
from cpqueens.kernels.exact.domains import Memory
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import EQ, LE, Compiled
from cpqueens.system.stopping import Stopped, stopping

LARGEST_SUM = 1 << 60
"""No sum of the row's terms is greater, nor a product of one coefficient with such a sum."""
COMMON = 5000
"""The greatest common denominator that is tried, before powers of two."""
BITS = 16
EXACT, WHOLE = 1e-9, 1e-6


def integers(multipliers: Sequence[float], rows: Sequence[Inequality]) -> Iterator[tuple[int, list[int]]]:
    """Yield denominators, ever coarser ones, and integer multipliers, none negative but of equations."""
    clipped = [
        y if math.isfinite(y) and (y > 0 or row.equal) else 0.0
        for y, row in zip(multipliers, rows, strict=True)
    ]
    denominator, near = 1, [Fraction(0)] * len(clipped)
    for k, y in enumerate(clipped):
        near[k] = Fraction(y).limit_denominator(COMMON)
        denominator = math.lcm(denominator, near[k].denominator)
        if denominator > COMMON or abs(float(near[k]) - y) > EXACT * max(1.0, abs(y)):
            break
    else:
        yield denominator, [int(y * denominator) for y in near]
    for bits in range(BITS, -1, -1):
        yield 1 << bits, [round(y * (1 << bits)) for y in clipped]


def combined(rows: Sequence[Inequality], multipliers: Sequence[int]) -> Row:
    """Return the sum of multiples of rows: at most 0 in every solution."""
    return total((y, inequality.row) for y, inequality in zip(multipliers, rows, strict=True) if y)


def least(objective: Row, denominator: int, row: Row, ends: Ends) -> int:
    """Return what the objective is at least where ``row <= 0``, the row's multiplier ``1 / denominator``."""
    low, _ = ends_of(total([(denominator, objective), (1, row)]), ends)
    return -(-low // denominator)


def divided(row: Row) -> Row:
    """Divide a row by the common divisor of its coefficients; its constant is rounded towards what holds."""
    variables, coefficients, constant = row
    divisor = math.gcd(*coefficients) or 1
    return variables, tuple(a // divisor for a in coefficients), -(-constant // divisor)


def fits(row: Row, objective: Row, ends: Ends) -> bool:
    """Say whether the propagators' sums of a row and of the objective stay below `LARGEST_SUM`."""
    reach = sum(
        abs(constant)
        + 2 * sum(abs(a) * max(map(abs, (ends[0][v], ends[1][v]))) for v, a in zip(vs, cs, strict=True))
        for vs, cs, constant in (row, objective)
    )
    return max(map(abs, (*row[1], *objective[1])), default=0) * reach <= LARGEST_SUM


ROUNDS, VAIN, GAIN = 10, 2, 1e-4
"""Times that cuts are looked for, at most, how often in vain one after another, and the part of the objective
by which they raise it else."""
DEAREST = 1 << 19
"""Work of relaxations, in runs of propagators, after which no cuts are looked for."""
LARGEST = 60_000
"""Coefficients of a relaxation; larger ones are not solved."""

SPARE = 1 / 1024
"""What is left in each row that some solution of the relaxation does not meet with equality, if it can be."""


@dataclass(frozen=True)
class Relaxation:
    """What was proved.

    Attributes
    ----------
    refuted
        Whether rows contradict each other.
    bound
        No solution has a smaller objective, minimised; None where that is no more than its ends say.
    row
        A sum of rows over the model's variables, at most 0 in every solution, which bounds the objective;
        None where there is none.
    floor
        That the objective is no less than the bound, as a row, where columns for values have proved it.
    vertex
        The relaxation's solution, rounded, by compiled variable; None where it has none.
    is_whole
        Whether that, and its columns for values, are integers without rounding: mostly an optimum.
    equations
        Rows that are stated as inequalities, and are 0 in every solution: looked for without an objective.
    cuts
        Rows that hold in every solution, and excluded a vertex.
    work
        What solving it once costs, with its cuts, in runs of propagators.
    facts
        What is told of it.
    """

    refuted: bool = False
    bound: int | None = None
    row: Row | None = None
    floor: Row | None = None
    vertex: IntArray | None = None
    is_whole: bool = False
    equations: tuple[Row, ...] = ()
    cuts: Sequence[Inequality] = ()
    work: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def proved(self) -> Proved:
        """The rows that searches are to have."""
        bounding = ((row, LE) for row in (self.row, self.floor) if row is not None and self.bound is not None)
        return (*bounding, *((row, EQ) for row in self.equations))


NOTHING = Relaxation()
"""What is proved where none was solved."""


def relaxed(c: Compiled, lower: IntArray, upper: IntArray) -> Relaxation | None:
    """Return what the relaxation of a model proves; None if it has no rows, or is too large.

    Parameters
    ----------
    lower, upper
        Of each variable, after propagation at the root, without a demand on the objective.
    """
    if not is_installed():
        return Relaxation(facts={"relaxation": "OR-Tools is not installed: no bound from linear rows"})
    ends: Ends = lower.tolist(), upper.tolist()
    rows = inequalities(c, ends)
    objective = None if c.objective is None else rows_of(c.objective)[0]
    if _is_large(rows):
        return None
    found = _by_rows(c, rows, objective, lower, upper) if rows else None
    if objective is None or (found is not None and found.refuted):
        return found
    return _by_values(c, rows, objective, lower, upper, found or NOTHING) or found


def _is_large(rows: Sequence[Inequality]) -> bool:
    return sum(len(row[0]) for row, _ in rows) > LARGEST


def _by_values(
    c: Compiled,
    rows: Sequence[Inequality],
    objective: Row,
    lower: IntArray,
    upper: IntArray,
    found: Relaxation,
) -> Relaxation | None:
    """Return what was found with a better bound, of columns for values, too; None if theirs is no better."""
    more = by_values(c, (lower.tolist(), upper.tolist()))
    together = [*rows, *more]
    if not more or _is_large(together):
        return None
    new = max(0, max(v for (variables, _, _), _ in more for v in variables) + 1 - len(lower))
    low, high = np.pad(lower, (0, new)), np.pad(upper, (0, new), constant_values=1)
    ends: Ends = low.tolist(), high.tolist()
    program = LinearProgram(together, objective, low, high)
    simplex = program.solve()
    if simplex is None:
        return None
    known = ends_of(objective, ends)[0] if found.bound is None else found.bound
    denominator, multipliers = next(integers(simplex.multipliers.tolist(), together))
    bound = least(objective, denominator, combined(together, multipliers), ends)
    if bound <= known:
        return None
    vertex = low.copy()
    vertex[program.columns] = np.rint(simplex.vertex)
    facts = _facts(together, simplex) | {"bound": -bound if c.maximizing else bound}
    vertex = np.clip(vertex[: len(lower)], lower, upper)
    return replace(
        found,
        bound=bound,
        floor=total([(-1, objective)], bound),
        vertex=vertex,
        is_whole=np.allclose(simplex.vertex, np.rint(simplex.vertex), rtol=0, atol=WHOLE),
        work=found.work + program.work(simplex.iterations),
        facts={"relaxation": facts},
    )


def _by_rows(
    c: Compiled, rows: list[Inequality], objective: Row | None, lower: IntArray, upper: IntArray
) -> Relaxation | None:
    """Return what rows over the model's variables prove, which searches can have as a row, too."""
    ends: Ends = lower.tolist(), upper.tolist()
    program, simplex, held = _with_cuts(rows, objective, lower, upper)
    if simplex is None:
        return _refuted(rows, lower, upper)
    rows += held
    facts, work = _facts(rows, simplex), program.work(simplex.iterations)
    vertex = lower.copy()
    vertex[program.columns] = np.rint(simplex.vertex)
    vertex = np.clip(vertex, lower, upper)
    own = c.lower.tolist(), c.upper.tolist()
    if objective is None:
        equations = _equations(rows, simplex, ends, own)
        facts |= {"equations": len(equations)}
        return Relaxation(vertex=vertex, equations=equations, facts={"relaxation": facts})
    known, _ = ends_of(objective, ends)
    for denominator, multipliers in integers(simplex.multipliers.tolist(), rows):
        row = combined(rows, multipliers)
        if not fits(row, objective, own):
            continue
        bound = least(objective, denominator, row, ends)
        if bound <= known:
            break
        facts |= {"bound": -bound if c.maximizing else bound, "denominator": denominator, "row": len(row[0])}
        facts = {"relaxation": facts}
        return Relaxation(bound=bound, row=divided(row), vertex=vertex, cuts=held, work=work, facts=facts)
    return Relaxation(vertex=vertex, facts={"relaxation": facts})


def _with_cuts(
    rows: Sequence[Inequality], objective: Row | None, lower: IntArray, upper: IntArray
) -> tuple[LinearProgram, Simplex | None, list[Inequality]]:
    """Solve a relaxation, and anew with cuts that exclude its vertex, as long as that raises its objective.

    Returns the last program, what was said of it, and the cuts that it has.
    """
    spare = 0.0 if objective else SPARE
    program, held = LinearProgram(rows, objective or NO_ROW, lower, upper, spare=spare), list[Inequality]()
    simplex, vain, work = program.solve(), 0, 0
    for _ in range(ROUNDS):
        work += 0 if simplex is None else program.work(simplex.iterations)
        if objective is None or simplex is None or work > DEAREST or vain == VAIN:
            break
        more = cuts(program, simplex)
        if not more:
            break
        needed = [cut for cut, y in zip(held, simplex.multipliers[len(rows) :].tolist(), strict=True) if y]
        tighter = LinearProgram([*rows, *needed, *more], objective, lower, upper)
        solved = tighter.solve()
        if solved is None:
            break
        least_gain = GAIN * max(1.0, abs(simplex.objective))
        vain = vain + 1 if solved.objective < simplex.objective + least_gain else 0
        program, simplex, held = tighter, solved, needed + more
    return program, simplex, held


def _refuted(rows: Sequence[Inequality], lower: IntArray, upper: IntArray) -> Relaxation | None:
    """Return whether some sum of rows cannot hold."""
    ends: Ends = lower.tolist(), upper.tolist()
    simplex = LinearProgram(rows, None, lower, upper).solve()
    if simplex is None:
        return None
    facts = _facts(rows, simplex)
    for denominator, multipliers in integers(simplex.multipliers.tolist(), rows):
        row = combined(rows, multipliers)
        if ends_of(row, ends)[0] > 0:
            facts |= {"refuted": True, "denominator": denominator, "row": len(row[0])}
            return Relaxation(refuted=True, row=divided(row), facts={"relaxation": facts})
    return Relaxation(facts={"relaxation": facts})


def _equations(rows: Sequence[Inequality], simplex: Simplex, ends: Ends, own: Ends) -> tuple[Row, ...]:
    """Return inequalities that hold with equality: some sum of them with others is never below 0."""
    for _, multipliers in integers(simplex.multipliers.tolist(), rows):
        if ends_of(combined(rows, multipliers), ends)[0] == 0:
            tight = (row for (row, equal), y in zip(rows, multipliers, strict=True) if y and not equal)
            return tuple(row for row in tight if fits(row, NO_ROW, own))
    return ()


def _facts(rows: Sequence[Inequality], simplex: Simplex) -> dict[str, Any]:
    return {"rows": len(rows), "columns": len(simplex.vertex), "iterations": simplex.iterations}


def relaxation_of(
    model: Statement | None, compiled: Compiled, network: Callable[[], tuple[Memory, int]], request: Request
) -> Relaxation | None:
    """Return what the relaxation of a model proves; None if nothing, or the time is over.

    Parameters
    ----------
    model
        With which it is kept; None if it is of a part of a model only.
    network
        Returns the exact engine's network of ``compiled``.
    """
    if entries(compiled) > LARGEST:
        return None

    def make() -> Relaxation | None:
        free = replace(request, objective_limit=None, incumbent=None, bounds=None, parameters={})
        with stopping(request.should_stop):
            ends = ForwardSearch(compiled, network(), free, False, {}).root_ends()
            if request.should_stop():  # what is kept depends on no clock
                raise Stopped
            return None if ends is None else relaxed(compiled, *ends)

    try:
        has_objective = compiled.objective is not None
        return make() if model is None else model.kept(("relaxation", has_objective), make)
    except Stopped:
        return None
