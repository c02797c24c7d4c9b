"""Models whose terms are tables of one variable or two, and the groups whose variables swap their values.

They are sequences of cars (multisets of values) and quadratic assignments (permutations under an objective).
"""

import numpy as np

from cpqueens.lowered.compiled import EQ, Compiled
from cpqueens.lowered.neighbourhood import Neighbourhood, SwapGroup, derive
from cpqueens.lowered.term_tables import Multiset, Tabulated, multisets, of_each, tabulated

MOST_TERMS = 500_000


class Cells:
    """A model as tables, and the groups whose variables swap their values.

    Attributes
    ----------
    groups
        Multisets of places in domains; those of a swap group have its spare values too, which variables
        beyond the model's have.
    """

    def __init__(self, model: Tabulated, swapped: tuple[SwapGroup, ...]) -> None:
        self.model = model
        self.groups, self.rows = multisets(model)
        self.counted = len(self.groups)
        self.domains = list(model.domains)
        for group in swapped:
            beyond = np.arange(group.spare) + len(self.domains)
            self.domains += [group.values] * group.spare
            variables = np.concatenate([group.variables, beyond])
            self.groups.append(Multiset(variables, np.arange(len(group.values))))
        self.group = np.full(len(self.domains), -1, dtype=np.int64)
        for g, one in enumerate(self.groups):
            self.group[one.variables] = g

    @property
    def is_worth_it(self) -> bool:
        """Whether the model is of a kind that this search was seen to be good at."""
        return self.counted > 0 or (self.model.objective is not None and self.all_swap)

    @property
    def counts_alone(self) -> bool:
        """Whether all that can be violated is counts, of which one more or less is a step."""
        return self.counted > 0 and all(span <= 1 for span in of_each(self.rows, np.ptp).values())

    @property
    def all_swap(self) -> bool:
        """Whether no variable moves by itself."""
        return bool((self.group >= 0).all())


def find(compiled: Compiled) -> Cells | None:
    """Return a model as tables, None if it is not of the kind; all AllDifferents are kept by swaps."""
    return _read(compiled, compiled.once(derive))


def _may_be_worth_it(c: Compiled, groups: tuple[SwapGroup, ...]) -> bool:
    """Say whether `Cells.is_worth_it` can be true: tables take long to make, of most models in vain.

    Numbers of values are counted by equalities, of which none is 0 and no variable has many values.
    """
    if not (groups or len(c.counts) or len(c.definitions)):
        return False
    all_swap = c.objective is not None and sum(len(g.variables) for g in groups) == c.decision_count
    rows, wide = c.linear.owners, c.upper - c.lower > 1
    wide[c.decision_count :] = False
    counting = np.bincount(rows[wide[c.linear.variable]], minlength=len(c.linear)) == 0
    some = (counting & (c.relation == EQ) & (c.linear.constant != 0)).any()
    return bool(all_swap or some) or any(
        sign == EQ and number.constant.any() for _, _, sign, number in c.counts
    )


def _read(c: Compiled, neighbourhood: Neighbourhood) -> Cells | None:
    groups = neighbourhood.groups
    if c.tables or len(c.different_start) - 1 > len(neighbourhood.kept) or not _may_be_worth_it(c, groups):
        return None
    terms = sum(len(part.variable) for part in (c.linear, c.literals, c.different))
    if terms > MOST_TERMS or not all(group.uniform for group in groups):
        return None
    model = tabulated(c, neighbourhood.kept)
    if model is None:
        return None
    cells = Cells(model, groups)
    overlapping = sum(len(group.variables) for group in cells.groups) != int((cells.group >= 0).sum())
    return None if overlapping or not cells.is_worth_it else cells
