"""The own exact engine as a backend: strategies for every model and faster ones for patterns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cpqueens.backends.base import Deliver, Ended, Feature, Order, Parameter, Request

if TYPE_CHECKING:
    from cpqueens.model import Model


class Backtracking:
    """The backend ``backtracking``."""

    name = "backtracking"
    proves = True
    features = frozenset(
        {
            Feature.ENUMERATE,
            Feature.COUNT,
            Feature.OBJECTIVE,
            Feature.RESUME,
            Feature.SEED,
            Feature.STEP_LIMIT,
        }
    )
    order = Order.LEXICOGRAPHIC
    strategies: tuple[str, ...] = ("check", "forward")
    parameters: Mapping[str, Parameter] = {
        "variable_order": Parameter(
            str, "lexicographic", "which variable is placed next", ("lexicographic", "smallest-domain")
        ),
        "value_order": Parameter(str, "ascending", "which value is tried first", ("ascending", "random")),
    }

    def order_for(self, request: Request) -> Order:
        """Return what is promised for this request: other orders of search give up the lexicographic one."""
        plain = request.parameters.get("variable_order", "lexicographic") == "lexicographic"
        ascending = request.parameters.get("value_order", "ascending") == "ascending"
        return Order.LEXICOGRAPHIC if plain and ascending else Order.DISTINCT

    def run(self, model: Model, request: Request, deliver: Deliver) -> Ended:
        """Search with the asked strategy."""
        from cpqueens.backends.backtracking.forward import ForwardSearch

        return ForwardSearch(model, request).run(deliver)
