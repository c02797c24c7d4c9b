"""Batches that grow, do not let solutions wait, and stop when told to."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from cpqueens.backends import base
from cpqueens.backends.base import Batches


def rows(items: list[Any]) -> Any:
    return np.array(items, dtype=np.int64).reshape(len(items), 1)


class Receiver:
    def __init__(self, last: int | None = None) -> None:
        self.sizes: list[int] = []
        self.values: list[int] = []
        self.last = last

    def __call__(self, batch: Any) -> bool:
        self.sizes.append(len(batch))
        self.values += batch[:, 0].tolist()
        return self.last is None or len(self.values) < self.last


@pytest.fixture
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "OLDEST", 1000.0)


@pytest.mark.usefixtures("_patient")
def test_sizes_double_up_to_the_largest() -> None:
    receiver = Receiver()
    flow = Batches(receiver, rows, singly=False)
    for k in range(5000):
        flow.put(k)
    flow.flush()
    assert receiver.sizes == [*(2**k for k in range(11)), 1024, 1024, 905]
    assert receiver.values == list(range(5000))


@pytest.mark.usefixtures("_patient")
def test_singly() -> None:
    receiver = Receiver()
    flow = Batches(receiver, rows, singly=True)
    for k in range(5):
        flow.put(k)
    assert receiver.sizes == [1] * 5


def test_old_rows_are_handed_over() -> None:
    receiver = Receiver()
    flow = Batches(receiver, rows, singly=False)
    flow.put(0)
    flow.put(1)
    assert receiver.sizes == [1]
    flow.flush_old()
    assert receiver.sizes == [1]
    time.sleep(1.2 * base.OLDEST)
    flow.flush_old()
    assert receiver.sizes == [1, 1]


@pytest.mark.usefixtures("_patient")
def test_nothing_is_taken_after_a_stop() -> None:
    receiver = Receiver(last=3)
    flow = Batches(receiver, rows, singly=False)
    for k in range(20):
        flow.put(k)
    flow.flush()
    assert flow.stopped
    assert receiver.values == [0, 1, 2]


def test_nothing_is_delivered_after_the_receiver_raised() -> None:
    def fail(batch: Any) -> bool:
        raise ZeroDivisionError

    flow = Batches(fail, rows, singly=False)
    with pytest.raises(ZeroDivisionError):
        flow.put(0)
    assert flow.stopped
    flow.put(1)
    flow.flush()
