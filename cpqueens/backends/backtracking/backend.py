"""The own exact engine as a backend: strategies for every model and faster ones for patterns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from cpqueens.backends.backtracking.orders import ascending, variable_order
from cpqueens.backends.base import Deliver, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.errors import UnsupportedConstraint, UnsupportedRequest
from cpqueens.system.interrupts import Stopped, stopping_if_long

if TYPE_CHECKING:
    from cpqueens.kernels.pattern import Pattern
    from cpqueens.kernels.sum_pattern import SumPattern
    from cpqueens.language.statement import Statement
    from cpqueens.lowered.compiled import Compiled
    from cpqueens.lowered.patterns import Patterns

_PATTERNED = ("bitmask", "rowmask", "sums", "table")
_TABLED = ("check", "rowmask", "table")
"""Strategies that need the table of all conflicts."""
_HALVES_FROM = 13
"""Smaller boards are counted by conflict masks: nothing is gained, and compiling takes longer."""


class Backtracking:
    """The backend ``backtracking``.

    Strategies: ``check`` (chronological, each placement tested against those before it) and ``forward``
    (propagation) for every model; ``bitmask``, ``rowmask`` and ``table`` for AllDifferents over shifted
    variables; ``sums`` for AllDifferents over sums and differences of variables; ``halves`` for counting
    queens; ``auto`` chooses and says what.
    """

    name = "backtracking"
    proves = True
    features = frozenset(
        {
            Feature.ENUMERATE,
            Feature.COUNT,
            Feature.OBJECTIVE,
            Feature.BOUND,
            Feature.RESUME,
            Feature.SEED,
            Feature.STEP_LIMIT,
            Feature.WORKERS,
        }
    )
    order = Order.LEXICOGRAPHIC
    strategies: tuple[str, ...] = (
        "auto",
        "bitmask",
        "check",
        "forward",
        "halves",
        "rowmask",
        "sums",
        "table",
    )
    parameters: Mapping[str, Parameter] = {
        "variable_order": Parameter(
            str,
            "auto",
            "which variable is placed next; auto: lexicographic for listing, else smallest-domain",
            ("auto", "lexicographic", "smallest-domain"),
        ),
        "value_order": Parameter(str, "ascending", "which value is tried first", ("ascending", "random")),
    }

    def order_for(self, request: Request) -> Order:
        """Return what is promised for this request: other orders of search give up the lexicographic one."""
        lexicographic = variable_order(request) == "lexicographic" or request.strategy in (
            *_PATTERNED,
            "check",
        )
        return Order.LEXICOGRAPHIC if lexicographic and ascending(request) else Order.DISTINCT

    def can_express(self, model: Statement) -> bool:
        """Say whether every constraint can be expressed (raises if not)."""
        self._patterns(model, objective=True)
        return True

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search with the asked strategy, or with one that fits."""
        started = time.monotonic()
        try:
            with stopping_if_long(request.should_stop, model.variable_count):
                search = self._prepare(model, request, started)
        except Stopped:
            spent = {"translate_time": time.monotonic() - started}
            return Ended(False, request.why_stopped(), statistics=spent)
        return search(deliver)

    def _prepare(self, model: Statement, request: Request, started: float) -> Callable[[Deliver], Ended]:
        """Compile the model and choose the search."""
        patterns = self._patterns(model, objective=request.want is Want.BEST)
        asked = request.strategy or "auto"
        pattern = _pattern(patterns, asked)
        strategy = _choose(asked, pattern, request)
        facts: dict[str, Any] = {
            "translate_time": time.monotonic() - started,
            "constraints": patterns.compiled.how,
            "chosen": "auto" if asked == "auto" else "asked for",
        }
        if pattern is None or strategy == "forward":
            search = _general(model, patterns.compiled, request, strategy == "check", facts)
            facts["translate_time"] = time.monotonic() - started
            return search
        return lambda deliver: _run_pattern(pattern, strategy, request, deliver, facts)

    def _patterns(self, model: Statement, objective: bool) -> Patterns:
        from cpqueens.lowered.compiled import PLAIN_KINDS
        from cpqueens.lowered.patterns import patterns_of

        return patterns_of(model, PLAIN_KINDS - {"Count"}, objective=objective, backend=self.name)


def _pattern(patterns: Patterns, strategy: str) -> Pattern | SumPattern | None:
    """Return the pattern that a strategy searches on, if the model has it."""
    found: Pattern | SumPattern | None = None
    if strategy not in ("forward", "sums"):
        found = patterns.shifted
    if found is None and strategy in ("auto", "sums"):
        found = patterns.sums
    return None if found is not None and strategy in _TABLED and not found.has_table else found


def _general(
    model: Statement, compiled: Compiled, request: Request, check_only: bool, facts: dict[str, Any]
) -> Callable[[Deliver], Ended]:
    """Return the search that takes every model, in parts where they are wanted and possible."""
    from cpqueens.backends.backtracking.forward import ForwardSearch
    from cpqueens.backends.backtracking.network import build_memory
    from cpqueens.backends.backtracking.tally import wants_parts

    kept = "network", request.want is Want.BEST, check_only
    network = model.kept(kept, lambda: build_memory(compiled, check_only))
    if request.want is not Want.COUNT or check_only or not wants_parts(request):
        return ForwardSearch(compiled, network, request, check_only, facts).run
    from cpqueens.backends.backtracking.shares import count_shared

    return lambda _deliver: count_shared(compiled, network[0], request, facts)


def _run_pattern(
    pattern: Pattern | SumPattern,
    strategy: str,
    request: Request,
    deliver: Deliver,
    facts: dict[str, Any],
) -> Ended:
    from cpqueens.backends.backtracking import patterned

    if strategy == "halves":
        return patterned.count_halves(pattern, request, facts)
    if request.want is Want.COUNT:
        return patterned.count_solutions(pattern, strategy, request, facts)
    return patterned.list_solutions(pattern, strategy, request, deliver, facts)


def _choose(strategy: str, pattern: Pattern | SumPattern | None, request: Request) -> str:
    """Return the strategy to run.

    Raises
    ------
    UnsupportedConstraint
        If the model does not have the pattern that an asked strategy needs.
    UnsupportedRequest
        If the strategy cannot do what is wanted, or not in the asked order.
    """
    from cpqueens.backends.backtracking.patterned import wants_halves
    from cpqueens.kernels.pattern import Pattern

    own_order = request.parameters.get("variable_order") == "smallest-domain" or not ascending(request)
    if strategy in (*_PATTERNED, "halves"):
        if pattern is None:
            terms = "sums of variables" if strategy == "sums" else "shifted variables"
            raise UnsupportedConstraint(
                f"backtracking:{strategy} needs AllDifferents over {terms} with at most 64 values; "
                "backtracking:forward takes every model"
            )
        if own_order:
            raise UnsupportedRequest(
                f"backtracking:{strategy} has one order; backtracking:forward has others"
            )
        if strategy == "halves" and not wants_halves(pattern, request, 0):
            raise UnsupportedRequest(
                "backtracking:halves counts plain queens on a square board of at most 21"
            )
        return strategy
    if strategy == "check":
        return strategy
    if pattern is None or own_order or strategy == "forward":
        return "forward"
    if wants_halves(pattern, request, _HALVES_FROM):
        return "halves"
    if request.want is Want.ONE and pattern.n > 20:
        return "forward"  # a first solution in lexicographic order takes exponential time
    return "bitmask" if isinstance(pattern, Pattern) else "sums"
