"""The outermost frame: signals, closed pipes and errors, each as one line and an exit code."""

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, TextIO

import click

from cpqueens.cli import results
from cpqueens.cli.terminal import say, say_at_last
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.system.interrupts import on_leaving, program
from cpqueens.system.platforms import is_shortage
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
                return results.INTERRUPTED
            except SystemExit:  # by which click itself answers a reader of its help that has gone
                abandon_stdout()
                return results.DONE

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
        return results.DONE
    except KeyboardInterrupt:
        return _say("interrupted", results.INTERRUPTED, meta)
    except SystemExit as left:
        return _say(f"the model's own code left with SystemExit: {left}", results.REFUSED, meta)
    except Exception as error:
        if os.environ.get("CPQUEENS_DEBUG"):
            raise
        if isinstance(error, OSError):
            settle_stdout()
        return _say(*_told(error), meta)
    code = code if isinstance(code, int) else results.DONE
    return results.INTERRUPTED if interrupt.seen and code < results.INVALID else code


def _told(error: Exception) -> tuple[str, int]:
    """Return the line that is said about an error, and the exit code."""
    if isinstance(error, CpqueensError):
        return str(error), error.exit_code
    if is_shortage(error):
        return f"out of memory{f': {error}' if str(error) else ''}", results.OUT_OF_MEMORY
    if isinstance(error, OSError):
        where = label(error.filename) if error.filename else "output"
        return f"{where}: {error.strerror or error}", results.REFUSED
    return f"internal error: {type(error).__name__}: {error}; CPQUEENS_DEBUG=1 shows where", results.CRASHED


def usage_error(error: click.ClickException) -> int:
    """Print what is wrong with the command line and return the exit code."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say(error.format_message(), err=True)
        return results.REFUSED
    context = getattr(error, "ctx", None)
    advice = f" (see {context.command_path} --help)" if context is not None else ""
    return _say(error.format_message() + advice, results.REFUSED, {} if context is None else context.meta)


def _say(message: str, code: int, meta: MutableMapping[str, Any]) -> int:
    line = one_line(message, _WIDEST)
    try:
        say(f"cpqueens: {line}", err=True)
    except (OSError, ValueError):
        abandon_stderr()
    if meta.get(JSON_WANTED):
        try:
            results.echo_document("error", error=line, exit_code=code)
        except (OSError, ValueError):
            abandon_stdout()
    return code


# ---- standard streams ------------------------------------------------------------------------------------


@contextlib.contextmanager
def usable_streams() -> Iterator[None]:
    """Make the standard streams usable while the block runs; what was written is flushed at its end.

    A closed descriptor is filled, so that no file that is opened later takes the place of standard output.
    What a stream cannot encode is written as an escape.

    Raises
    ------
    ModelError
        At once if standard output is closed, hence before a search whose result nobody could read.
    OSError
        If what was written does not fit where standard output goes.
    """
    _fill_closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for good
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is None or _cannot_write():
        abandon_stdout()
        raise ModelError("standard output is closed; results could not be written")
    yield
    sys.stdout.flush()


def settle_stdout() -> None:
    """Write what is still to be written, or let it go nowhere, so that nothing fails at the very end."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        abandon_stdout()


def abandon_stdout() -> None:
    """Let all that is still to be written, also at the interpreter's end, go nowhere: nobody takes it."""
    _abandon(sys.stdout)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for good


def abandon_stderr() -> None:
    """Let what standard error does not take go nowhere: at the interpreter's end it would change the code."""
    _abandon(sys.stderr)


def _abandon(stream: TextIO | None) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]
        os.close(nowhere)


def _fill_closed() -> None:
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the least free descriptor is this one


def _cannot_write() -> bool:
    """Say whether standard output is a descriptor that was opened for reading only, or was closed."""
    try:
        os.write(sys.stdout.fileno(), b"")
    except (OSError, ValueError) as error:  # without a descriptor it is a test's: it can be written
        return getattr(error, "errno", None) == errno.EBADF
    return False
