"""The log of Pumpkin, in DRCP, as a log of ours: each of its steps is one of ours.

Its lines, after the format's own description (the crate drcp-format, 0.3): ``a 3 [x1 >= 5]`` gives a literal
a number, which is negative where it is denied. ``i 7 1 2 0 -3 c:4 l:linear_bounds`` is an *inference*: 1 and
2 imply the denial of 3, or nothing, by the constraint that was tagged 4, or by the nogood 4. ``n 9 1 2 0 7``
is a nogood, 1 and 2 are not true together, *derived* by unit propagation over 7. ``c UNSAT`` or a literal, a
bound of the objective, is its conclusion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from cpqueens.backends.proving.search import text_of
from cpqueens.errors import BackendFault
from cpqueens.proofs.domains import Domains, Literal, denied

_ATOM = re.compile(r"a (\d+) \[x(\d+) (>=|<=|==|!=) (-?\d+)\]\Z")
_STEP = re.compile(r"(?:i|n) (\d+)((?: -?[1-9]\d*)*)(?: 0((?: -?\d+)*))?(?: c:(\d+))?(?: l:\w+)?\Z")


def translate(
    lines: Iterable[str], parts: Sequence[str], domains: Domains, write: Callable[[str], None]
) -> int:
    """Write the steps of a log of Pumpkin as steps of ours; return the greatest number of a clause.

    Parameters
    ----------
    lines
        Of the log.
    parts
        The name of the part that was tagged 1, then 2, and so on.
    domains
        As the model states them: what they say by themselves is no step of ours.
    write
        Takes lines of our log.

    Raises
    ------
    BackendFault
        For a line that is none of DRCP.
    """
    atoms: dict[int, Literal] = {}
    same: dict[int, int] = {}  # inferences that repeat a nogood, and which one
    stated: set[int] = set()  # what the domains say
    stage: list[int] = []  # inferences behind the last nogood: nothing after the next one uses them
    greatest = 0

    def literals(numbers: str) -> list[Literal]:
        return [atoms[k] if k > 0 else denied(atoms[-k]) for k in map(int, numbers.split())]

    def fault(line: str) -> BackendFault:
        return BackendFault(f"cpmpy:pumpkin: {line[:60]!r} is no line of DRCP", "CRASH")

    for line in lines:
        atom, step = _ATOM.match(line), _STEP.match(line)
        try:
            if atom is not None:
                atoms[int(atom[1])] = int(atom[2]), atom[3], int(atom[4])
            elif step is not None:
                clause = [denied(one) for one in literals(step[2])]
                number, rest, tag = int(step[1]), step[3] or "", int(step[4] or 0)
                greatest = max(greatest, number)
                if line[0] == "n":
                    used = [str(same.get(k, k)) for k in map(int, rest.split()) if k not in stated]
                    write(f"d {number}{text_of(clause)} : {' '.join(used)}")
                    if stage:
                        write(f"f {' '.join(map(str, stage))}")
                    stage, stated, same = [], set(), {}
                    continue
                clause += literals(rest)
                if not tag or any(domains.holds(one) for one in clause):
                    stated.add(number)
                elif tag > len(parts):
                    same[number] = tag
                else:
                    write(f"i {number} {parts[tag - 1]}{text_of(clause)}")
                    stage.append(number)
            elif line.strip() and line[0] != "c":
                raise fault(line)
        except (KeyError, IndexError):
            raise fault(line) from None
    return greatest
