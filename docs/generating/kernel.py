"""What runs the site's cells and commands: processes forked from one that has imported what they import.

A build starts some eighty kernels and commands. Each would import NumPy, pandas, OR-Tools and the package
anew, two seconds of processor time; a fork has them. The process that is forked runs nothing else, so that
each kernel and command begins as it would by itself. Kernels are of the Python that builds the site,
whatever kernels a user has, and tell errors alone.
"""

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CLIENT = Path(__file__).with_name("forked.py")
IMPORTED = ("ipykernel.kernelapp", "ipykernel.ipkernel", "ortools.sat.python.cp_model", "pandas", "cpmpy")
"""What most pages import, beside the package."""
LAUNCHED = ["-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"]


class Forks:
    """The process that is forked, from `start` to the end of the build; a socket reaches it."""

    def __init__(self, folder: Path) -> None:
        self._place = tempfile.TemporaryDirectory()
        self.socket = Path(self._place.name) / "forks"
        forked = [sys.executable, "-SE", str(CLIENT), str(self.socket)]
        described = {"display_name": "Python 3", "language": "python"}
        path = folder / "kernels" / "python3" / "kernel.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**described, "argv": [*forked, *LAUNCHED]}), encoding="utf-8")
        _put_before("JUPYTER_PATH", folder)
        commands = folder / "bin"
        commands.mkdir()
        for name in ("cpqueens", "python"):
            there = commands / name
            there.write_text(_COMMAND.format(*forked, name=name), encoding="utf-8")
            there.chmod(0o755)
        _put_before("PATH", commands)

    def connect(self, app: Any) -> None:
        """Start the process, and end it behind the build; where the build is killed, its input is closed."""
        command = [sys.executable, __file__, str(self.socket)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE)

        def end(app: Any, exception: Exception | None) -> None:
            process.communicate()
            self._place.cleanup()

        app.connect("build-finished", end)


_COMMAND = """#!/bin/sh
exec "{0}" {1} "{2}" "{3}" {name} "$@"
"""


def _put_before(variable: str, folder: Path) -> None:
    os.environ[variable] = os.pathsep.join(filter(None, [str(folder), os.environ.get(variable)]))


# ---- in the process that is forked -----------------------------------------------------------------------


def serve(path: str) -> None:
    """Fork for each that connects, until the input ends; return in forks, which then run what was asked."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(64)
        _import_all()
        gc.freeze()  # else the first collection in each fork copies everything
        while sys.stdin not in select.select([sys.stdin, listening], [], [])[0]:
            connection, _ = listening.accept()
            if not os.fork():
                listening.close()
                _watch(connection)
                return
            connection.close()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _import_all() -> None:
    import cpqueens

    for name in IMPORTED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for found in pkgutil.walk_packages(cpqueens.__path__, "cpqueens."):
        if not found.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of what is optional
                importlib.import_module(found.name)


def _watch(connection: socket.socket) -> None:
    """Fork again, pass signals on and tell the other side how it ended; return in the fork."""
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    ended, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes)
    asked, descriptors = _received(connection)
    child = os.fork()
    if not child:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for one in (connection, ended, wakes):
            os.close(one if isinstance(one, int) else one.detach())
        _become(asked, descriptors)
        return
    for descriptor in (0, 1, 2, *descriptors):  # else nobody sees the end of what the fork writes
        os.close(descriptor)
    while True:
        if connection in select.select([connection, ended], [], [])[0]:
            told = connection.recv(1)
            os.kill(child, told[0] if told else signal.SIGKILL)
            if not told:
                os._exit(1)
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            connection.sendall(bytes([os.waitstatus_to_exitcode(status) % 256]))
            os._exit(0)
        os.read(ended, 64) if select.select([ended], [], [], 0)[0] else None


def _received(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return what is asked for, and the three descriptors that come with it."""
    text, descriptors, _, _ = socket.recv_fds(connection, 65536, 3)
    while not text.endswith(b"\n"):
        text += connection.recv(65536)
    return json.loads(text), list(descriptors)


def _become(asked: dict[str, Any], descriptors: list[int]) -> None:
    """Take over arguments, folder, environment and files."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115 - of this process until it ends
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = asked["arguments"]


def run() -> None:
    """Run what the arguments say: a kernel, the command, or a script."""
    if sys.argv[0] == "-m":
        sys.argv = sys.argv[1:]
        from ipykernel import kernelapp

        sys.path[0] = ""
        sys.argv.append(f"--IPKernelApp.parent_handle={os.getppid()}")  # it ends when that one is gone
        kernelapp.launch_new_instance()
    elif sys.argv[0] == "cpqueens":
        from cpqueens.cli.main import main

        del sys.path[0]
        sys.exit(main())
    else:
        sys.argv = sys.argv[1:]
        sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    server = os.getpid()
    serve(sys.argv[1])
    if os.getpid() != server:
        run()
