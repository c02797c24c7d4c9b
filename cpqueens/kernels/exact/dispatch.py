"""From the search to propagators that are compiled apart: by name in plain form, compiled by address."""

from collections.abc import Sequence
from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact import kinds
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.jit.decorators import instruction
from cpqueens.kernels.jit.tiers import words_of


@instruction
def run_apart(m: Memory, p: int, address: int) -> Any:
    """Run the propagator at ``p``, whose machine code is at ``address``; plain, it is found by its kind."""
    from cpqueens.kernels.exact.apart import entry_of

    return entry_of(int(m.net[p + at.KIND])).plain(m, p)


def link(arguments: Sequence[Any], spent: float) -> bool:
    """Write the addresses that a memory, the first argument, wants; say whether all are known.

    ``spent`` are the seconds that speak for machine code, see `tiers`.
    """
    from cpqueens.kernels.exact.apart import entry_of

    m: Memory = arguments[0]
    if not m.stack[at.UNLINKED]:
        return True
    addresses, (types, _) = m.stack[at.ADDRESSES : at.HEADER], words_of((m, 0))
    for code in (addresses == at.WANTED).nonzero()[0].tolist():
        addresses[code] = entry_of(kinds.APART + code).address(types, spent) or at.WANTED
    m.stack[at.UNLINKED] = bool((addresses == at.WANTED).any())
    return not m.stack[at.UNLINKED]
