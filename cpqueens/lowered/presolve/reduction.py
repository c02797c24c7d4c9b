"""A compiled model without the variables that need not be searched, and the way back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.columns import blocks
from cpqueens.lowered.compiled import EQ, GE, LE, Compiled, Terms, offsets, side_by_side
from cpqueens.lowered.evaluation import Affine, affines, define, evaluate, holds, values_of_all
from cpqueens.lowered.presolve.substitution import Domain, Substitution

Row = tuple[Affine, int]
"""An expression and its relation to 0."""


LARGEST = 1 << 45
"""Values beyond which sums of violations might leave 64 bits."""


@dataclass(frozen=True)
class Reduced:
    """A smaller model, and the decision variables of the larger one as terms over its variables.

    Attributes
    ----------
    kept
        The larger model's number of each decision variable.
    extreme
        A variable of the larger model that is the largest (1) or smallest (-1) of some terms.
    choices
        Variables of the larger model of which exactly one is 1; which, say the last variables.
    facts
        How many variables propagation fixed, how many are computed, and how many are searched.
    """

    compiled: Compiled
    kept: IntArray
    recover: Terms
    facts: dict[str, int]
    extreme: tuple[int, int, Terms] | None = None
    choices: tuple[IntArray, ...] = ()

    def projected(self, x: IntArray) -> IntArray:
        """Return the assignment that one of the larger model is; of choices, the first 1 counts."""
        return np.concatenate([x[self.kept], np.array([x[m].argmax() for m in self.choices], dtype=np.int64)])

    def projected_hint(self, hint: tuple[IntArray, IntArray]) -> tuple[IntArray, IntArray]:
        """Return what a hint, values and which of them count, says of what is searched."""
        values, counts = hint
        said = [bool((counts[m] & (values[m] == 1)).any()) for m in self.choices]
        return self.projected(np.where(counts, values, 0)), np.concatenate(
            [counts[self.kept], np.array(said, dtype=bool)]
        )

    def restored(self, x: IntArray) -> IntArray:
        """Return the assignment of the larger model that one of the smaller stands for."""
        values = values_of_all(self.compiled, x)
        whole = evaluate(self.recover, values)
        if self.extreme is not None:
            variable, sign, terms = self.extreme
            whole[variable] = sign * (sign * evaluate(terms, values)).max()
        return whole


def reduced(
    compiled: Compiled,
    domains: Sequence[Domain],
    only: frozenset[int] | None = None,
    spared: frozenset[int] = frozenset(),
) -> Reduced | None:
    """Return the model with these domains, without what is fixed or computed (not by ``spared`` relations).

    Of variables that are not fixed, ``only`` these may be computed, if it is there.

    None if that changes nothing, or if numbers would become too large.
    """
    substitution = Substitution(compiled, domains, only, spared)
    n = compiled.decision_count
    narrower = any(
        substitution.low[v] > compiled.lower[v] or substitution.high[v] < compiled.upper[v]
        or len(gaps) != len(compiled.domains.get(v, ()))
        for v, gaps in ((v, substitution.gaps.get(v, ())) for v in range(n))
    )  # fmt: skip
    return _Builder(substitution).build() if narrower or substitution.of or substitution.extreme else None


def without_objective_variable(compiled: Compiled) -> Reduced | None:
    """Return the model with an expression as its objective, where that is a variable that an equality gives.

    None where it is not, or where the variable stands elsewhere, too. Nothing else changes.
    """
    single = None if compiled.objective is None else compiled.objective.singles(0, 1)
    if single is None or len(compiled.objective or ()) > 1:
        return None
    z, n = int(single[0][0]), compiled.decision_count
    ends = zip(compiled.lower[:n].tolist(), compiled.upper[:n].tolist(), strict=True)
    domains = [compiled.domains.get(v, end) for v, end in enumerate(ends)]
    substitution = Substitution(compiled, domains, frozenset([z]))
    return _Builder(substitution).build() if z in substitution.replaced else None


class _Builder:
    """Writes the constraints that are left over the variables that are left."""

    def __init__(self, substitution: Substitution) -> None:
        self.known, self.old = substitution, substitution.compiled
        n = self.old.decision_count
        self.extreme = substitution.extreme
        self.gone = -1 if self.extreme is None or self.extreme.variable >= n else self.extreme.variable
        self.kept = [v for v in range(n) if v not in substitution.of and v != self.gone]
        left = [d for d in self.old.definitions if d.result not in substitution.of]
        rows = [substitution.resolved(d.terms) for d in left]
        place = {d.result: k for k, d in enumerate(left)}
        needs = {k: {place[v] for parts, _ in r for v in parts if v >= n} for k, r in enumerate(rows)}
        level = [0] * len(left)
        for k in TopologicalSorter(needs).static_order():
            level[k] = 1 + max([level[need] for need in needs[k]], default=0)
        order = sorted(
            range(len(left)), key=lambda k: (level[k], left[k].kind, left[k].relation, left[k].each)
        )
        self.definitions = [(left[k], rows[k]) for k in order]
        self.order = [*self.kept, *(d.result for d, _ in self.definitions)]
        self.number = {v: k for k, v in enumerate(self.order)}
        self._bound()
        self.largest = 0  # of the ends of all expressions

    def _bound(self) -> None:
        """Set the bounds of definitions: computed variables may leave their domains while nothing holds."""
        known = self.known
        loose = set(known.replaced)
        for definition, rows in self.definitions:
            v = definition.result
            low, high = define(definition, [known.span(row) for row in rows])
            if loose.isdisjoint(definition.terms.variable.tolist()):
                low, high = max(low, known.low[v]), min(high, known.high[v])
            else:
                loose.add(v)
            known.low[v], known.high[v] = low, high

    def build(self) -> Reduced | None:
        """Return the smaller model, None if it has too large numbers."""
        known, old, number = self.known, self.old, self.number
        if any(abs(end) > LARGEST for v in self.order for end in (known.low[v], known.high[v])):
            return None
        linear = [*self._linear(), *self._ends()]
        clauses = list(self._clauses())
        different = [
            self._without_numbers(known.resolved(terms))
            for terms in blocks(old.different, old.different_start)
        ]
        compiled = replace(
            old,
            decision_count=len(self.kept),
            lower=np.array([known.low[v] for v in self.order], dtype=np.int64),
            upper=np.array([known.high[v] for v in self.order], dtype=np.int64),
            domains={number[v]: np.asarray(d) for v, d in known.gaps.items() if v in number},
            linear=self._terms(row for row, _ in linear),
            relation=np.array([relation for _, relation in linear], dtype=np.int64),
            literals=self._terms(row for clause in clauses for row in clause),
            clause_start=offsets([len(clause) for clause in clauses]),
            different=self._terms(row for rows in different for row in rows),
            different_start=offsets([len(rows) for rows in different]),
            tables=[self._table(terms, rows) for terms, rows in old.tables] + list(self._gaps()),
            counts=[
                (self._of(terms), self._of(value), relation, self._of(wanted))
                for terms, value, relation, wanted in old.counts
            ],
            definitions=side_by_side(
                replace(d, results=np.array([number[d.result]]), terms=self._terms(rows))
                for d, rows in self.definitions
            ),
            objective=None if old.objective is None else self._objective(old.objective),
        )
        searched = (known.resolve(({v: 1}, 0)) for v in range(old.decision_count))
        recover = self._terms(({}, 0) if self.gone in row[0] else row for row in searched)
        facts = {"fixed": known.fixed, "computed": len(known.replaced), "searched": len(self.kept)}
        if self.largest > LARGEST:
            return None
        extreme = self.extreme
        return Reduced(
            compiled, np.array(self.kept, dtype=np.int64), recover, facts,
            None if extreme is None or self.gone < 0 else
            (self.gone, extreme.sign, self._terms(extreme.all_rows)),
        )  # fmt: skip

    def _objective(self, terms: Terms) -> Terms:
        """Return the objective: where a variable is the extreme of terms, theirs instead of its own."""
        rows = self.known.resolved(terms)
        if self.extreme is None:
            return self._terms(rows)
        (row,) = rows
        a, constant = row[0][self.extreme.variable], row[1]
        return self._terms(
            ({v: a * b for v, b in parts.items()}, constant + a * c) for parts, c in self.extreme.all_rows
        )

    def _of(self, terms: Terms) -> Terms:
        return self._terms(self.known.resolved(terms))

    def _terms(self, rows: Iterable[Affine]) -> Terms:
        """Return expressions over the new numbers."""
        all_rows = list(rows)
        self.largest = max([self.largest, *(abs(end) for row in all_rows for end in self.known.span(row))])
        return Terms(
            offsets([len(parts) for parts, _ in all_rows]),
            np.array([self.number[v] for parts, _ in all_rows for v in parts], dtype=np.int64),
            np.array([a for parts, _ in all_rows for a in parts.values()], dtype=np.int64),
            np.array([constant for _, constant in all_rows], dtype=np.int64),
        )

    def _linear(self) -> Iterable[Row]:
        """Yield the relations that bounds do not decide."""
        rows = zip(affines(self.old.linear), self.old.relation.tolist(), strict=True)
        for row, relation in rows:
            left = self.known.resolve(row)
            if self.gone in left[0]:
                continue
            if holds(relation, self.known.span(left)) is not True:
                yield left, relation

    def _ends(self) -> Iterable[Row]:
        """Yield what the bounds of computed variables demand of their expressions."""
        known, extreme = self.known, self.extreme
        ends = [
            (known.of[z], end, relation)
            for z in known.replaced for end, relation in ((known.low[z], GE), (known.high[z], LE))
        ]  # fmt: skip
        if extreme is not None and extreme.far is not None:
            ends += [(row, extreme.far, extreme.relation) for row in extreme.rows]
        for (parts, constant), end, relation in ends:
            row = parts, constant - end
            if holds(relation, known.span(row)) is not True:
                yield row, relation

    def _gaps(self) -> Iterable[tuple[Terms, IntArray]]:
        """Yield what the gaps in domains of computed variables demand of what has other values."""
        for z in self.known.replaced:
            if z in self.known.gaps and not self._is_within(self.known.of[z], self.known.gaps[z]):
                yield self._terms([self.known.of[z]]), np.asarray(self.known.gaps[z]).reshape(-1, 1)

    def _is_within(self, row: Affine, values: Domain) -> bool:
        """Say whether an expression of one variable has no other values than these."""
        parts, constant = row
        if len(parts) != 1:
            return False
        ((v, a),) = parts.items()
        low, high = self.known.low[v], self.known.high[v]
        if v in self.known.gaps:
            mine = np.asarray(self.known.gaps[v])
            mine = mine[(mine >= low) & (mine <= high)]
        elif high - low >= len(values):
            return False
        else:
            mine = np.arange(low, high + 1)
        return bool(np.isin(a * mine + constant, values).all())

    def _clauses(self) -> Iterable[list[Affine]]:
        """Yield the clauses that no literal satisfies for certain, without false ones."""
        for terms in blocks(self.old.literals, self.old.clause_start):
            rows = self.known.resolved(terms)
            if not any(not parts and constant for parts, constant in rows):
                yield [row for row in rows if holds(EQ, self.known.span(row)) is not True]

    def _without_numbers(self, rows: list[Affine]) -> list[Affine]:
        """Return the terms of an AllDifferent without the numbers that no other term can be."""
        free = [row for row in rows if row[0]]
        numbers = [row for row in rows if not row[0]]
        return free + [
            (parts, c) for k, (parts, c) in enumerate(numbers)
            if any(self._may_be(row, c) for row in [*free, *numbers[:k]])
        ]  # fmt: skip

    def _may_be(self, row: Affine, value: int) -> bool:
        """Say whether an expression may have a value."""
        parts, constant = row
        if holds(EQ, self.known.span((parts, constant - value))) is False:
            return False
        if len(parts) != 1:
            return True
        ((v, a),) = parts.items()
        rest = value - constant
        return rest % a == 0 and (v not in self.known.gaps or rest // a in self.known.gaps[v])

    def _table(self, terms: Terms, rows: IntArray) -> tuple[Terms, IntArray]:
        """Return a table without columns of numbers and rows that cannot be."""
        affine = self.known.resolved(terms)
        possible = np.ones(len(rows), dtype=bool)
        for k, row in enumerate(affine):
            low, high = self.known.span(row)
            possible &= (rows[:, k] >= low) & (rows[:, k] <= high)
        open_columns = [k for k, (parts, _) in enumerate(affine) if parts]
        return self._terms(affine[k] for k in open_columns), rows[possible][:, open_columns]
