"""`cpqueens list`: the problems that are shipped."""

import click

from cpqueens.cli.documents import document, echo_json
from cpqueens.cli.options import json_option
from cpqueens.cli.terminal import say


@click.command()
@json_option
def command(as_json: bool) -> int:
    """List the problems."""
    from cpqueens.problems import catalog

    problems = [catalog.find(name) for name in catalog.names()]
    if as_json:
        listed = [{"name": p.name, "summary": p.summary, "parameters": list(p.parameters)} for p in problems]
        echo_json(document("list", problems=listed))
        return 0
    width = max((len(p.name) for p in problems), default=0)
    for problem in problems:
        say(f"{problem.name:<{width}}  {problem.summary}")
    return 0
