"""Variables from elsewhere under the names that they have there: whole arrays where all entries are there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from cpqueens.language.blocks import MAX_NAME
from cpqueens.language.term import Term
from cpqueens.model import Model

_INDEXED = re.compile(r"(.+)\[(\d{1,9}(?:,\d{1,9})*)\]$")
_FORBIDDEN = re.compile(r"[\[\],\s]+")
_SMALL = 2**31  # bounds that need no further look
_ENDS = ("lower", "upper")

Domain = tuple[int, int] | list[int]
"""Both ends, or all values of a domain with gaps."""


def declared(model: Model, domains: Mapping[str, Domain]) -> dict[str, Any]:
    """Return a new variable for each name, in the same order; ``x[0]``, ``x[1]``, ... become an array ``x``.

    Names that a model cannot have are written without brackets.
    """
    terms: dict[str, Any] = dict.fromkeys(domains)
    for name, entries in _arrays(domains).items():
        shape = tuple(max(axis) + 1 for axis in zip(*entries, strict=True))
        ends = np.array([domains[entries[at]] for at in product(*map(range, shape))], dtype=np.int64)
        array = model.intvar(ends[:, 0].reshape(shape), ends[:, 1].reshape(shape), shape=shape, name=name)
        for at, (variables, ones, zero) in zip(product(*map(range, shape)), array.rows(), strict=True):
            terms[entries[at]] = Term(model, tuple(variables), tuple(ones), zero)
    terms.update(_singles(model, {name: d for name, d in domains.items() if terms[name] is None}))
    return terms


def _arrays(domains: Mapping[str, Domain]) -> dict[str, dict[tuple[int, ...], str]]:
    """Return the names of all entries, by position, of the arrays that are complete."""
    found: dict[str, dict[tuple[int, ...], str]] = {}
    for name in domains:
        match = _INDEXED.match(name)
        if match:
            found.setdefault(match[1], {})[tuple(map(int, match[2].split(",")))] = name
    return {
        name: entries
        for name, entries in found.items()
        if name not in domains and "[" not in name and _fits(name) and _whole(entries, domains)
    }


def _whole(entries: Mapping[tuple[int, ...], str], domains: Mapping[str, Domain]) -> bool:
    gaps = any(isinstance(domains[name], list) for name in entries.values())
    if gaps or len({len(at) for at in entries}) > 1:
        return False
    size = 1
    for axis in zip(*entries, strict=True):
        size *= max(axis) + 1
    return size == len(entries)


def _fits(name: str) -> bool:
    return name.isprintable() and len(name) <= MAX_NAME and name.strip() == name


def _singles(model: Model, domains: Mapping[str, Domain]) -> Iterator[tuple[str, Any]]:
    """Yield a new variable for each name, created in one go where their bounds are no trouble."""
    ends = [(min(d), max(d)) if isinstance(d, list) and d else (*d, 0, 0)[:2] for d in domains.values()]
    if not all(-_SMALL < low <= high < _SMALL for low, high in ends) or [] in domains.values():
        for name, domain in domains.items():
            kept = {"domain": domain} if isinstance(domain, list) else dict(zip(_ENDS, domain, strict=True))
            yield name, model.intvar(**kept, name=_plain(model, name))
        return
    lower, upper = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    first = model._append(lower, upper, defined=False)
    for variable, (name, domain) in enumerate(domains.items(), first):
        model.blocks.create(_plain(model, name), variable, ())
        if isinstance(domain, list) and len(values := sorted(set(domain))) <= values[-1] - values[0]:
            model.domains[variable] = np.array(values, dtype=np.int64)
        yield name, Term(model, (variable,), (1,), 0)


def _plain(model: Model, name: str) -> str:
    """Return the name that a variable can have here."""
    plain = _FORBIDDEN.sub("_", name).strip("_") if not _fits(name) or "[" in name else name
    plain = "".join(c for c in plain if c.isprintable())[: MAX_NAME - 9] or "v"
    while plain in model.blocks.by_name:
        plain += "_"
    return plain


def weighted(model: Model, coefficients: Iterable[int], terms: Iterable[Any]) -> Any:
    """Return the sum of single terms, or integers, times coefficients: one pass, however many there are."""
    constant, total = 0, dict[int, int]()
    for factor, term in zip(coefficients, terms, strict=True):
        if isinstance(term, int):
            constant += factor * term
            continue
        ((variables, inner, shift),) = term.rows()
        constant += factor * shift
        for v, a in zip(variables, inner, strict=True):
            total[v] = total.get(v, 0) + factor * a
    kept = {v: a for v, a in total.items() if a}
    return Term(model, tuple(kept), tuple(kept.values()), constant) if kept else constant
