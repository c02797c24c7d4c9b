"""The built-in exact engine as a backend: strategies for every model and faster ones for patterns."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from cpqueens.backends.backtracking.choosing import HALVES_FROM, PATTERNED, choose, is_whole
from cpqueens.backends.backtracking.orders import VALUE_ORDERS, VARIABLE_ORDERS, Branching, with_places
from cpqueens.backends.base import PROFILE, TRACE, Deliver, Ended, Feature, Order, Parameter, Request, Want
from cpqueens.errors import UnsupportedRequest
from cpqueens.language.statement import Statement
from cpqueens.lowered.forms import DECOMPOSED, ModelForm, compiled_of, origins_of
from cpqueens.lowered.structures.table import Structures
from cpqueens.system.stopping import Stopped, stopping
from cpqueens.text.parameters import COUNTS, IMPLIED, PHASES


class Backtracking:
    """The built-in exact engine: propagation on every model, bit words on boards and related models.

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
        "learning",
        "rowmask",
        "sums",
        "table",
    )
    parameters: Mapping[str, Parameter] = {
        "variable_order": Parameter(
            str,
            "auto",
            "which variable is placed next; auto: for listing and counting lexicographic and smallest-domain "
            "(of 0/1 alone dom/wdeg) in turns (a listing that is resumed is lexicographic; so are others, "
            "but where the second finds far more: the outcome says so), else dom/wdeg, with restarts (for "
            "one solution after a few failures in lexicographic order), in turns with lexicographic and "
            "smallest-domain after many failures",
            ("auto", *VARIABLE_ORDERS),
            function="of an open variable (`name`, `low`, `high`, `size`, `degree`, `values`) that returns a "
            "number: the variable with the least one is placed next",
        ),
        "value_order": Parameter(
            str,
            "auto",
            "which value is tried first; auto: ascending, with restarts saved, as in the last solution",
            ("auto", *VALUE_ORDERS),
            function="of an open variable and one of its values that returns a number: the value with the "
            "least one is tried first",
        ),
        "phases": Parameter(
            PHASES,
            [],
            "which variables are placed before the others, one group after the other: triples of a variable "
            "or array by its name (or several in a list), an order of variables and one of values, each a "
            "name or a function; for one solution and optima other orders take turns with them after many "
            "failures",
        ),
        "restarts": Parameter(
            COUNTS,
            [],
            "forward: after how many failures the search for one solution or an optimum begins anew, one "
            "number after the other, then again from the first with twice as many, so that it ends; none: it "
            "begins anew only in the automatic order, and in dom/wdeg",
        ),
        "audit": Parameter(
            bool,
            False,
            "learning: whether each learned clause is refuted again by exhaustive search (for small models)",
        ),
        "without": Parameter(
            IMPLIED,
            [],
            "what is not looked for before the search: parts (independent ones, searched or counted apart), "
            "cliques (of disequalities), circles (of differences), distances (of ordered marks), relaxation "
            "(linear)",
        ),
        "profile": PROFILE,
        "trace": TRACE,
    }

    def about(self, strategy: str) -> str:
        """Return what a strategy does, with its source."""

        return ABOUT[strategy]

    def order_for(self, request: Request) -> Order:
        """Return what is promised for this request: other orders of search give up the lexicographic one.

        Where none is asked for it may be given up on the way, which is said (`Request.reordered`).
        """
        asked, in_order = Branching.of(request), request.strategy in (*PATTERNED, "check")
        lexicographic = (in_order and asked.is_ascending) or asked.is_lexicographic
        return Order.LEXICOGRAPHIC if lexicographic else Order.DISTINCT

    def can_express(self, model: Statement) -> bool:
        """Say whether every constraint can be expressed (raises if not)."""
        compiled_of(model, model_form(True), self.name)
        return True

    def run(self, model: Statement, request: Request, deliver: Deliver) -> Ended:
        """Search with the asked strategy, or with one that fits."""
        if request.want is Want.COUNT and request.parameters.get("trace"):
            raise UnsupportedRequest("trace: a count is not recorded; enumerate the solutions")
        request.clock.measure()
        started = time.monotonic()
        try:
            if request.parameters.get("profile"):
                return self._profiled(model, request, started, deliver)
            with stopping(request.should_stop):
                search = self._prepare(model, request, started)
            return search(deliver)
        except Stopped:  # before a search was under way
            spent = {"translate_time": time.monotonic() - started}
            return Ended(False, request.why_stopped(), statistics=spent)

    def _profiled(self, model: Statement, request: Request, started: float, deliver: Deliver) -> Ended:
        """Search in one thread and note what each constraint does."""
        from cpqueens.backends.backtracking.watching import Profiling

        form = model_form(request.want is Want.BEST, decomposed=request.strategy == "check")
        profiling = Profiling(origins_of(model, form, self.name), len(model.decisions))
        request = replace(request, profiling=profiling, workers=1, may_grow=False)
        search = self._prepare(model, request, started)
        with profiling.sampling():
            ended = search(deliver)
        return replace(ended, tallies=profiling.tallies())

    def _prepare(self, model: Statement, request: Request, started: float) -> Callable[[Deliver], Ended]:
        """Compile the model and choose the search."""
        from cpqueens.backends.backtracking.searching import Searching

        asked, best = request.strategy or "auto", request.want is Want.BEST
        compiled = compiled_of(model, model_form(best, decomposed=asked == "check"), self.name)
        chosen = choose(asked, compiled, request)
        facts: dict[str, Any] = {
            "translate_time": time.monotonic() - started,
            "constraints": compiled.how,
            "chosen": "auto" if asked == "auto" else "asked for",
            "reason": chosen.reason,
        }
        if chosen.structure is not None:
            facts["structure"] = chosen.structure
        searching = Searching(model, compiled, chosen.pattern, with_places(model, request), facts)
        search = searching.prepare(chosen.strategies)
        facts["translate_time"] = time.monotonic() - started
        return search


@cache
def model_form(objective: bool, decomposed: bool = False) -> ModelForm:
    """Return the form in which it takes models: whole constraints for propagators, or all decomposed.

    Variables that are placed without look-ahead are frozen, which propagators of wholes do not expect.
    """
    from cpqueens.backends.backtracking.wholes.registry import takes

    return ModelForm(DECOMPOSED.kinds, None if decomposed else takes, objective)


def halved_board(model: Statement, asked: bool) -> int | None:
    """Return the size of a model's board if it is counted by halves, ``asked`` or by choice; else None."""
    from cpqueens.backends.backtracking.wholes.registry import takes
    from cpqueens.kernels.boards.quadrants import MAX_N

    pattern = Structures(model, Backtracking.name, takes).find("shifted_board")
    if pattern is None or not pattern.is_queens or pattern.n != pattern.width or not is_whole(pattern):
        return None
    return pattern.n if (2 if asked else HALVES_FROM) <= pattern.n <= MAX_N else None


_SURVEY = 'the survey "Several algorithms for n-Queens" (n-Queens的多种算法题解), after Xu Jianliang'

ABOUT: Mapping[str, str] = {
    "auto": """Chooses a strategy that fits the model and the request, or several in turns, and reports it.

Source: this package.""",
    "bitmask": f"""Backtracking with three words of taken columns and diagonals, shifted from row to row.

Source: {_SURVEY}; for all AllDifferents over shifted variables of at most 64 values.""",
    "check": f"""Chronological backtracking: each placement is tested against those before it.

Source: Deng Hongtao and Zhu Xun on Las Vegas optimisation of the N-queens problem, Journal of Jianghan
University (Natural Sciences) 34(4), 2006; {_SURVEY}.""",
    "forward": """Propagation at every node: domains as bit words, empty domains are detected at once.

Source: Haralick and Elliott, "Increasing tree search efficiency for constraint satisfaction problems",
Artificial Intelligence 14, 1980; AllDifferent by Regin, "A filtering algorithm for constraints of difference
in CSPs", AAAI 1994.""",
    "halves": """Counting queens by joining two half boards.

Source: this package, after public programs that join tables of quadrants.""",
    "learning": """Lazy clause generation: from each conflict a clause over bounds and values is learned.

Source: Ohrimenko, Stuckey and Codish, "Propagation via lazy clause generation", Constraints 14, 2009; Feydy
and Stuckey, "Lazy clause generation reengineered", CP 2009.""",
    "rowmask": f"""Backtracking with a word of free values for each later row, saved and restored.

Source: {_SURVEY}.""",
    "sums": """Backtracking on words of taken sums and differences, as in Golomb rulers and Costas arrays.

Source: this package.""",
    "table": f"""Backtracking on a table of free squares that is restored on the way back.

Source: {_SURVEY}.""",
}
"""By name: a summary, and a paragraph about the source."""
