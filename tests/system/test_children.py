"""Children end with their family: however they try to get away, and however their parent ends.

Processes that take turns, and what happens to those that wait in vain.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from children import left_behind, running_children
from each import each
from holding import held_elsewhere

from cpqueens.system import children
from cpqueens.system.children import SUPERVISED, Command, Patience, Worker, processor_seconds

pytestmark = pytest.mark.skipif(not SUPERVISED, reason="needs a POSIX system")
linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere what leaves the group is not found")

AWAY = {
    "background": "sleep 700 & echo ready; sleep 700",
    "session": "setsid sleep 700 & echo ready; sleep 700",
    "daemon": "setsid sh -c 'setsid sleep 700 & setsid sleep 700 &' ; echo ready; sleep 700",
    "deaf": "trap '' TERM INT HUP; sh -c \"trap '' TERM; sleep 700\" & echo ready; sleep 700",
    "main has gone": "setsid sleep 700 & echo ready",
}


@linux
@each("how", AWAY)
def test_nothing_gets_away(how: str) -> None:
    """What is left would become a child of the tests."""
    before = running_children()
    command = Command(["sh", "-c", AWAY[how]], piped=True)
    assert command.process.stdout is not None
    assert command.process.stdout.readline() == b"ready\n"
    if how == "main has gone":
        assert command.wait(20)
    assert command.end() == (0 if how == "main has gone" else -signal.SIGKILL)
    assert running_children() == before


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", -9), ("kill -15 $$", -15)]
)
def test_the_code_is_the_commands_own(script: str, code: int) -> None:
    command = Command(["sh", "-c", script])
    assert command.wait(20)
    assert (command.end(), command.end(), command.errno) == (code, code, 0)


def test_what_cannot_be_started_says_why() -> None:
    command = Command(["/no/such/program"])
    command.wait(20)
    command.end()
    assert os.strerror(command.errno) == "No such file or directory"


def test_a_supervisor_that_is_killed_takes_its_child_along() -> None:
    before = running_children()
    command = Command(["sleep", "700"], piped=True)
    command.process.kill()
    command.process.wait()
    assert command.end() is None
    assert left_behind(before) == {}


def test_it_has_the_environment_and_streams_that_it_was_given() -> None:
    command = Command(["sh", "-c", 'read line; echo "$WORD $line"'], environment={"WORD": "a"}, piped=True)
    assert command.process.stdin is not None
    assert command.process.stdout is not None
    command.process.stdin.write(b"b\n")
    command.process.stdin.close()
    assert command.process.stdout.read() == b"a b\n"
    command.end()


def test_a_worker_runs_a_function_and_hears_an_interrupt() -> None:
    worker = Worker("test_children:echo_until_interrupted", ("hello",))
    try:
        assert worker.connection.poll(30)
        assert worker.connection.recv() == "hello"
        worker.interrupt()
        assert worker.connection.poll(30)
        assert worker.connection.recv() == "interrupted"
    finally:
        code = worker.end(10)
    assert code == 0


def echo_until_interrupted(connection: object, text: str) -> None:
    """Run in the worker."""
    try:
        connection.send(text)  # type: ignore[attr-defined]
        time.sleep(600)
    except KeyboardInterrupt:
        connection.send("interrupted")  # type: ignore[attr-defined]


@linux
def test_patience_is_with_the_starved_and_not_with_the_blocked() -> None:
    with subprocess.Popen(["sleep", "60"]) as blocked:
        patience = Patience(0.1, blocked.pid)
        time.sleep(0.15)
        assert patience.is_over()
        blocked.kill()
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        while (processor_seconds(busy.pid) or 0.0) < 0.1:
            time.sleep(0.01)
        starved = Patience(1e6, busy.pid)
        starved._end = starved._since = time.monotonic() - 1e-3  # its time on the clock is over
        time.sleep(0.5)
        assert not starved.is_over()
        used = Patience(0.05, busy.pid)
        while not used.is_over():
            time.sleep(0.05)
        assert (processor_seconds(busy.pid) or 0.0) >= 0.15
        busy.kill()
    assert Patience(None, 0).remaining() is None
    assert not Patience(None, 0).is_over()


posix = pytest.mark.skipif(sys.platform == "win32", reason="no locks of this kind")


@posix
def test_who_is_killed_has_had_its_turn(tmp_path: Path) -> None:
    waited: list[float] = []

    with held_elsewhere(tmp_path / "lock") as child:

        def end(seconds: float) -> None:
            waited.append(seconds)
            child.kill()
            child.wait()

        with children.turn(tmp_path / "lock", 60.0, end):
            assert child.returncode is not None
        assert (tmp_path / "lock").read_text() == str(os.getpid())
    assert waited


@posix
def test_nobody_waits_for_ever(tmp_path: Path) -> None:
    waited: list[float] = []
    with held_elsewhere(tmp_path / "lock") as child, children.turn(tmp_path / "lock", 0.1, waited.append):
        assert child.poll() is None
    assert waited


@posix
def test_the_one_who_has_the_turn_is_given_processor_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[float, int]] = []

    class Impatience:
        def __init__(self, seconds: float, pid: int) -> None:
            self.asked = (seconds, pid)

        def is_over(self) -> bool:
            asked.append(self.asked)
            return len(asked) > 2

    monkeypatch.setattr(children, "Patience", Impatience)
    with held_elsewhere(tmp_path / "lock") as child:
        with children.turn(tmp_path / "lock", 60.0, lambda seconds: None):
            assert child.poll() is None
        assert asked == [(60.0, child.pid)] * 3


@posix
def test_one_who_has_no_name_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path / "lock"):
        (tmp_path / "lock").write_bytes(b"")
        with children.turn(tmp_path / "lock", 0.1, lambda seconds: None):
            assert (tmp_path / "lock").read_bytes() == b""


@posix
def test_other_files_are_other_turns(tmp_path: Path) -> None:
    waited: list[float] = []
    with held_elsewhere(tmp_path / "lock"), children.turn(tmp_path / "another", 60.0, waited.append):
        pass
    with children.turn(tmp_path / "lock", 60.0, waited.append):
        pass
    assert waited == []


@pytest.mark.parametrize("lacking", ["folder", "fcntl"])
def test_without_a_lock_nobody_waits(lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "absent" / "lock"
    if lacking == "fcntl":
        monkeypatch.setitem(sys.modules, "fcntl", None)
        path = tmp_path / "lock"
    with children.turn(path, 60.0, lambda seconds: None):
        ran = True
    assert ran


def test_what_the_block_raises_is_raised(tmp_path: Path) -> None:
    for error in (OSError, ImportError):
        with pytest.raises(error), children.turn(tmp_path / "lock", 60.0, lambda seconds: None):
            raise error
