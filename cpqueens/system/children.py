"""Child processes that end with us, however we end: for isolated backends, fuzzing and external commands.

Between us and each child stands a supervisor (`cpqueens.system.supervise`), which watches a pipe to us. It
ends the child and everything that the child started once we are done with it, or have died, if by SIGKILL.
On Linux nothing escapes it by leaving its process group or session; on other POSIX systems what leaves the
group does. On Windows there is no supervisor: a `Worker` is ended when we are done with it; its own
children, and one whose parent was killed, are not, and a `Command` cannot be run.

Locks between processes: one does what others would do at the same time, and they find it done.
"""

import contextlib
import importlib
import marshal
import multiprocessing
import os
import select
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from cpqueens.system.platforms import runs_commands
from cpqueens.system.supervise import family

SUPERVISED = runs_commands()
"""Whether children have a supervisor on this system."""
_SCRIPT = str(Path(__file__).with_name("supervise.py"))
_PATIENCE = 8.0  # seconds for a supervisor to end what it watches
_FRESH = 0.05  # seconds
LOOK_EVERY = 0.05  # seconds between looks at limits and signals
_SERVE = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); sys.path[:] = sys.argv[2:]; "
    "from cpqueens.system.children import serve; serve(int(sys.argv[1]))"
)
"""What a worker runs; an interrupt during its imports ends it without a word."""
_STREAMS = {True: (subprocess.PIPE,) * 3, False: (subprocess.DEVNULL, None, None)}


class Command:
    """A running command with its family; `end` it, always. Only on POSIX systems.

    ``process`` has its pipes, as `subprocess.Popen` has them.

    Parameters
    ----------
    argv
        Program and arguments.
    memory
        Bytes of address space that it may take, 0 for no limit (where there is such a limit).
    environment
        Its environment, by default ours.
    own
        Descriptors that it inherits beside its streams.
    piped
        Whether its three streams are pipes to us; else it reads nothing and writes where we write.
    deaf
        Whether it ignores interrupts until it asks for them.

    Raises
    ------
    OSError
        If no process can be started.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        memory: int = 0,
        environment: Mapping[str, str] | None = None,
        own: Sequence[int] = (),
        piped: bool = False,
        deaf: bool = False,
    ) -> None:
        self._said: dict[str, int] = {}  # by the supervisor: P for the process number, S status, E errno
        self._rest = b""
        self._ended = False
        self._used: float | None = None
        self._look_again = 0.0
        environment = dict(os.environ if environment is None else environment)
        task = marshal.dumps((list(argv), environment, memory, deaf))
        lifeline, self._lifeline = os.pipe()
        self._report, report = os.pipe()
        given = (lifeline, report, *own)
        argv = [sys.executable, "-I", "-S", _SCRIPT, *map(str, given)]
        stdin, stdout, stderr = _STREAMS[piped]
        try:
            # a session of its own: what a terminal sends to all of us does not reach it
            self.process = subprocess.Popen(
                argv, stdin=stdin, stdout=stdout, stderr=stderr, pass_fds=given, start_new_session=True
            )
        except BaseException:
            os.close(self._lifeline)
            os.close(self._report)
            raise
        finally:
            os.close(lifeline)
            os.close(report)
        with contextlib.suppress(BrokenPipeError), os.fdopen(os.dup(self._lifeline), "wb") as stream:
            stream.write(len(task).to_bytes(8, "little") + task)

    def _hear(self, wanted: str, seconds: float | None) -> bool:
        """Wait until the supervisor has said ``wanted``; False if it does not, or has died."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while wanted not in self._said:
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._report], [], [], remaining)[0]:
                return False
            part = os.read(self._report, 4096)
            if not part:
                return False
            *lines, self._rest = (self._rest + part).split(b"\n")
            self._said |= {line[:1].decode(): int(line[1:]) for line in lines}
        return True

    @property
    def pid(self) -> int:
        """The command's process number, 0 if it never had one."""
        return self._said["P"] if self._hear("P", _PATIENCE) else 0

    @property
    def errno(self) -> int:
        """Why the program could not be started, once it was ended; 0 if it could."""
        return self._said.get("E", 0)

    def used(self) -> float | None:
        """Return the processor seconds of it and all that it started; None where that cannot be read.

        Whoever asks for each solution is told again what was read at most `_FRESH` ago: to read of all
        processes takes milliseconds.
        """
        now = time.monotonic()
        if now >= self._look_again:
            whole = [self.pid, *family(self.pid)]
            known = [seconds for pid in whole if (seconds := processor_seconds(pid, ended=True)) is not None]
            self._used, self._look_again = sum(known) if known else None, now + _FRESH
        return self._used

    def talk(self, given: bytes, take: Callable[[str, bytes], object], over: Callable[[], bool]) -> None:
        """Feed it, and take what it writes to ``out`` and ``err``, until it closes ``out`` or all is over."""
        pending = memoryview(given)
        streams = {"in": self.process.stdin, "out": self.process.stdout, "err": self.process.stderr}
        with selectors.DefaultSelector() as selector:
            for name, stream in streams.items():
                assert stream is not None, "it is piped"
                os.set_blocking(stream.fileno(), False)
                selector.register(
                    stream, selectors.EVENT_WRITE if name == "in" else selectors.EVENT_READ, name
                )
            while not over() and any(key.data == "out" for key in selector.get_map().values()):
                for key, _ in selector.select(LOOK_EVERY):
                    if key.data == "in":
                        pending = _fed(key.fd, pending)
                        ended = not pending
                    else:
                        take(key.data, part := os.read(key.fd, 2**16))
                        ended = not part
                    if ended:
                        selector.unregister(key.fileobj)
                        with contextlib.suppress(OSError):
                            key.fileobj.close()  # type: ignore[union-attr]

    def wait(self, seconds: float) -> bool:
        """Wait until it has ended by itself; say whether it has."""
        return self._hear("S", seconds)

    def end(self) -> int | None:
        """End it and all that it started, unless they have ended.

        Returns its exit code, or the negative number of the signal of which it died; None if nobody knows.
        """
        if not self._ended:
            self._ended = True
            self._end_family()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
        return os.waitstatus_to_exitcode(self._said["S"]) if "S" in self._said else None

    def _end_family(self) -> None:
        os.close(self._lifeline)
        if not self._hear("S", _PATIENCE):  # it was stopped or killed by somebody
            self.process.kill()
            with contextlib.suppress(OSError):
                os.killpg(self._said.get("P", 0) or self.process.pid, signal.SIGKILL)
        os.close(self._report)


def _fed(descriptor: int, pending: memoryview) -> memoryview:
    """Return what is left of what is to be written."""
    try:
        return pending[os.write(descriptor, pending[:65536]) :]
    except BlockingIOError:
        return pending
    except OSError:  # it does not want to read: its business
        return pending[:0]


class Worker:
    """A Python function at work in a child process of its own.

    Parameters
    ----------
    function
        ``module:name`` of a function that is called with a connection and ``arguments``; it runs in a fresh
        interpreter that knows our ``sys.path`` and nothing of our main program.
    memory
        Bytes of address space, 0 for no limit.
    """

    def __init__(self, function: str, arguments: tuple[Any, ...], memory: int = 0) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self._command: Command | None = None
        if SUPERVISED:
            given = theirs.fileno()
            argv = [sys.executable, "-c", _SERVE, str(given), *sys.path]
            self._command = Command(argv, memory=memory, own=(given,), deaf=True)
            with contextlib.suppress(ConnectionError):  # it died at once: whoever listens will see that
                self.connection.send((function, arguments))
        else:
            context = multiprocessing.get_context("spawn")
            self._process = context.Process(target=run, args=(theirs, function, arguments), daemon=True)
            self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        """Its process number, 0 if it never had one."""
        return self._command.pid if self._command is not None else self._process.pid or 0

    def interrupt(self) -> None:
        """Ask it for an end, with what it has (on Windows nothing can be asked)."""
        if SUPERVISED and self.pid:
            with contextlib.suppress(OSError):
                os.kill(self.pid, signal.SIGINT)

    def answer(self, seconds: float, most: int, over: Callable[[], bool] = lambda: False) -> bytes:
        """Return the bytes, at most so many, that it sends; end it.

        Raises
        ------
        TimeoutError
            If it sends none within so many seconds of a processor, or before all is over.
        OSError, EOFError
            If it has died, or sends more.
        """
        patience, said = Patience(seconds, self.pid), b""
        try:
            while not self.connection.poll(LOOK_EVERY):
                if over() or patience.is_over():
                    raise TimeoutError
            said = self.connection.recv_bytes(most)
        finally:
            self.end(0.5 if said else 0.0)
        return said

    def end(self, patience: float = 0.0) -> int | None:
        """End it and its family, after ``patience`` seconds for an end by itself; return its exit code."""
        self.connection.close()
        if self._command is not None:
            self._command.wait(patience)
            return self._command.end()
        self._process.join(patience)
        self._process.kill()
        self._process.join()
        return self._process.exitcode


class Patience:
    """How long an answer is waited for, in time that the other had a processor, so far as that is known.

    On a busy machine a process gets little done in many seconds, which is not its fault. Where its processor
    time can be read (Linux), one that works, or would if it had a processor, is waited for until it has used
    the limit; one that is blocked or stopped until the limit has passed on the clock.
    """

    _IDLE = 0.02  # the share of a processor below which a process that waits for none is blocked

    def __init__(self, seconds: float | None, pid: int) -> None:
        self._seconds, self._pid = seconds, pid
        self._end = 0.0
        self.begin()

    def begin(self) -> None:
        """Wait anew."""
        self._used, self._since = processor_seconds(self._pid), time.monotonic()
        self._end = self._since + (self._seconds or 0.0)

    def remaining(self) -> float | None:
        """Return the seconds until `is_over` is to be asked next; None without a limit."""
        return None if self._seconds is None else max(0.0, self._end - time.monotonic())

    def is_over(self) -> bool:
        """Say whether it has had its time; if not, it is given another stretch."""
        now = time.monotonic()
        if self._seconds is None or now < self._end:
            return False
        used = processor_seconds(self._pid)
        if used is None or self._used is None:
            return True
        idle = used - self._used < self._IDLE * (now - self._since) and not wants_processor(self._pid)
        if idle or used - self._used >= self._seconds:
            return True
        self._end = now + max(0.1, self._seconds - (used - self._used))
        return False


def processor_seconds(pid: int, ended: bool = False) -> float | None:
    """Return the seconds of processor time that a process has used; None where that cannot be read.

    With ``ended`` also those of its children that have ended.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11 : 15 if ended else 13])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def wants_processor(pid: int) -> bool:
    """Say whether a thread of a process runs, or waits for nothing but a processor; False if unknown."""
    for place in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError, IndexError):
            if place.read_text().rpartition(")")[2].split()[0] == "R":
                return True
    return False


def serve(descriptor: int) -> None:
    """Take a function and its arguments from a connection and run it; in the child process."""
    connection: Any = Connection(descriptor)
    try:
        run(connection, *connection.recv())
    except (EOFError, ConnectionError, KeyboardInterrupt):
        return  # nobody listens any more


def run(connection: Any, function: str, arguments: tuple[Any, ...]) -> None:
    """Call the function that ``module:name`` names; in the child process."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where we were started in the background
    module, _, name = function.partition(":")
    getattr(importlib.import_module(module), name)(connection, *arguments)


def be_silent() -> None:
    """Let what this process prints go nowhere; in the child process."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


_PAUSE = 0.02  # seconds


@contextlib.contextmanager
def turn(path: Path, seconds: float, waiting: Callable[[float], None]) -> Iterator[None]:
    """Run the block while no other process is in one of the same file, which is made and names the process.

    Locks belong to processes: however one ends, its locks end, and what it forks has none. Its threads share
    them. Nobody waits where there is no lock to be had (no such call, no such folder), nor for ever: the
    block must be right without one, if slower.

    Parameters
    ----------
    seconds
        The patience with another process (`cpqueens.system.children.Patience`), which may be suspended.
    waiting
        Called with the seconds waited, again and again while another process has its turn.
    """
    with contextlib.ExitStack() as until_closed:
        with contextlib.suppress(ImportError, OSError):
            _wait_for(until_closed.enter_context(path.open("a+b", buffering=0)), seconds, waiting)
        yield


def _wait_for(file: IO[bytes], seconds: float, waiting: Callable[[float], None]) -> None:
    from fcntl import LOCK_EX, LOCK_NB, lockf

    began, owner = time.monotonic(), b"nobody"
    over: Callable[[], bool] = lambda: False  # noqa: E731
    while not over():
        try:
            lockf(file, LOCK_EX | LOCK_NB)
        except (BlockingIOError, PermissionError):  # either means that another process has it
            waiting(time.monotonic() - began)
            time.sleep(_PAUSE)
        else:
            file.truncate(0)
            file.write(b"%d" % os.getpid())
            return
        file.seek(0)
        if (named := file.read()) != owner:
            owner = named  # of one that is unknown it goes by the clock
            over = Patience(seconds, int(owner) if owner.isdigit() else 0).is_over
