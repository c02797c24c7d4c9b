"""Reading a model as tours: a circuit, and what sums over its arcs and times along it are bound to."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from cpqueens.kernels.local.cells import gap
from cpqueens.kernels.local.plain import AT_MOST
from cpqueens.language.rows import IntArray
from cpqueens.lowered.columns import RELATIONS, blocks
from cpqueens.lowered.compiled import EQ, GE, LE, NE, Compiled, DefinitionBlock
from cpqueens.lowered.evaluation import Affine, affines
from cpqueens.lowered.term_tables import LARGEST, NotSimpleError, Tabulator
from cpqueens.lowered.tour_times import ALWAYS, NoTourError, Times, Wait, Waits

FEWEST, MOST = 4, 1_000
"""Nodes of a circuit that is searched by its tours."""
MOST_CELLS = 20_000_000
"""Numbers in all matrices."""


@dataclass(frozen=True)
class Tours:
    """A model whose solutions are tours.

    Attributes
    ----------
    successor, shift
        (nodes,): the variable that is the node behind each one, less its shift.
    optional
        Whether nodes may be left out.
    forbidden
        (nodes, nodes): arcs that no solution has.
    costs, kinds, constants
        Sums over arcs: (rows, nodes, nodes), how each is compared with 0, and what is added. The first is the
        objective, 0 where there is none.
    times
        See `Times`.
    functions, defined, sums, others
        Variables that follow from one successor: (node, values by successor); what sums need of definitions,
        likewise; variables that follow from others, the last ones first; and from nothing.
    optimising
        Whether there is an objective.
    variables
        How many decision variables there are.
    """

    successor: IntArray
    shift: IntArray
    optional: bool
    forbidden: IntArray
    costs: IntArray
    kinds: list[int]
    constants: list[int]
    times: list[Times]
    functions: dict[int, tuple[int, IntArray]]
    defined: dict[int, tuple[int, IntArray]]
    sums: list[tuple[int, Affine]]
    others: dict[int, int]
    optimising: bool
    variables: int

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.successor)


def find(compiled: Compiled) -> Tours | None:
    """Return the model as tours; None if it is more than that."""
    c = compiled
    if len(c.wholes) != 1 or c.counts or (c.objective is not None and len(c.objective) > 1):
        return None
    try:
        return _TourReader(c).tours()
    except (NoTourError, NotSimpleError):
        return None


@dataclass
class _Rows:
    """What is compared with 0, as far as it is read: see `_TourReader`."""

    costs: list[IntArray] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    constants: list[int] = field(default_factory=list)


class _TourReader:
    """Reads costs of arcs and times; raises `NoTourError` where something is neither.

    A variable is a successor, a *function* of one successor, a *sum* that an equality defines, a *time*, or
    an *end* that waits for times. The time at which a node without one is left has a negative number.
    """

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = c = compiled
        (whole,) = c.wholes
        terms = whole.terms(whole.constraint.successor)
        singles = terms.singles(0, len(terms))
        if singles is None or not FEWEST <= len(terms) <= MOST:
            raise NoTourError
        self.successor, coefficient, self.shift = singles
        plain = (coefficient == 1).all() and (self.successor < c.decision_count).all()
        if not plain or len(np.unique(self.successor)) < len(terms):
            raise NoTourError
        self.size, self.optional = len(terms), whole.constraint.kind == "SubCircuit"
        self.node = {v: i for i, v in enumerate(self.successor.tolist())}
        self.tables = Tabulator(c, self.successor.tolist())
        self.reach = [d + self.shift[i] for i, d in enumerate(self.tables.domains.values())]
        self.forbidden = np.ones((self.size, self.size), dtype=np.int64)
        for i, reach in enumerate(self.reach):
            self.forbidden[i, reach[(reach >= 0) & (reach < self.size)]] = 0
        if not self.optional:
            np.fill_diagonal(self.forbidden, 1)
        self.functions: dict[int, tuple[int, IntArray]] = {}
        self.sums: list[tuple[int, Affine]] = []
        self.low, self.high = c.lower.tolist(), c.upper.tolist()
        self.rows = _Rows()
        self.pending: dict[int, DefinitionBlock] = {}
        self.along = Waits(self.forbidden, self.optional, self.low, self.high, c.domains)

    def tours(self) -> Tours:
        self._read_tables()
        self._define()
        rows = list(zip(affines(self.compiled.linear), self.compiled.relation.tolist(), strict=True))
        goal = None if self.compiled.objective is None else affines(self.compiled.objective)[0]
        rows, goal = self._substitute(rows, goal)
        self._different()
        weights = self._objective(goal)
        for affine, relation in rows:
            self._row(affine, relation)
        for terms in blocks(self.compiled.literals, self.compiled.clause_start):
            self._clause(affines(terms))
        known = set(self.tables.known) | {z for z, _ in self.sums}
        loose = [v for v in range(self.compiled.decision_count) if v not in known]
        times, others = self.along.times(loose, weights)
        matrices = len(self.rows.costs) + 1 + sum(2 + len(along.ends.variable) for along in times)
        cells = matrices * self.size**2
        if cells > MOST_CELLS or (self.forbidden.all(axis=1)).any():
            raise NoTourError
        return Tours(
            self.successor, self.shift, self.optional, self.forbidden, np.array(self.rows.costs),
            self.rows.kinds, self.rows.constants, times, self.functions, self._defined(), self.sums, others,
            goal is not None, self.compiled.decision_count,
        )  # fmt: skip

    # ---- what follows from one successor -----------------------------------------------------------

    def _read_tables(self) -> None:
        """Read tables of one successor and what follows from it."""
        decided = self.compiled.decision_count
        for terms, rows in self.compiled.tables:
            singles = terms.singles(0, len(terms))
            if singles is None or (singles[1] != 1).any() or (singles[0] >= decided).any():
                raise NoTourError
            variables, values = singles[0].tolist(), rows - singles[2]
            keys = [k for k, v in enumerate(variables) if v in self.node]
            if len(keys) != 1 or len(np.unique(values[:, keys[0]])) < len(values):
                raise NoTourError
            i = self.node[variables[keys[0]]]
            key = values[:, keys[0]] + self.shift[i]
            inside = (key >= 0) & (key < self.size)
            self._allow(i, key[inside])
            for k, v in enumerate(variables):
                if k != keys[0]:
                    self._follows(v, i, key[inside], values[inside, k])

    def _allow(self, i: int, nodes: IntArray) -> None:
        others = np.ones(self.size, dtype=bool)
        others[nodes] = False
        self.forbidden[i, others] = 1

    def _follows(self, v: int, i: int, nodes: IntArray, values: IntArray) -> None:
        """Note that a variable follows from the successor of a node."""
        if v in self.functions:
            raise NoTourError
        fits = (values >= self.low[v]) & (values <= self.high[v])
        if v in self.compiled.domains:
            fits &= np.isin(values, self.compiled.domains[v])
        self._allow(i, nodes[fits])
        all_values = np.full(self.size, self.low[v], dtype=np.int64)
        all_values[nodes] = values
        self.functions[v] = i, all_values
        at = np.clip(self.reach[i], 0, self.size - 1)
        self.tables.known[v] = (int(self.successor[i]),), all_values[at]

    def _define(self) -> None:
        """Tabulate the definitions that follow from one successor; note the others."""
        for definition in self.compiled.definitions:
            if all(v in self.tables.known for v in definition.terms.variable.tolist()):
                scope, values = self.tables.defined(definition)
                if len(scope) > 1:
                    raise NoTourError
                self.tables.known[definition.result] = scope, values
            else:
                self.pending[definition.result] = definition

    def _different(self) -> None:
        """Refuse AllDifferents but those of successors."""
        for terms in blocks(self.compiled.different, self.compiled.different_start):
            singles = terms.singles(0, len(terms))
            if singles is None or len(np.unique(singles[0])) < len(terms):
                raise NoTourError
            variables, coefficients, constants = (part.tolist() for part in singles)
            if any(v not in self.node for v in variables) or any(a != 1 for a in coefficients):
                raise NoTourError
            nodes = [self.node[v] for v in variables]
            if len({c - int(self.shift[i]) for c, i in zip(constants, nodes, strict=True)}) > 1:
                raise NoTourError

    # ---- sums that equalities define ----------------------------------------------------------------

    def _substitute(
        self, rows: list[tuple[Affine, int]], goal: Affine | None
    ) -> tuple[list[tuple[Affine, int]], Affine | None]:
        """Let equalities define variables that nothing but sums has; return rows and goal without them."""
        used = {v for d in self.pending.values() for v in d.terms.variable.tolist()}
        used |= set(self.compiled.literals.variable.tolist()) | set(self.tables.known) | set(self.pending)
        used |= set(self.compiled.domains)
        k = 0
        while k < len(rows):
            (parts, constant), relation = rows[k]
            free = [v for v in parts if v not in used]
            if relation != EQ or len(parts) < 2 or len(free) != 1 or abs(parts[free[0]]) != 1:
                k += 1
                continue
            z = free[0]
            sign = -parts[z]
            means = {v: sign * a for v, a in parts.items() if v != z}, sign * constant
            self.sums.append((z, means))
            del rows[k]
            ends = ({z: 1}, -self.high[z]), ({z: -1}, self.low[z])
            rows = [(_put(row, z, means), r) for row, r in (*rows, *((end, LE) for end in ends))]
            goal = None if goal is None else _put(goal, z, means)
            k = 0
        return rows, goal

    def _defined(self) -> dict[int, tuple[int, IntArray]]:
        """Return what sums need of definitions."""
        found = {}
        for v in {v for _, (parts, _) in self.sums for v in parts} - self.functions.keys() - self.node.keys():
            if v not in self.tables.known:
                continue
            scope, values = self.tables.known[v]
            if scope:
                i = self.node[scope[0]]
                found[v] = i, self._matrix({i: values})[i]
            else:
                found[v] = 0, np.full(self.size, int(values), dtype=np.int64)
        return found

    # ---- rows ---------------------------------------------------------------------------------------

    def _costs(self, parts: dict[int, int]) -> tuple[dict[int, IntArray], dict[int, int], int]:
        """Return what parts are worth by successor, of each node; the parts that are no costs; a constant."""
        costs: dict[int, IntArray] = {}
        rest: dict[int, int] = {}
        constant = 0
        for v, a in parts.items():
            if v not in self.tables.known:
                rest[v] = a
                continue
            scope, values = self.tables.known[v]
            if not scope:
                constant += a * int(values)
                continue
            i = self.node[scope[0]]
            costs[i] = costs.get(i, 0) + a * values
        return costs, rest, constant

    def _matrix(self, costs: dict[int, IntArray], missing: int | None = 0) -> IntArray:
        """Return costs as a matrix; None for ``missing``: arcs that cannot be cost what the dearest does."""
        matrix = np.zeros((self.size, self.size), dtype=np.int64)
        for i, values in costs.items():
            if np.abs(values).max(initial=0) > LARGEST:
                raise NoTourError
            matrix[i] = int(values.max()) if missing is None else missing
            inside = (self.reach[i] >= 0) & (self.reach[i] < self.size)
            matrix[i, self.reach[i][inside]] = values[inside]
        return matrix

    def _objective(self, goal: Affine | None) -> dict[int, int]:
        """Read the objective; return the weights of times in it."""
        parts, constant = ({}, 0) if goal is None else goal
        costs, rest, more = self._costs(parts)
        self._add(self._matrix(costs, None), AT_MOST, constant + more)
        if any(a < 0 for a in rest.values()):
            raise NoTourError
        for v in rest.keys() & self.pending.keys():
            self._extreme(v)
        return rest

    def _extreme(self, v: int) -> None:
        """Read a maximum that should be small: an end of its terms."""
        definition = self.pending[v]
        if definition.kind != "maximum":
            raise NoTourError
        if v in self.along.extremes:
            return
        self.along.extremes.add(v)
        for parts, constant in affines(definition.terms):
            costs, rest, more = self._costs(parts)
            if not rest and not costs:
                self.low[v] = max(self.low[v], constant + more)
            elif rest:
                self._wait(_negative(costs), {v: 1} | _negated(rest), -(constant + more), GE)
            else:
                self._wait(_negative(costs), {v: 1}, -(constant + more), GE)

    def _add(self, costs: IntArray, kind: int, constant: int) -> None:
        if abs(constant) > LARGEST:
            raise NoTourError
        self.rows.costs.append(costs)
        self.rows.kinds.append(kind)
        self.rows.constants.append(constant)

    def _row(self, affine: Affine, relation: int) -> None:
        """Read one relation with 0."""
        kind, sign = RELATIONS[relation]
        costs, rest, more = self._costs(affine[0])
        constant = affine[1] + more
        if rest:
            self._wait(costs, rest, constant, relation)
        elif not costs:
            if gap(kind, sign * constant):
                raise NoTourError
        elif len(costs) == 1:
            ((i, values),) = costs.items()
            self._rule_out(i, [gap(kind, sign * (int(value) + constant)) == 0 for value in values])
        else:
            most = sign * constant + sum(int((sign * values).max()) for values in costs.values())
            if kind != AT_MOST or most > 0:  # else it holds whatever the tour
                self._add(sign * self._matrix(costs), kind, sign * constant)

    def _rule_out(self, i: int, holds: list[bool]) -> None:
        """Forbid the successors of a node with which something does not hold."""
        inside = (self.reach[i] >= 0) & (self.reach[i] < self.size)
        self._allow(i, self.reach[i][inside & np.array(holds, dtype=bool)])

    def _clause(self, literals: list[Affine]) -> None:
        """Read a clause of what one successor says, and of one relation between times."""
        costs, rest, constant = defaultdict(lambda: False), [], False  # type: ignore[var-annotated]
        for parts, more in literals:
            mine, others, fixed = self._costs(parts)
            if others:
                rest.append((others, more))
            elif not mine:
                constant = constant or more + fixed > 0
            else:
                ((i, values),) = mine.items()
                costs[i] = costs[i] | (values + more + fixed > 0)
        if constant:
            return
        if len(costs) > 1 or len(rest) > 1:
            if rest:
                raise NoTourError
            self._add(-self._matrix({i: v.astype(np.int64) for i, v in costs.items()}), AT_MOST, 1)
            return
        if not rest and len(costs) == 1:
            ((i, holds),) = costs.items()
            self._rule_out(i, holds.tolist())
            return
        if not rest:
            raise NoTourError
        self._under(dict(costs), *rest[0])

    # ---- times --------------------------------------------------------------------------------------

    def _under(self, holds: dict[int, IntArray], parts: dict[int, int], constant: int) -> None:
        """Read a relation between times that must hold where what the successor says does not."""
        (literal, sign), *more = parts.items()
        definition = self.pending.get(literal)
        plain = not more and (sign, constant) in ((1, 0), (-1, 1))
        if not plain or not holds or definition is None or definition.kind != "truth_linear":
            raise NoTourError
        relation, shift = definition.relation, 0
        if sign == -1:
            if relation not in (LE, GE):
                raise NoTourError
            relation, shift = (GE, -1) if relation == LE else (LE, 1)
        ((terms, rest),) = affines(definition.terms)
        ((i, free),) = holds.items()
        costs, times, fixed = self._costs(terms)
        if costs:
            raise NoTourError
        self._wait({i: np.zeros(len(free), dtype=np.int64)}, times, rest + fixed + shift, relation, ~free)

    def _wait(
        self, costs: dict[int, IntArray], parts: dict[int, int], constant: int, relation: int,
        where: IntArray | None = None,
    ) -> None:  # fmt: skip
        """Read a relation between times that depends on one successor."""
        if relation == NE or len(costs) > 1:
            raise NoTourError
        if len(parts) == 1 and not costs:
            self._bound(parts, constant, relation)
            return
        if relation == LE or (relation == EQ and self._is_backward(parts)):
            parts, constant, costs = _negated(parts), -constant, _negative(costs)
        signs = {a: v for v, a in parts.items()}
        if not len(parts) == len(signs) <= 2 or not {1} <= signs.keys() <= {1, -1}:
            raise NoTourError
        if signs.get(-1) in self.pending:
            self._extreme(signs[-1])
        for i, j, later, more in self._arcs_to(signs[1], costs):
            lag = -(constant + more)
            if i != ALWAYS:
                at = int(np.flatnonzero(self.reach[i] == j)[0])
                if where is not None and not where[at]:
                    continue
                lag -= int(costs[i][at]) if i in costs else 0
            wait = Wait(i, j, signs.get(-1, -1 - i), later, lag, relation == EQ)
            self.along.note(wait, later != signs[1] or later in self.pending)

    def _is_backward(self, parts: dict[int, int]) -> bool:
        """Say whether an equality has what follows with the sign of what is before it."""
        elements = [v for v in parts if v in self.pending]
        return parts[elements[0]] < 0 if len(elements) == 1 else set(parts.values()) == {-1}

    def _arcs_to(self, later: int, costs: dict[int, IntArray]) -> Iterator[tuple[int, int, int, int]]:
        """Yield arcs, the time behind each, and what is added to it."""
        definition = self.pending.get(later)
        if definition is None or later in self.along.extremes:
            if not costs:
                yield ALWAYS, ALWAYS, later, 0
                return
            ((i, _),) = costs.items()
            yield from ((i, int(j), later, 0) for j in self.reach[i] if 0 <= j < self.size)
            return
        if definition.kind != "element":
            raise NoTourError
        (position, *entries) = affines(definition.terms)
        mine, rest, constant = self._costs(position[0])
        if rest or len(mine) != 1:
            raise NoTourError
        ((i, values),) = mine.items()
        if any(k != i for k in costs):
            raise NoTourError
        for j, place in zip(self.reach[i].tolist(), (values + position[1] + constant).tolist(), strict=True):
            if not 0 <= j < self.size or not 0 <= place < len(entries):
                continue
            parts, more = entries[place]
            v = next(iter(parts), None)
            if list(parts.values()) != [1] or v in self.pending or v in self.tables.known:
                raise NoTourError
            yield i, j, next(iter(parts)), more

    def _bound(self, parts: dict[int, int], constant: int, relation: int) -> None:
        """Read a relation of one time with a number."""
        ((v, a),) = parts.items()
        least, most = sorted((a * self.low[v] + constant, a * self.high[v] + constant))
        if (relation == LE and most <= 0) or (relation == GE and least >= 0):
            return
        if v in self.pending and (relation == LE) == (a > 0) and relation != EQ:
            self._extreme(v)
        elif v in self.pending or v in self.compiled.domains or (relation == EQ and constant % a):
            raise NoTourError
        if relation == EQ or (relation == LE) == (a > 0):
            self.high[v] = min(self.high[v], -constant // a if a > 0 else constant // -a)
        if relation == EQ or (relation == LE) != (a > 0):
            self.low[v] = max(self.low[v], -(constant // a) if a > 0 else -(-constant // -a))
        if self.low[v] > self.high[v]:
            raise NoTourError


def _put(row: Affine, z: int, means: Affine) -> Affine:
    """Return an expression with another one in the place of a variable."""
    parts, constant = row
    factor = parts.get(z, 0)
    if not factor:
        return row
    total = {v: a for v, a in parts.items() if v != z}
    for v, a in means[0].items():
        total[v] = total.get(v, 0) + factor * a
    return {v: a for v, a in total.items() if a}, constant + factor * means[1]


def _negated(parts: dict[int, int]) -> dict[int, int]:
    return {v: -a for v, a in parts.items()}


def _negative(costs: dict[int, IntArray]) -> dict[int, IntArray]:
    return {i: -values for i, values in costs.items()}
