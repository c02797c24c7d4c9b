"""What Las Vegas attempts say of their expectations: estimates with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cpqueens.answers.statistics import Z95, wilson_interval


@dataclass(frozen=True)
class Estimate:
    """A value with the interval that covers the expectation 95 times in 100; None where nothing is known."""

    value: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Estimates:
    """Finished attempts in numbers, with sums of their nodes and of the squares of these."""

    attempts: int
    successes: int
    success_nodes: int
    success_squares: int
    failure_nodes: int
    failure_squares: int

    @classmethod
    def from_tally(cls, tally: Sequence[int]) -> Estimates:
        """Return the estimates of a kernel's tally (in the order of the fields)."""
        return cls(*(int(v) for v in tally))

    @property
    def failures(self) -> int:
        """Number of failed attempts."""
        return self.attempts - self.successes

    @property
    def p(self) -> Estimate:
        """The probability that an attempt succeeds, with its Wilson interval."""
        if not self.attempts:
            return Estimate(None, None)
        return Estimate(self.successes / self.attempts, wilson_interval(self.successes, self.attempts))

    @property
    def s(self) -> Estimate:
        """The mean nodes of a success."""
        return _mean(self.successes, self.success_nodes, self.success_squares)

    @property
    def e(self) -> Estimate:
        """The mean nodes of a failure."""
        return _mean(self.failures, self.failure_nodes, self.failure_squares)

    @property
    def t(self) -> Estimate:
        """The nodes until the first success, s + (1 - p) e / p, which is all nodes over all successes.

        Its interval is that of a ratio estimator: the variance of nodes - t * success, over all attempts.
        """
        if not self.successes:
            return Estimate(None, None)
        nodes, squares = self.success_nodes + self.failure_nodes, self.success_squares + self.failure_squares
        t = nodes / self.successes
        residual = squares - 2 * t * self.success_nodes + t * t * self.successes
        if self.attempts < 2:
            return Estimate(t, None)
        deviation = math.sqrt(max(0.0, residual) / (self.attempts - 1) * self.attempts) / self.successes
        return Estimate(t, (t - Z95 * deviation, t + Z95 * deviation))

    def as_dict(self) -> dict[str, Any]:
        """Return ``{name: {"value", "interval"}}`` for p, s, e and t."""
        named = {"p": self.p, "s": self.s, "e": self.e, "t": self.t}
        return {k: {"value": v.value, "interval": v.interval} for k, v in named.items()}


def _mean(number: int, total: int, squares: int) -> Estimate:
    if number == 0:
        return Estimate(None, None)
    mean = total / number
    if number < 2:
        return Estimate(mean, None)
    variance = max(0.0, squares - total * mean) / (number - 1)
    spread = Z95 * math.sqrt(variance / number)
    return Estimate(mean, (mean - spread, mean + spread))
