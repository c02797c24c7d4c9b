"""The statistics of success rates."""

import math

Z95 = 1.959963984540054  # the 97.5 % point of the normal distribution


def wilson_interval(successes: int, runs: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a success rate (E. B. Wilson, JASA 22, 1927).

    >>> low, high = wilson_interval(100, 100)
    >>> f"{low:.3f} {high:.3f}"
    '0.963 1.000'
    >>> wilson_interval(0, 0)
    (0.0, 1.0)

    Parameters
    ----------
    successes, runs
        How many of how many runs succeeded.
    z
        The normal quantile; by default for 95 %.
    """
    if runs == 0:
        return 0.0, 1.0
    rate, square = successes / runs, z * z
    centre = (rate + square / (2 * runs)) / (1 + square / runs)
    spread = z * math.sqrt(rate * (1 - rate) / runs + square / (4 * runs * runs)) / (1 + square / runs)
    low = 0.0 if successes == 0 else centre - spread
    high = 1.0 if successes == runs else centre + spread
    return low, high
