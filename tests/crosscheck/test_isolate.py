"""Backends in child processes: the same answers, and a death that is reported."""

import os
import signal
import threading
import time

import pytest
from conftest import make_queens

from cpqueens import Model, UnknownParameter, cross_check
from cpqueens.crosscheck.isolate import Isolated


def test_the_answers_are_those_of_this_process(queens6, triangle):
    for model, want in ((queens6, "all"), (queens6, "count"), (queens6, "one"), (triangle, "best")):
        here = cross_check(model, ["python-constraint"], want=want)
        there = cross_check(model, ["python-constraint"], want=want, isolate=True)
        for name in ("verdict", "status", "complete", "count", "distinct", "digest", "objective", "bound"):
            assert getattr(there.solvers[0], name) == getattr(here.solvers[0], name), (want, name)


def test_refusals_and_mistakes_come_back(queens6):
    with pytest.raises(UnknownParameter):
        cross_check(queens6, [("python-constraint", {"nonsense": 1})], isolate=True)


def _struck(number):
    """Send a signal to the first child process that appears."""

    def strike():
        for _ in range(400):
            children = _children()
            if children:
                time.sleep(0.3)
                os.kill(children[0], number)
                return
            time.sleep(0.02)

    thread = threading.Thread(target=strike)
    thread.start()
    return thread


def _children():
    import multiprocessing

    return [c.pid for c in multiprocessing.active_children() if c.pid is not None]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, "CRASH"), (signal.SIGSTOP, "HANG")])
def test_death_and_silence_are_codes(number, code):
    thread = _struck(number)
    report = cross_check(make_queens(12), [Isolated("python-constraint", grace=4.0)], time_limit=2.0)
    thread.join()
    assert [(str(d.code), d.accused) for d in report.disagreements] == [(code, "python-constraint")]
    assert report.exit_code == (30 if code == "CRASH" else 31)
    assert not _children()


def test_full_memory_is_a_code():
    model = Model()
    model.intvar(0, 9, shape=7, name="x")  # ten million solutions, all of which the child keeps
    report = cross_check(model, [Isolated("python-constraint", memory=450 * 2**20)], time_limit=60.0)
    assert {str(d.code) for d in report.disagreements} <= {"OUT_OF_MEMORY", "CRASH"}
    assert report.exit_code in (30, 32)
