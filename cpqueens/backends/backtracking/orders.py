"""In which order variables are placed and values tried."""

from collections.abc import Sequence
from dataclasses import replace

from cpqueens.backends.backtracking.settings import Phase
from cpqueens.backends.base import Request, Want
from cpqueens.errors import ModelError
from cpqueens.kernels import branching as tree
from cpqueens.language.statement import Statement
from cpqueens.text.plaintext import shown
from cpqueens.text.suggest import did_you_mean

VARIABLE_ORDERS = {
    "dom/wdeg": tree.CONFLICTS,
    "largest-domain": tree.LARGEST_DOMAIN,
    "largest-value": tree.LARGEST_VALUE,
    "lexicographic": tree.LEXICOGRAPHIC,
    "max-regret": tree.MAX_REGRET,
    "most-constrained": tree.MOST_CONSTRAINED,
    "random": tree.RANDOM_VARIABLE,
    "smallest-domain": tree.SMALLEST_DOMAIN,
    "smallest-value": tree.SMALLEST_VALUE,
}
"""By name; ``auto`` chooses."""

VALUE_ORDERS = {
    "ascending": tree.ASCENDING,
    "descending": tree.DESCENDING,
    "median": tree.MEDIAN,
    "random": tree.RANDOM,
    "saved": tree.SAVED,
    "split": tree.SPLIT,
    "split-upper": tree.SPLIT_UPPER,
}

_CONFLICTS = "dom/wdeg"
_HALVING = ("split", "split-upper")


def variable_order(request: Request) -> str:
    """Return the order in which variables are placed, ``auto`` resolved by what is wanted."""
    asked: str = request.parameters.get("variable_order", "auto")
    if asked != "auto":
        return asked
    if in_phases(request):
        return "smallest-domain"
    return "lexicographic" if request.want is Want.ALL else "smallest-domain"


def value_order(request: Request) -> str:
    """Return the order in which values are tried, ``auto`` resolved likewise."""
    asked = str(request.parameters.get("value_order", "auto"))
    if asked != "auto":
        return asked
    return "saved" if restarts(request) else "ascending"


def ascending(request: Request) -> bool:
    """Say whether no other order of values is asked for than the ascending one."""
    return request.parameters.get("value_order", "auto") in ("auto", "ascending") and not in_phases(request)


def in_phases(request: Request) -> bool:
    """Say whether some variables are to be decided before the others, each group in orders of its own."""
    return bool(request.parameters.get("phases"))


def with_places(model: Statement, request: Request) -> Request:
    """Return a request whose phases name variables by their places among the model's decision variables.

    Raises
    ------
    ModelError
        If a phase names no variables of the model, or an order that there is not.
    """
    if not in_phases(request):
        return request
    place = {variable: k for k, variable in enumerate(model.decisions)}
    found = []
    for named, variables, values in request.parameters["phases"]:
        for order, known in ((variables, VARIABLE_ORDERS), (values, VALUE_ORDERS)):
            if order not in known:
                near = did_you_mean(order, known)
                raise ModelError(f"phases: no order {shown(order, 40)} for {shown(named, 40)}{near}")
        names = [named] if isinstance(named, str) else named
        mine = [v for name in names for v in model[name].variables.reshape(-1).tolist()]
        found.append(([place[v] for v in mine], variables, values))
    return replace(request, parameters={**request.parameters, "phases": found})


def restarts(request: Request) -> bool:
    """Say whether the search may begin anew: where a few solutions are wanted, and in no given order."""
    few = request.want in (Want.ONE, Want.BEST) and request.after is None
    asked = [request.parameters.get(name, "auto") for name in ("variable_order", "value_order")]
    return few and not in_phases(request) and (asked == ["auto", "auto"] or asked[0] == _CONFLICTS)


def tries_order(request: Request) -> bool:
    """Say whether the order in which the model was written is tried first: it is often a good one."""
    given = request.parameters.get("variable_order", "auto") != "auto" or value_order(request) != "saved"
    return request.want is Want.ONE and restarts(request) and not given


def learns(request: Request) -> bool:
    """Say whether the search is to learn which variables fail."""
    asked = [order for _, order, _ in request.parameters.get("phases", ())]
    return restarts(request) or _CONFLICTS in (variable_order(request), *asked)


def halves_all(request: Request) -> bool:
    """Say whether domains are halved even where their values are listed."""
    asked = [order for _, _, order in request.parameters.get("phases", ())]
    return not {value_order(request), *asked}.isdisjoint(_HALVING)


def phases(request: Request, decided: Sequence[int]) -> list[Phase]:
    """Return the orders, for all variables that are to be decided: those of phases first, each once."""
    left = dict.fromkeys(decided)
    found = []
    for places, variables, values in request.parameters.get("phases", ()):
        mine = [v for v in dict.fromkeys(places) if v in left]
        found.append((mine, VARIABLE_ORDERS[variables], VALUE_ORDERS[values]))
        left = {v: None for v in left if v not in set(mine)}
    rest = _CONFLICTS if restarts(request) else variable_order(request)
    return [*found, (list(left), VARIABLE_ORDERS[rest], VALUE_ORDERS[value_order(request)])]
