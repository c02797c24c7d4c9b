"""What FlatZinc says of how it is to be searched, and what of it this package's solvers follow.

Sources: MiniZinc Handbook, "Search" and "FlatZinc specification": annotations of ``solve``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cpqueens.exchange import flatzinc_text as text
from cpqueens.exchange.origin import Imported

VARIABLE_ORDERS = {
    "anti_first_fail": "largest-domain",
    "dom_w_deg": "dom/wdeg",
    "first_fail": "smallest-domain",
    "impact": "dom/wdeg",
    "input_order": "lexicographic",
    "largest": "largest-value",
    "max_regret": "max-regret",
    "most_constrained": "most-constrained",
    "occurrence": "most-occurrences",
    "smallest": "smallest-value",
}
VALUE_ORDERS = {
    "indomain": "ascending",
    "indomain_interval": "split",
    "indomain_max": "descending",
    "indomain_median": "median",
    "indomain_middle": "middle",
    "indomain_min": "ascending",
    "indomain_random": "random",
    "indomain_reverse_split": "split-upper",
    "indomain_split": "split",
    "indomain_split_random": "split-random",
    "outdomain_max": "split",
    "outdomain_min": "split-upper",
}
"""What the exact engine calls the orders of search annotations; what leaves out the greatest value first
comes to the smaller ones first, as halves do."""

_ANOTHER = {"impact": "dom/wdeg"}
"""What is followed by an order of the same purpose."""
_NONE = "restart_none"


@dataclass(frozen=True)
class SearchAnnotation:
    """One `int_search` or `bool_search`: which variables, in which order, with which values first.

    Attributes
    ----------
    names
        Of the variables.
    variables, values
        Which of them first, and with which value, in FlatZinc's words.
    """

    names: tuple[str, ...]
    variables: str
    values: str


@dataclass(frozen=True)
class Guides:
    """All annotations of ``solve``.

    Attributes
    ----------
    searches
        In their order.
    start
        The values with which to begin, by name.
    others
        What is said beside them, such as ``restart_luby``.
    """

    searches: tuple[SearchAnnotation, ...] = ()
    start: Mapping[str, int] = field(default_factory=dict)
    others: tuple[str, ...] = ()


def guides_of(goals: text.Goals, listed: Callable[[Any], list[Any]]) -> Guides:
    """Return what the annotations of ``solve`` say; ``listed`` returns the entries of an array."""
    searches: list[SearchAnnotation] = []
    start: dict[str, int] = {}
    others: list[str] = []
    pending: list[Any] = list(reversed(goals.annotations))
    while pending:
        one = pending.pop()
        name, given = (one.name, one.arguments) if isinstance(one, text.Annotation) else (str(one), ())
        many = [a for a in given if isinstance(a, list) and any(isinstance(x, text.Annotation) for x in a)]
        if name in ("seq_search", "warm_start_array", "priority_search") and many:
            pending += reversed(many[0])
            if name == "priority_search" and str(given[2]) != "input_order":
                others.append(f"priority_search by {given[2]}: in the order as written")
        elif name in ("int_search", "bool_search") and len(given) >= 3:
            variables, order, values = (listed(a) for a in given[:3])
            names = tuple(str(v) for v in variables if isinstance(v, text.Name))
            searches.append(SearchAnnotation(names, str(order[0]), str(values[0])))
        elif name in ("warm_start", "warm_start_int", "warm_start_bool") and len(given) == 2:
            pairs = zip(listed(given[0]), listed(given[1]), strict=False)
            start.update(
                {str(n): int(v) for n, v in pairs if isinstance(n, text.Name) and isinstance(v, int)}
            )
        elif name not in (_NONE, "seq_search", "warm_start_array"):
            others.append(name)
    return Guides(tuple(searches), start, tuple(others))


Phase = tuple[list[str], str, str]
"""Names of variables, and the exact engine's orders of them and of their values."""


def phases_of(imported: Imported, guides: Guides) -> Iterator[Phase]:
    """Yield names of variables, each once, with the orders that annotations ask for."""
    model, taken = imported.model, set[str]()
    decisions = set(model.decisions.tolist())
    for search in guides.searches:
        if search.variables not in VARIABLE_ORDERS or search.values not in VALUE_ORDERS:
            continue
        terms = [imported.names[name] for name in search.names if name in imported.names]
        plain = [t.variable_list[0] for t in terms if t.coefficient_list == (1,)]
        names = [model.name_of(v) for v in dict.fromkeys(plain) if v in decisions]
        names = [name for name in names if name not in taken]
        taken.update(names)
        if names:
            yield names, VARIABLE_ORDERS[search.variables], VALUE_ORDERS[search.values]


def orders_of(imported: Imported, guides: Guides) -> dict[str, Any]:
    """Return the exact engine's parameters that do as the annotations say, one after the other.

    One annotation over all variables is that of the whole search, with restarts where that learns.
    """
    phases = list(phases_of(imported, guides))
    if not phases:
        return {}
    (names, variables, values), *others = phases
    model = imported.model
    written = [model.name_of(v) for v in model.decisions.tolist()]
    whole = names == written or (variables != "lexicographic" and len(names) == len(written))
    if whole and not others:
        return {"variable_order": variables, "value_order": values}
    return {"phases": phases}


def hint_of(imported: Imported, guides: Guides) -> dict[str, int]:
    """Return the values with which to begin, of those variables that are none of others' functions."""
    model, found = imported.model, dict[str, int]()
    decisions = set(model.decisions.tolist())
    for name, value in guides.start.items():
        term = imported.names.get(name)
        if term is None or len(term.variable_list) != 1 or term.variable_list[0] not in decisions:
            continue
        quotient, rest = divmod(value - term.constant, term.coefficient_list[0])
        if rest == 0:
            found[model.name_of(term.variable_list[0])] = quotient
    return found


def unfollowed(guides: Guides) -> list[str]:
    """Return what no solver here follows, each thing once."""
    found = dict.fromkeys(guides.others)
    for search in guides.searches:
        for word, known in ((search.variables, VARIABLE_ORDERS), (search.values, VALUE_ORDERS)):
            if word not in known:
                found[word] = None
            elif word in _ANOTHER:
                found[f"{word}: {_ANOTHER[word]} in its place"] = None
    return list(found)
