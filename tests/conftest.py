"""What all tests share: each test that asks for `solver` runs on every exact backend."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("CPQUEENS_KERNELS", "compiled")  # before anything of the package is imported

import pytest
from children import adopt_orphans, left_behind, running_children
from hypothesis import settings
from seeds import LONG

from cpqueens.backends import named
from cpqueens.backends.base import Feature
from cpqueens.kernels.jit.tiers import Code, _Form

settings.register_profile("cpqueens", deadline=None, derandomize=True, max_examples=60 if LONG else 25)
settings.load_profile("cpqueens")

# A shell that starts the tests in the background makes them ignore Ctrl-C, and their child processes too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# `nohup` does the same with a closed terminal: these tests go on, what they start hears of it.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)


@pytest.fixture(scope="session", autouse=True)
def orphans_are_seen() -> None:
    """Let this process adopt what its tests' children leave behind."""
    adopt_orphans()


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    """Fail a test that leaves a process running, its own or an orphan."""
    before = running_children()
    yield
    assert left_behind(before) == {}


EXACT = [name for name in named.available() if named.get_backend(name).proves]
"""The backends whose exhaustion is a proof."""


@pytest.fixture(params=EXACT)
def solver(request: pytest.FixtureRequest) -> str:
    """The name of an exact backend; the test runs once for each."""
    name: str = request.param
    return name


@pytest.fixture(params=[name for name in EXACT if Feature.OBJECTIVE in named.get_backend(name).features])
def optimizer(request: pytest.FixtureRequest) -> str:
    """The name of an exact backend that takes objectives; the test runs once for each."""
    name: str = request.param
    return name


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have machine code used where there is some, and the plain form of kernels that no other test needs."""

    def found(form: _Form, spent: float, waits_from: float) -> Code | None:
        return form.code if form._look() else None

    monkeypatch.setattr(_Form, "found", found)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless browser; tests that need one are skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright (group browser) is missing")
    where = shutil.which("chromium") or shutil.which("chromium-browser")
    if where is None:
        pytest.skip("no chromium")
    arguments = ["--no-sandbox", "--disable-background-networking"]
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=where, args=arguments)
        yield chromium
        chromium.close()
