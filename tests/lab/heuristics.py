"""Functions that are evaluated: honest, wrong, silent, dying, hanging."""

import os
import random
import time

SOLUTION = [1, 3, 5, 0, 2, 4]


def guess(model, seed, time_limit):
    q = list(range(6))
    random.Random(seed).shuffle(q)
    return {"q": q}


def honest(model, seed, time_limit):
    return SOLUTION


def mixed(model, seed, time_limit):
    """Answer by the seed: right, wrong, nothing, an error, half of it, what is no integer."""
    if seed % 6 == 3:
        raise ValueError("boom")
    return [SOLUTION, [0] * 6, None, None, SOLUTION[:3], [0.5] * 6][seed % 6]


def dies(model, seed, time_limit):
    if seed == 1:
        os._exit(5)
    return SOLUTION


def hangs(model, seed, time_limit):
    if seed == 1:
        time.sleep(600)
    return SOLUTION
