"""From the search to propagators that are compiled apart: by name in plain form, compiled by address."""

from collections.abc import Sequence
from typing import Any

from cpqueens.kernels.exact import domains as at, kinds
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.jit.decorators import instruction


@instruction
def run_apart(m: Memory, p: int, address: int) -> Any:
    """Run the propagator at ``p``, whose machine code is at ``address``; plain, it is found by its kind."""
    from cpqueens.kernels.exact.apart import entry_of

    return entry_of(int(m.net[p + at.KIND])).plain(m, p)


def link(arguments: Sequence[Any], types: Sequence[str], spent: float) -> bool:
    """Write the addresses that a memory, the first argument, wants; say whether all are known.

    ``types`` are those of the arguments, ``spent`` the seconds that speak for machine code, see `tiers`.
    """
    m: Memory = arguments[0]
    if not m.stack[at.UNLINKED]:
        return True
    from cpqueens.kernels.exact.apart import entry_of

    addresses, wanted = m.stack[at.ADDRESSES : at.HEADER], False
    for code in (addresses == at.WANTED).nonzero()[0].tolist():
        address = entry_of(kinds.APART + code).address((types[0], "int64"), spent)
        addresses[code], wanted = address or at.WANTED, wanted or not address
    m.stack[at.UNLINKED] = wanted
    return not wanted
