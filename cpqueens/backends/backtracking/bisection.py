"""Which objective value a search for the best solution demands next: one better, or half of the way."""

from dataclasses import dataclass, field

STRETCH = 32
"""Solutions after which it is asked whether stepping is slow."""
FAR = 8
"""It is, where the way that is left is so many times that of a stretch."""
FAILURES = 500
"""That a demand for half of the way may cost."""


@dataclass
class Bisection:
    """The objective, in the minimised sense, between what is proved and what is found.

    Attributes
    ----------
    least
        No solution is better.
    target
        What is demanded at present; None: one better than the best.
    ask_found, ask_failures
        The numbers of solutions and of failures at which `steer` is to be asked next.
    """

    least: int
    target: int | None = None
    ask_found: int = 1
    ask_failures: int = 1 << 62
    _stretch: int = field(default_factory=lambda: STRETCH)
    _begun: int | None = None

    def steer(self, best: int, found: int, failures: int, exhausted: bool) -> bool:
        """Learn how it went, set ``target`` and when to be asked; say whether the search is at its end.

        ``best`` is that of all solutions so far, ``exhausted`` whether there is none that is demanded.
        """
        probed = self.target is not None and best > self.target
        if exhausted and not probed:
            return True
        if exhausted and self.target is not None:
            self.least = self.target + 1
            if self.least >= best:
                return True
        slow = self._begun is not None and best - self.least > FAR * (self._begun - best)
        if probed and not exhausted:  # too dear: step for longer
            slow, self._stretch = False, 4 * self._stretch
        if slow or (self.target is not None and (exhausted or not probed) and best - self.least > FAR):
            self.target = (self.least + best - 1) // 2
            self.ask_found, self.ask_failures = found + 1, failures + FAILURES
        else:
            self.target, self._begun = None, best
            self.ask_found, self.ask_failures = found + self._stretch, 1 << 62
        return False
