"""The default: settings that fit the structure first, then others in turn at each restart.

Permutations under AllDifferents over x[i] + o[i] go to `sosic_gu_4`, permutations along a path of differences
to `reversal`, permutations under sums of lines to `exchange` (all found by the engine), permutations under
short rows of differences to `triangle`, objectives under linear rows to `linear`, with columns for values
where such rows count them (`one_hot`), pairs that differ to `pairs`, circuits to `tours`, multisets, and
permutations under an objective, of simple terms to `cells`.
Where one of these makes no progress, and on all other models, the search goes on here and never gives up:
every start is random, so each solution is reached some time.
The walk rotates: best moves of random variables in conflict with sideways moves; tabu search from
the worst variable, which comes first where AllDifferents over several variables make up the model and under
an objective; weighted jumps, first where clauses and definitions do and where nothing can be swapped. Lengths
between starts grow with the universal sequence. After the first steps `presolve` looks for what is easier
than walking.

Source: this package; its lengths are those of Luby, Sinclair and Zuckerman, "Optimal speedup of Las
Vegas algorithms", Information Processing Letters 47, 1993.
"""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from cpqueens.backends.base import Parameter
from cpqueens.backends.local_search.presolve import first_steps
from cpqueens.backends.local_search.search import End, Search
from cpqueens.backends.local_search.strategies import Call
from cpqueens.backends.local_search.walking import Walk, walk_many, walk_with_restarts
from cpqueens.kernels.local.runs import luby
from cpqueens.kernels.local.walk import WORST
from cpqueens.text.parameters import PASSES

PARAMETERS: Mapping[str, Parameter] = {
    "presolve": Parameter(
        bool, True, "whether to propagate, exhaust small models and compute variables that equalities define"
    ),
    "without": Parameter(
        PASSES,
        [],
        "passes of presolve that are left out: substitution, choices (of 0/1 variables), cliques (of "
        "disequalities), parts (independent ones)",
    ),
}

DESCEND = Walk()
TABU = Walk(choice=WORST, noise=1.0, tenure_spread=2, random_choice=0.005)
JUMP = Walk(plateau=0.9, bump=1, noise=0.005)


def _order(search: Search) -> tuple[list[Walk], int]:
    """Return the settings in the order that suits the model, and the shortest length between starts."""
    layers = search.summary
    total = max(1, sum(layers.values()))
    # a worse move about once per sweep over the variables: more never settles, less stays on plateaus
    descend = DESCEND._replace(noise=min(0.01, 1 / max(1, search.size)))
    if _mostly_rows(search):
        return [TABU, TABU, TABU, descend, JUMP], 200_000
    if search.compiled.objective is not None:
        # each improvement begins with the first again; jumps were the slowest to improve
        return [TABU, descend, TABU, JUMP], 20_000
    if layers["deep"] * 2 > total or not search.neighbourhood.groups:
        return [JUMP, descend, JUMP, TABU], 20_000 + 50 * search.size
    return [descend, descend, JUMP, TABU], 20_000 + 50 * search.size


def settings(search: Search) -> Iterator[Walk]:
    """Yield the settings with their lengths, for ever."""
    order, unit = _order(search)
    for k in count():
        yield order[k % len(order)]._replace(stall=unit * luby(k + 1))


def run(search: Search, options: Mapping[str, Any]) -> End:
    """Walk with one setting after the other until solved or stopped."""
    if _mostly_rows(search):
        search.aside = None
        search.relax_short_rows()
    walks = settings(search)
    return walk_with_restarts(search, walks) if search.special is None else search.special(walks)


def many(search: Search, options: Mapping[str, Any], runs: int) -> Call | None:
    """Do the same for many runs, where all constraints count from the beginning."""
    if _mostly_rows(search):
        return None
    call = walk_many(*_order(search))
    return call._replace(share=first_steps(search.compiled)) if options["presolve"] else call


def _mostly_rows(search: Search) -> bool:
    layers = search.summary
    return layers["rows"] * 2 > max(1, sum(layers.values()))
