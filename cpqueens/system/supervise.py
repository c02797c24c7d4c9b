"""The supervisor: a small process between us and a child, which ends the child's whole family with us.

Run as a script by `cpqueens.system.children`; it uses little of Python, so that it starts in a few
hundredths of a second. Its arguments are descriptors: the lifeline brings a marshalled ``(argv,
environment, memory, deaf)`` and then nothing, and its end says that the parent wants the end, or has died,
however it died; on the report the child's process number, and at last its wait status, are written; the
others are the child's alone.


On Linux the supervisor adopts whatever the child leaves behind (PR_SET_CHILD_SUBREAPER), also what has set up
a session of its own or become a daemon. Elsewhere only the child's process group is ended. A child that ends
its own supervisor gets away; this is no sandbox.
"""

import contextlib
import marshal
import os
import select
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PATIENCE = 5.0  # seconds in which killed processes must go; one within the kernel may not


def prctl(option: int, value: int) -> None:
    """Call prctl, where there is one."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def become(argv: list[str], environment: dict[str, str], memory: int, deaf: bool, report: int) -> None:
    """Turn this process into the child, which may begin deaf to interrupts; never returns."""
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        if deaf:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        _limit(memory)
        os.execvpe(argv[0], argv, environment)
    except OSError as error:
        tell(report, f"E{error.errno}")
    finally:
        os._exit(127)


def _limit(memory: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        with contextlib.suppress(ValueError, OSError):  # no such limit on this system
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def family(mine: int) -> list[int]:
    """Return all descendants of this process, from /proc; none where that does not exist."""
    parents: dict[int, int] = {}
    names = os.listdir("/proc") if sys.platform == "linux" else []  # noqa: PTH208 - no pathlib here
    for name in filter(str.isdigit, names):
        with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
            parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    found, known = [mine], {mine}
    for pid in found:
        children = [p for p, parent in parents.items() if parent == pid and p not in known]
        found += children
        known.update(children)
    return found[1:]


def kill(pids: list[int], number: int) -> None:
    """Send a signal to each."""
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def reap(child: int, status: int | None) -> tuple[bool, int | None]:
    """Collect the dead; return whether any process is left, and the child's status once it is known."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, ended = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True, status
            status = ended if pid == child else status
    return False, status


def end_all(child: int, status: int | None) -> int:
    """Kill the child and all that it left, until nothing is there; return the child's status."""
    deadline, left = time.monotonic() + PATIENCE, True
    while left and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        rest = family(os.getpid())
        kill(rest, signal.SIGSTOP)  # so that none starts another while its turn comes
        kill(rest, signal.SIGKILL)
        left, status = reap(child, status)
        if left:
            time.sleep(0.002)
    return signal.SIGKILL if status is None else status


def receive(lifeline: int) -> tuple[list[str], dict[str, str], int, bool]:
    """Read what to run: eight bytes of length, then the marshalled tuple."""
    data = _read(lifeline, int.from_bytes(_read(lifeline, 8), "little"))
    task: tuple[list[str], dict[str, str], int, bool] = marshal.loads(data)
    return task


def _read(descriptor: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(descriptor, size - len(data))
        if not part:
            os._exit(1)  # the parent has gone before it said what to run
        data += part
    return data


def start(lifeline: int, report: int) -> int:
    """Fork the child and return its process number; the child never returns."""
    argv, environment, memory, deaf = receive(lifeline)
    mine, child = os.getpid(), os.fork()
    if child == 0:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == mine:
            become(argv, environment, memory, deaf, report)
        os._exit(127)
    return child


def let_go(own: list[int]) -> None:
    """Close what belongs to the child: that it closes its ends must be seen at the other ends."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    for descriptor in (nowhere, *own):
        os.close(descriptor)


def tell(report: int, text: str) -> None:
    """Write a line to the parent, if it is still there."""
    with contextlib.suppress(OSError):
        os.write(report, f"{text}\n".encode())


def main() -> None:
    """Start the child, wait for its end or the parent's, and leave nothing running."""
    lifeline, report, *own = map(int, sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    for descriptor in (lifeline, report):
        os.set_inheritable(descriptor, False)
    heard, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    child = start(lifeline, report)
    let_go(own)
    tell(report, f"P{child}")
    status: int | None = None
    while status is None:
        ready, _, _ = select.select([lifeline, heard], [], [])
        if lifeline in ready:
            break
        os.read(heard, 64)
        status = reap(child, status)[1]
    tell(report, f"S{end_all(child, status)}")


if __name__ == "__main__":
    main()
