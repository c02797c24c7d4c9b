"""The backend `local-search`: from a request to a strategy's run and back."""

from collections.abc import Mapping
from inspect import getdoc

from cpqueens.backends.base import Deliver, Ended, Feature, Many, Order, Parameter, Request
from cpqueens.backends.local_search.strategies import COMMON, STRATEGIES, get_strategy
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement


class LocalSearch:
    """Local search over swaps and assignments; it finds solutions and never proves anything."""

    name = "local-search"
    proves = False
    features = frozenset({Feature.OBJECTIVE, Feature.HINT, Feature.SEED, Feature.STEP_LIMIT})
    order = Order.ANY
    strategies = tuple(STRATEGIES)
    parameters: Mapping[str, Parameter] = COMMON

    def about(self, strategy: str) -> str:
        """Return what a strategy does, with its source."""
        return getdoc(get_strategy(strategy)) or ""

    def strategy_parameters(self, strategy: str | None) -> Mapping[str, Parameter]:
        """The parameters of one strategy alone."""
        return get_strategy(strategy or self.strategies[0]).PARAMETERS

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search as asked and deliver what is found."""
        from cpqueens.backends.local_search.running import run_request

        return run_request(model, request, deliver)

    def run_many(self, model: Statement, request: Request, seeds: IntArray) -> Many | None:
        """Make a run for each seed, if one kernel can; see `running.run_many`."""
        from cpqueens.backends.local_search.running import run_many
        from cpqueens.backends.local_search.search import StrategyError

        try:
            return run_many(model, request, seeds)
        except StrategyError:  # a single run says it
            return None
