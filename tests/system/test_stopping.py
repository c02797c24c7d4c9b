"""Work that is broken off between two bytecodes."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from cpqueens.models.queens import queens

from cpqueens.system import stopping as stops
from cpqueens.system.stopping import Stopped, ThreadTime, heed, stopping, unstopped, watching


def work_for_ever() -> None:
    while True:
        sum(range(1000))


def wait_until(instant: float) -> None:
    """Wait in a loop of its own: the jump back of one in a ``with`` is not within it in Python 3.13."""
    while time.monotonic() < instant:
        pass


def test_stopping_ends_work_without_a_loop_and_nothing_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stops, "_EVERY", 0.0005)
    asked, used = time.monotonic(), time.process_time()
    with pytest.raises(Stopped), stopping(lambda: time.monotonic() > asked + 0.05):
        work_for_ever()
    assert time.process_time() - used < 10  # the work itself never ends
    for _ in range(200):  # ends just about when it is asked to: inside the block, or never
        instant = time.monotonic() + 0.002
        with contextlib.suppress(Stopped), stopping(lambda at=instant: time.monotonic() > at):
            wait_until(instant)
        time.sleep(0.0005)
    with stopping(lambda: False):
        pass


def test_stopping_in_a_thread_of_its_own() -> None:
    ended: list[str] = []

    def work() -> None:
        try:
            with stopping(lambda: True):
                work_for_ever()
        except Stopped:
            ended.append("stopped")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=10)
    assert ended == ["stopped"]


@pytest.mark.parametrize("strategy", ["tabu", pytest.param("auto", marks=pytest.mark.slow)])
def test_a_big_model_is_not_compiled_to_the_end(strategy: str) -> None:
    small, model = queens(12), queens(300_000)
    model.add(model["q"][0] != 0)
    small.solve(solver=f"local-search:{strategy}", step_limit=10)  # compiles kernels
    used = time.process_time()
    outcome = model.solve(solver=f"local-search:{strategy}", time_limit=0.05)
    assert (outcome.status, outcome.stop_reason) == ("UNKNOWN", "time_limit")
    assert time.process_time() - used < 5


def test_what_only_prepares_is_broken_off_without_the_moment_that_a_search_has() -> None:
    """What is used after the block is to end: next to nothing, or its grace; the outer one knows where."""
    used: dict[bool, float] = {}

    def run(prepares: bool) -> None:
        end = time.monotonic() + 0.02
        whole = stopping(lambda: time.monotonic() > end, grace=1.0)
        block = stopping(lambda: time.monotonic() > end) if prepares else contextlib.nullcontext()
        with contextlib.suppress(Stopped), whole, block:
            began = time.thread_time()
            try:
                work_for_ever()
            finally:
                used[prepares] = time.thread_time() - began
        assert (whole.place or "").endswith("work_for_ever")

    run(True)
    run(False)
    assert used[False] >= 1.0 > used[True]


def test_who_heeds_waits_for_no_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a block that is to stop, unless what is under way must not be broken off, or has its grace."""
    monkeypatch.setattr(stops, "_EVERY", 60.0)
    heed()
    with stopping(lambda: False):
        heed()
    with stopping(lambda: True, grace=60.0):
        heed()
    with contextlib.suppress(Stopped), stopping(lambda: True):
        with unstopped():
            heed()
        heed()
        raise AssertionError("not heeded")


def test_of_blocks_within_each_other_the_outer_goes_on_watching() -> None:
    inner: list[float] = []

    def work() -> None:
        with contextlib.suppress(Stopped), stopping(lambda: True):
            work_for_ever()
        inner.append(time.monotonic())
        work_for_ever()

    end = time.monotonic() + 0.1
    with pytest.raises(Stopped), stopping(lambda: bool(inner) and time.monotonic() > end):
        work()
    assert len(inner) == 1


def enter(block: stopping) -> None:
    """Enter a block that is never heard to end, as if something were raised when it began to."""
    block.__enter__()


def test_a_block_whose_end_is_lost_is_over_with_its_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise it would be broken off again each second, in whatever the thread does by then."""
    monkeypatch.setattr(stops, "_EVERY", 0.0005)
    enter(stopping(lambda: True))
    ends = time.monotonic() + 10
    while stops._watch.blocks and time.monotonic() < ends:
        sum(range(100))
    assert stops._watch.blocks == {}

    def work() -> None:
        enter(stopping(lambda: False))  # which never asks for its end
        enter(stopping(lambda: False))
        with unstopped():
            pass
        work_for_ever()

    with pytest.raises(Stopped), stopping(lambda: True):
        work()
    assert stops._watch.blocks == {}


def test_a_generator_enters_none() -> None:
    def enters() -> Iterator[None]:
        with unstopped():
            yield

    assert list(enters()) == [None]  # where nothing is watched there is no block
    with stopping(lambda: False), pytest.raises(AssertionError, match="a generator"):
        next(enters())
    assert stops._watch.blocks == {}


def test_many_blocks_that_end_as_they_are_broken_off_leave_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stops, "_EVERY", 0.0002)
    monkeypatch.setattr(stops, "_AGAIN", 0.001)

    def nearly(end: float) -> None:
        while time.monotonic() < end + 0.00005:
            len("")

    broken = 0
    for _ in range(300):
        end = time.monotonic() + 0.001
        try:
            stopping(lambda end=end: time.monotonic() >= end).run(lambda end=end: nearly(end))
        except Stopped:
            broken += 1
    assert broken
    ends = time.monotonic() + 10
    while stops._watch.blocks and time.monotonic() < ends:
        sum(range(100))
    assert stops._watch.blocks == {}


def test_blocks_of_which_the_watch_fails_to_ask_do_not_disturb_others() -> None:
    def fails() -> bool:
        raise ZeroDivisionError

    heard: list[object] = []
    before, threading.excepthook = threading.excepthook, heard.append
    try:
        with stopping(fails):
            time.sleep(0.1)
    finally:
        threading.excepthook = before
    assert len(heard) == 1
    with pytest.raises(Stopped), stopping(lambda: True):
        work_for_ever()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a process with threads
def test_a_forked_child_has_a_watch_of_its_own() -> None:
    with stopping(lambda: False):
        child = os.fork()
        if not child:
            with contextlib.suppress(Stopped), stopping(lambda: True):
                work_for_ever()
            os._exit(17)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17


def test_a_block_has_its_grace_in_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """From when it is to end, whatever the clock says, and without what blocks within it take."""
    had, asked, log = [5.0], threading.Event(), list[str]()
    monkeypatch.setattr(stops, "_EVERY", 0.0005)
    monkeypatch.setattr(stops, "ThreadTime", lambda: lambda: had[0])

    def should_stop() -> bool:
        asked.set()
        return True

    def looked_at() -> None:
        for _ in range(3):
            asked.clear()
            assert asked.wait(60)

    def work() -> None:
        looked_at()
        had[0] += 0.09
        looked_at()
        log.append("not yet")
        with unstopped():
            had[0] += 50.0
        looked_at()
        log.append("not of its own")
        had[0] += 0.11
        work_for_ever()

    with pytest.raises(Stopped), stopping(should_stop, grace=0.1):
        work()
    assert log == ["not yet", "not of its own"]


def test_what_is_not_to_be_broken_off_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stops, "_EVERY", 0.0005)
    reached = list[bool]()

    def work() -> None:
        with unstopped():
            time.sleep(0.05)
            reached.append(True)
        work_for_ever()

    with pytest.raises(Stopped), stopping(lambda: True):
        work()
    assert reached


class Asked:
    """Says from its first question on that the block must end, and when it was asked often enough."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> bool:
        self.times += 1
        return True

    def wait(self) -> None:
        """Come back after some further questions, each of which could have broken off the caller."""
        enough = self.times + 5
        while self.times < enough:
            time.sleep(0.001)


def test_an_import_is_not_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked()
    monkeypatch.setattr(sys, "asked_by_a_slow_module", asked, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "slow_module.py").write_text("import sys\nsys.asked_by_a_slow_module.wait()\nwhole = True\n")
    with pytest.raises(Stopped), stopping(asked):  # noqa: PT012
        assert importlib.import_module("slow_module").whole
        while True:
            time.sleep(0.001)
    assert sys.modules.pop("slow_module").whole


def test_a_finalizer_is_not_broken_off() -> None:
    asked, ended = Asked(), []

    class Slow:
        def __del__(self) -> None:
            asked.wait()
            ended.append(True)

    with pytest.raises(Stopped), stopping(asked):  # noqa: PT012
        Slow()
        while True:
            time.sleep(0.001)
    assert ended == [True]


def test_what_is_lost_is_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where functions of others run between two bytecodes, Python ignores what is raised in them."""
    monkeypatch.setattr(stops, "_AGAIN", 0.02)
    lost = list[bool]()
    with pytest.raises(Stopped), stopping(lambda: True):  # noqa: PT012
        try:
            work_for_ever()
        except Stopped:
            lost.append(True)
        work_for_ever()
    assert lost == [True]


@pytest.mark.parametrize("name", ["queue", "llvmlite.binding.ffi"])
def test_another_library_is_not_broken_off(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have taken a lock that it has not given back."""
    monkeypatch.setattr(stops, "_EVERY", 0.0005)
    asked = Asked()
    text = "def take(asked):\n    end = asked.times + 5\n    while asked.times < end: pass\n    return 1\n"
    space: dict[str, Any] = {"__name__": name}
    exec(compile(text, f"/python/site-packages/{name}.py", "exec"), space)
    taken = list[int]()
    with pytest.raises(Stopped), stopping(asked):  # noqa: PT012
        taken.append(space["take"](asked))
        work_for_ever()
    assert taken == [1]


def test_no_collection_loses_what_is_raised() -> None:
    """Its callbacks run between two bytecodes, and what is raised in them is ignored."""
    log = list[int]()

    def called(_phase: str, _details: object) -> None:
        log.append(sum(range(100)))

    gc.callbacks.append(called)
    try:
        for _ in range(5):
            with pytest.raises(Stopped), stopping(lambda: True):  # noqa: PT012
                while True:
                    ring: list[object] = [[] for _ in range(300)]
                    ring.append(ring)
            assert gc.isenabled()
    finally:
        gc.callbacks.remove(called)
    assert log


def test_no_collection_begins_while_a_thread_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    collects, frames = list[bool](), sys._current_frames

    def looked() -> dict[int, FrameType]:
        collects.append(gc.isenabled())
        return frames()

    monkeypatch.setattr(sys, "_current_frames", looked)
    with pytest.raises(Stopped), stopping(lambda: True):
        work_for_ever()
    assert gc.isenabled()
    assert set(collects) == {False}


def test_nothing_is_left_that_slows_or_blocks_what_follows() -> None:
    """A debugger, a profiler and what measures coverage go on after a run that was broken off."""
    program = """
import contextlib, sys
from cpqueens.system.stopping import Stopped, stopping
with contextlib.suppress(Stopped), stopping(lambda: True):
    while True:
        sum(range(100))
called = []
sys.setprofile(lambda frame, event, argument: called.append(event))
(lambda: sum(range(100)))()
sys.setprofile(None)
assert "call" in called
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_what_goes_on_in_another_library_is_told_to_end_and_not_broken_off() -> None:
    told, calls = threading.Event(), 0

    def stop() -> None:
        nonlocal calls
        calls += 1
        told.set()

    with watching(stop, lambda: True):
        assert told.wait(10)
        time.sleep(0.1)
    made = calls
    assert made > 1, "it is told again until it ends"
    time.sleep(0.1)
    assert calls <= made + 1, "one call may have been under way"


@pytest.mark.parametrize("asked_elsewhere", [True, False])
def test_the_time_of_a_thread_is_its_own(asked_elsewhere: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread's work does not count; who may not ask hears what the thread itself was told last."""
    if not asked_elsewhere:
        monkeypatch.delattr(time, "pthread_getcpuclockid", raising=False)
    used: list[ThreadTime] = []
    told, end = threading.Event(), threading.Event()

    def work() -> None:
        used.append(ThreadTime())
        while used[0]() < 0.05:
            pass
        told.set()
        end.wait(60)

    thread = threading.Thread(target=work)
    thread.start()
    assert told.wait(60)
    mine = ThreadTime()
    while mine() < 0.2:
        pass
    assert 0.05 <= used[0]() < 0.15
    end.set()
    thread.join()
    assert used[0]() >= 0.05  # it has ended
