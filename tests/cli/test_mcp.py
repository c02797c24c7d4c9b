"""The server for agents, asked by the protocol library's own client: within the process, and by its verb."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from mcp import Client, StdioServerParameters

from cpqueens import MissingLibrary, Model
from cpqueens.cli import mcp as verb
from cpqueens.cli.main import main
from cpqueens.files.modelfile import dump_model

Ask = Callable[..., Awaitable[dict[str, Any]]]


def text_of(limit: int = 5, add: bool = True) -> str:
    """Return two increasing numbers below a limit."""
    m = Model("pair")
    x = m.intvar(0, 9, shape=2, name="x")
    m.add(x[0] < x[1], name="rising")
    if add:
        m.add(x.sum() <= limit, name="small")
    m.maximize(x[0] + 2 * x[1])
    return dump_model(m)


def with_client(target: Any, session: Callable[[Client, Ask], Awaitable[None]]) -> None:
    """Run a session with a server."""

    async def within() -> None:
        async with Client(target) as client:

            async def ask(name: str, **arguments: Any) -> dict[str, Any]:
                found = await client.call_tool(name, arguments)
                assert not found.is_error
                (part,) = found.content
                return json.loads(part.text)  # type: ignore[union-attr, no-any-return]

            await session(client, ask)

    anyio.run(within)


async def _session(client: Client, ask: Ask) -> None:
    assert {tool.name for tool in (await client.list_tools()).tools} == {
        "solve",
        "check",
        "compare",
        "explain",
    }
    solved = await ask("solve", model=text_of(), solver="backtracking")
    assert (solved["status"], solved["objective"], solved["solution"]) == ("OPTIMAL", 10, {"x": [0, 5]})
    wrong = await ask("check", model=text_of(), assignment={"x": [3, 3]})
    assert not wrong["ok"]
    assert [v["constraint"].split(":")[0] for v in wrong["violations"]] == ["rising", "small"]
    assert (await ask("check", model=text_of(), assignment={"x": [1, 3]}))["ok"]
    judged = await ask("compare", reference=text_of(5), candidate=text_of(6))
    assert judged["verdict"] == "too weak"
    assert sum(judged["witnesses"][0]["values"].values()) == 6
    assert (await ask("explain", model=text_of()))["infeasible"] is False
    none = await ask("explain", model=text_of(0))
    assert none["infeasible"]
    assert "rising" in none["said"]
    assert "small" in none["said"]


def test_an_agent_asks_the_server_that_the_verb_starts() -> None:
    with_client(StdioServerParameters(command=sys.executable, args=["-m", "cpqueens", "mcp"]), _session)


def test_other_texts_are_read_and_refusals_are_one_line() -> None:
    flat = "var 1..9: a :: output_var;\nvar 1..9: b :: output_var;\n"
    flat += "constraint int_lt(a, b);\nsolve maximize a;\n"

    async def session(_client: Client, ask: Ask) -> None:
        solved = await ask("solve", model=flat, format="flatzinc")
        assert (solved["solution"], solved["proved"]) == ({"a": 8, "b": 9}, True)
        refused = [
            await ask("solve", model="{"),
            await ask("solve", model="x = 1", format="python"),
            await ask("solve", model='include "/etc/passwd"; solve satisfy;', format="minizinc"),
            await ask("solve", model='include "../a.mzn"; solve satisfy;', format="minizinc"),
            await ask("solve", model=flat, format="flatzinc", solver="cpmpy:choco"),
            await ask("solve", model=flat, format="flatzinc", time_limit=1e9),
            await ask("solve", model=" " * (verb.LONGEST_TEXT + 1)),
        ]
        words = ["JSON", "format: json", "include", "include", "solver: one of", "time_limit", "longer than"]
        for found, word in zip(refused, words, strict=True):
            assert set(found) == {"error"}
            assert word.lower() in found["error"].lower(), found
            assert "\n" not in found["error"]

    with_client(verb.server(), session)


def test_an_agent_is_told_that_a_call_needs_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short text may ask for much: for a long answer, or for more memory than a call may have."""

    def many(variables: int, low: int, high: int) -> str:
        m = Model("many")
        m.intvar(low, high, shape=variables, name="x")
        return dump_model(m)

    async def session(_client: Client, ask: Ask) -> None:
        long = await ask("solve", model=many(60_000, 10**17, 10**17), solver="local-search")
        assert long == {"error": "solve: the answer has more than 1,000,000 bytes"}
        monkeypatch.setattr(verb, "MEMORY", 300 * 2**20)
        large = await ask("solve", model=many(1_000_000, 0, 9), solver="local-search")
        words = ("solve: it needs more memory than is allowed", "solve: its process died; 300 MB are allowed")
        assert large["error"] in words
        assert (await ask("check", model=text_of(), assignment={"x": [1, 3]}))["ok"]  # the server goes on

    with_client(verb.server(), session)


def test_a_call_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "READING", 0.0)
    found = verb.answer("solve", {"model": text_of(), "time_limit": 1e-3})
    assert found == {"error": "solve: no answer within 0.001 s"}


def test_without_the_library_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    with pytest.raises(MissingLibrary, match=r"^a server for agents needs mcp: pip install '[^\n]*'$"):
        verb.server()
    refused = CliRunner().invoke(main, ["mcp"])
    assert refused.exit_code != 0
    assert "needs mcp" in refused.stderr


@pytest.mark.skipif(shutil.which("minizinc") is None, reason="needs MiniZinc")
def test_the_session_of_the_documents_says_what_they_say() -> None:
    docs = Path(__file__).parents[2] / "docs"
    said = (
        (docs / "trust" / "comparing_models.md")
        .read_text(encoding="utf-8")
        .rpartition("```text\n")[2]
        .split("```")[0]
    )
    done = subprocess.run([sys.executable, str(docs / "files" / "agent.py")], capture_output=True, text=True)
    first, second, *why = said.splitlines()
    assert done.stdout.splitlines()[:2] == [first, second], done.stderr
    assert why[1] in done.stdout  # who proved it may differ
