"""Why a model has no solution: a minimal unsatisfiable subset of its constraints."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cpqueens.answers.outcome import Status
from cpqueens.backends.base import Want
from cpqueens.errors import BackendFault, CpqueensError, ModelError
from cpqueens.language.describe import describe
from cpqueens.language.rebuild import rebuilt
from cpqueens.language.statement import Statement
from cpqueens.solving.deletion import reduced
from cpqueens.solving.solve import solve
from cpqueens.system.interrupts import listening
from cpqueens.text import markup


class NotInfeasible(CpqueensError):  # noqa: N818 - the name says what is the case
    """The model has a solution, or it could not be proved that it has none."""

    exit_code = 3


@dataclass(frozen=True)
class Reason:
    """One constraint of the subset: its position in ``model.constraints``, name, place and text."""

    position: int
    name: str | None
    where: str
    text: str

    @property
    def label(self) -> str:
        """The constraint behind its name."""
        return f"{self.name}: {self.text}" if self.name else self.text

    def __str__(self) -> str:
        return self.label + (f"  ({self.where})" if self.where else "")


@dataclass(frozen=True)
class Explanation:
    """Constraints that together have no solution; without any one of them there is one.

    ``minimal`` is False if a limit ended the search for smaller subsets: some member may be superfluous.
    ``checked_by`` is the second backend that proved the subset infeasible; None if no other one answered.
    """

    reasons: tuple[Reason, ...]
    minimal: bool
    solver: str
    checked_by: str | None
    runs: int
    interrupted: bool = False
    """Whether a signal ended the search."""

    @property
    def positions(self) -> tuple[int, ...]:
        """Positions of the subset in ``model.constraints``."""
        return tuple(reason.position for reason in self.reasons)

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
        return markup.fragment(
            markup.heading(head, markup.badge("INFEASIBLE", markup.NEUTRAL)), markup.table(rows, code=True)
        )

    def __str__(self) -> str:
        perhaps = "an unsatisfiable subset, perhaps not minimal"
        kind = "a minimal unsatisfiable subset" if self.minimal else perhaps
        second = f", checked by {self.checked_by}" if self.checked_by else ", not checked by another"
        broken = ", interrupted" if self.interrupted else ""
        head = f"{kind}: {len(self.reasons)} constraint(s), proved by {self.solver}{second}{broken}"
        return "\n".join([head, *(f"  {reason}" for reason in self.reasons)])


def explain_infeasible(model: Statement, /, solver: str = "auto", **options: Any) -> Explanation:
    """Return a minimal unsatisfiable subset of a model's constraints, found by deletion.

    Constraints are left out (see `cpqueens.solving.deletion`). Domains
    are never left out, and the condition under which a quotient, a remainder or an element is defined
    stays and goes with the constraints that use it. Another installed backend then proves the subset too.

    Parameters
    ----------
    solver
        Any backend that proves.
    **options
        As for `Model.solve`; ``time_limit`` holds for each run.

    Raises
    ------
    NotInfeasible
        If the model has a solution, or infeasibility is not proved within the limits.
    ModelError
        If the solver cannot prove.
    BackendFault
        If another backend finds a solution of the subset.
    """
    from cpqueens.solving.choosing import choose

    name, backend, _ = choose(model, solver, Want.ONE)
    if not backend.proves:
        raise ModelError(f"{name} cannot prove that there is no solution; use a backend that proves")
    search = _Search(model, solver if isinstance(solver, str) and solver != "auto" else name, options)
    everything = [k for k, posted in enumerate(model.constraints) if posted.source is not None]
    with listening() as interrupt:
        known = search.infeasible(everything)
        if known is not True:
            undecided = "interrupted" if interrupt.seen else "not proved infeasible within the limits"
            why = "it has a solution" if known is False else undecided
            raise NotInfeasible(f"{model.name}: {why}; there is nothing to explain")
        subset, minimal = reduced(everything, search.infeasible, interrupt)
        second = None if interrupt.seen else _check(model, subset, name, options)
    reasons = tuple(_reason(model, k) for k in subset)
    return Explanation(reasons, minimal, name, second, search.runs, interrupt.seen)


class _Search:
    """Asks one backend about subsets of the constraints, and counts the runs."""

    def __init__(self, model: Statement, solver: str, options: dict[str, Any]) -> None:
        self.model, self.solver, self.options, self.runs = model, solver, options, 0

    def infeasible(self, kept: Iterable[int]) -> bool | None:
        """Say whether the constraints at ``kept`` have no solution; None if undecided."""
        self.runs += 1
        return _infeasible(self.model, kept, self.solver, self.options)


def _infeasible(model: Statement, kept: Iterable[int], solver: str, options: dict[str, Any]) -> bool | None:
    everything = model.constraints
    part = rebuilt(model, constraints=[everything[k] for k in kept])  # each brings its own range conditions
    part._clear_objectives()
    outcome = solve(part, solver, **options)
    if outcome.status is Status.INFEASIBLE:
        return True
    return False if outcome.solution is not None else None


def _check(model: Statement, subset: list[int], first: str, options: dict[str, Any]) -> str | None:
    """Return another backend that proves the subset infeasible too."""
    from cpqueens.backends import named

    kept = {k: v for k, v in options.items() if k == "time_limit"}
    for name in named.available():
        if name == first or not named.get_backend(name).proves:
            continue
        try:
            answer = _infeasible(model, subset, name, kept or {"time_limit": 10.0})
        except CpqueensError:
            continue
        if answer is False:
            raise BackendFault(f"{first} calls a subset infeasible that {name} solves; cross-check the model")
        if answer:
            return name
    return None


def _reason(model: Statement, position: int) -> Reason:
    posted = model.constraints[position]
    return Reason(position, posted.name, posted.where, describe(model, posted.constraint))
