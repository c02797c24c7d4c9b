"""A run that writes a proof as a participant: what it says counts for as much as its steps are believed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from cpqueens.crosscheck.observe import Observation, observe_backend

if TYPE_CHECKING:
    from cpqueens.crosscheck.plan import Plan
    from cpqueens.model import Model


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
