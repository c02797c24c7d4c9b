"""Each signal to each verb at work: exit 130, what is true so far, nothing left, and a second one at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from children import running_children

from cpqueens.system.children import processor_seconds, wants_processor

COMMAND = [sys.executable, "-m", "cpqueens"]
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no such signals")

MODEL = """
import hashlib, sys, time
from pathlib import Path
from cpqueens import Linear, Model
from cpqueens.problems import catalog

HERE = Path(__file__).parent

def begun():
    (HERE / "begun").touch()

def plain(n: int = 5) -> Model:
    return catalog.find("queens").instance(n=n).model

def slow(n: int = 17) -> Model:
    begun()
    return plain(n)

def stuck() -> Model:
    begun()
    while True:
        time.sleep(0.1)

def unsolvable() -> Model:
    '''Pigeons: infeasible at once, and each subset takes long to decide.'''
    m = Model()
    x = m.intvar(0, 12, shape=14, name="x")
    for i in range(14):
        for j in range(i):
            m.add(x[i] != x[j])
    begun()
    return m

def heuristic(model, seed, time_limit):
    if seed:
        begun()
        time.sleep(600)

def deaf(model, seed, time_limit):
    '''Hears nothing, in C.'''
    begun()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)

def obstinate(model, seed, time_limit):
    while True:
        try:
            begun()
            time.sleep(600)
        except KeyboardInterrupt:
            pass
"""
SCRIPT = """
setsid sh -c 'sleep 601 & setsid sleep 602 &' &
touch "{folder}/begun"
sleep 603
"""

VERBS: dict[str, tuple[str, str]] = {
    "list": ("list", ""),
    "doctor": ("doctor", ""),
    "show": ("show m.py:stuck", "interrupted"),
    "solve": ("solve m.py:slow n=900 --solver python-constraint --out x.csv", "interrupted"),
    "solve --explain": ("solve m.py:unsolvable --solver backtracking --explain", "status "),
    "enumerate": ("enumerate m.py:slow --solver backtracking --out x.npy", "(the results so far)"),
    "count": ("count m.py:slow n=20 --solver cpsat", "at least"),
    "count in threads": ("count m.py:slow n=23 --workers 2 --solver backtracking", "at least"),
    "check": ("check m.py:slow -", "interrupted"),
    "cross-check": (
        "cross-check m.py:slow n=20 --solvers backtracking,cpsat --repeat --html x.html",
        "(not run: interrupted)",
    ),
    "--metamorphic": (
        "cross-check m.py:slow n=12 --metamorphic --solvers cpsat,python-constraint",
        "python-constraint: not run: interrupted",
    ),
    "--isolate": ("cross-check m.py:slow n=20 --isolate --solvers cpsat --want count", "interrupted"),
    "--heuristic": (
        "cross-check m.py:plain --solvers exhaustive --heuristic m.py:heuristic --seeds 200",
        "0 of 1 runs gave a valid solution",
    ),
    "--external": (
        "cross-check m.py:plain --solvers exhaustive --external 'sh script.sh' --seeds 200",
        "1 run interrupted (censored), 199 of 200 seeds did not run",
    ),
    "evaluate": (
        "evaluate m.py:slow n=40 --solver python-constraint --runs 100 --reference-time 0",
        "of 100 runs of python-constraint",
    ),
    "evaluate --processes": (
        "evaluate m.py:plain --heuristic m.py:heuristic --runs 200 --record runs.db",
        "not run: 199 of 200 runs",
    ),
    "experiments": ("experiments --runs 1000000 --out x.html", "interrupted"),
    "fuzz": ("fuzz --models 1000000 --solvers python-constraint --out found", ", interrupted"),
    "fuzz --processes 0": (
        "fuzz --models 1000000 --solvers python-constraint --processes 0",
        ", interrupted",
    ),
}
"""What is started, and what its output has in the end. For those without a model there is no mark."""

KEPT = {
    "enumerate": ["x.npy"],
    "cross-check": ["x.html"],
    "evaluate --processes": ["runs.db"],
    "fuzz": ["found"],
}
"""Files that are there in the end."""
BLOCKED = ("list", "doctor")  # short: they are caught while they wait for the reader of a full pipe
WORK = {"list": 0.1, "doctor": 0.1, "experiments": 1.0, "fuzz": 1.5, "fuzz --processes 0": 1.5}
"""Seconds of a processor after which what gives no sign is at work."""


class Running:
    """A command line in a process of its own, in a folder with the test's models."""

    def __init__(self, folder: Path, line: str, full: bool = False) -> None:
        import shlex

        (folder / "m.py").write_text(MODEL)
        (folder / "script.sh").write_text(SCRIPT.format(folder=folder))
        self.folder = folder
        self.reader, writer = os.pipe()
        if full:
            os.set_blocking(writer, False)
            while True:
                try:
                    os.write(writer, b"." * 4096)
                except BlockingIOError:
                    break
            os.set_blocking(writer, True)
        self.process = subprocess.Popen(
            [*COMMAND, *shlex.split(line)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=writer,
            stderr=subprocess.STDOUT,
        )
        os.close(writer)

    def wait_until_at_work(self, work: float = 0.0) -> None:
        """Wait until the mark is there, or so much work is done where there is none, and a little longer."""
        deadline = time.monotonic() + 600
        mark = self.folder / "begun"
        started = time.monotonic()
        while not mark.exists():
            used = processor_seconds(self.process.pid)
            done = time.monotonic() - started if used is None else used
            if work and (done > work or running_children(self.process.pid)):
                break
            assert self.process.poll() is None, self.output()
            assert time.monotonic() < deadline, "never at work"
            time.sleep(0.02)
        self._wait_while_it_begins()

    def _wait_while_it_begins(self) -> None:
        """Wait until it has worked for a while, or waits itself (a busy machine does not count)."""
        pid, quiet = self.process.pid, 0
        begin = processor_seconds(pid)
        while quiet < 8 and (begin is None or (processor_seconds(pid) or 0.0) < begin + 0.4):
            time.sleep(0.1)
            quiet = 0 if wants_processor(pid) else quiet + 1

    def output(self, seconds: float = 40) -> str:
        """Read to the end, which must come in time."""
        parts: list[bytes] = []

        def read() -> None:
            with os.fdopen(self.reader, "rb", closefd=False) as stream:
                parts.append(stream.read())

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        self.process.wait(seconds)
        thread.join(5)
        assert parts, "somebody still holds the pipe"
        return parts[0].decode().lstrip(".")

    def names(self) -> list[str]:
        """Return the files that it left, beside what the test put there."""
        given = {"m.py", "script.sh", "begun", "__pycache__"}
        return sorted(path.name for path in self.folder.iterdir() if path.name not in given)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Running]]:
    """The processes that a test starts; they are ended with it."""
    running: list[Running] = []
    yield running
    for one in running:
        one.process.kill()
        one.process.communicate()
        os.close(one.reader)


def end_by(running: Running, number: int, seconds: float = 40) -> str:
    """Send a signal and return the output."""
    running.process.send_signal(number)
    text = running.output(seconds)
    assert "Traceback" not in text
    assert "KeyboardInterrupt" not in text
    assert running.process.returncode == 130, text
    return text


def try_verb(verb: str, number: int, folder: Path, started: list[Running]) -> None:
    line, wanted = VERBS[verb]
    running = Running(folder, line, full=verb in BLOCKED)
    started.append(running)
    running.wait_until_at_work(WORK.get(verb, 0.0))
    text = end_by(running, number)
    assert wanted in text
    kept = KEPT.get(verb, [])
    assert running.names() == kept


ALIKE = ("list", "doctor", "show", "check", "solve", "count", "evaluate", "experiments", "fuzz --processes 0")
QUICK = [verb for verb in VERBS if verb not in ALIKE]
"""One of each way of working; the slow tests send every signal to every verb."""


@pytest.mark.parametrize(("verb", "number"), [(v, SIGNALS[k % 3]) for k, v in enumerate(QUICK)])
def test_a_signal_ends_a_verb_at_work(verb: str, number: int, tmp_path: Path, started: list[Running]) -> None:
    try_verb(verb, number, tmp_path, started)


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("verb", VERBS)
def test_every_signal_ends_every_verb(verb: str, number: int, tmp_path: Path, started: list[Running]) -> None:
    try_verb(verb, number, tmp_path, started)


@pytest.mark.parametrize("function", ["deaf", "obstinate"])
@pytest.mark.parametrize("verb", ["cross-check"])
def test_a_second_signal_ends_at_once(
    verb: str, function: str, tmp_path: Path, started: list[Running]
) -> None:
    """Also where the first is not heard, in C, or is caught by the user's own code."""
    line = f"{verb} m.py:plain --solvers exhaustive --heuristic m.py:{function} --html x.html"
    running = Running(tmp_path, line)
    started.append(running)
    running.wait_until_at_work()
    running.process.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    assert running.process.poll() is None
    assert end_by(running, signal.SIGINT, seconds=5).startswith("cpqueens: interrupted")
    assert running.names() == []


LAST = """
import os, signal, sys, time
sys.argv = ["cpqueens", *"solve queens n=4 --solver backtracking".split()]
from cpqueens.cli import solve
from cpqueens.cli.main import main
number, times = int(os.environ["NUMBER"]), int(os.environ["TIMES"])

def signalled(function, before):
    def call(*args, **options):
        found = None if before else function(*args, **options)
        for _ in range(times):
            os.kill(os.getpid(), number)
        time.sleep(0.2)
        return function(*args, **options) if before else found
    return call

where = os.environ["WHERE"]
if where == "the end":
    class Last:
        def __del__(self):
            signalled(len, False)("")

    sys.last = Last()
elif where == "its leaving":
    import atexit
    atexit.register(signalled(len, False), "")
else:
    function = getattr(solve, where)
    setattr(solve, where, signalled(function, where == "_print"))
main()
"""
"""Signals at a moment behind the search: before it prints, when Python leaves, and when all is torn down."""


@pytest.mark.parametrize("where", ["_print", "its leaving", "the end"])
def test_what_was_found_is_printed_whenever_a_signal_comes(where: str) -> None:
    for times in (1, 2):
        if times == 2 and where == "_print":
            continue  # it leaves at once
        done = subprocess.run(
            [sys.executable, "-c", LAST],
            env={**os.environ, "NUMBER": str(int(signal.SIGINT)), "TIMES": str(times), "WHERE": where},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert "solver     backtracking" in done.stdout
        assert "Traceback" not in done.stderr
        assert done.stderr in ("", "cpqueens: interrupted\n")
        assert done.returncode == (0 if where == "the end" else 130)


def test_a_second_signal_leaves_no_part_of_a_file(tmp_path: Path, started: list[Running]) -> None:
    """The reader of the output is asleep: what is printed at the end of the run waits for it for ever."""
    running = Running(tmp_path, "enumerate m.py:slow --solver cpsat --out x.csv", full=True)
    started.append(running)
    running.wait_until_at_work()
    os.kill(running.process.pid, signal.SIGSTOP)  # both signals arrive before it can do anything
    running.process.send_signal(signal.SIGHUP)
    running.process.send_signal(signal.SIGTERM)
    os.kill(running.process.pid, signal.SIGCONT)
    end_by(running, signal.SIGINT, seconds=10)
    assert [name for name in running.names() if name != "x.csv"] == []


@pytest.mark.parametrize("verb", ["--isolate", "--external", "fuzz"])
def test_children_end_with_a_parent_that_is_killed(verb: str, tmp_path: Path, started: list[Running]) -> None:
    """What is left would become a child of the tests, which fail for it."""
    running = Running(tmp_path, VERBS[verb][0])
    started.append(running)
    running.wait_until_at_work(WORK.get(verb, 0.0))
    running.process.kill()
    assert running.process.wait(10) == -signal.SIGKILL


def test_what_is_ignored_stays_ignored(tmp_path: Path, started: list[Running]) -> None:
    """As under nohup."""
    old = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        running = Running(tmp_path, VERBS["count"][0])
        started.append(running)
    finally:
        signal.signal(signal.SIGHUP, old)
    running.wait_until_at_work()
    running.process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert running.process.poll() is None
    end_by(running, signal.SIGTERM)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_during_imports_is_quiet(number: int) -> None:
    """From the first line of the package on; what Python does before that is its own."""
    program = (
        "import os, signal, sys; sys.argv = ['cpqueens', 'list']\n"
        "class Import:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'numpy': os.kill(os.getpid(), int(sys.argv.pop()))\n"
        f"sys.argv.append('{int(number)}'); sys.meta_path.insert(0, Import())\n"
        "from cpqueens.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "cpqueens: interrupted\n")
