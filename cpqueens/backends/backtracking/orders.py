"""In which order variables are placed and values tried."""

from cpqueens.backends.backtracking.settings import Phase
from cpqueens.backends.base import Request, Want
from cpqueens.kernels import branching as tree

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
    return "lexicographic" if request.want is Want.ALL else "smallest-domain"


def value_order(request: Request) -> str:
    """Return the order in which values are tried, ``auto`` resolved likewise."""
    asked = str(request.parameters.get("value_order", "auto"))
    if asked != "auto":
        return asked
    return "saved" if restarts(request) else "ascending"


def ascending(request: Request) -> bool:
    """Say whether no other order of values is asked for than the ascending one."""
    return request.parameters.get("value_order", "auto") in ("auto", "ascending")


def restarts(request: Request) -> bool:
    """Say whether the search may begin anew: where a few solutions are wanted, and in no given order."""
    few = request.want in (Want.ONE, Want.BEST) and request.after is None
    asked = [request.parameters.get(name, "auto") for name in ("variable_order", "value_order")]
    return few and (asked == ["auto", "auto"] or asked[0] == _CONFLICTS)


def learns(request: Request) -> bool:
    """Say whether the search is to learn which variables fail."""
    return restarts(request) or variable_order(request) == _CONFLICTS


def halves_all(request: Request) -> bool:
    """Say whether domains are halved even where their values are listed."""
    return value_order(request) in _HALVING


def phases(request: Request, count: int) -> list[Phase]:
    """Return the orders, for all variables."""
    variables = _CONFLICTS if restarts(request) else variable_order(request)
    return [(range(count), VARIABLE_ORDERS[variables], VALUE_ORDERS[value_order(request)])]
