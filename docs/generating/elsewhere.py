"""What came of looking at links to elsewhere: ``elsewhere.py build/links/output.json``.

Sphinx's builder `linkcheck` writes a line for each address. Exit code 1: somebody answered that there is no
such page; 2: some could not be reached, of which nothing is known; 0: all are there.
"""

import json
import re
import sys
from pathlib import Path

GONE = re.compile(r"\b(4\d\d|5\d\d)\b.* for url|Anchor .* not found", re.I)
"""What linkcheck says where a server has answered, and not with the page."""
WELL = {"working", "redirected", "ignored", "unchecked", "local"}


def main(path: Path) -> int:
    """Print what is wrong and what is not known, and how many are there."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    told = {line["uri"]: line for line in lines}
    gone = {u: t for u, t in told.items() if t["status"] not in WELL and GONE.search(t["info"])}
    unknown = {u: t for u, t in told.items() if t["status"] not in WELL and u not in gone}
    for says, some in (("not there", gone), ("not reached", unknown)):
        for uri, line in some.items():
            print(f"{says}: {uri} ({line['filename']}: {line['info'][:100]})")
    reached = len(told) - len(gone) - len(unknown)
    print(f"{len(told)} addresses: {reached} there, {len(gone)} not there, {len(unknown)} not reached")
    return 1 if gone else 2 if unknown else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
