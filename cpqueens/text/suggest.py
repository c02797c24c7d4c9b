"""The one phrase that unknown names are answered with."""

import difflib
from collections.abc import Iterable
from itertools import islice

_MOST = 2000  # names that are compared: each takes some microseconds
_LONGEST = 200


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the nearest known name, else ``; known are ...``."""
    names = sorted(islice(known, _MOST))
    close = difflib.get_close_matches(name[:_LONGEST], names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"; known are {listed}" if names else ""
