"""What a run spent on each constraint and what that was good for: why it takes so long."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.language.wording import describe
from cpqueens.text import plaintext
from cpqueens.text.plaintext import one_line, wrapped

COUNTED = ("runs", "removed", "failures", "reasons", "parts", "samples")
"""What `Tallies.rows` counts."""

FEW_SAMPLES = 20
"""Fewer say nothing of shares of the time: then the shares are those of runs."""

MUCH, MOMENTS = 0.3, 10
_COLUMNS, _LISTED, _NAMED = 79, 20, 3

NOT_STATED = {
    -1: "(expressions that several constraints share)",
    -2: "(what follows from several constraints)",
    -3: "(the objective's bound)",
    -4: "(nogoods and subproblems of the search)",
    -5: "(clauses, stated and learned)",
    -6: "(decisions, waking and the analysis of conflicts)",
}
"""What takes time and is no constraint of the model, by its number in `cpqueens.lowered.forms`."""


@dataclass(frozen=True)
class Tallies:
    """What an exact search counted.

    Attributes
    ----------
    rows
        By origin (a constraint's position, or one of `NOT_STATED`) what `COUNTED` names.
    decided
        (decision variables + 1,): how often each was decided, and last how often others were.
    samples
        How often it was looked at what runs.
    """

    rows: Mapping[int, IntArray]
    decided: IntArray
    samples: int


@dataclass(frozen=True)
class Walked:
    """States that a local search passed: at which steps, and (states, decision variables) of them."""

    steps: IntArray
    states: IntArray


@dataclass(frozen=True)
class ConstraintProfile:
    """The cost and the effect of one constraint.

    Attributes
    ----------
    constraint, name, where
        Its text, the name that it was given or None, and the user's file and line.
    share
        Its part of the time, from 0 to 1, or of the runs of all (see `Profile.measure`); after local search
        its part of the violation.
    parts
        Propagators that it became.
    runs, removed, failures
        How often these ran, how many values they removed, how often they found that nothing is left.
    reasons
        How often a conflict was traced back to it, where clauses were learned.
    violated
        After local search: in which part of the states it was violated.
    history
        After local search: its violation at up to ten moments of the run.
    """

    constraint: str
    name: str | None
    where: str
    share: float
    parts: int = 0
    runs: int = 0
    removed: int = 0
    failures: int = 0
    reasons: int = 0
    violated: float = 0.0
    history: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """Its name and where it was added, or its text."""
        place = self.where.rpartition("/")[2]
        return " ".join(part for part in (self.name or self.constraint, place) if part)

    @property
    def did_nothing(self) -> bool:
        """Whether it ran, and neither removed a value nor failed."""
        return self.runs > 0 and not self.removed and not self.failures


@dataclass(frozen=True)
class VariableProfile:
    """What a variable took.

    Attributes
    ----------
    name
        What it is called.
    decisions, share
        How often it was decided, and which part of all decisions that is, from 0 to 1.
    """

    name: str
    decisions: int
    share: float


@dataclass(frozen=True)
class Profile:
    """The time that a run spent on each constraint, longest first; ``print`` shows it as a table.

    >>> from cpqueens import AllDifferent, Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=3, name="x")
    >>> m.add(AllDifferent(x), name="all differ")
    >>> m.add(x[0] < x[1], name="rising")
    >>> profile = m.solve(solver="backtracking", profile=True).profile
    >>> sorted(c.name for c in profile.constraints if c.name and c.runs)
    ['all differ', 'rising']

    Attributes
    ----------
    measure
        What the shares are of: ``time`` (by samples), ``runs`` (of a run that was too short for samples) or
        ``violation`` (of local search).
    samples
        How often it was looked at what runs, or which states were looked at.
    """

    measure: str
    samples: int
    _model: Statement = field(repr=False)
    _tallies: Tallies | list[IntArray] = field(repr=False)  # of local search the violations in each state
    _stated: int = field(repr=False)

    # Both are made when they are looked at: to say in words what many constraints are can take longer than
    # a short run.
    @cached_property
    def constraints(self) -> tuple[ConstraintProfile, ...]:
        """Those of the model, and what else took time (`ConstraintProfile`)."""
        found = _searched(self, t) if isinstance(t := self._tallies, Tallies) else _walked(self, t)
        return tuple(sorted(found, key=lambda c: (-c.share, -c.runs)))

    @cached_property
    def variables(self) -> tuple[VariableProfile, ...]:
        """The variables that were decided, most often first (`VariableProfile`)."""
        if not isinstance(self._tallies, Tallies):
            return ()
        decided = self._tallies.decided
        known = self._model.decisions[: len(decided) - 1].tolist()
        names = [*map(self._model.label_of, known), "(auxiliary variables)"]
        order = np.argsort(-decided, kind="stable")[: int((decided > 0).sum())].tolist()
        total = max(1, int(decided.sum()))
        return tuple(VariableProfile(names[k], int(decided[k]), int(decided[k]) / total) for k in order)

    def took_no_part(self, position: int) -> bool:
        """Whether a constraint became propagators, none of which removed a value or failed."""
        assert isinstance(self._tallies, Tallies), "of an exact search"
        row = dict(zip(COUNTED, self._tallies.rows.get(position, ()), strict=False))
        return bool(row) and row["parts"] > 0 and not row["removed"] and not row["failures"]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on unusual constraints, in sentences."""
        found = list(self._dear()) if self.measure == "time" else []
        told = NOT_STATED.values()
        idle = [c for c in self.constraints if c.did_nothing and c.constraint not in told and c.share < MUCH]
        if idle:
            more = f" and {len(idle) - _NAMED} more" if len(idle) > _NAMED else ""
            named = ", ".join(one_line(c.label, 40) for c in idle[:_NAMED])
            found.append(f"Removed and refuted nothing: {named}{more}.")
        hard = [c for c in self.constraints if c.violated >= 1]
        if hard:
            found.append(f"Never satisfied: {', '.join(one_line(c.label, 40) for c in hard[:_NAMED])}.")
        return tuple(found)

    def _dear(self) -> Iterator[str]:
        for c in self.constraints:
            if c.share >= MUCH and c.runs and not c.failures and c.constraint not in NOT_STATED.values():
                did = "refuted nothing" if c.removed else "removed and refuted nothing"
                yield f"{one_line(c.label, 40)} took {c.share:.0%} of the time and {did}."

    def to_dict(self) -> dict[str, Any]:
        """Return the whole profile as plain data."""
        lists = {name: [asdict(one) for one in getattr(self, name)] for name in ("constraints", "variables")}
        return lists | {"measure": self.measure, "samples": self.samples, "remarks": list(self.remarks)}

    def __str__(self) -> str:
        return "\n".join([*self._lines(), *(part for r in self.remarks for part in wrapped(r, _COLUMNS))])

    def _lines(self) -> Iterator[str]:
        """Yield a table of at most 79 columns."""
        titles, rows = self._cells()
        widths = [max(len(line[k]) for line in (titles, *rows)) for k in range(len(titles) - 1)]
        for line in (titles, *rows):
            cells = "  ".join(f"{cell:>{w}}" for cell, w in zip(line, widths, strict=False))
            yield f"{cells}  {one_line(line[-1], _COLUMNS - len(cells) - 2)}".rstrip()
        left = len(self.constraints) - len(rows)
        if left > 0:
            yield f"... and {left:,} more"
        if self.variables:
            decided = ", ".join(f"{v.name} {v.share:.0%}" for v in self.variables[:5])
            yield one_line(f"decisions: {decided}", _COLUMNS)

    def _cells(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        shown = self.constraints[:_LISTED]
        rows: list[Sequence[str]]
        if self.measure == "violation":
            columns: tuple[str, ...] = ("violated", "violation over time")
            rows = [(f"{c.violated:.0%}", " ".join(map(_short, c.history))) for c in shown]
        else:
            columns = ("runs", "removed", "failed", "reasons")
            rows = [tuple(map(_short, (c.runs, c.removed, c.failures, c.reasons))) for c in shown]
        rows = [(f"{c.share:.0%}", *own, c.label) for c, own in zip(shown, rows, strict=True)]
        return ("time" if self.measure == "time" else "share", *columns, "constraint"), rows

    def _repr_html_(self) -> str:
        titles, rows = self._cells()
        head = "".join(f'<th style="{_CELL}">{escape(title)}</th>' for title in titles)
        lines = [f"<tr>{head}<th></th></tr>"]
        for c, row in zip(self.constraints, rows, strict=False):
            cells = "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in row)
            bar = f'<div style="{_BAR_STYLE};width:{max(1, round(160 * c.share))}px"></div>'
            lines.append(f"<tr>{cells}<td>{bar}</td></tr>")
        left = len(self.constraints) - len(rows)
        return plaintext.fragment(
            plaintext.heading(f"Profile: shares of the {self.measure}"),
            f"<table><tbody>{''.join(lines)}</tbody></table>",
            plaintext.line(f"... and {left:,} more") if left > 0 else "",
            *map(plaintext.line, self.remarks),
        )


_CELL = "text-align:left;vertical-align:top;padding:1px 12px 1px 0"
_BAR_STYLE = f"background:{plaintext.NEUTRAL};height:12px"


def _short(number: int) -> str:
    """Return a number in at most five columns or so."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= 10 * size:
            return f"{number // size:,}{unit}"
    return f"{number}"


def profile_of(model: Statement, tallies: Tallies | Walked) -> Profile:
    """Return what was counted in a user's words."""
    many = model.constraint_count
    if isinstance(tallies, Walked):
        return Profile(
            "violation", len(tallies.steps), model, Checker.of(model).amounts(tallies.states), many
        )
    timed = tallies.samples >= FEW_SAMPLES
    return Profile("time" if timed else "runs", tallies.samples, model, tallies, many)


def _searched(profile: Profile, tallies: Tallies) -> Iterator[ConstraintProfile]:
    rows = {origin: dict(zip(COUNTED, row.tolist(), strict=True)) for origin, row in tallies.rows.items()}
    rest = tallies.samples - sum(row["samples"] for row in rows.values())
    rows[min(NOT_STATED)] = dict.fromkeys(COUNTED, 0) | {"samples": rest}
    measured = "samples" if profile.measure == "time" else "runs"
    whole = sum(row[measured] for row in rows.values())
    for origin in {**dict.fromkeys(range(profile._stated)), **rows}:
        row = rows.get(origin, dict.fromkeys(COUNTED, 0))
        share = row[measured]
        del row["samples"]
        if origin >= 0 or row["runs"] or share:
            yield ConstraintProfile(*_texts(profile._model, origin), share / max(1, whole), **row)


def _texts(model: Statement, origin: int) -> tuple[str, str | None, str]:
    """Return text, name and place of a constraint, or what else it is."""
    if origin < 0:
        return NOT_STATED[origin], None, ""
    posted = model.posted(origin)
    return describe(model, posted.constraint), posted.name, posted.where


def _walked(profile: Profile, amounts: list[IntArray]) -> Iterator[ConstraintProfile]:
    """Yield how far each constraint was violated in the states that were looked at."""
    whole, many = max(1, int(sum(map(np.sum, amounts)))), profile.samples
    moments = np.linspace(0, max(0, many - 1), min(MOMENTS, many)).astype(int)
    for k, amount in enumerate(amounts):
        yield ConstraintProfile(
            *_texts(profile._model, k),
            float(amount.sum() / whole),
            violated=float((amount > 0).mean()) if len(amount) else 0.0,
            history=tuple(amount[moments].tolist()),
        )
