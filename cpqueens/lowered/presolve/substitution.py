"""Which variables of a compiled model need not be searched, because fixed ones and equalities give them.

``z == x + 3*y`` is no constraint to be mended: z is computed, and its domain becomes a constraint on the
expression. So are objectives that are variables, products, reified relations and slacks, which lowering all
states by equalities.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, GE, LE, Compiled, Terms
from cpqueens.lowered.evaluation import Affine, affines, define, span_of

WIDE = 64
"""Values from which a variable is computed even where it stands in several constraints."""
FILL = 200
"""Entries that a substitution may add to the other constraints."""
LONGEST = 100
"""Variables of an expression, unless what it defines stands nowhere else, as most objectives do."""
GAPPED = 1000
"""Values of a domain with gaps, which becomes a table."""
COUNTED = 1000
"""Values beyond which, and beyond four times its own, a member of an AllDifferent is not computed."""
FARTHEST = 5000
"""Variables looked at to see that an expression does not depend on what it is to define."""

Domain = IntArray | tuple[int, int]


@dataclass(frozen=True)
class Extreme:
    """The variable that an objective consists of, where that is as good as some terms allow.

    It is the largest of ``rows`` if the objective likes it small (``sign`` 1), the smallest if large (-1);
    ``near`` and ``far`` are the bounds of one that need not be searched, of which ``far`` is the worse one.
    """

    variable: int
    sign: int
    rows: list[Affine]
    near: int | None
    far: int | None

    @property
    def relation(self) -> int:
        """The relation that the terms have to the worse bound."""
        return LE if self.sign > 0 else GE

    @property
    def all_rows(self) -> list[Affine]:
        """The terms, and the better bound as one of them."""
        return self.rows if self.near is None else [*self.rows, ({}, self.near)]


class Substitution:
    """What is known of each variable: bounds, and the expression of those that are not searched.

    Parameters
    ----------
    compiled
        The model.
    domains
        What is left of each decision variable.
    only
        Variables that may be computed; None: all.
    spared
        Relations by which none is.
    """

    def __init__(
        self,
        compiled: Compiled,
        domains: Sequence[Domain],
        only: frozenset[int] | None = None,
        spared: frozenset[int] = frozenset(),
    ) -> None:
        self.compiled, self.count, self.only = compiled, compiled.decision_count, only
        self.of: dict[int, Affine] = {}  # only over variables that are not in it themselves
        self.gaps = {v: d for v, d in enumerate(domains) if not isinstance(d, tuple)}
        self.low, self.high = compiled.lower.tolist(), compiled.upper.tolist()
        self._users: dict[int, set[int]] = defaultdict(set)
        self._definitions = {d.result: d for d in compiled.definitions}
        for v, domain in enumerate(domains):
            self.low[v], self.high[v] = int(domain[0]), int(domain[-1])
            if self.low[v] == self.high[v]:
                self.of[v] = {}, self.low[v]
        for definition in compiled.definitions:
            low, high = define(definition, [self.span(a) for a in self.resolved(definition.terms)])
            v = definition.result
            self.low[v], self.high[v] = max(self.low[v], low), min(self.high[v], high)
            if self.low[v] == self.high[v]:
                self.of[v] = {}, self.low[v]
        self.fixed = len(self.of)
        self._groups = self._different()
        self._occurrences = self._counted()
        self.replaced: list[int] = []
        self.extreme: Extreme | None = None
        rows = zip(affines(compiled.linear), compiled.relation.tolist(), strict=True)
        equal = [row for t, (row, relation) in enumerate(rows) if relation == EQ and t not in spared]
        for row in sorted(equal, key=lambda row: len(row[0]) > LONGEST):  # the long ones change no more
            self._use(self.resolve(row))
        if (
            only is None
            and compiled.objective is not None
            and len(compiled.objective) == 1
            and not compiled.is_linear  # there an extreme is searched as well
        ):
            self.extreme = self._extreme(self.resolved(compiled.objective)[0])

    def resolve(self, row: Affine) -> Affine:
        """Return the same over variables that are searched or defined."""
        parts, constant = row
        if not any(v in self.of for v in parts):
            return row
        total: dict[int, int] = defaultdict(int)
        for v, a in parts.items():
            inner, shift = self.of.get(v, ({v: 1}, 0))
            constant += a * shift
            for u, b in inner.items():
                total[u] += a * b
        return {v: a for v, a in total.items() if a}, constant

    def resolved(self, terms: Terms) -> list[Affine]:
        """Return all terms, resolved."""
        return [self.resolve(row) for row in affines(terms)]

    def span(self, row: Affine) -> tuple[int, int]:
        """Return bounds of an expression."""
        return span_of(row, self.low, self.high)

    def _different(self) -> dict[int, set[int]]:
        """Return which AllDifferents a decision variable stands in."""
        groups: dict[int, set[int]] = defaultdict(set)
        terms, start = self.compiled.different, self.compiled.different_start
        owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
        of_entry = owner.repeat(terms.lengths) if len(terms) else owner
        for v, group in zip(terms.variable.tolist(), of_entry.tolist(), strict=True):
            groups[v].add(group)
        return groups

    def _counted(self) -> Counter[int]:
        """Return in how many terms of constraints and definitions each variable stands."""
        c = self.compiled
        parts = [c.linear, c.literals, c.different, *(d.terms for d in c.definitions)]
        parts += [t for t, _ in c.tables] + [
            t for terms, value, _, number in c.counts for t in (terms, value, number)
        ]
        return Counter(v for terms in parts for v in terms.variable.tolist())

    def _use(self, row: Affine) -> None:
        """Let an equality ``row == 0`` define one of its variables, if it suits one."""
        parts, constant = row
        suited = [v for v in parts if self._may_go(v, parts)]
        if not suited:
            return
        z = max(suited, key=lambda v: (self.high[v] - self.low[v], v))
        a = parts[z]
        self._set(z, ({v: -a * b for v, b in parts.items() if v != z}, -a * constant))

    def _extreme(self, objective: Affine) -> Extreme | None:
        """Return the objective's variable if it only has to be beyond some terms, or is their extreme."""
        if len(objective[0]) != 1:
            return None
        ((z, a),) = objective[0].items()
        sign = 1 if a > 0 else -1
        if z < self.count:
            rows = self._beyond(z, sign) if z not in self.gaps else None
            near, far = (self.low[z], self.high[z])[::sign]
            return None if rows is None else Extreme(z, sign, rows, near, far)
        definition = self._definitions[z]
        if definition.kind != ("maximum" if sign > 0 else "minimum"):
            return None
        return Extreme(z, sign, self.resolved(definition.terms), None, None)

    def _beyond(self, z: int, sign: int) -> list[Affine] | None:
        """Return the terms that ``sign * z`` is to be at least as large as, None if z stands elsewhere."""
        found: list[Affine] = []
        rows = zip(affines(self.compiled.linear), self.compiled.relation.tolist(), strict=True)
        for row, relation in rows:
            parts, constant = self.resolve(row)
            if z not in parts:
                continue
            toward = {LE: -1, GE: 1}.get(relation, 0)  # the sign that z needs to be pushed up
            if parts[z] != toward * sign:
                return None
            found.append(({v: -parts[z] * b for v, b in parts.items() if v != z}, -parts[z] * constant))
        stands = self._occurrences[z] == len(found) and not any(z in parts for parts, _ in self.of.values())
        return found if stands and found else None

    def _may_go(self, z: int, parts: dict[int, int]) -> bool:
        """Say whether a variable of an equality is better computed than searched."""
        others = len(parts) - 1
        if z >= self.count or abs(parts[z]) != 1 or len(self.gaps.get(z, ())) > GAPPED:
            return False
        if self.only is not None and z not in self.only:
            return False
        alone = self._occurrences[z] == 1
        if others > LONGEST and not alone:
            return False
        wide = self.high[z] - self.low[z] >= WIDE and (self._occurrences[z] - 1) * (others - 1) <= FILL
        if not (alone or wide or others == 1):
            return False
        mine = self._groups.get(z, set())
        if mine and self._is_unfit(z, parts, mine):
            return False
        return not self._depends((v for v in parts if v != z), z)

    def _is_unfit(self, z: int, parts: dict[int, int], mine: set[int]) -> bool:
        """Say whether AllDifferents of z are better kept as they are than over the expression."""
        if any(mine & self._groups.get(v, set()) for v in parts if v != z):
            return True
        low, high = self.span(({v: a for v, a in parts.items() if v != z}, 0))
        return high - low > COUNTED + 4 * (self.high[z] - self.low[z])

    def _depends(self, pending: Iterable[int], z: int) -> bool:
        """Say whether any of ``pending`` depends on z, or whether that takes long to see."""
        stack, seen = list(pending), set[int]()
        while stack:
            v = stack.pop()
            if v == z or len(seen) > FARTHEST:
                return True
            if v in seen:
                continue
            seen.add(v)
            if v in self.of:
                stack += self.of[v][0]
            elif v >= self.count:
                stack += self._definitions[v].terms.variable.tolist()
        return False

    def _set(self, z: int, row: Affine) -> None:
        """Give z its expression, also in the expressions that have it."""
        users = self._users.pop(z, set())
        if any(len(self.of[u][0]) + len(row[0]) > LONGEST for u in users):
            self._users[z] = users
            return
        self.of[z] = row
        self.replaced.append(z)
        for u in users:
            self.of[u] = self.resolve(self.of[u])
        for v in row[0]:
            self._users[v] |= {z, *users}
