"""A backend as a participant of a cross-check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cpqueens.answers.check import Checker
from cpqueens.answers.runs import Runs
from cpqueens.backends.base import Backend, Clock, Feature, Want
from cpqueens.crosscheck.observe import Observation, observe_backend
from cpqueens.crosscheck.plan import Plan
from cpqueens.model import Model
from cpqueens.solving.request import choose


@dataclass(frozen=True)
class BackendParticipant:
    """A backend, by name or as an object, with parameters of its own."""

    name: str
    solver: str | Backend
    options: Mapping[str, Any] = field(default_factory=dict)

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Run it once, or once for each seed if it is a heuristic."""
        backend = choose(model, self.solver, plan.want)[1]
        if not backend.proves:
            from cpqueens.crosscheck.heuristic import observe_seeds

            return observe_seeds(model, self, plan)
        return self.once(model, plan, plan.seeds[0])

    def once(self, model: Model, plan: Plan, seed: int) -> Observation:
        """Run it with one seed, asking for what it has features for."""
        from cpqueens.solving.request import NEEDED

        backend = choose(model, self.solver, plan.want)[1]
        options = dict(self.options)
        if Feature.SEED in backend.features:
            options.setdefault("random_seed", seed)
        if plan.time_limit is not None:
            options.setdefault("time_limit", plan.time_limit)
        able = plan.want not in NEEDED or NEEDED[plan.want] in backend.features
        want = plan.want if able else Want.ONE
        if plan.solution_limit is not None and want is Want.ALL:
            options.setdefault("solution_limit", plan.solution_limit)
        return observe_backend(
            model, self.name, self.solver, want, plan.packing, progress=plan.progress, **options
        )

    def many(self, model: Model, plan: Plan) -> Runs | None:
        """Run it with all seeds, if it makes many runs at once and nothing is wrong with any."""
        from cpqueens.errors import CpqueensError

        if not hasattr(choose(model, self.solver, plan.want)[1], "run_many") or "random_seed" in self.options:
            return None
        options = {"time_limit": plan.time_limit, **self.options}
        try:
            return model.runs(self.solver, plan.seeds, **options)
        except (CpqueensError, MemoryError):  # of which each run has its own to say
            return None

    def prepare(self, model: Model, plan: Plan) -> None:
        """Refuse an unknown solver, or a parameter that it has not, before anybody has searched."""
        from cpqueens.solving.request import build_request
        from cpqueens.system.interrupts import Interrupt

        _, backend, strategy = choose(model, self.solver, plan.want)
        build_request(Checker.of(model), backend, strategy, Want.ONE, Clock(None), Interrupt(), self.options)
