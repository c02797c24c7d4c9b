"""Drawing the models of a fuzzing run: a third without solutions, a third with few, a third with many."""

from functools import lru_cache
from random import Random

from cpqueens.crosscheck import as_written, oracle
from cpqueens.fuzzing.generate import written_model
from cpqueens.fuzzing.written import Script
from cpqueens.model import Model

MOST_SOLUTIONS = 500

CLASSES = ("infeasible", "few", "many")
"""No solution; 1 to 20; 21 to 500. A third of the models each, as far as some draws can bring it about."""

BLOCK = 30
"""Models that are drawn together: what one place does not ask for, another one may."""

_HUGE_EVERY = 10
_DRAWS = 12
"""Draws per model after which a class that hardly ever comes about is no longer asked for."""

_CANCELLING_EVERY = 3

Drawn = tuple[Model, str, oracle.Solved, Script | None]
"""A model, its class, the truth about it, and what was said to it."""


def fuzz_model(seed: int, index: int) -> Drawn:
    """Return the model with this number in the run with this seed: the same whatever was asked before."""
    return _quota(seed, index // BLOCK, is_huge(index)).at(index)


def is_huge(index: int) -> bool:
    """Say whether the model with this number has huge values."""
    return index % _HUGE_EVERY == _HUGE_EVERY - 1


def class_of(count: int) -> str:
    """Return the class of a model with so many solutions, "more" beyond all."""
    if count == 0:
        return "infeasible"
    return "few" if count <= 20 else "many" if count <= MOST_SOLUTIONS else "more"


class Quota:
    """Places for models with neighbouring numbers; each draw goes to the first that asks for its class."""

    def __init__(self, seed: int, number: int, huge: bool) -> None:
        numbers = range(number * BLOCK, (number + 1) * BLOCK)
        self._open = {index: CLASSES[index % len(CLASSES)] for index in numbers if is_huge(index) == huge}
        self._filled: dict[int, Drawn] = {}
        self._name, self._huge = f"{seed}/{number}/{'huge' if huge else 'usual'}", huge
        self.draws, self._patience = 0, _DRAWS * len(self._open)

    def at(self, index: int) -> Drawn:
        """Return the model with this number, after as many draws as it takes."""
        while index not in self._filled:
            self._draw()
        return self._filled[index]

    def _draw(self) -> None:
        random = Random(f"{self._name}/{self.draws}")
        self.draws += 1
        cancelling = not self._huge and self.draws % _CANCELLING_EVERY == 0
        model, script = written_model(random, huge=self._huge, soft=True, cancelling=cancelling)
        truth = oracle.solve(model) if script is None else as_written.solve(model, script)
        kind = class_of(truth.count)
        anything = self.draws > self._patience and kind in CLASSES
        place = next((index for index, wanted in self._open.items() if anything or wanted == kind), None)
        if place is not None:
            del self._open[place]
            self._filled[place] = model, kind, truth, script


@lru_cache(maxsize=4)
def _quota(seed: int, number: int, huge: bool) -> Quota:
    return Quota(seed, number, huge)
