"""The command group: verbs by name, imported on use."""

import importlib
import sys
from typing import Any

import click

MAIN: dict[str, str] = {
    "solve": "Find one solution, or the best one.",
    "enumerate": "Find all solutions.",
    "count": "Count all solutions.",
    "check": "Check solutions, in any notation.",
    "cross-check": "Run MODEL on several solvers and compare their claims.",
    "evaluate": "Run heuristics on MODEL many times: success rate, speed, missed solutions.",
    "compare": "Say whether two models have the same solutions.",
    "show": "Explain a problem: parameters, published values, sizes.",
    "list": "List the problems.",
}
VERBS: dict[str, str] = {
    **MAIN,
    "doctor": "Show what is installed and what is missing.",
    "strategies": "List the solvers' strategies with their options and sources.",
    "replay": "Record a search and write a page that replays it.",
    "puzzle": "Solve, check, generate and draw region puzzles and queens completions.",
    "check-proof": "Check a proof that was written by --proof, step by step.",
    "judge": "Compare candidate models with a reference model.",
    "sample": "Draw solutions uniformly at random.",
    "export": "Write MODEL as MiniZinc, FlatZinc or cpqueens JSON.",
    "mcp": "Run a Model Context Protocol server that solves, checks, compares and explains models.",
    "minizinc": "Install cpqueens as a solver of MiniZinc, and solve FlatZinc.",
    "runs": "Show, verify and export the ledger of a long run.",
    "experiments": "Reproduce the classical texts: each claim and the figure measured here.",
    "fuzz": "Compare several solvers with an exhaustive oracle on random small models.",
}
"""Verbs and the first line of their help (so that --help imports none of them); the main ones first."""

EXITS = """Exit codes: 0 success; 1 proved infeasible (solve); 2 bad input; 3 a limit ended the run; 4 a
success rate is below --require; 10-19 an invalid solution or a disagreement; 20 unsupported; 21 refused by a
solver; 30-32 a solver crashed, hung or ran out of memory; 130 interrupted."""


def module_of(verb: str) -> str:
    """Return the module whose ``command`` a verb is."""
    return f"cpqueens.cli.{verb.replace('-', '_')}"


class VerbGroup(click.Group):
    """A group of verbs that are imported on use, and whose errors are one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order in which they are registered."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one verb."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(module_of(cmd_name)).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs and what they do, without importing them."""
        special = [line for line in VERBS.items() if line[0] not in MAIN]
        for title, lines in {"Commands": list(MAIN.items()), "More commands": special}.items():
            with formatter.section(title):
                formatter.write_dl(lines)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; an unknown one is answered with the nearest."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from cpqueens.text.plaintext import did_you_mean

            raise click.UsageError(f"no command {args[0]!r:.40}{did_you_mean(args[0], VERBS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; every error becomes one line and an exit code."""
        from cpqueens.cli.guard import guarded

        return guarded(lambda: super(VerbGroup, self).invoke(ctx), ctx.meta)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Parse and run, then leave with the verb's exit code; usage errors are one line, exit code 2."""
        from cpqueens.cli.guard import outermost

        named = {"prog_name": "cpqueens", **extra, "standalone_mode": False}
        sys.exit(outermost(lambda: super(VerbGroup, self).main(*args, **named)))


@click.group(
    "cpqueens",
    cls=VerbGroup,
    epilog=EXITS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="cpqueens", message="%(prog)s %(version)s")
def main() -> None:
    """State a constraint problem once, solve it with several solvers, and check their answers.

    MODEL is the name of a problem (see `cpqueens list`), a model file (.json, .fzn in FlatZinc, .mzn in
    MiniZinc), or path.py:function. Parameters follow as name=value, such as n=8; for MiniZinc
    also data.dzn.
    """
