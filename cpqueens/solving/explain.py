"""Why a model has no solution: a minimal unsatisfiable subset of its constraints."""

import dataclasses
import math
import re
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Outcome, Status
from cpqueens.backends import named
from cpqueens.backends.base import Want
from cpqueens.backends.clock import Share, sharing
from cpqueens.errors import BackendFault, CpqueensError, ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.posted import Posted
from cpqueens.language.rebuild import rebuilt
from cpqueens.language.statement import Statement
from cpqueens.language.wording import describe
from cpqueens.solving.assumptions import Witnesses, native_core, reduced
from cpqueens.solving.request import choose, positive_seconds
from cpqueens.solving.solve import solve
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.text import plaintext
from cpqueens.text.plaintext import counted

_SECONDS_ON_ROWS = 30.0
"""Processor seconds in which the guilty rows of arrays are looked for, unless a time limit says it."""

_SECONDS_FOR_CORE = 1.0
"""Processor seconds in which CP-SAT says which constraints are to blame, and our engine which did nothing."""

_WORTH_A_CORE = 4
"""Constraints from which on it is asked: fewer are left out one by one as fast."""

_SECONDS_TO_CHECK = 2.0
"""Processor seconds in which other backends prove it, all together, unless a time limit says it."""

_ROWS_APART = 20
"""Rows of one array that are told one by one; of more, and where all are needed, the array is one reason."""


_ROWS_IN_FULL = 4
"""Rows of an array up to which a reason says them all."""

_KEPT_BACK = 0.1
"""Part of a time limit that is left to the second backend."""


class NotInfeasible(CpqueensError):  # noqa: N818 - the name says what is the case
    """The model has a solution, or it could not be proved that it has none."""

    exit_code = 3


@dataclasses.dataclass(frozen=True)
class Reason:
    """One constraint of the subset: its position in ``model.constraints``, name, place and text.

    ``rows`` are the rows that are needed of an array of constraints (positions in it, flattened); empty for
    all of it.

    Attributes
    ----------
    position
        In ``model.constraints``.
    name, where, text
        What it was given, or None; the user's file and line; what it says.
    rows
        Those needed of an array of constraints; empty for all of it.
    """

    position: int
    name: str | None
    where: str
    text: str
    rows: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """The constraint behind its name."""
        return f"{self.name}: {self.text}" if self.name else self.text

    def __str__(self) -> str:
        return self.label + (f"  ({self.where})" if self.where else "")


@dataclasses.dataclass(frozen=True)
class Explanation:
    """Constraints that together have no solution; without any one of them there is one.

    Of an array of constraints, added at once, the rows that are needed are told one by one.
    ``solver`` proved it. ``minimal`` is False if a limit ended the search for smaller subsets: some member
    may be superfluous.
    ``checked_by`` is the second backend that proved the subset infeasible; None if no other one answered.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=2, name="x")
    >>> m.add(x[0] < x[1], name="rising")
    >>> m.add(x[0] == 3, name="three first")
    >>> m.add(x[1] >= 1)
    >>> found = m.explain_infeasible()
    >>> [reason.name for reason in found.reasons], found.minimal
    (['rising', 'three first'], True)

    Attributes
    ----------
    reasons
        The constraints (`Reason`).
    minimal
        Whether each is needed.
    solver, checked_by
        The solver that proved it, and the one that proved it again, or None.
    runs
        How many subsets were solved.
    interrupted
        Whether a signal ended the search.
    """

    reasons: tuple[Reason, ...]
    minimal: bool
    solver: str
    checked_by: str | None
    runs: int
    interrupted: bool = False

    @property
    def positions(self) -> tuple[int, ...]:
        """Positions of the subset in ``model.constraints``, each once."""
        return tuple(dict.fromkeys(reason.position for reason in self.reasons))

    def __len__(self) -> int:
        return len(self.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return dataclasses.asdict(self)

    def __repr__(self) -> str:
        return f"<Explanation {str(self).partition(chr(10))[0]}>"

    def _repr_html_(self) -> str:
        head = str(self).partition("\n")[0]
        rows = [(reason.label, reason.where) for reason in self.reasons]
        return plaintext.fragment(
            plaintext.heading(head, plaintext.badge("INFEASIBLE", plaintext.NEUTRAL)),
            plaintext.table(rows, code=True),
        )

    def __str__(self) -> str:
        perhaps = "an unsatisfiable subset, perhaps not minimal"
        kind = "a minimal unsatisfiable subset" if self.minimal else perhaps
        second = f", checked by {self.checked_by}" if self.checked_by else ", not checked by another"
        broken = ", interrupted" if self.interrupted else ""
        head = f"{kind}: {counted(len(self.reasons), 'constraint')}, proved by {self.solver}{second}{broken}"
        return "\n".join([head, *(f"  {reason}" for reason in self.reasons)])


def explain_infeasible(model: Statement, /, solver: str = "auto", **options: Any) -> Explanation:
    """Return a minimal unsatisfiable subset of a model's constraints, found by deletion.

    If an earlier `Model.solve` proved that there is no solution, this is not proved again. Constraints that
    remove nothing where our own engine proves it are left out at once; where OR-Tools is installed, its core
    of assumptions is the next subset. Then constraints are left out (see
    `cpqueens.solving.assumptions`), and single rows of the arrays among those that are left (without a time
    limit for 30 seconds together). A solution of the rest shows which ones are needed. Domains are never left
    out, and the condition under which a quotient, a remainder or an element is defined stays and goes with
    the constraints that use it. Another installed backend then proves the subset too.

    Parameters
    ----------
    solver
        Any exact backend.
    **options
        As for `Model.solve`; ``time_limit`` is for the whole call; the search for smaller subsets leaves a
        tenth of it to the second backend. Other limits hold for each run.

    Raises
    ------
    NotInfeasible
        If the model has a solution, or infeasibility is not proved within the limits.
    ModelError
        If the solver cannot prove.
    BackendFault
        If another backend finds a solution of the subset.
    """
    name, backend, _ = choose(model, solver, Want.ONE)
    if not backend.proves:
        raise ModelError(f"{name} cannot prove that there is no solution; use a backend that proves")
    search = _Search(model, solver, options)
    everything = [k for k, posted in enumerate(search.everything) if posted.source is not None]
    with listening() as interrupt:

        def over() -> bool:
            return interrupt.seen or search.is_over()

        told = (
            known.solver
            for known in model._known.values()
            if known.infeasible and model.grew_from(known.size)
        )
        search.prover = next(told, "")
        known = bool(search.prover) or search.infeasible(everything)
        if known is not True:
            undecided = "not proved infeasible within the limits; give more, such as time_limit=, or none"
            if interrupt.seen:
                undecided = "interrupted before it was proved infeasible"
            why = "it has a solution; there is nothing to explain" if known is False else undecided
            raise NotInfeasible(f"{model.name}: {why}")
        begun = everything if over() else search.busy(everything)
        stated = [search.everything[k] for k in begun]
        begun = search.narrowed(begun, stated, search.infeasible, interrupt)
        each: list[tuple[int, int | None]] = [(k, None) for k in range(len(search.everything))]
        subset, minimal = reduced(begun, search.infeasible, over, search.witnesses.among(each))
        parts = _TakenApart(search.everything, subset)
        if len(parts.singles) > len(subset) and not interrupt.seen:
            search.begin_rows()
            rows = list(range(len(parts.singles)))
            begun = search.narrowed(rows, parts.each(), lambda s: search.of(parts.stated(s)), interrupt)
            shown = search.witnesses.among(parts.singles)
            kept, decided = reduced(begun, lambda s: search.of(parts.stated(s)), over, shown)
            minimal = minimal and decided
            parts.keep(kept)
        prover = search.prover
        stated = [posted for _, _, posted in parts.kept()]
        second = None if interrupt.seen else _check(model, stated, prover, search.left)
    reasons = tuple(
        Reason(position, posted.name, posted.where, _text(model, posted.constraint), rows)
        for position, rows, posted in parts.told()
    )
    return Explanation(reasons, minimal, prover, second, search.runs, interrupt.seen)


class _Search:
    """Asks one backend about subsets of the constraints, and counts the runs."""

    def __init__(self, model: Statement, solver: str, options: dict[str, Any]) -> None:
        self.model, self.solver, self.options, self.runs = model, solver, dict(options), 0
        self.everything = model.constraints
        seconds = positive_seconds(self.options.pop("time_limit", None), "time_limit")
        self.until = math.inf if seconds is None else time.monotonic() + seconds
        self.prover = ""  # of the smallest subset so far: each that is proved is a part of the one before
        self.kept_back = 0.0  # seconds that are left to the second backend, once something is proved
        if seconds is not None:
            self.kept_back = _KEPT_BACK * seconds
        self.share = Share()
        self.witnesses = Witnesses(model)

    def begin_rows(self) -> None:
        """Begin to look for the guilty rows: in what is left of the limit, or in a share of its own."""
        if self.until == math.inf:
            self.share = Share(_SECONDS_ON_ROWS)

    def left(self) -> dict[str, Any]:
        """Return the limit of a run that begins now: what is left of the call's, none without one."""
        return {} if self.until == math.inf else {"time_limit": max(0.0, self.until - time.monotonic())}

    def _limits(self) -> dict[str, Any] | None:
        """Return the limit of a run, which leaves time to the second backend; None if none is to begin."""
        left = self.left()
        if "time_limit" in left:
            left["time_limit"] -= self.kept_back * bool(self.prover)
        return left if left.get("time_limit", 1.0) > 0 and self.share.left > 0 else None

    def is_over(self) -> bool:
        """Say whether no further run is to begin."""
        return self._limits() is None

    def busy(self, places: list[int]) -> list[int]:
        """Return those constraints that our own engine's proof needs, if they are infeasible; else all."""
        limits = self._limits()
        if len(places) < _WORTH_A_CORE or limits is None:
            return places
        some = _busy(self.model, places, limits)
        return some if len(some) < len(places) and self.infeasible(some) is True else places

    def narrowed(
        self,
        places: list[int],
        stated: list[Posted],
        infeasible: Callable[[list[int]], bool | None],
        interrupt: Interrupt,
    ) -> list[int]:
        """Return those of some constraints that CP-SAT blames, if they are infeasible; else all."""
        limits = self._limits()
        if len(places) < _WORTH_A_CORE or interrupt.seen or limits is None:
            return places
        blamed = _blamed(self.model, stated, limits, interrupt)
        if blamed is None or len(blamed) == len(places):
            return places
        some = [places[k] for k in blamed]
        return some if infeasible(some) is True else places

    def infeasible(self, kept: Iterable[int]) -> bool | None:
        """Say whether the constraints at ``kept`` have no solution; None if undecided."""
        return self.of([self.everything[k] for k in kept])

    def of(self, stated: list[Posted]) -> bool | None:
        """Say whether these constraints have no solution; None if undecided, or if the time is over."""
        limits = self._limits()
        if limits is None:
            return None
        self.runs += 1
        with sharing(self.share):
            outcome = _outcome(self.model, stated, self.solver, self.options | limits)
        if outcome.solution is not None:
            self.witnesses.add(outcome.solutions.matrix[-1])
        elif outcome.status is Status.INFEASIBLE:
            self.prover = outcome.solver
        return _says(outcome)


class _TakenApart:
    """A subset of the constraints with the arrays among them taken apart, of which some rows are kept."""

    def __init__(self, everything: list[Posted], subset: list[int]) -> None:
        self._posted = {k: everything[k] for k in subset}
        self._size = {k: max(1, posted.constraint.size) for k, posted in self._posted.items()}
        self.singles = [(k, row) for k in subset for row in range(self._size[k])]
        self._kept = list(range(len(self.singles)))

    def keep(self, singles: list[int]) -> None:
        """Forget all rows but those at these places in ``singles``."""
        self._kept = singles

    def kept(self) -> list[tuple[int, tuple[int, ...], Posted]]:
        """Return position, rows (none for all) and the constraint of what is kept of each."""
        return self._parts(self._kept)

    def stated(self, singles: list[int]) -> list[Posted]:
        """Return constraints of the rows at these places in ``singles``, those of one array together."""
        return [posted for _, _, posted in self._parts(singles)]

    def told(self) -> list[tuple[int, tuple[int, ...], Posted]]:
        """Return the same as `kept`, a few rows of an array apart."""
        found: list[tuple[int, tuple[int, ...], Posted]] = []
        for position, rows, posted in self.kept():
            if 0 < len(rows) <= _ROWS_APART:
                found += [(position, (row,), self._part(position, [row])) for row in rows]
            else:
                found.append((position, rows, posted))
        return found

    def each(self) -> list[Posted]:
        """Return a constraint of each row in ``singles``."""
        return [self._posted[k] if self._size[k] == 1 else self._part(k, [row]) for k, row in self.singles]

    def _parts(self, singles: list[int]) -> list[tuple[int, tuple[int, ...], Posted]]:
        rows: dict[int, list[int]] = {}
        for at in singles:
            position, row = self.singles[at]
            rows.setdefault(position, []).append(row)
        return [
            (position, (), self._posted[position])
            if len(mine) == self._size[position]
            else (position, tuple(mine), self._part(position, mine))
            for position, mine in rows.items()
        ]

    def _part(self, position: int, rows: list[int]) -> Posted:
        posted = self._posted[position]
        taken = posted.constraint.flattened().take(np.array(rows if len(rows) > 1 else rows[0]))
        return dataclasses.replace(posted, constraint=taken)


def _busy(model: Statement, places: list[int], limits: dict[str, Any]) -> list[int]:
    """Return those constraints that removed a value or failed in a search of our own engine.

    The others have no part in that proof: its search would be the same without them.
    """
    other = model.copy()
    other._clear_objectives()
    try:
        with sharing(Share(_SECONDS_FOR_CORE)):
            profile = solve(other, "backtracking:forward", profile=True, **limits).profile
    except CpqueensError:  # domains that are too large to be listed, for one
        return places
    return places if profile is None else [k for k in places if not profile.took_no_part(k)]


def _blamed(
    model: Statement, stated: list[Posted], options: dict[str, Any], interrupt: Interrupt
) -> list[int] | None:
    """Return which of these constraints CP-SAT says cannot hold together; None if it does not say."""
    if "cpsat" not in named.available():
        return None

    def made() -> tuple[Statement, list[Constraint]]:
        rewritten: list[Constraint] = []

        def aside(_k: int, constraint: Constraint) -> list[Any]:
            rewritten.append(constraint)
            return []

        return rebuilt(model, constraints=stated, edit=aside, objective=False), rewritten

    backend: Any = named.get_backend("cpsat")
    return native_core(backend.core, made, Share(_SECONDS_FOR_CORE), options.get("time_limit"), interrupt)


def _outcome(model: Statement, stated: list[Posted], solver: str, options: dict[str, Any]) -> Outcome:
    """Return what a solver finds of these constraints alone."""
    part = rebuilt(model, constraints=stated)  # each brings its own range conditions
    part._clear_objectives()
    return solve(part, solver, **options)


def _says(outcome: Outcome) -> bool | None:
    """Say whether there is no solution; None if undecided."""
    if outcome.status is Status.INFEASIBLE:
        return True
    return False if outcome.solution is not None else None


def _text(model: Statement, constraint: Constraint) -> str:
    """Return what a constraint says; of a long array the first row, and how many more there are."""
    if constraint.size <= _ROWS_IN_FULL:
        return describe(model, constraint)
    return f"{describe(model, constraint.flattened().take(np.array(0)))}, and {constraint.size - 1} more rows"


def _check(
    model: Statement, stated: list[Posted], first: str, limits: Callable[[], dict[str, Any]]
) -> str | None:
    """Return another backend than any that ``first`` speaks of, which proves it infeasible too."""
    share = Share(_SECONDS_TO_CHECK)
    for name in named.available():
        if name in re.split("[:+ ]", first) or not named.get_backend(name).proves:
            continue
        kept = limits()
        if kept.get("time_limit", share.left) <= 0:
            return None
        try:
            with sharing(Share() if kept else share):
                answer = _says(_outcome(model, stated, name, kept))
        except CpqueensError:
            continue
        if answer is False:
            raise BackendFault(f"{first} calls a subset infeasible that {name} solves; cross-check the model")
        if answer:
            return name
    return None
