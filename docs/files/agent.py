"""A session with the MCP server, by the client of the protocol's library."""

import asyncio
import sys

from mcp import Client, StdioServerParameters

SHIFTS = """
var 0..5: eve; var 0..5: bob;
constraint eve + bob >= 8;
constraint eve <= 3;
constraint bob <= BOB;
solve minimize eve - bob;
"""


async def session() -> None:
    """Ask for the best plan, then for an impossible one and an explanation."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "cpqueens", "mcp"])
    async with Client(server) as client:
        for most in (5, 4):
            text = SHIFTS.replace("BOB", str(most))
            solved = await client.call_tool("solve", {"model": text, "format": "minizinc"})
            print(most, solved.structured_content["status"], solved.structured_content["solution"])
        why = await client.call_tool("explain", {"model": text, "format": "minizinc"})
        print(why.structured_content["said"])


asyncio.run(session())
