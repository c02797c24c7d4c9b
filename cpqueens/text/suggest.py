"""The one phrase that unknown names are answered with."""

import difflib
from collections.abc import Iterable
from itertools import islice

_MOST = 2000  # names that are compared: each takes some microseconds
_LONGEST = 200


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like a name; "" if none is.

    >>> nearest("minimise", ["maximize", "minimize"])
    'minimize'
    """
    close = difflib.get_close_matches(name[:_LONGEST], sorted(islice(known, _MOST)), n=1, cutoff=0.6)
    return close[0] if close else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the nearest known name, else ``; known are ...``."""
    names = sorted(islice(known, _MOST))
    close = nearest(name, names)
    if close:
        return f"; did you mean {close!r}?"
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"; known are {listed}" if names else ""
