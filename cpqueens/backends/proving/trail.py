"""The trail of a search that writes proofs: what was concluded, in which order, and from what.

Sources: Ohrimenko, Stuckey and Codish (Constraints 2009) for lazily made literals; Flippo and others (CP
2024) for a log of inferences and derived clauses.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from cpqueens.proofs.domains import Domains, Literal


class Explainer(Protocol):
    """What concludes literals: a propagator of a part, or a clause."""

    def premises(self, data: object, literal: Literal | None, time: int) -> list[Literal]:
        """Return literals, true before ``time``, from which a literal (None: a contradiction) follows."""

    def number(self, premises: list[Literal], literal: Literal | None) -> int:
        """Return the number of the clause that says so, which is written if it is not yet."""


class Contradiction(Exception):  # noqa: N818
    """Who found that literals, all true, cannot be so together."""

    def __init__(self, maker: Explainer, premises: list[Literal]) -> None:
        super().__init__()
        self.maker, self.premises = maker, premises


Reason = tuple[Explainer, object]
"""Who concluded it, and what it needs to say from what."""


class Trail:
    """Domains that change one literal at a time; what was so at any earlier time can be asked.

    Entry ``k`` made ``literals[k]`` true for ``reasons[k]`` (None: a decision) at ``levels[k]``.
    """

    def __init__(self, domains: Domains) -> None:
        self.domains = domains
        self.literals: list[Literal] = []
        self.reasons: list[Reason | None] = []
        self.levels: list[int] = []
        self.lows: list[int] = []  # of its variable, behind each entry
        self.highs: list[int] = []
        self.numbers: list[int] = []  # of the clause that was written for an entry, 0 for none
        self.explained: list[list[tuple[int, Literal]] | None] = []  # its sources, once they were asked for
        self.level = 0
        self._columns: list[list[Any]] = [
            self.reasons, self.levels, self.lows, self.highs, self.numbers, self.explained
        ]  # fmt: skip
        count = len(domains.low)
        self.history: list[list[int]] = [[] for _ in range(count)]  # the entries of each variable
        self.gone_at: list[dict[int, int]] = [{} for _ in range(count)]
        self.first_low, self.first_high = list(domains.low), list(domains.high)
        self.root = 0  # entries before it hold in all solutions that are left
        self.changed: Callable[[tuple[int, bool, bool]], None] = lambda change: None
        self.infer: Callable[[str, list[Literal], Literal | None], int] = lambda *inference: 0

    def post(self, literal: Literal, reason: Reason | None) -> bool:
        """Make a literal true; say whether that is possible, else nothing has changed."""
        variable, operator, value = literal
        d = self.domains
        low, high, gone = d.low[variable], d.high[variable], d.gone[variable]
        if operator == "!=":
            if value < low or value > high or value in gone:
                return True
            if low == high:
                return False
            gone.add(value)
            self.gone_at[variable][value] = len(self.literals)
            if value == low:
                while low in gone:
                    low += 1
            elif value == high:
                while high in gone:
                    high -= 1
        else:
            if operator != "<=" and value > low:
                low = value
            if operator != ">=" and value < high:
                high = value
            if low == d.low[variable] and high == d.high[variable]:
                return True
            if gone:
                while low <= high and low in gone:
                    low += 1
                while low <= high and high in gone:
                    high -= 1
            if low > high:
                return False
        self.changed((variable, low > d.low[variable], high < d.high[variable]))
        d.low[variable], d.high[variable] = low, high
        self.history[variable].append(len(self.literals))
        self.literals.append(literal)
        self.reasons.append(reason)
        self.levels.append(self.level)
        self.lows.append(low)
        self.highs.append(high)
        self.numbers.append(0)
        self.explained.append(None)
        return True

    def back(self, level: int) -> None:
        """Take back everything above a level."""
        d = self.domains
        while self.levels and self.levels[-1] > level:
            variable, operator, value = self.literals.pop()
            self.history[variable].pop()
            if operator == "!=":
                del self.gone_at[variable][value]
                d.gone[variable].discard(value)
            for column in self._columns:
                column.pop()
            entries = self.history[variable]
            d.low[variable] = self.lows[entries[-1]] if entries else self.first_low[variable]
            d.high[variable] = self.highs[entries[-1]] if entries else self.first_high[variable]
        self.level = level

    # ---- earlier times ----------------------------------------------------------------------------

    def bounds(self, variable: int, time: int) -> tuple[int, int]:
        """Return the bounds of a variable before an entry."""
        entries = self.history[variable]
        k = bisect_left(entries, time)
        if not k:
            return self.first_low[variable], self.first_high[variable]
        return self.lows[entries[k - 1]], self.highs[entries[k - 1]]

    def facts(self, variable: int, time: int) -> list[Literal]:
        """Return all that had become of a variable before an entry, beyond the root."""
        low, high = self.bounds(variable, time)
        if time <= self.root:
            return []
        first, last = self.bounds(variable, self.root)
        if low == high:
            return [(variable, "==", low)] if first < last else []
        found: list[Literal] = []
        if low > first:
            found.append((variable, ">=", low))
        if high < last:
            found.append((variable, "<=", high))
        for value, entry in self.gone_at[variable].items():
            if self.root <= entry < time and low < value < high:
                found.append((variable, "!=", value))
        return found

    def at_root(self, scope: Sequence[int]) -> Domains:
        """Return the domains of some variables as they are at the root."""
        low, high, gone = {}, {}, {}
        for v in scope:
            low[v], high[v] = self.bounds(v, self.root)
            mine = self.gone_at[v]
            gone[v] = {x for x in self.domains.gone[v] if mine.get(x, -1) < self.root}
        return Domains(low, high, gone)  # type: ignore[arg-type]

    def needed(self, premises: list[Literal], time: int) -> tuple[list[Literal], list[tuple[int, Literal]]]:
        """Return which literals are not true at the root already, and the sources of these."""
        by_premise = [(premise, list(self.sources(premise, time))) for premise in premises]
        return [p for p, found in by_premise if found], [one for _, found in by_premise for one in found]

    def sources(self, literal: Literal, time: int) -> Iterator[tuple[int, Literal]]:
        """Yield the entries that made a literal true before ``time``, and what is needed of each.

        Together with the root they imply the literal by what it says alone.
        """
        variable, operator, value = literal
        if operator == "==":
            yield from self._bound(variable, ">=", value, time, literal)
            yield from self._bound(variable, "<=", value, time, literal)
        elif operator == "!=":
            yield from self._removed(variable, value, time)
        else:
            yield from self._bound(variable, operator, value, time, literal)

    def _first(self, variable: int, operator: str, value: int, time: int) -> int:
        """Return the first entry with which a bound was reached, -1 for the root or the beginning."""
        entries = self.history[variable]
        if operator == ">=":
            if self.first_low[variable] >= value:
                return -1
            lows = self.lows
            k = bisect_left(entries, value, key=lows.__getitem__)
        else:
            if self.first_high[variable] <= value:
                return -1
            highs = self.highs
            k = bisect_left(entries, -value, key=lambda entry: -highs[entry])
        return entries[k]

    def _bound(
        self, variable: int, operator: str, value: int, time: int, literal: Literal
    ) -> Iterator[tuple[int, Literal]]:
        entry = self._first(variable, operator, value, time)
        if entry < self.root:
            return
        assert entry < time, "a premise that was not true yet"
        _, own, at = self.literals[entry]
        up = operator == ">="
        if own == "==" or (own == operator and (at >= value if up else at <= value)):
            equal = own == "==" and literal[1] == "=="
            yield entry, literal if equal else (variable, operator, value)
            return
        yield entry, (variable, own, at)  # and what was gone beyond it
        step = 1 if up else -1
        if own == "!=":
            yield from self._bound(variable, operator, at, entry, (variable, operator, at))
            at += step
        while at != value:
            yield from self._removed(variable, at, entry)
            at += step

    def _removed(self, variable: int, value: int, time: int) -> Iterator[tuple[int, Literal]]:
        entry = self.gone_at[variable].get(value, -1)
        if 0 <= entry < time:
            if entry >= self.root:
                yield entry, (variable, "!=", value)
            return
        if value in self.domains.gone[variable] and entry < 0:
            return  # from the beginning
        low, high = self.bounds(variable, time)
        operator, bound = (">=", value + 1) if value < low else ("<=", value - 1)
        assert value < low or value > high, "a premise that was not true yet"
        for source, needed in self._bound(variable, operator, bound, time, (variable, operator, bound)):
            own = self.literals[source]
            weaker = own[1] != "!=" and needed == (variable, operator, bound)
            yield source, (variable, "!=", value) if weaker else needed
