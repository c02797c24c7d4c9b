"""Ctrl-C in a process of its own: a partial outcome, soon, and nothing left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time

import pytest
from cpqueens.models.queens import queens
from each import each

from cpqueens import Solution
from cpqueens.system.interrupts import SIGNALS, Interrupted, listening, program
from cpqueens.system.platforms import children_seconds

ENDING = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@pytest.mark.parametrize("name", ENDING)
def test_a_program_hears_each_signal_and_gives_its_handler_back(name: str) -> None:
    number = getattr(signal, name)
    assert number in SIGNALS
    before = signal.signal(number, own := lambda *_: None)
    try:
        with program() as whole:
            with pytest.raises(Interrupted):
                signal.raise_signal(number)
            assert whole.seen
            assert whole.cancel.is_set()
        assert signal.getsignal(number) is own
    finally:
        signal.signal(number, before)


def test_what_a_run_hears_is_heard_by_its_loop_and_by_the_next_run() -> None:
    with listening() as loop:
        assert list(loop.until_seen(range(2))) == [0, 1]
        with listening() as run:
            signal.raise_signal(signal.SIGINT)
            assert run.seen
        assert loop.seen
        with listening() as later:
            assert later.seen
            assert later.cancel.is_set()
        assert list(loop.until_seen(range(5))) == []


PROLOGUE = """
import signal, sys, time
from cpqueens.fuzzing.testing import queens
m = queens({n})
def ready():
    print("ready", flush=True)
"""


def interrupted(body: str, n: int = 16, kicks: int = 1, after: float = 0.3) -> tuple[int, str, str, float]:
    """Run ``body``, send Ctrl-C after its line ``ready``; return exit code, output and processor seconds."""
    code, used = PROLOGUE.format(n=n) + textwrap.dedent(body), children_seconds()
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(after)
    for _ in range(kicks):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    try:
        out, err = process.communicate(timeout=600)
    finally:
        process.kill()
    return process.returncode, out, err, children_seconds() - used


def test_enumeration_gives_a_partial_outcome(solver: str) -> None:
    code, out, err, seconds = interrupted(f"""
        first = True
        def see(s):
            global first
            if first:
                first = False
                ready()
        o = m.enumerate(see, solver={solver!r})
        print(o.status, o.complete, o.stop_reason, o.count > 0)
        print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    """)
    assert code == 0, err
    assert out.split() == ["FEASIBLE", "False", "interrupted", "True", "True"]
    assert seconds < 60


def test_a_search_without_solutions_is_interrupted_too(solver: str) -> None:
    """Counting models that nobody finishes: the solver is inside compiled code when Ctrl-C comes."""
    code, out, err, seconds = interrupted(
        f"""
        from cpqueens.fuzzing.testing import _hopeless
        m = _hopeless()
        ready()
        o = m.solve(solver={solver!r})
        print(o.status, o.complete, o.stop_reason)
    """,
        after=0.6,
    )
    assert code == 0, err
    assert out.split() == ["UNKNOWN", "False", "interrupted"]
    assert seconds < 60


def test_counting_raises_with_what_was_counted() -> None:
    code, out, _err, _seconds = interrupted("""
        from cpqueens import IncompleteCount
        from cpqueens.solving.solve import count_solutions
        ready()
        o = count_solutions(m, "cpsat")
        print(o.complete, o.stop_reason)
    """)
    assert (code, out.split()) == (0, ["False", "interrupted"])


@each("what", ["m.enumerate(see", "small.solve(on_improvement=see"])
def test_ctrl_c_in_the_users_callback_ends_it_and_gives_what_was_found(optimizer: str, what: str) -> None:
    code, out, err, _seconds = interrupted(f"""
        from cpqueens import Model
        small = Model()
        small.minimize(small.intvar(0, 3))
        seen = []
        def see(s):
            seen.append(s)
            ready()
            time.sleep(20)
        o = {what}, solver={optimizer!r})
        print(len(seen), o.count, o.status, o.stop_reason)
    """)
    assert (code, out.split()) == (0, ["1", "1", "FEASIBLE", "interrupted"]), err


def test_ctrl_c_that_the_users_callback_catches() -> None:
    """It may tidy up; no further call is made all the same. A second Ctrl-C comes out."""
    code, out, err, _seconds = interrupted("""
        calls = []
        def see(s):
            calls.append(s)
            try:
                if len(calls) == 1:
                    ready()
                time.sleep(20)
            except KeyboardInterrupt:
                time.sleep(0.01)
        o = m.enumerate(see, solver="backtracking")
        print(len(calls), o.count, o.stop_reason)
    """)
    assert (code, out.split()) == (0, ["1", "1", "interrupted"]), err


def test_ctrl_c_in_a_run_that_a_callback_makes_ends_both() -> None:
    code, out, err, _seconds = interrupted("""
        inner = []
        def see(s):
            if len(inner) == 1:
                print("called again")
            ready()
            inner.append(queens(30).enumerate(lambda s: None, solver="backtracking"))
        o = queens(5).enumerate(see, solver="python-constraint")
        print(len(inner), inner[0].stop_reason, o.count, o.stop_reason)
    """)
    assert (code, out.split()) == (0, ["1", "interrupted", "1", "interrupted"]), err


def test_an_interrupt_that_the_callback_raises_itself_comes_out(solver: str) -> None:
    def see(solution: Solution) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        queens(6).enumerate(see, solver=solver)


def test_the_next_run_is_not_disturbed() -> None:
    code, out, err, _seconds = interrupted("""
        first = True
        def see(s):
            global first
            if first:
                first = False
                ready()
        m.enumerate(see, solver="cpsat")
        print(queens(6).count(solver="cpsat"))
    """)
    assert (code, out.split()) == (0, ["4"]), err


def test_an_own_handler_is_left_alone() -> None:
    code, out, err, _seconds = interrupted(
        """
        signal.signal(signal.SIGINT, lambda *a: print("mine", flush=True))
        ready()
        o = m.enumerate(lambda s: None, solver="cpsat", time_limit=1.5)
        print(o.stop_reason)
    """,
        after=0.6,
    )
    assert (code, out.split()) == (0, ["mine", "time_limit"]), err


def test_handlers_are_restored_after_a_refusal() -> None:
    from cpqueens import CpqueensError
    from cpqueens.fuzzing.testing import queens

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(CpqueensError):
        queens(4).solve(solver="cpsat", time_limit=-1)
    assert signal.getsignal(signal.SIGINT) is before


def test_runs_in_other_threads() -> None:
    import threading

    from cpqueens.fuzzing.testing import queens

    counts = []
    threads = [
        threading.Thread(target=lambda: counts.append(queens(6).count(solver="cpsat"))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [4, 4, 4]


def test_the_loops_of_the_library_end_with_the_first_ctrl_c() -> None:
    """Each says that it was interrupted, and the next one is not disturbed."""
    code, out, err, _seconds = interrupted(
        """
        import threading
        from cpqueens import cross_check
        from cpqueens.crosscheck.metamorphic import metamorphic
        from cpqueens.fuzzing.fuzz import fuzz
        from cpqueens.solving.explain import explain_infeasible
        import os
        def soon(seconds=1.0):
            threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
        seeds = []
        def heuristic(model, seed, time_limit):
            seeds.append(seed)
            if seed == 2:
                soon(0.0)
                time.sleep(60)
        six = queens(6)
        six.count(solver="cpsat")
        ready()
        soon(); r = metamorphic(m, "cpsat"); print(r.interrupted, r.exit_code, len(r.relations))
        soon(); r = cross_check(m, ["cpsat", "backtracking"]); print(r.interrupted, r.exit_code)
        r = cross_check(six, ["cpsat", heuristic], seeds=10); print(r.interrupted, len(seeds))
        h = r.heuristics[0]; print(h.runs, h.censored, h.asked, h.rejections)
        soon(); r = fuzz(10**6, processes=0, solvers=["cpsat"]); print(r.interrupted, r.exit_code)
        print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, six.count(solver="cpsat"))
    """,
        kicks=0,
    )
    assert code == 0, err
    assert out.splitlines() == [
        "True 130 0",
        "True 130",
        "True 3",
        "2 1 10 {'no answer': 2}",
        "True 130",
        "True 4",
    ]


def test_a_run_within_an_interrupted_loop_ends_at_once(solver: str) -> None:
    """No loop can go on by mistake: what begins after the signal is interrupted when it begins."""
    with listening() as loop:
        signal.raise_signal(signal.SIGINT)
        assert loop.seen
        for _ in range(3):
            outcome = queens(30).enumerate(lambda s: None, solver=solver)
            assert outcome.stop_reason == "interrupted"
            assert not outcome.complete
        assert list(loop.until_seen(range(5))) == []


def test_work_is_broken_off_by_the_first_signal_only() -> None:
    with listening() as loop:
        assert loop.attempt(lambda: 7) == 7
        assert loop.attempt(lambda: signal.raise_signal(signal.SIGINT) or 7) is None
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


LEAVING = """
import os, threading, time
from cpqueens.system.interrupts import leave_at_once, on_leaving

def say() -> None:
    time.sleep(0.2)
    os.write(1, b"all that was known")

on_leaving(say)
for _ in range(2):
    threading.Thread(target=leave_at_once).start()
time.sleep(60)
"""


def test_two_threads_that_leave_say_what_was_known() -> None:
    """The second signal is heard by two: one must not end the program while the other speaks."""
    done = subprocess.run([sys.executable, "-c", LEAVING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "all that was known")
