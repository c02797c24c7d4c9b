"""How often 95 % intervals hold the truth on synthetic data, and how often planted differences are found.

`make intervals` prints the figures; a slow test asserts them. Wilson's coverage is exact, all else sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom, logrank, mannwhitneyu, norm

from cpqueens.answers.quality import wilson_interval
from cpqueens.lab.evaluated import detectable, detectable_share
from cpqueens.lab.runlength import Interval, RunLengths

RATES = tuple(k / 40 for k in range(1, 40))
SIZES = (10, 20, 50, 100, 200, 500)
SHAPES, RUNS, SEEN = (0.5, 1.0, 2.0), (30, 100, 300), (0.6, 0.9, 1.0)


@dataclass(frozen=True)
class Covered:
    """Shares of samples whose interval holds the truth, over a grid."""

    what: str
    shares: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.shares))

    @property
    def least(self) -> float:
        return min(self.shares)

    def __str__(self) -> str:
        cells = len(self.shares)
        return (
            f"{self.what:<44} mean {100 * self.mean:.1f} %  least {100 * self.least:.1f} %  ({cells} cells)"
        )


def wilson() -> Covered:
    """Return the exact coverage of Wilson's interval over rates and numbers of runs."""
    shares = []
    for n in SIZES:
        ends = np.array([wilson_interval(k, n) for k in range(n + 1)])
        for rate in RATES:
            inside = (ends[:, 0] <= rate) & (rate <= ends[:, 1])
            shares.append(float(binom.pmf(np.arange(n + 1), n, rate)[inside].sum()))
    return Covered("success rate (Wilson)", tuple(shares))


def weibull_runs(generator: np.random.Generator, shape: float, n: int, seen: float) -> RunLengths:
    """Return runs whose lengths are Weibull with scale 1, limited so that a share ``seen`` is solved."""
    lengths = generator.weibull(shape, n)
    limit = math.inf if seen == 1 else (-math.log(1 - seen)) ** (1 / shape)
    solved = lengths <= limit
    return RunLengths(np.minimum(lengths, limit), solved, ~solved, np.zeros(n, dtype=bool))


def expected_cost(shape: float, seen: float) -> float:
    """Return the true expected length to a solution if runs with this limit follow each other."""
    limit = 60.0 if seen == 1 else (-math.log(1 - seen)) ** (1 / shape)
    x = np.linspace(0, limit, 400_001) if shape >= 1 else np.linspace(0, limit**shape, 400_001) ** (1 / shape)
    survival = np.exp(-(x**shape))
    return float(np.trapezoid(survival, x) / seen)


Truth = Callable[[float, float], float]
Estimate = Callable[[RunLengths], Interval | None]
ESTIMATES: dict[str, tuple[Estimate, Truth]] = {
    "median (Kaplan-Meier, log-log)": (
        lambda r: r.curve().quantile(0.5),
        lambda k, _: math.log(2) ** (1 / k),
    ),
    "expected length (Student, bootstrap)": (lambda r: r.expected(), expected_cost),
    "Weibull shape (profile likelihood)": (lambda r: r.shape(), lambda shape, _: shape),
}


def sampled(samples: int, seed: int = 0) -> Iterator[Covered]:
    """Yield the coverage of each interval over shapes, numbers of runs and shares that are solved."""
    generator = np.random.default_rng(seed)
    grid = [(shape, n, seen) for shape in SHAPES for n in RUNS for seen in SEEN]
    drawn = {cell: [weibull_runs(generator, *cell) for _ in range(samples)] for cell in grid}
    for what, (estimate, truth) in ESTIMATES.items():
        shares = []
        for (shape, _, seen), runs in drawn.items():
            true = truth(shape, seen)
            found = [i for i in map(estimate, runs) if i is not None]
            shares.append(sum(i.contains(true) for i in found) / len(found))
        yield Covered(what, tuple(shares))


def differing(ratio: float, runs: int, samples: int, seed: int = 0) -> float:
    """Return how often a log-rank test tells exponential lengths apart whose means have a ratio."""
    generator = np.random.default_rng(seed)
    found = 0
    for _ in range(samples):
        one, other = generator.exponential(1.0, runs), generator.exponential(ratio, runs)
        found += logrank(one, other).pvalue < 0.05
    return found / samples


def better(share: float, runs: int, samples: int, seed: int = 0) -> float:
    """Return how often normal objectives are told apart where one is better in such a share of pairs."""
    generator = np.random.default_rng(seed)
    shift = math.sqrt(2) * float(norm.ppf(share))
    found = 0
    for _ in range(samples):
        one, other = generator.normal(0.0, 1.0, runs), generator.normal(shift, 1.0, runs)
        found += mannwhitneyu(one, other, method="asymptotic").pvalue < 0.05
    return found / samples


def runs_for(ratio: float) -> int:
    """Return the runs of each of two heuristics with which a ratio is to be found in 80 % of cases."""
    return next(n for n in range(10, 100_000, 10) if detectable(2 * n) <= ratio)


def main() -> None:
    """Print all figures."""
    print(wilson())
    for covered in sampled(1000):
        print(covered)
    runs = runs_for(1.1)
    for ratio in (1.0, 1.1):
        share = 100 * differing(ratio, runs, 400)
        print(f"log-rank, {runs} runs each, ratio {ratio}: told apart in {share:.1f} %")
    for planted in (0.5, detectable_share(100, 100)):
        share = 100 * better(planted, 100, 1000)
        pairs = f"better in {100 * planted:.0f} % of pairs"
        print(f"Mann-Whitney, 100 runs each, {pairs}: told apart in {share:.1f} %")


if __name__ == "__main__":
    main()
