"""In which order variables are placed and values tried."""

from cpqueens.backends.base import Request, Want


def variable_order(request: Request) -> str:
    """Return the order in which variables are placed, ``auto`` resolved by what is wanted."""
    asked: str = request.parameters.get("variable_order", "auto")
    if asked != "auto":
        return asked
    return "lexicographic" if request.want is Want.ALL else "smallest-domain"


def ascending(request: Request) -> bool:
    """Say whether values are tried in ascending order."""
    return bool(request.parameters.get("value_order", "ascending") == "ascending")
