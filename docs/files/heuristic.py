"""A heuristic as a program: one JSON line in, one JSON line out. Replace `search` by your own."""

import json
import random
import sys
import time


def search(lower, upper, seconds):
    """Return random values that hold (here: queens that do not attack each other), or None, and the steps."""
    end, steps = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        steps += 1
        q = [random.randint(a, b) for a, b in zip(lower, upper, strict=True)]
        if all(len({q[i] + k * i for i in range(len(q))}) == len(q) for k in (-1, 0, 1)):
            return q, steps
    return None, steps


task = json.loads(sys.stdin.readline())
random.seed(task["seed"])
(variable,) = task["variables"]  # name, shape, lower and upper of each; the constraints are in task["model"]
values, steps = search(variable["lower"], variable["upper"], 0.8 * task["time_limit"])
answer = None if values is None else {variable["name"]: values}
print(json.dumps({"assignment": answer, "steps": steps}))
