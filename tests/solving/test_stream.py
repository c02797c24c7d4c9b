"""The iterator over solutions: left early, closed, dropped, never finished, or failing."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import pytest
from fake_backend import FakeBackend, installed, rows, says

from cpqueens import BackendFault, Model, ModelError, UnknownBackend
from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Deliver, Ended, Feature, Request
from cpqueens.fuzzing.testing import queens


def _threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "cpqueens-solutions"]


def test_all_solutions(solver: str) -> None:
    stream = queens(6).solutions(solver=solver)
    found = list(stream)
    assert len(set(found)) == 4
    assert stream.outcome.complete
    assert not _threads()


def test_leaving_early(solver: str) -> None:
    with queens(9).solutions(solver=solver) as stream:
        for k, s in enumerate(stream):
            assert s.check().ok
            if k == 2:
                break
    assert not _threads()
    assert list(stream) == []


def test_what_was_not_asked_for_is_not_claimed(solver: str) -> None:
    """Also where the search had found all before the iterator was left."""
    for closing in (True, False) if solver == "backtracking" else (True,):  # which does not wait for a reader
        stream = queens(8).solutions(solver=solver)
        for _ in range(4):
            next(stream)
        if closing:
            stream.close()
        else:
            deadline = time.monotonic() + 600
            while stream.outcome is None and time.monotonic() < deadline:
                time.sleep(0.01)
        left = stream.outcome
        assert (left.count, left.complete, left.stop_reason) == (4, False, StopReason.INTERRUPTED)
        if not closing:
            assert len(list(stream)) == 88
            assert (stream.outcome.count, stream.outcome.complete) == (92, True)


def test_a_limit() -> None:
    stream = queens(8).solutions(solver="cpsat", solution_limit=5)
    assert len(list(stream)) == 5
    assert not stream.outcome.complete


def test_dropping_it_ends_the_run() -> None:
    stream = queens(12).solutions(solver="cpsat")
    next(stream)
    (thread,) = _threads()
    del stream
    gc.collect()
    thread.join(60)
    assert not _threads()


def test_dropping_it_waits_for_nothing() -> None:
    """A collection may begin anywhere, also where a lock is held that the search needs to end."""
    lock = threading.Lock()

    def script(model: Any, request: Request, deliver: Deliver) -> Ended:
        deliver(rows((1, 3, 0, 2)))
        while not request.interrupted():
            time.sleep(0.001)
        with lock:
            return Ended(False, StopReason.INTERRUPTED)

    with installed(FakeBackend(script)):
        stream = queens(4).solutions(solver="fake")
        next(stream)
        (thread,) = _threads()
        with lock:
            del stream
            gc.collect()
        thread.join(60)
    assert not _threads()


def test_closing_twice() -> None:
    stream = queens(10).solutions(solver="cpsat")
    next(stream)
    stream.close()
    stream.close()
    with pytest.raises(StopIteration):
        next(stream)
    assert stream.outcome.stop_reason is StopReason.INTERRUPTED
    assert not stream.outcome.complete


def test_two_at_once(solver: str) -> None:
    m = queens(6)
    pairs = list(zip(m.solutions(solver=solver), m.solutions(solver=solver), strict=True))
    assert len(pairs) == 4


def test_errors_come_out_of_the_loop() -> None:
    m = queens(4)
    with pytest.raises(UnknownBackend):
        list(m.solutions(solver="nope"))
    with pytest.raises(ModelError, match="solution_limit"):
        list(m.solutions(solver="cpsat", solution_limit=0))
    with installed(FakeBackend(says(rows((0, 0, 0, 0))))), pytest.raises(BackendFault):
        list(m.solutions(solver="fake"))


def test_the_backend_waits_for_a_slow_reader() -> None:
    produced = []

    def script(model, request, deliver):
        for k in range(200):
            if not deliver(rows((k,))):
                return Ended(False, StopReason.INTERRUPTED)
            produced.append(k)
        return Ended(True, StopReason.EXHAUSTED)

    m = Model()
    m.intvar(0, 500, name="x")
    with installed(FakeBackend(script)):
        stream = m.solutions(solver="fake")
        next(stream)
        time.sleep(0.3)
        assert len(produced) < 50
        assert len(list(stream)) == 199


def test_resuming_after_a_solution(solver: str) -> None:
    from cpqueens import UnsupportedRequest
    from cpqueens.backends import named

    m = queens(6)
    if Feature.RESUME not in named.get_backend(solver).features:
        with pytest.raises(UnsupportedRequest):
            list(m.solutions(solver=solver, after={"q": [1, 3, 5, 0, 2, 4]}))
        return
    everything = list(m.solutions(solver=solver))
    rest = list(m.solutions(solver=solver, after=everything[1]))
    assert rest == everything[2:]


ENDINGS = {
    "sys.exit in the loop": "for s in stream: sys.exit(7)",
    "an exception in the loop": "for s in stream: raise SystemExit(7)",
    "unfinished at the end": "next(stream); code = 7; raise SystemExit(code)",
    "kept in a global": "next(stream); import builtins; builtins.kept = stream; sys.exit(7)",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_process_ends_cleanly(ending: str) -> None:
    code = textwrap.dedent("""
        import sys
        from cpqueens.fuzzing.testing import queens
        stream = queens(14).solutions(solver="cpsat")
    """)
    done = subprocess.run(
        [sys.executable, "-c", code + ENDINGS[ending]],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 7, done.stderr
    assert "Traceback" not in done.stderr
