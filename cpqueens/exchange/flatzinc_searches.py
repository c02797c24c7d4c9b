"""What FlatZinc says of how it is to be searched, and what of it this package's solvers follow.

Sources: MiniZinc Handbook, "Search" and "FlatZinc specification": annotations of ``solve``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cpqueens.exchange import flatzinc_text as text
from cpqueens.exchange.origin import Imported
from cpqueens.text.parameters import LARGEST_COUNT

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
_MOST = 255
"""Lengths between restarts that are told at most: a whole period of Luby's sequence."""


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
    restarts
        The failures between restarts, as `restarts=` of the exact engine; None where nothing is said.
    kept
        Names of variables, and how many in a hundred of them keep their values in each large neighbourhood.
    others
        What is said beside them, such as ``float_search``.
    """

    searches: tuple[SearchAnnotation, ...] = ()
    start: Mapping[str, int] = field(default_factory=dict)
    restarts: list[int] | None = None
    kept: tuple[tuple[tuple[str, ...], int], ...] = ()
    others: tuple[str, ...] = ()


def guides_of(goals: text.Goals, listed: Callable[[Any], list[Any]]) -> Guides:
    """Return what the annotations of ``solve`` say; ``listed`` returns the entries of an array."""
    searches: list[SearchAnnotation] = []
    start: dict[str, int] = {}
    restarts: list[int] | None = None
    kept: list[tuple[tuple[str, ...], int]] = []
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
            searches.append(SearchAnnotation(_names(variables), str(order[0]), str(values[0])))
        elif name in ("warm_start", "warm_start_int", "warm_start_bool") and len(given) == 2:
            start.update(_values(listed(given[0]), listed(given[1])))
        elif name in _RESTARTS and restarts is None and all(isinstance(a, int | float) for a in given):
            lengths = (_RESTARTS[name](k, *given) for k in range(1, _MOST + 1))
            restarts = [int(min(max(length, 1), LARGEST_COUNT)) for length in lengths]
        elif name == "relax_and_reconstruct" and len(given) in (2, 3) and isinstance(given[1], int):
            kept.append((_names(listed(given[0])), min(max(given[1], 0), 100)))
            if len(given) == 3:
                start.update(_values(listed(given[0]), listed(given[2])))
        elif name not in ("seq_search", "warm_start_array"):
            others.append(name)
    return Guides(tuple(searches), start, restarts, tuple(kept), tuple(others))


def _names(variables: Iterable[Any]) -> tuple[str, ...]:
    return tuple(str(v) for v in variables if isinstance(v, text.Name))


def _values(variables: Iterable[Any], values: Iterable[Any]) -> Iterator[tuple[str, int]]:
    """Yield the values of variables with a name."""
    for name, value in zip(variables, values, strict=False):
        if isinstance(name, text.Name) and isinstance(value, int):
            yield str(name), int(value)


def _luby(k: int) -> int:
    """Return the k-th number (from 1) of 1 1 2 1 1 2 4 ... (Luby, Sinclair and Zuckerman 1993)."""
    most = 1 << (k.bit_length() - 1)
    return most if k + 1 == 2 * most else _luby(k + 1 - most)


_RESTARTS: Mapping[str, Callable[..., float]] = {
    "restart_constant": lambda k, scale: scale,
    "restart_geometric": lambda k, base, scale: scale * min(max(base, 0), 8) ** (k - 1),
    "restart_linear": lambda k, scale: scale * k,
    "restart_luby": lambda k, scale: scale * _luby(k),
    "restart_none": lambda k: LARGEST_COUNT,
}
"""The k-th length between two restarts, in failures, by annotation."""


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


def parameters_of(imported: Imported, guides: Guides, listing: bool = False) -> dict[str, Any]:
    """Return the parameters, each of the solver that has it, which do as the annotations say."""
    model, found = imported.model, orders_of(imported, guides, listing)
    if guides.restarts is not None:
        found["restarts"] = guides.restarts
    decisions, relax = set(model.decisions.tolist()), []
    for names, percent in guides.kept:
        terms = [imported.names[name] for name in names if name in imported.names]
        variables = dict.fromkeys(v for t in terms for v in t.variable_list if v in decisions)
        relax.append(([model.name_of(v) for v in variables], percent))
    return found | ({"relax": relax} if relax else {})


def orders_of(imported: Imported, guides: Guides, listing: bool = False) -> dict[str, Any]:
    """Return the exact engine's orders that do as the annotations say, one after the other.

    Where many solutions are listed, one annotation over all variables is that of the whole search; else it
    is a phase as well, so that searches in other orders join after a while.
    """
    phases = list(phases_of(imported, guides))
    if not phases or not listing:
        return {"phases": phases} if phases else {}
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
