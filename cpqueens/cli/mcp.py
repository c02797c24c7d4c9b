"""`cpqueens mcp`: a server for agents over standard input and output, by the Model Context Protocol."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import click

from cpqueens.cli.mcp_calls import answer
from cpqueens.errors import MissingLibrary

if TYPE_CHECKING:
    from mcp.server import MCPServer

AT_ONCE = 2
"""Calls that are worked on at the same time; others wait."""

_TURNS = threading.Semaphore(AT_ONCE)

_ABOUT = (
    "Constraint models as texts: cpqueens JSON (format=json), MiniZinc or FlatZinc. Python is never run, and "
    "no file is read. What is reported as proved was proved; limits are reported."
)


@click.command()
def command() -> int:
    """Run a Model Context Protocol server that solves, checks, compares and explains models.

    It speaks on standard input and output and runs until the input ends. Models come as texts (JSON,
    MiniZinc, FlatZinc), each call has a process of its own with limits on time and memory.
    """
    server().run("stdio")
    return 0


def server() -> MCPServer:
    """Return the server.

    Raises
    ------
    MissingLibrary
        Without the library ``mcp``.
    """
    try:
        from mcp.server import MCPServer
    except ImportError:
        from cpqueens.system.requirements import requirement

        raise MissingLibrary(f"a server for agents needs mcp: {requirement('mcp').remedy}") from None
    made = MCPServer("cpqueens", instructions=_ABOUT, log_level="ERROR")
    for tool in (solve, check, compare, explain):
        made.tool(structured_output=True)(tool)
    return made


async def solve(
    model: str, format: str = "json", solver: str = "auto", time_limit: float = 10.0
) -> dict[str, Any]:
    """Find one solution of a model, or the best one, and say what was proved.

    Give the model's text and its format (json, minizinc or flatzinc), perhaps a solver (auto, cpsat,
    backtracking, local-search) and a limit in seconds, at most 60.
    """
    return await _called("solve", {"model": model, "form": format, "solver": solver}, time_limit)


async def check(model: str, assignment: dict[str, Any], format: str = "json") -> dict[str, Any]:
    """Say whether values are a solution, and which constraints they violate, by how much.

    The assignment has a value, or nested lists of them, for each variable by its name.
    """
    return await _called("check", {"model": model, "form": format, "assignment": assignment}, 10.0)


async def compare(
    reference: str, candidate: str, format: str = "json", time_limit: float = 10.0
) -> dict[str, Any]:
    """Say whether a candidate means the same as a reference: equal, too weak, too strong, or what is wrong.

    Compared are the variables that both have by name; each difference comes with a witness.
    """
    asked = {"reference": reference, "candidate": candidate, "form": format}
    return await _called("compare", asked, time_limit)


async def explain(model: str, format: str = "json", time_limit: float = 10.0) -> dict[str, Any]:
    """Name constraints of a model without solution that contradict each other, as few as possible."""
    return await _called("explain", {"model": model, "form": format}, time_limit)


async def _called(verb: str, arguments: dict[str, Any], seconds: float) -> dict[str, Any]:
    return await asyncio.to_thread(_in_turn, verb, arguments, seconds)


def _in_turn(verb: str, arguments: dict[str, Any], seconds: float) -> dict[str, Any]:
    with _TURNS:
        return answer(verb, arguments, seconds)
