"""A callback's ``StopIteration``, carried through generators, which would turn it into another error."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Carried(BaseException):
    """Holds what a callback raised; who called the generators raises it anew."""

    def __init__(self, error: StopIteration) -> None:
        super().__init__(error)
        self.error = error


def carrying(callback: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return a callback whose ``StopIteration`` passes through generators as `Carried`."""

    def call(*args: Given.args, **options: Given.kwargs) -> Result:
        try:
            return callback(*args, **options)
        except StopIteration as error:
            raise Carried(error) from None

    return call
