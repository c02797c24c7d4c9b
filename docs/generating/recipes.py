"""The page "want this, write that", from the rows that the tests run."""

import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

ROWS = Path(__file__).parent.parent / "files" / "recipes.toml"


def read() -> tuple[str, list[dict[str, Any]]]:
    """Return the code that all rows begin with, and the rows."""
    found = tomllib.loads(ROWS.read_text(encoding="utf-8"))
    return found["given"].strip(), found["row"]


def pages() -> dict[str, str]:
    """Return the page of all rows, by groups."""
    given, rows = read()
    tables = "\n\n".join(
        f"## {group}\n\n" + "\n".join(_table(list(members)))
        for group, members in groupby(rows, key=lambda row: row["group"])
    )
    text = f"""# Want this, write that

{len(rows)} rows. The tests run each of them: some values must be possible and others impossible, or the
optimum must be right. All of them assume these lines:

```python
{given}
```

Lists, NumPy arrays and pandas Series are accepted wherever numbers are expected. Complete examples:
[a roster](../modelling/roster.md), [scheduling](../modelling/scheduling.md),
[routing, packing, assignment](../modelling/routing_and_packing.md),
[production, warehouses, timetables, tournaments](../modelling/production.md). All constraints:
[a table](constraints.md).

{tables}
"""
    return {"recipes.md": text}


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield from (":::{list-table}", ":header-rows: 1", ":widths: 35 65", "", "* - want this", "  - write that")
    for row in rows:
        yield f"* - {row['want']}"
        yield "  - ```python"
        yield from (f"    {line}" for line in row["write"].strip().splitlines())
        yield "    ```"
    yield ":::"
