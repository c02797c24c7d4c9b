"""What each constraint of a model is there for: does it follow from the others, or what does it refuse?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from cpqueens.answers.outcome import Outcome
from cpqueens.answers.symmetry import Group, as_group
from cpqueens.backends.clock import limited, now
from cpqueens.crosscheck.two_models import orbits_without
from cpqueens.errors import CpqueensError
from cpqueens.language.rebuild import rebuilt
from cpqueens.model import Model
from cpqueens.solving.request import positive_seconds
from cpqueens.system.interrupts import Interrupt, listening
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.parameters import needed

# ---- exact solvers asked whether there is a solution, in turns and for short times -----------------------

SOLVERS = ("cpsat", "backtracking")
"""Exact solvers that are asked, in this order; a second one confirms a proof while there is time."""

_LEAST = 0.01  # seconds below which no solver is worth starting
_CONFIRMING = 0.04  # of all time, for a second proof, at least


@dataclass
class Questions:
    """One budget for all questions.

    Attributes
    ----------
    solvers
        Exact ones, in the order in which they are asked.
    seconds
        For everything, from now on; see `clock.now`.
    interrupt
        What is known of signals.
    proofs
        For each question that was settled by proof, the solvers that proved it.
    end
        When the time is over, see `clock.now`; by default after ``seconds``.
    random_seed
        Of the solvers' random choices.
    """

    solvers: tuple[str, ...]
    seconds: float
    interrupt: Interrupt
    proofs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    end: float = math.inf
    random_seed: int = 0

    def __post_init__(self) -> None:
        self.end = min(self.end, now() + self.seconds)

    @property
    def left(self) -> float:
        """Seconds that are left; none once a signal came."""
        return 0.0 if self.interrupt.poll() else self.end - now()

    def last(self) -> Questions:
        """Return the same questions, for the last solver alone."""
        return replace(self, solvers=self.solvers[-1:])

    def ask(self, model: Model, question: str, seconds: float) -> Outcome | None:
        """Return an outcome with a solution; None if there is none, or was none in the time.

        The solvers have equal shares, what one does not use is for the next one. After a proof another one is
        asked to confirm it: where one is lost another may not be.
        """
        until = min(self.end, now() + seconds)
        proved: list[str] = []
        for k, solver in enumerate(self.solvers):
            left = min(until - now(), self.left)
            if proved:
                left = min(max(0.3 * left, _CONFIRMING * self.seconds), self.left)
            else:
                left /= len(self.solvers) - k
            if left <= _LEAST * bool(proved or k):
                break
            try:
                outcome = model.solve(solver=solver, time_limit=left, random_seed=self.random_seed)
            except CpqueensError:
                if k + 1 == len(self.solvers) and not proved:
                    raise
                continue
            if outcome.solution is not None:
                return outcome
            if outcome.complete:
                proved.append(solver)
        if proved:
            self.proofs[question] = tuple(proved)
        return None

    def sampled(self, model: Model, seeds: int, seconds: float) -> Iterator[Outcome]:
        """Yield solutions of local search, if it has a form for all constraints."""
        until = now() + seconds
        for k in range(seeds):
            left = min(until - now(), self.left)
            if left <= 0:
                return
            try:
                outcome = model.solve(
                    solver="local-search",
                    random_seed=self.random_seed + k,
                    time_limit=max(_LEAST, left / (seeds - k)),
                )
            except CpqueensError:
                return
            if outcome.solution is not None:
                yield outcome


SECONDS = 10.0
_AT_FIRST = 0.02
"""Of the time, for each constraint in a first round: most are decided there."""


class Role(StrEnum):
    """What one constraint does beside all others."""

    REDUNDANT = "REDUNDANT"
    """The others imply it."""
    REFUSES = "REFUSES"
    """It refuses what all others accept."""
    BREAKS_SYMMETRIES = "BREAKS_SYMMETRIES"
    """It refuses something, but of no orbit of the symmetries all."""
    LOSES_ORBITS = "LOSES_ORBITS"
    """It refuses some orbits of the symmetries altogether."""
    UNDECIDED = "UNDECIDED"
    """The time was too short."""


@dataclass(frozen=True)
class ConstraintRole:
    """What is known of one constraint, beside all others of its model.

    Attributes
    ----------
    position
        In ``model.constraints``.
    role
        See `Role`; of the symmetries only where these were given and all solutions could be listed.
    witness
        An assignment that all others accept and this one refuses, by name; None where there is none.
    orbits_lost
        How many orbits it refuses altogether; None where that is not known.
    proved_by
        The solvers that proved that the others imply it.
    """

    position: int
    role: Role
    witness: Mapping[str, int] | None = None
    orbits_lost: int | None = None
    proved_by: tuple[str, ...] = ()


@explaining_keywords
def constraint_roles(
    model: Model,
    *,
    symmetries: Group = (),
    time_limit: float | None = None,
    solvers: Sequence[str] = SOLVERS,
    random_seed: int = 0,
) -> tuple[ConstraintRole, ...]:
    """Say of each constraint whether the others imply it, and what it refuses if not.

    Each is taken alone: of two that imply each other both are redundant, and without both solutions may be
    gained. An objective is left aside.

    >>> from cpqueens import Model
    >>> from cpqueens.crosscheck.roles import constraint_roles
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=3, name="x")
    >>> m += [x[0] < x[1], x[1] < x[2], x[0] < x[2]]
    >>> [str(found.role) for found in constraint_roles(m)]
    ['REFUSES', 'REFUSES', 'REDUNDANT']

    Parameters
    ----------
    model
        Any model.
    symmetries
        Of its solutions (see `cpqueens.answers.symmetry`), on all its variables: says also which constraints
        only break them, and how many orbits the others lose.
    time_limit
        Wall seconds for all; by default 10 seconds of processor time.
    solvers
        Exact solvers to ask.
    random_seed
        Of the solvers' random choices.

    Raises
    ------
    CpqueensError
        For everything that a solver refuses.

    Examples
    --------
    """
    needed(model, Model, "a model")
    plain = model.copy()
    plain._clear_objectives()  # which moves no constraint to another position
    own = [k for k, posted in enumerate(plain.constraints) if posted.source is not None]
    limit = positive_seconds(time_limit, "time_limit")
    with limited(limit, SECONDS) as seconds, listening() as interrupt:
        questions = Questions(tuple(solvers), seconds, interrupt, random_seed=random_seed)
        found = [ConstraintRole(k, Role.UNDECIDED) for k in own]
        for part in (_AT_FIRST, 1.0):
            share = 0.6 if as_group(symmetries) else 1.0  # what is left is for listing
            for at, k in enumerate(own):
                waiting = sum(one.role is Role.UNDECIDED for one in found[at:])
                left = share * questions.left
                if found[at].role is Role.UNDECIDED and left > 0:
                    found[at] = _asked(plain, at, k, questions, min(part * seconds, left / waiting))
        if as_group(symmetries):
            found = [_up_to(plain, one, symmetries, questions) for one in found]
    return tuple(found)


def _asked(model: Model, at: int, position: int, questions: Questions, seconds: float) -> ConstraintRole:
    """Seek an assignment that all but one of the constraints accept."""
    other = rebuilt(model, objective=False, edit=lambda j, c: ~c if j == at else c)
    question = f"constraint {position} follows"
    outcome = questions.ask(other, question, seconds)
    if outcome is not None and outcome.solution is not None:
        names = map(model.name_of, model.decisions.tolist())
        return ConstraintRole(position, Role.REFUSES, {name: int(outcome.solution[name]) for name in names})
    if question in questions.proofs:
        return ConstraintRole(position, Role.REDUNDANT, proved_by=questions.proofs[question])
    return ConstraintRole(position, Role.UNDECIDED)


def _up_to(model: Model, found: ConstraintRole, group: Group, questions: Questions) -> ConstraintRole:
    """Say of a constraint that refuses something whether that are whole orbits, if all can be listed."""
    if found.role is not Role.REFUSES or questions.left <= 0:
        return found
    orbits = orbits_without(model, found.position, group, questions.left, questions.solvers)
    lost = None if orbits is None or None in orbits.orbits else orbits.lost[0]
    if lost is None:
        return found
    role = Role.LOSES_ORBITS if lost else Role.BREAKS_SYMMETRIES
    return replace(found, role=role, orbits_lost=lost)


@explaining_keywords
def redundant_constraints(
    model: Model, *, time_limit: float | None = None, solvers: Sequence[str] = SOLVERS
) -> tuple[int, ...]:
    """Return the positions of the constraints that the others imply, each taken alone.

    Of two that imply each other both are returned; without both, solutions may be gained. What is not decided
    in the time is not returned; `constraint_roles` tells it apart.

    >>> from cpqueens import Model
    >>> from cpqueens.crosscheck.roles import redundant_constraints
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=3, name="x")
    >>> m += [x[0] < x[1], x[1] < x[2], x[0] < x[2]]
    >>> redundant_constraints(m)
    (2,)

    Parameters
    ----------
    model
        Any model.
    time_limit
        Wall seconds for all; by default 10 seconds of processor time.
    solvers
        Exact solvers to ask.

    Examples
    --------
    """
    roles = constraint_roles(model, time_limit=time_limit, solvers=solvers)
    return tuple(found.position for found in roles if found.role is Role.REDUNDANT)
