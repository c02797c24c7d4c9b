"""Charts of what benchmarks recorded (``--record docs/files/benchmarks.json``), with their commands."""

import json
from pathlib import Path
from typing import Any

from generating.pictures import bars, shown
from generating.tables import fenced, table

MEASURED = Path(__file__).parent.parent / "files" / "benchmarks.json"


def pages() -> dict[str, str]:
    """Return the part of the page that is drawn from the file."""
    rows: list[dict[str, Any]] = json.loads(MEASURED.read_text(encoding="utf-8"))
    scripts = dict.fromkeys(row["script"] for row in rows)
    parts = [_part(script, [row for row in rows if row["script"] == script]) for script in scripts]
    return {"parts/measured.md": "\n\n".join(parts) + "\n"}


def _part(script: str, races: list[dict[str, Any]]) -> str:
    told = [
        (row["job"], row["entries"][0], peer, row["entries"][0]["ms"] / max(peer["ms"], 1e-6), row["date"])
        for row in races
        for peer in row["entries"][1:]
    ]
    cells = [
        (job, ours["name"], _ms(ours), peer["name"], _ms(peer), _ratio(ours, peer, ratio), date)
        for job, ours, peer, ratio, date in told
    ]
    drawn = [(f"{job}: {peer['name']}", float(f"{ratio:.2g}")) for job, _, peer, ratio, _ in told]
    command = f"python tests/benchmarks/{script} --record docs/files/benchmarks.json"
    return "\n\n".join([
        f"### {script}",
        shown(bars(drawn, f"processor time of ours over that of the peer, {script}")),
        table(("job", "ours", "ms", "peer", "ms", "ratio", "date"), cells),
        fenced("sh", command),
    ])  # fmt: skip


def _ms(entry: dict[str, Any]) -> str:
    return f"{'> ' if entry['ended'] else ''}{entry['ms']:,.3g}"


def _ratio(ours: dict[str, Any], peer: dict[str, Any], ratio: float) -> str:
    """Return the ratio, and on which side of it the truth lies where a limit ended a run."""
    bound = "at least " if ours["ended"] else "at most " if peer["ended"] else ""
    return f"{bound}{ratio:.2g}"
