"""A seeded generator of 32-bit numbers held in an array, the same stream compiled or not.

The generator is sfc32 (Chris Doty-Humphrey's "small fast chaotic" generator, part of PractRand): four
words, additions and shifts only, so that plain Python and compiled code agree without any overflow.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.jit.decorators import inner_kernel

_MASK = 0xFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15


def seed_state(seed: int, stream: int = 0) -> NDArray[np.int64]:
    """Return the generator's state for ``seed`` and ``stream`` (both any non-negative integers).

    The seed is spread by SplitMix64 (Steele, Lea and Flood 2014), so that near seeds give unrelated
    streams.
    """
    words: list[int] = []
    mixed = (seed + stream * 0xD1342543DE82EF95) & (2**64 - 1)
    for _ in range(2):
        mixed = (mixed + _GOLDEN) & (2**64 - 1)
        z = mixed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
        z ^= z >> 31
        words += [z & _MASK, z >> 32]
    words[3] |= 1
    return np.array(words, dtype=np.int64)


def seed_states(seeds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `seed_state` of many seeds at once, of shape (seeds, 4)."""
    states = np.zeros((len(seeds), 4), dtype=np.int64)
    mixed = seeds.astype(np.uint64)
    for half in range(2):
        mixed = mixed + np.uint64(_GOLDEN)
        z = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
        states[:, 2 * half] = z & np.uint64(_MASK)
        states[:, 2 * half + 1] = z >> np.uint64(32)
    states[:, 3] |= 1
    return states


@inner_kernel
def draw(state: NDArray[np.int64]) -> Any:
    """Return the next number, uniform on 0 .. 2**32 - 1, and advance ``state`` (4 words)."""
    a = state[0]
    b = state[1]
    c = state[2]
    t = (a + b + state[3]) & _MASK
    state[3] = (state[3] + 1) & _MASK
    state[0] = b ^ (b >> 9)
    state[1] = (c + (c << 3)) & _MASK
    state[2] = (((c << 21) | (c >> 11)) + t) & _MASK
    return t


@inner_kernel
def below(state: NDArray[np.int64], bound: int) -> Any:
    """Return a number on 0 .. bound - 1 for 1 <= bound < 2**63.

    Multiply and shift (Lemire 2019, without the rejection): the bias is below bound / 2**32. From 2**31 on
    the remainder of 63 bits, because the product would not fit.
    """
    if bound >= 2147483648:
        return ((draw(state) << 31) | (draw(state) >> 1)) % bound
    return (draw(state) * bound) >> 32


@inner_kernel
def unit(state: NDArray[np.int64]) -> Any:
    """Return a float uniform on [0, 1) with 32 bits."""
    return draw(state) * (1.0 / 4294967296.0)
