"""Random terms of which parts cancel, are multiplied by 0, or by what the bounds of a variable decide.

Nothing of their values is left; their conditions are. Drawn one by one, such terms hardly ever come about.
"""

from collections.abc import Callable

from cpqueens.fuzzing.random_terms import RandomTerms, ends_of
from cpqueens.fuzzing.written import Written, written_matmul, written_maximum, written_stack

_DEEP = 2


class CancellingTerms(RandomTerms):
    """Draws terms as others are drawn, half of them with something beside them that is 0 or undefined."""

    def term(self, depth: int = 0) -> Written:
        """Return a random term."""
        made = super().term(depth)
        if depth > _DEEP or self.random.randint(0, 3) < 3:
            return made
        nothing = self.random.choice(_NOTHING)(self, self.partial(depth + 1))
        return nothing if self.random.randint(0, 3) == 3 else made + nothing


def _decided(t: RandomTerms, part: Written) -> Written:
    """Return the part times a truth that the bounds of a variable decide: false."""
    variable = t.plain()
    return t.random.choice((1, -2)) * ((variable > ends_of(variable)[1]).truth() * part)


_NOTHING: tuple[Callable[[RandomTerms, Written], Written], ...] = (
    lambda t, part: part - part,
    lambda t, part: 0 * part,
    _decided,
    lambda t, part: -(part - 2) + (part - 2),
    lambda t, part: 0 * written_maximum(part, t.plain()),
    lambda t, part: t.constant(0) * part,
    lambda t, part: (written_stack([part, t.plain()]) * [0, 0]).sum(),
    lambda t, part: (written_stack([part, 1]) - written_stack([part, 1])).sum(),
    lambda t, part: written_matmul([0, 0, 1], [part, t.plain() * 0, part * 0]),
    lambda t, part: (part == part).truth() * 0,
)
