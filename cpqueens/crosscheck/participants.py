"""Who takes part in a cross-check: backends by name or as objects, heuristics, commands, solution files."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from cpqueens.backends.base import Backend, Clock, Feature, Want
from cpqueens.crosscheck.observe import Observation, Progress, observe_backend
from cpqueens.crosscheck.sets import Packing
from cpqueens.errors import ModelError
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    from cpqueens.model import Model


@dataclass(frozen=True)
class Plan:
    """What every participant is asked for."""

    want: Want
    seeds: tuple[int, ...]
    packing: Packing
    time_limit: float | None = None
    solution_limit: int | None = None
    progress: Progress | None = None


class Participant(Protocol):
    """Someone who answers for a model."""

    @property
    def name(self) -> str:
        """How it is called in the report."""

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Answer as planned."""


@dataclass(frozen=True)
class BackendParticipant:
    """A backend, by name or as an object, with parameters of its own."""

    name: str
    solver: str | Backend
    options: Mapping[str, Any] = field(default_factory=dict)

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Run it once, or once for each seed if it is a heuristic."""
        from cpqueens.solving.choosing import choose

        backend = choose(model, self.solver, plan.want)[1]
        if not backend.proves:
            from cpqueens.crosscheck.heuristic import observe_seeds

            return observe_seeds(model, self, plan)
        return self.once(model, plan, plan.seeds[0])

    def once(self, model: Model, plan: Plan, seed: int) -> Observation:
        """Run it with one seed, asking for what it has features for."""
        from cpqueens.solving.choosing import choose

        backend = choose(model, self.solver, plan.want)[1]
        options = dict(self.options)
        if Feature.SEED in backend.features:
            options.setdefault("random_seed", seed)
        if plan.time_limit is not None:
            options.setdefault("time_limit", plan.time_limit)
        want = plan.want if self._able(backend, plan.want) else Want.ONE
        if plan.solution_limit is not None and want is Want.ALL:
            options.setdefault("solution_limit", plan.solution_limit)
        return observe_backend(
            model, self.name, self.solver, want, plan.packing, progress=plan.progress, **options
        )

    def prepare(self, model: Model, plan: Plan) -> None:
        """Refuse an unknown solver, or a parameter that it has not, before anybody has searched."""
        from cpqueens.solving.choosing import choose
        from cpqueens.solving.options import build_request
        from cpqueens.system.interrupts import Interrupt

        _, backend, strategy = choose(model, self.solver, plan.want)
        build_request(model, backend, strategy, Want.ONE, Clock(None), Interrupt(), **self.options)

    @staticmethod
    def _able(backend: Backend, want: Want) -> bool:
        need = {Want.ALL: Feature.ENUMERATE, Want.COUNT: Feature.ENUMERATE, Want.BEST: Feature.OBJECTIVE}
        return want not in need or need[want] in backend.features


def prepare(participant: Participant, model: Model, plan: Plan) -> None:
    """Let a participant refuse what it can refuse before the search; not all have anything to look at."""
    look = getattr(participant, "prepare", None)
    if callable(look):
        look(model, plan)


def as_participant(given: Any) -> Participant:
    """Return what the user listed under ``solvers`` as a participant.

    Raises
    ------
    ModelError
        If it is nothing that can take part.
    """
    if isinstance(given, str) and given == "exhaustive":
        from cpqueens.crosscheck.given import Exhaustive

        return Exhaustive()
    if isinstance(given, str):
        return BackendParticipant(given, given)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping):
        inner, options = given
        label = inner if isinstance(inner, str) else getattr(inner, "name", "solver")
        listed = ",".join(f"{k}={v}" for k, v in options.items())
        return BackendParticipant(f"{label}({listed})" if listed else label, inner, dict(options))
    if hasattr(given, "observe") and hasattr(given, "name"):
        found: Participant = given
        return found
    if hasattr(given, "run") and hasattr(given, "proves"):
        return BackendParticipant(given.name, given)
    if callable(given):
        from cpqueens.crosscheck.heuristic import Heuristic

        return Heuristic(given)
    raise ModelError(
        f"solvers: a name, a backend, (name, {{parameters}}), a function, an external command or a file of "
        f"solutions is needed, got {shown(given, 60)}"
    )


def isolated(participant: Participant) -> Participant:
    """Return a backend given by name as one in a child process; others as they are."""
    if not isinstance(participant, BackendParticipant) or not isinstance(participant.solver, str):
        return participant
    from cpqueens.crosscheck.isolate import Isolated

    return Isolated(participant.solver, participant.options, participant.name)


def default_solvers() -> list[str]:
    """Return the names of all installed backends that prove."""
    from cpqueens import backends

    return [name for name in backends.available() if backends.get_backend(name).proves]


def as_participants(solvers: Sequence[Any] | str | None) -> list[Participant]:
    """Return the participants, each with a name of its own; by default all proving backends installed."""
    if solvers is None:
        solvers = default_solvers()
    if isinstance(solvers, str):
        solvers = [part for part in solvers.split(",") if part]
    if not solvers:
        raise ModelError("solvers: at least one is needed")
    taken: dict[str, int] = {}
    found: list[Participant] = []
    for participant in map(as_participant, solvers):
        taken[participant.name] = taken.get(participant.name, 0) + 1
        if taken[participant.name] > 1:
            name = f"{participant.name} #{taken[participant.name]}"
            participant = dataclasses.replace(participant, name=name)  # type: ignore[type-var]
        found.append(participant)
    return found
