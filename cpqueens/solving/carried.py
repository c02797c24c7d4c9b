"""What a callback raises, carried past all that would take it for another error, or make one of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Carried(BaseException):
    """Holds what a callback raised; who called the generators raises it anew."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def carrying(callback: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return a callback whose errors pass through generators and handlers as `Carried`."""

    def call(*args: Given.args, **options: Given.kwargs) -> Result:
        try:
            return callback(*args, **options)
        except Exception as error:
            raise Carried(error) from None

    return call


class Callbacks:
    """Functions of the user within a run that is judged: what they raise is no fault of the solver."""

    def __init__(self) -> None:
        self.raised: Exception | None = None

    def watched(self, function: Callable[Given, Result]) -> Callable[Given, Result]:
        """Return a function whose error is noted."""

        def call(*args: Given.args, **options: Given.kwargs) -> Result:
            try:
                return function(*args, **options)
            except Exception as error:
                self.raised = error
                raise

        return call

    def watched_in(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return options of a solver, of which those that are callbacks are watched."""
        callbacks = {key for key in ("log", "on_progress") if callable(options.get(key))}
        return {key: self.watched(value) if key in callbacks else value for key, value in options.items()}
