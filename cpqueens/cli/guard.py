"""The outermost frame: signals, closed pipes and errors, each as one line and an exit code."""

import json
import os
import sys
from collections.abc import Callable, MutableMapping
from typing import Any

import click

from cpqueens.cli import exits
from cpqueens.cli.standing import say_at_last
from cpqueens.cli.streams import abandon_stderr, abandon_stdout, settle_stdout, usable_streams
from cpqueens.errors import CpqueensError
from cpqueens.system.interrupts import on_leaving, program
from cpqueens.system.memory import is_shortage
from cpqueens.text.bounded import label
from cpqueens.text.plaintext import one_line

JSON_WANTED = "cpqueens.json"
"""Key of the context's ``meta`` that a verb sets when ``--json`` was given."""

_WIDEST = 1000  # characters of a message


def outermost(parse_and_run: Callable[[], Any]) -> int:
    """Run everything, the parsing of arguments and its help included, and return the exit code."""

    def work() -> Any:
        with usable_streams():
            try:
                return parse_and_run()
            except click.ClickException as error:
                return usage_error(error)
            except click.Abort:
                return exits.INTERRUPTED
            except SystemExit:  # by which click itself answers a reader of its help that has gone
                abandon_stdout()
                return exits.DONE

    unsaid = on_leaving(say_at_last)
    try:
        return guarded(work, {})
    finally:
        unsaid()


def guarded(work: Callable[[], Any], meta: MutableMapping[str, Any]) -> int:
    """Run a verb and return its exit code; after a signal 130, unless it has a disagreement to report."""
    try:
        with program() as interrupt:
            code = work()
            sys.stdout.flush()
    except (click.exceptions.Exit, click.ClickException, click.Abort):
        raise
    except BrokenPipeError:
        abandon_stdout()
        return exits.DONE
    except KeyboardInterrupt:
        return _say("interrupted", exits.INTERRUPTED, meta)
    except SystemExit as left:
        return _say(f"the model's own code left with SystemExit: {left}", exits.REFUSED, meta)
    except Exception as error:
        if os.environ.get("CPQUEENS_DEBUG"):
            raise
        if isinstance(error, OSError):
            settle_stdout()
        return _say(*_told(error), meta)
    code = code if isinstance(code, int) else exits.DONE
    return exits.INTERRUPTED if interrupt.seen and code < exits.INVALID else code


def _told(error: Exception) -> tuple[str, int]:
    """Return the line that is said about an error, and the exit code."""
    if isinstance(error, CpqueensError):
        return str(error), error.exit_code
    if is_shortage(error):
        return f"out of memory{f': {error}' if str(error) else ''}", exits.OUT_OF_MEMORY
    if isinstance(error, OSError):
        where = label(error.filename) if error.filename else "output"
        return f"{where}: {error.strerror or error}", exits.REFUSED
    return f"internal error: {type(error).__name__}: {error}; CPQUEENS_DEBUG=1 shows where", exits.CRASHED


def usage_error(error: click.ClickException) -> int:
    """Print what is wrong with the command line and return the exit code."""
    from cpqueens.cli.terminal import say

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say(error.format_message(), err=True)
        return exits.REFUSED
    context = getattr(error, "ctx", None)
    advice = f" (see {context.command_path} --help)" if context is not None else ""
    return _say(error.format_message() + advice, exits.REFUSED, {} if context is None else context.meta)


def _say(message: str, code: int, meta: MutableMapping[str, Any]) -> int:
    from cpqueens.cli.terminal import say

    line = one_line(message, _WIDEST)
    try:
        say(f"cpqueens: {line}", err=True)
    except (OSError, ValueError):
        abandon_stderr()
    if meta.get(JSON_WANTED):
        document = {"schema": "cpqueens.error", "version": 1, "error": line, "exit_code": code}
        try:
            click.echo(json.dumps(document))
        except (OSError, ValueError):
            abandon_stdout()
    return code
