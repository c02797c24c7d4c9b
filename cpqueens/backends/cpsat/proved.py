"""What CP-SAT proves of the objective, while it searches and at its end."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from cpqueens.backends.base import Request
from cpqueens.backends.cpsat.translation import Translation


class Proved:
    """Hears CP-SAT's bounds as they come, and ends the search where one has met what others have found.

    >>> from cpqueens import Model
    >>> from cpqueens.backends.base import Clock, Want
    >>> from cpqueens.backends.cpsat.translation import translate
    >>> m = Model()
    >>> m.minimize(m.intvar(-3, 5, name="x"))
    >>> Proved(translate(m), Request(Want.BEST, Clock(None)), lambda: None).at_end(0, whole=False)
    -3
    """

    def __init__(self, translation: Translation, request: Request, stop: Callable[[], None]) -> None:
        self._translation, self._request, self._stop = translation, request, stop
        self._heard: set[int] = set()
        self.error: BaseException | None = None
        self.met = False  # whether a bound has met what others have found

    @cached_property
    def _exact(self) -> bool:
        return self._translation.objective_is_exact()

    def hear(self, bound: float) -> None:
        """Take a bound, from a thread of CP-SAT's; exceptions cannot cross it, so they are kept."""
        try:
            self._heard.add(round(bound))
            ours = self._translation.in_ours(round(bound))
            if self._exact:
                self._request.prove(ours)
            known = None if self._request.incumbent is None else self._request.incumbent()
            if known is not None and self._translation.is_met(ours, known):
                self.met = True
                self._stop()
        except BaseException as error:
            self.error = error
            self._stop()

    def at_end(self, inner: int, whole: bool) -> int:
        """Return the bound for the one that CP-SAT's answer has, of the ``whole`` search or of a stopped one.

        One that was stopped within presolve has 0 there, which nobody has proved.
        """
        if not whole:
            least = self._translation.least()
            inner = max(inner, least) if inner or 0 in self._heard else least
        return self._translation.in_ours(inner)

    def finish(self) -> None:
        """Raise what the user's function raised."""
        if self.error is not None:
            raise self.error
