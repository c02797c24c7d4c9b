"""`cpqueens show`: a problem with its parameters, published values and sizes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from cpqueens.cli.documents import document, echo_json
from cpqueens.cli.options import json_option, load, model_arguments
from cpqueens.cli.terminal import say

if TYPE_CHECKING:
    from cpqueens.problems.catalog import Instance

_MOST_DIGITS = 40


@click.command()
@model_arguments
@json_option
def command(model: str, parameters: tuple[str, ...], as_json: bool) -> int:
    """Explain a problem: parameters, published values, sizes."""
    instance = load(model, parameters)
    if as_json:
        echo_json(_document(instance))
    else:
        say("\n".join(_lines(instance)))
    return 0


def _document(instance: Instance) -> dict[str, Any]:
    problem = instance.problem
    return document(
        "show",
        instance,
        description=problem.description if problem else "",
        declared=[
            {"name": name, "allowed": p.allowed, "default": None if p.required else p.default}
            for name, p in (problem.parameters if problem else {}).items()
        ],
        published=[
            {"what": e.what, "value": e.value, "source": e.source, "parameters": dict(e.parameters)}
            for e in (problem.published if problem else ())
        ],
        sizes={name: _short(size).replace(",", "") for name, size in spaces(instance).items()},
        symmetries=[symmetry.name for symmetry in instance.symmetries()],
    )


def _lines(instance: Instance) -> list[str]:
    problem = instance.problem
    lines = [instance.title, ""]
    if problem is not None:
        lines += [problem.description.split("\n\n>>>")[0].split("\n>>>")[0].rstrip(), "", "Parameters"]
        lines += [f"  {name:<14}{_default(p)}{p.allowed}" for name, p in problem.parameters.items()]
        lines += [] if problem.parameters else ["  none"]
        lines += ["", *values_published(instance)]
    lines.append(f"This model: {instance.model.scope_text().partition(': ')[2]}")
    lines += [f"  {name:<34}{_short(size)}" for name, size in spaces(instance).items()]
    group = instance.symmetries()
    if group:
        lines.append(f"  {'symmetries':<34}{len(group)}: {', '.join(s.name for s in group)}")
    if problem is not None:
        lines.append(f"Stated in {problem.source}")
    return lines


def _default(parameter: Any) -> str:
    text = "" if parameter.required or parameter.default == () else f"= {parameter.default}"
    return f"{text:<10}"


def values_published(instance: Instance) -> list[str]:
    """Return a heading and the published values as lines, a dozen of each kind; none if there are none."""
    assert instance.problem is not None
    entries = instance.problem.published
    if not entries:
        return []
    lines = ["Published values"]
    for what, source in dict.fromkeys((e.what, e.source) for e in entries):
        mine = [e for e in entries if (e.what, e.source) == (what, source)]
        shown = ", ".join(f"{_key(e.parameters)}: {e.value:,}".removeprefix(": ") for e in mine[-12:])
        dots = "..., " if len(mine) > 12 else ""
        lines.append(f"  {what} ({source})\n    {dots}{shown}")
    return [*lines, ""]


def _key(parameters: Any) -> str:
    return ", ".join(f"{k}={v}" for k, v in parameters.items())


def _short(size: int) -> str:
    digits = int(math.log10(size)) + 1 if size > 0 else 1
    return f"{size:,}" if digits <= _MOST_DIGITS else f"about 10^{digits - 1}"


def spaces(instance: Instance) -> dict[str, int]:
    """Return the sizes of the spaces of candidates; for a board the three that books compare."""
    from cpqueens.language.views import Board

    model = instance.model
    view = model.view
    n = model[view.variable].size if isinstance(view, Board) else 0
    if isinstance(view, Board) and 0 < n <= 1000:
        return {
            "n pieces anywhere, C(n^2, n)": math.comb(n * n, n),
            "one in each row, n^n": n**n,
            "one in each row and column, n!": math.factorial(n),
        }
    known = model.decisions
    if not 0 < len(known) <= 100_000:
        return {}
    widths = (model.upper[known] - model.lower[known] + 1).tolist()
    for variable, values in model.domains.items():
        if not model.is_defined[variable]:
            widths[int((known == variable).argmax())] = len(values)
    return {"assignments (product of domains)": math.prod(widths)}
