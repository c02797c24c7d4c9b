"""Solutions and bounds on their way from CP-SAT's callbacks to the pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.base import Batches, Deliver, Request, Want
from cpqueens.backends.cpsat.translation import Translation

if TYPE_CHECKING:
    from cpqueens.language.rows import IntArray
    from cpqueens.language.statement import Statement


class Flow:
    """Solutions on their way from CP-SAT's callback to the pipeline, in growing batches."""

    def __init__(
        self,
        model: Statement,
        translation: Translation,
        request: Request,
        deliver: Deliver,
        stop: Callable[[], None],
    ) -> None:
        self.model, self.translation = model, translation
        self.first: tuple[list[int], str] | None = None  # the first solution, and how it was found
        self._request = request
        self.error: BaseException | None = None
        self._deliver = deliver
        self._stop = stop
        self._batches = Batches(self._hand_over, self._decode, singly=request.want is Want.BEST)

    @property
    def stopped(self) -> bool:
        """Whether the receiver wants no more."""
        return self._batches.stopped

    def put(self, response: Any) -> None:
        """Take one solution."""
        solution = list(response.solution)
        if self.first is None:
            self.first = solution, str(response.solution_info)
        self._batches.put(solution)

    def hint_fate(self) -> dict[str, Any]:
        """Return how the hint was used, judged by the first solution.

        *accepted*: it has every hinted value. *repaired*: CP-SAT says that it comes from the hint, with
        other values in places. *ignored*: there is no solution, or it does not come from the hint.
        """
        request = self._request
        given = np.flatnonzero(request.hinted)
        if self.first is None:
            return {"hint": "ignored", "hint_given": len(given), "hint_kept": 0}
        solution, found_by = self.first
        assert request.hint is not None
        kept = int((self.translation.values(solution)[given] == request.hint[given]).sum())
        fate = "repaired" if "hint" in found_by or "repaired" in found_by else "ignored"
        if len(given) and kept == len(given):
            fate = "accepted"
        return {"hint": fate, "hint_given": len(given), "hint_kept": kept}

    def _decode(self, rows: list[list[int]]) -> IntArray:
        t = self.translation
        if t.board is None:
            return np.array(rows, dtype=np.int64)[:, t.columns]
        return np.stack([t.values(row) for row in rows])

    def _hand_over(self, batch: IntArray) -> bool:
        """Deliver; exceptions of the consumer cannot cross CP-SAT, so they are kept and end the search."""
        try:
            going_on = self._deliver(batch)
        except BaseException as error:
            self.error = error
            going_on = False
        if not going_on:
            self._stop()
        return going_on

    def finish(self) -> None:
        """Hand over the rest and raise what the consumer raised."""
        self._batches.flush()
        if self.error is not None:
            raise self.error


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

    def hear(self, bound: float) -> None:
        """Take a bound, from a thread of CP-SAT's; exceptions cannot cross it, so they are kept."""
        try:
            self._heard.add(round(bound))
            ours = self._translation.in_ours(round(bound))
            if self._translation.objective_is_exact():
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
            least = self._translation.least
            inner = max(inner, least) if inner or 0 in self._heard else least
        return self._translation.in_ours(inner)

    def finish(self) -> None:
        """Raise what the user's function raised."""
        if self.error is not None:
            raise self.error
