"""The outermost frame: signals, closed pipes and errors, each as one line and an exit code."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, MutableMapping
from typing import Any

import click

from cpqueens.cli import exits
from cpqueens.errors import CpqueensError
from cpqueens.interrupts import program
from cpqueens.memory import is_shortage

JSON_WANTED = "cpqueens.json"
"""Key of the context's ``meta`` that a verb sets when ``--json`` was given."""


def guarded(work: Callable[[], Any], meta: MutableMapping[str, Any]) -> int:
    """Run a verb and return its exit code; after a signal 130, unless it has a disagreement to report."""
    try:
        with program() as interrupt:
            code = work()
            sys.stdout.flush()
    except (click.exceptions.Exit, click.ClickException, click.Abort):
        raise
    except BrokenPipeError:
        _abandon_stdout()
        return exits.DONE
    except KeyboardInterrupt:
        return _say("interrupted", exits.INTERRUPTED, meta)
    except Exception as error:
        if os.environ.get("CPQUEENS_DEBUG"):
            raise
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
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}", exits.REFUSED
    return f"internal error: {type(error).__name__}: {error}; CPQUEENS_DEBUG=1 shows where", exits.CRASHED


def usage_error(error: click.ClickException) -> int:
    """Print what is wrong with the command line and return the exit code."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return exits.REFUSED
    context = getattr(error, "ctx", None)
    advice = f" (see {context.command_path} --help)" if context is not None else ""
    return _say(error.format_message() + advice, exits.REFUSED, {} if context is None else context.meta)


def _say(message: str, code: int, meta: MutableMapping[str, Any]) -> int:
    line = " ".join(message.split())
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"cpqueens: {line}", err=True)
        if meta.get(JSON_WANTED):
            document = {"schema": "cpqueens.error", "version": 1, "error": line, "exit_code": code}
            click.echo(json.dumps(document))
    return code


def _abandon_stdout() -> None:
    """Let the interpreter's last flush go nowhere: whoever read the output has gone."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
