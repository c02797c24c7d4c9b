"""How many steps a call of a kernel is given, so that limits are seen some hundred times a second."""

import time
from collections.abc import Callable
from typing import TypeVar

from cpqueens.system.stopping import Stopped

_SLICE = 0.01  # processor seconds that a call should take
_MOST = 1 << 24
_Answer = TypeVar("_Answer")


class Pace:
    """The steps of the next call, from the time that those before it took, in plain form or compiled.

    Attributes
    ----------
    steps
        How many; at least 1.
    steady
        Whether they stay as many, so that where calls end depends on no clock.
    """

    def __init__(self, steps: int = 16, steady: bool = False) -> None:
        self.steps, self.steady = steps, steady

    def timed(
        self,
        call: Callable[[int], _Answer],
        steps: int,
        unmade: _Answer,
        paused: Callable[[_Answer], bool] | None = None,
    ) -> _Answer:
        """Make a call of ``steps`` steps, and learn from it.

        Its answer is ``unmade`` if it used them all and would go on, or one that ``paused`` says to mean so.
        One that is broken off, because the run is to stop, has changed nothing, and has the same answer: so
        the caller looks at its limits.
        """
        began = time.thread_time()
        try:
            answer = call(steps)
        except Stopped:
            return unmade
        spent = time.thread_time() - began
        if self.steady:
            return answer
        if spent > 2 * _SLICE:
            self.steps = max(1, int(min(steps, self.steps) * _SLICE / spent))
        elif steps >= self.steps and spent < _SLICE / 2:
            used_all = answer == unmade if paused is None else paused(answer)
            if used_all:
                more = 64 if spent < _SLICE / 128 else 8 if spent < _SLICE / 16 else 2
                self.steps = min(more * self.steps, _MOST)
        return answer
