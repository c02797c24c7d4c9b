"""The outermost frame: signals, closed pipes and errors, each as one line and an exit code."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import click

from cpqueens.cli import exits
from cpqueens.errors import CpqueensError

JSON_WANTED = "cpqueens.json"
"""Key of the context's ``meta`` that a verb sets when ``--json`` was given."""


def guarded(work: Callable[[], Any], meta: MutableMapping[str, Any]) -> int:
    """Run a verb and return its exit code."""
    try:
        with _terminating():
            code = work()
            sys.stdout.flush()
    except (click.exceptions.Exit, click.ClickException, click.Abort):
        raise
    except BrokenPipeError:
        _abandon_stdout()
        return exits.DONE
    except KeyboardInterrupt:
        return _say("interrupted", exits.INTERRUPTED, meta)
    except CpqueensError as error:
        return _say(str(error), error.exit_code, meta)
    except MemoryError:
        return _say("out of memory", exits.OUT_OF_MEMORY, meta)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _say(f"{where}{error.strerror or error}", exits.REFUSED, meta)
    except Exception as error:
        if os.environ.get("CPQUEENS_DEBUG"):
            raise
        text = f"{type(error).__name__}: {error}; CPQUEENS_DEBUG=1 shows where"
        return _say(f"internal error: {text}", exits.CRASHED, meta)
    return code if isinstance(code, int) else exits.DONE


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


@contextlib.contextmanager
def _terminating() -> Iterator[None]:
    """Give SIGTERM the meaning of Ctrl-C, so that partial results are printed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old)


def _abandon_stdout() -> None:
    """Let the interpreter's last flush go nowhere: whoever read the output has gone."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
