"""The backend `local-search`: from a request to a strategy's run and back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from cpqueens.backends.base import Deliver, Ended, Feature, Order, Parameter, Request
from cpqueens.backends.local_search.requests import COMMON

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement


class LocalSearch:
    """Local search over swaps and assignments; it finds solutions and never proves anything."""

    name = "local-search"
    proves = False
    features = frozenset({Feature.OBJECTIVE, Feature.HINT, Feature.SEED, Feature.STEP_LIMIT})
    order = Order.ANY

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """Names of the strategies, the default first."""
        from cpqueens.backends.local_search.strategies import STRATEGIES

        return tuple(STRATEGIES)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The options of all strategies, and those common to them."""
        from cpqueens.backends.local_search.strategies import STRATEGIES, get_strategy

        found = dict(COMMON)
        for name in STRATEGIES:
            for key, option in get_strategy(name).OPTIONS.items():
                found.setdefault(key, Parameter(option.type, option.default, option.meaning, option.choices))
        return found

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search as asked and deliver what is found."""
        with request.clock.pause("compile"):  # the first import of Numba takes most of a second
            from cpqueens.backends.compile_time import compilation_booked
            from cpqueens.backends.local_search.running import run_request

        with compilation_booked(request.clock):
            return run_request(model, request, deliver)
