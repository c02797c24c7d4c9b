"""Systems that lack something, simulated: a call is taken away, and what is said and done then is checked."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time

import pytest
from click.testing import CliRunner

from cpqueens import AllDifferent, Model, cross_check
from cpqueens.cli import doctor
from cpqueens.crosscheck.external import External
from cpqueens.errors import UnsupportedRequest
from cpqueens.system import platforms


@pytest.fixture
def like_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """No `resource`, no process groups, no SIGHUP, no affinity, another name."""
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "killpg")
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(signal, "SIGHUP")
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)  # it asks Windows itself, from Python 3.12 on


@pytest.fixture
def like_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    """`resource` without `prlimit`, no affinity, another name."""
    import resource

    monkeypatch.delattr(resource, "prlimit", raising=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)


def permutations() -> Model:
    m = Model("permutations")
    m += AllDifferent(m.intvar(0, 2, shape=3, name="x"))
    return m


@pytest.mark.skipif(sys.platform != "linux", reason="Linux is the system that lacks nothing")
def test_linux_lacks_nothing() -> None:
    assert platforms.limits() == []


@pytest.mark.usefixtures("like_windows")
def test_windows_lacks_all_of_it() -> None:
    assert platforms.limits() == [consequence for _, consequence in platforms._LACKS]


@pytest.mark.usefixtures("like_macos")
def test_macos_lacks_what_it_lacks() -> None:
    text = "\n".join(platforms.limits())
    assert "--external" not in text
    assert "memory of isolated solvers" in text
    assert "killed outright" in text


@pytest.mark.usefixtures("like_windows")
def test_doctor_says_what_is_lacking() -> None:
    result = CliRunner().invoke(doctor.command, standalone_mode=False)
    assert result.return_value == 0
    assert "on this system: external heuristics (--external) are refused" in result.output
    assert f"{os.cpu_count()} processor(s) to use" in result.output


@pytest.mark.usefixtures("like_windows")
def test_external_heuristics_are_refused_at_once() -> None:
    with pytest.raises(UnsupportedRequest, match="not on Windows"):
        External([sys.executable, "-c", "pass"])


@pytest.mark.usefixtures("like_macos")
def test_external_heuristics_run_without_a_memory_limit() -> None:
    answer = 'print(\'{"assignment": {"x": [2, 0, 1]}}\')'
    attempt = External([sys.executable, "-c", answer]).attempt(permutations(), 0, 20.0)
    assert attempt.assignment == {"x": [2, 0, 1]}


@pytest.mark.usefixtures("like_windows")
def test_solving_and_comparing_need_none_of_it() -> None:
    m = permutations()
    assert m.count(solver="backtracking") == 6
    assert [s[m["x"]].tolist() for s in m.solutions(solver="backtracking", solution_limit=1)] == [[0, 1, 2]]
    assert cross_check(m, solvers=["backtracking", "local-search"]).exit_code == 0


@pytest.mark.parametrize("asked_elsewhere", [True, False])
def test_the_time_of_a_thread_is_its_own(asked_elsewhere: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread's work does not count; who may not ask hears what the thread itself was told last."""
    if not asked_elsewhere:
        monkeypatch.delattr(time, "pthread_getcpuclockid", raising=False)
    used: list[platforms.ThreadTime] = []
    told, end = threading.Event(), threading.Event()

    def work() -> None:
        used.append(platforms.ThreadTime())
        while used[0]() < 0.05:
            pass
        told.set()
        end.wait(60)

    thread = threading.Thread(target=work)
    thread.start()
    assert told.wait(60)
    mine = platforms.ThreadTime()
    while mine() < 0.2:
        pass
    assert 0.05 <= used[0]() < 0.15
    end.set()
    thread.join()
    assert used[0]() >= 0.05  # it has ended


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows priorities of threads")
def test_a_thread_gives_way_alone() -> None:
    before, found = os.getpriority(os.PRIO_PROCESS, 0), list[int]()

    def work() -> None:
        platforms.give_way()
        found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [min(19, before + 7)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
