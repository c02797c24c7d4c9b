"""`cpqueens strategies`: every solver's strategies, with their options, defaults and sources."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from cpqueens.backends import named
from cpqueens.backends.base import Backend, Parameter
from cpqueens.cli.options import json_option
from cpqueens.cli.results import echo_document
from cpqueens.cli.terminal import say, width_of_output
from cpqueens.text.plaintext import wrapped


@click.command()
@click.argument("names", nargs=-1, metavar="[SOLVER[:STRATEGY]]...")
@json_option
def command(names: tuple[str, ...], as_json: bool) -> int:
    """List the solvers' strategies with their options and sources."""
    found = [told for name in names or named.available() for told in _strategies(name)]
    if as_json:
        echo_document("strategies", strategies=found)
        return 0
    width = width_of_output()
    say("\n\n".join("\n".join(_lines(told, width)) for told in found))
    return 0


def _strategies(solver: str) -> Iterator[dict[str, Any]]:
    """Yield what is known of a solver and its strategies, or of the one that is named."""
    name, asked = named.split_name(solver)
    yield from told_of(
        name, named.get_backend(name), None if asked is None else (asked,), whole=asked is None
    )


def told_of(
    name: str, backend: Backend, strategies: Sequence[str] | None = None, whole: bool = True
) -> Iterator[dict[str, Any]]:
    """Yield what is known of a backend, if ``whole``, and of these strategies of it (None: of all)."""
    if whole:
        yield _told(name, named.about(backend, None), {} if name in _TOO_MANY else backend.parameters)
    further: Any = getattr(backend, "strategy_parameters", lambda strategy: {})
    for strategy in backend.strategies if strategies is None else strategies:
        yield _told(f"{name}:{strategy}", named.about(backend, strategy), further(strategy))


def _told(name: str, about: tuple[str, str], options: Mapping[str, Parameter]) -> dict[str, Any]:
    listed = {
        key: {"default": p.default, "allowed": p.allowed, "meaning": p.meaning} for key, p in options.items()
    }
    told = {"name": name, "summary": about[0], "options": listed, "note": _TOO_MANY.get(name, "")}
    return {**told, "source": about[1]}


_TOO_MANY = {"cpsat": "all parameters of CP-SAT, by their names there"}
"""Solvers whose options nobody wants listed, and what they are."""


def _lines(told: dict[str, Any], width: int) -> Iterator[str]:
    """Yield a strategy's name, summary, options and source."""
    yield told["name"]
    yield from wrapped("  " + told["summary"], width, "    ")
    for key, option in told["options"].items():
        values = f" ({option['allowed']})" if option["allowed"].startswith("one of") else ""
        default = "none" if option["default"] is None else option["default"]
        said = f"{key}={default}: {option['meaning']}{values}"
        yield from wrapped(f"    {said}", width, " " * 6)
    if told["note"]:
        yield from wrapped("    " + told["note"], width, " " * 6)
    if told["source"]:
        yield from wrapped(f"  source: {told['source']}", width, "    ")
