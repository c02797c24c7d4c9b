"""The trail of a search that writes proofs: what was concluded, in which order, and from what.

Sources: Ohrimenko, Stuckey and Codish (Constraints 2009) for lazily made literals; Flippo and others (CP
2024) for a log of inferences and derived clauses.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Protocol

from cpqueens.proofs.parts import Domains, Literal


class Explainer(Protocol):
    """What concludes literals: a propagator of a part, or a clause.

    ``named`` is a clause's number in the proof, 0 of what is none.
    """

    named: int

    def premises(self, data: object, literal: Literal | None, time: int) -> list[Literal]:
        """Return literals, true before ``time``, from which a literal (None: a contradiction) follows."""

    def number(self, premises: list[Literal], literal: Literal | None) -> int:
        """Return the number of the clause that says so, which is written if it is not yet."""


class Contradiction(Exception):  # noqa: N818
    """Who found that literals, all true, cannot be so together."""

    def __init__(self, maker: Explainer, premises: list[Literal]) -> None:
        super().__init__()
        self.maker, self.premises = maker, premises


@dataclass(eq=False, slots=True)
class TrailEntry:
    """A literal that became true.

    Attributes
    ----------
    time
        Its place in the trail.
    literal
        What became true.
    maker, data
        Who concluded it, None for a decision; and what the maker needs to say from what.
    level
        How many decisions there were.
    low, high
        The bounds of its variable from then on.
    premises, sources
        From which literals it follows, and from which entries, once that was asked for.
    """

    time: int
    literal: Literal
    maker: Explainer | None
    data: object
    level: int
    low: int
    high: int
    premises: list[Literal] = field(default_factory=list)
    sources: list[Source] | None = None


Source = tuple[TrailEntry, Literal]
"""An entry, and what is needed of it: its literal or a weaker one."""

_TIME, _LOW = attrgetter("time"), attrgetter("low")


class Trail:
    """Domains that change one literal at a time; what was so at any earlier time can be asked."""

    def __init__(self, domains: Domains) -> None:
        self.domains = domains
        self.entries: list[TrailEntry] = []
        self.level = self.root = 0  # entries before the root hold in all solutions that are left
        ends = enumerate(zip(domains.low, domains.high, strict=True))
        self.history = [[TrailEntry(-1, (v, ">=", low), None, None, 0, low, high)] for v, (low, high) in ends]
        self.gone_at = [dict.fromkeys(gone, -1) for gone in domains.gone]  # when each value went
        self.changed: Callable[[tuple[int, bool, bool]], None] = lambda change: None
        self.infer: Callable[[str, list[Literal], Literal | None], int] = lambda *inference: 0

    def post(self, literal: Literal, maker: Explainer | None = None, data: object = None) -> bool:
        """Make a literal true; say whether that is possible, else nothing has changed."""
        d, v = self.domains, literal[0]
        if d.holds(literal):
            return True
        mark, low, high = d.mark(), d.low[v], d.high[v]
        if not d.impose(literal):
            d.back(mark)
            return False
        self.changed((v, d.low[v] > low, d.high[v] < high))
        entry = TrailEntry(len(self.entries), literal, maker, data, self.level, d.low[v], d.high[v])
        self.entries.append(entry)
        self.history[v].append(entry)
        if literal[1] == "!=":
            self.gone_at[v][literal[2]] = entry.time
        return True

    def back(self, level: int) -> None:
        """Take back everything above a level."""
        mark = self.domains.mark()
        while self.entries and self.entries[-1].level > level:
            v, operator, value = self.entries.pop().literal
            self.history[v].pop()
            if operator == "!=":
                del self.gone_at[v][value]
            mark -= 1
        self.domains.back(mark)
        self.level = level

    # ---- earlier times ----------------------------------------------------------------------------

    def bounds(self, variable: int, time: int) -> tuple[int, int]:
        """Return the bounds of a variable before an entry."""
        entries = self.history[variable]
        last = entries[bisect_left(entries, time, key=_TIME) - 1]
        return last.low, last.high

    def facts(self, variable: int, time: int) -> list[Literal]:
        """Return all that had become of a variable before an entry, beyond the root."""
        if time <= self.root:
            return []
        (low, high), (first, last) = self.bounds(variable, time), self.bounds(variable, self.root)
        if low == high:
            return [(variable, "==", low)] if first < last else []
        found: list[Literal] = [(variable, ">=", low)] if low > first else []
        if high < last:
            found.append((variable, "<=", high))
        went = self.gone_at[variable].items()
        return found + [(variable, "!=", x) for x, at in went if self.root <= at < time and low < x < high]

    def at_root(self, scope: Sequence[int]) -> Domains:
        """Return the domains of some variables as they are at the root."""
        low, high, gone = {}, {}, {}
        for v in scope:
            low[v], high[v] = self.bounds(v, self.root)
            gone[v] = {x for x, at in self.gone_at[v].items() if at < self.root}
        return Domains(low, high, gone)  # type: ignore[arg-type]

    def needed(self, premises: list[Literal], time: int) -> tuple[list[Literal], list[Source]]:
        """Return which literals are not true at the root already, and the sources of these."""
        by_premise = [(premise, list(self.sources(premise, time))) for premise in premises]
        return [p for p, found in by_premise if found], [one for _, found in by_premise for one in found]

    def sources(self, literal: Literal, time: int) -> Iterator[Source]:
        """Yield the entries that made a literal true before ``time``, and what is needed of each.

        Together with the root they imply the literal by what it says alone.
        """
        v, operator, value = literal
        if operator == "==":
            yield from self._of_bound((v, ">=", value))
            yield from self._of_bound((v, "<=", value))
        elif operator != "!=":
            yield from self._of_bound(literal)
        elif (at := self.gone_at[v].get(value, time)) < time:
            if at >= self.root:
                yield self.entries[at], literal
        else:
            bound = (v, ">=", value + 1) if value < self.bounds(v, time)[0] else (v, "<=", value - 1)
            for source, needed in self._of_bound(bound):
                weaker = source.literal[1] != "!=" and needed == bound
                yield source, literal if weaker else needed

    def _of_bound(self, literal: Literal) -> Iterator[Source]:
        """Yield what first made a bound true; where it skipped values that were gone, also why they were."""
        v, operator, value = literal
        entries, up = self.history[v], operator == ">="
        k = (
            bisect_left(entries, value, key=_LOW)
            if up
            else bisect_left(entries, -value, key=lambda e: -e.high)
        )
        entry = entries[k]
        if entry.time < self.root:
            return
        _, own, at = entry.literal
        if own == "==" or (own == operator and (at >= value if up else at <= value)):
            yield entry, literal
            return
        yield entry, entry.literal
        step = 1 if up else -1
        if own == "!=":
            yield from self._of_bound((v, operator, at))
            at += step
        for skipped in range(at, value, step):
            yield from self.sources((v, "!=", skipped), entry.time)
