"""What tests take, and what follows from it: the quickest are run first, and no test takes for ever."""

from __future__ import annotations

import json
import resource
import time
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import pytest
from mutant import ROOT

Seconds = dict[str, float]
"""What each test took, where that is known."""

KNOWN = ROOT / ".pytest_cache" / "mutants.json"
"""What tests took in earlier runs."""

UNENDED = 1e6
"""What a test takes that has begun and not ended."""

FAR, LEAST = 5, 20.0
"""A test that takes so many times the processor time that it took before, and at least so many seconds, does
not end."""


@dataclass(frozen=True, eq=False)  # pytest puts plugins into sets
class QuickestFirst:
    """A plugin of pytest: most faults are noticed by many tests, and the quickest of them is enough.

    Those that noticed a fault before come first, then those not seen yet.
    """

    known: Seconds
    book: Path
    limited: bool = True  # not without a fault: kernels may have to be compiled, which takes long, once

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the tests in order."""
        items.sort(key=lambda item: self.known.get(item.nodeid, 0.0))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Let the process end within a test that takes `FAR` times what it took before, if that is known."""
        before = self.known.get(nodeid, UNENDED)
        if self.limited and before < UNENDED:
            limit_time(time.process_time() + max(LEAST, FAR * (before % UNENDED)))
        else:
            limit_time(UNENDED)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Book a test when it begins, for it may never end, and when it ends."""
        if report.when != "teardown" or report.failed:
            seconds = UNENDED if report.when == "setup" else report.duration
            if report.failed:
                seconds -= UNENDED  # who noticed one fault is asked first about the next
            with self.book.open("a", encoding="utf-8") as file:
                file.write(json.dumps([report.nodeid, seconds, report.outcome]) + "\n")


def known_seconds() -> Seconds:
    """Return what tests took in earlier runs, as far as it is known."""
    return json.loads(KNOWN.read_text(encoding="utf-8")) if KNOWN.exists() else {}


def keep_seconds(seconds: Seconds) -> None:
    """Keep what tests took for later runs."""
    KNOWN.parent.mkdir(exist_ok=True)
    KNOWN.write_text(json.dumps(seconds), encoding="utf-8")


def limit_time(seconds: float) -> None:
    """Let this process end when it has taken so many seconds of processor time, and each that it starts."""
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), resource.RLIM_INFINITY))
