"""Children end with their family: however they try to get away, and however their parent ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from children import left_behind, running_children
from each import each

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
