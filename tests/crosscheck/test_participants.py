"""Backends in child processes: the same answers, and a death that is reported."""

import os
import signal

import pytest
from conftest import make_queens

from cpqueens import Model, UnknownParameter, cross_check
from cpqueens.crosscheck import participants
from cpqueens.crosscheck.participants import Isolated
from cpqueens.system.children import Worker


def test_the_answers_are_those_of_this_process(queens6, triangle):
    for model, want in ((queens6, "all"), (queens6, "count"), (queens6, "one"), (triangle, "best")):
        here = cross_check(model, ["python-constraint"], want=want)
        there = cross_check(model, ["python-constraint"], want=want, isolate=True)
        for name in ("verdict", "status", "complete", "count", "distinct", "digest", "objective", "bound"):
            assert getattr(there.solvers[0], name) == getattr(here.solvers[0], name), (want, name)


def test_refusals_and_mistakes_come_back(queens6):
    with pytest.raises(UnknownParameter):
        cross_check(queens6, [("python-constraint", {"nonsense": 1})], isolate=True)


def struck(monkeypatch, number, times):
    """Send a signal to the first workers, shortly after their start."""
    hit = []

    class Struck(Worker):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            if len(hit) < times:
                hit.append(self.pid)
                os.kill(self.pid, number)

    monkeypatch.setattr(participants, "Worker", Struck)
    return hit


@pytest.mark.parametrize(
    ("number", "times", "code"),
    [
        (signal.SIGKILL, 1, "CRASH"),
        (signal.SIGSTOP, 2, "HANG"),
        (signal.SIGSTOP, 1, None),  # the second try succeeds: nobody is accused
    ],
)
def test_death_and_silence_are_codes(monkeypatch, queens6, number, times, code):
    hit = struck(monkeypatch, number, times)
    report = cross_check(queens6, [Isolated("python-constraint", grace=1.0)], time_limit=3.0)
    assert len(hit) == times
    wanted = [] if code is None else [(code, "python-constraint")]
    assert [(str(d.code), d.accused) for d in report.disagreements] == wanted
    assert report.exit_code == {"CRASH": 30, "HANG": 31, None: 0}[code]


def test_an_interrupted_child_says_what_it_has():
    """The signal comes while it searches: what it found until then is in the report."""

    def note(number, frame):
        main = signal.getsignal(signal.SIGINT)
        main(signal.SIGINT, frame)

    old = signal.signal(signal.SIGALRM, note)
    signal.setitimer(signal.ITIMER_REAL, 2.5)
    try:
        report = cross_check(make_queens(13), [Isolated("python-constraint")], want="count")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert report.interrupted
    assert report.disagreements == ()
    assert report.exit_code == 130


@pytest.mark.slow
def test_full_memory_is_a_code():
    model = Model()
    model.intvar(0, 9, shape=7, name="x")  # ten million solutions, all of which the child keeps
    report = cross_check(model, [Isolated("python-constraint", memory=300 * 2**20)], time_limit=600)
    assert {str(d.code) for d in report.disagreements} <= {"OUT_OF_MEMORY", "CRASH"}
    assert report.exit_code in (30, 32)
