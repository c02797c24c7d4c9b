"""Limits of runs."""

from __future__ import annotations

from cpqueens.backends.base import Clock, Request, Want


def test_what_takes_long_to_stop_is_told_so_before_the_limit() -> None:
    clock = Clock(100.0)
    assert not clock.expired()
    assert not clock.expired(49.0)
    assert not clock.expired(1000.0)  # half of the limit is left to it
    clock.started -= 60.0
    assert not clock.expired(30.0)
    assert clock.expired(45.0)
    assert Request(Want.ALL, clock).should_stop(45.0)
    assert not Request(Want.ALL, clock).should_stop()
    assert not Clock(None).expired(1000.0)
