"""The table of verbs against the commands and the folder."""

import re
from pathlib import Path

import click
from click.testing import CliRunner
from each import each

import cpqueens.cli
from cpqueens.cli.main import VERBS, main


@each("verb", VERBS)
def test_the_help_of_a_verb_begins_with_the_line_in_the_table(verb: str) -> None:
    command = main.get_command(click.Context(main), verb)
    assert command is not None
    assert (command.help or "").splitlines()[0] == VERBS[verb]
    result = CliRunner().invoke(main, [verb, "--help"])
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: cpqueens {verb}")


def test_every_file_with_a_command_is_registered() -> None:
    folder = Path(cpqueens.cli.__file__).parent
    files = {p.stem for p in folder.glob("*.py") if "\ndef command(" in p.read_text(encoding="utf-8")}
    assert files == {verb.replace("-", "_") for verb in VERBS}


def test_the_group_shows_all_verbs() -> None:
    result = CliRunner().invoke(main, ["--help"])
    assert all(f"  {verb} " in result.stdout for verb in VERBS)


def test_the_main_verbs_come_first_and_the_exit_codes_last() -> None:
    shown = CliRunner().invoke(main, ["--help"]).stdout
    first, rest = shown.split("\nMore commands:\n")
    main_verbs = [
        "solve",
        "enumerate",
        "count",
        "check",
        "cross-check",
        "evaluate",
        "compare",
        "show",
        "list",
    ]
    assert re.findall(r"^  ([a-z-]+)  ", first.split("\nCommands:\n")[1], re.M) == main_verbs
    assert "  doctor " in rest
    assert rest.split("\n\n")[-1].startswith("  Exit codes: 0 success;")
