"""Who takes part in a cross-check: backends by name or as objects, heuristics, commands, solution files."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cpqueens.crosscheck.backend_participant import BackendParticipant
from cpqueens.crosscheck.observe import Observation, Participant, Plan, observe_backend
from cpqueens.errors import ModelError
from cpqueens.model import Model
from cpqueens.text.parameters import needed
from cpqueens.text.plaintext import shown

PROOF = "proof"
"""Who writes a proof and has it checked."""


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
    if isinstance(given, str) and given == PROOF:
        return ProofParticipant()
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
    from cpqueens.crosscheck.backend_participant import Isolated

    return Isolated(participant.solver, participant.options, participant.name)


def default_solvers() -> list[str]:
    """Return the names of all installed backends that prove."""
    from cpqueens.backends import named

    return [name for name in named.available() if named.get_backend(name).proves]


def _named_by(given: Any) -> list[Any]:
    """Return what ``provers`` stands for: all that prove, the solvers of MiniZinc and CPMpy included."""
    from cpqueens.backends import named

    if not isinstance(given, str) or given != "provers":
        return [given]
    found = list(default_solvers())
    for name in filter(named.is_installed, named.ASKED_FOR):
        backend: Any = named.get_backend(name)
        found += [f"{name}:{s}" for s in backend.strategies if backend.family_of(s) not in found]
    return found


def as_participants(solvers: Sequence[Any] | str | None) -> list[Participant]:
    """Return the participants, each with a name of its own; by default all proving backends installed."""
    if solvers is None:
        solvers = default_solvers()
    if isinstance(solvers, str):
        solvers = [part for part in solvers.split(",") if part]
    solvers = [s for given in needed(solvers, Iterable, "solvers: a list") for s in _named_by(given)]
    taken: dict[str, int] = {}
    found: list[Participant] = []
    for participant in map(as_participant, solvers):
        taken[participant.name] = taken.get(participant.name, 0) + 1
        if taken[participant.name] > 1:
            name = f"{participant.name} #{taken[participant.name]}"
            participant = dataclasses.replace(participant, name=name)  # type: ignore[type-var]
        found.append(participant)
    if not found:
        raise ModelError("solvers: at least one is needed")
    return found


# ---- a run that writes a proof ---------------------------------------------------------------------------


@dataclass(frozen=True)
class ProofParticipant:
    """The search that explains itself; its proof is checked as soon as it is written."""

    name: str = "proof"

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Run it and check every step."""
        from cpqueens.proofs.check import check_proof
        from cpqueens.proofs.parts import BadProof

        with TemporaryDirectory() as folder:
            place = Path(folder) / "run.proof"
            limits = {"time_limit": plan.time_limit, "proof": place}
            seen = observe_backend(
                model, self.name, "auto", plan.want, plan.packing, progress=plan.progress, **limits
            )
            seen = replace(seen, families=frozenset({"proving"}))
            if seen.error is not None or not seen.claims_all:
                return seen
            try:
                checked = check_proof(model, place)
            except BadProof as error:
                return replace(seen, message=f"its proof is not believed: {error}")
        if not checked.complete:
            return seen
        return replace(seen, proof=f"{checked.steps:,} steps of a proof, each checked by cpqueens.proofs")
