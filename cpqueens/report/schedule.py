"""Tasks in time, one line for each machine or task, as text and as an SVG picture (Gantt's chart)."""

from collections.abc import Sequence
from dataclasses import dataclass

from cpqueens.report import svg
from cpqueens.report.board_svg import ATTACKED
from cpqueens.report.numbers import INK
from cpqueens.report.palette import fill_of

_WIDEST = 100
_LENGTH, _ROW, _LEFT, _TOP = 620, 30, 44, 10
_SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Bar:
    """One task: its line, when it starts and ends, and what it is called."""

    lane: int
    start: int
    end: int
    name: int


def bars(starts: Sequence[Sequence[int]], durations: Sequence[int], lanes: Sequence[int]) -> list[Bar]:
    """Return the tasks; those of several rows are called by their row, others by their number."""
    found, k = [], 0
    for row, line in enumerate(starts):
        for start in line:
            lane = lanes[k] if lanes else k
            found.append(Bar(lane, start, start + durations[k], row if len(starts) > 1 else k))
            k += 1
    return found


def schedule_text(tasks: Sequence[Bar], columns: int | None = None) -> str:
    """Return a line for each machine, with the sign of the task at each unit of time, ``!`` where two clash.

    Where that is too wide, tasks are listed with their times.
    """
    first, last = _span(tasks)
    lanes = sorted({bar.lane for bar in tasks})
    width = max((len(str(lane)) for lane in lanes), default=1)
    if last - first > (_WIDEST if columns is None else columns - width - 3):
        return "\n".join(f"{lane:>{width}} | {_listed(tasks, lane)}" for lane in lanes)
    lines = [f"{lane:>{width}} |{_timeline(tasks, lane, first, last)}" for lane in lanes]
    left = " " * (width + 2)
    return "\n".join([*lines, f"{left}{first}{last:>{max(1, last - first - len(str(first)))}}"])


def _span(tasks: Sequence[Bar]) -> tuple[int, int]:
    return min((bar.start for bar in tasks), default=0), max((bar.end for bar in tasks), default=0)


def _timeline(tasks: Sequence[Bar], lane: int, first: int, last: int) -> str:
    line = ["."] * (last - first)
    for bar in tasks:
        for at in range(bar.start - first, bar.end - first) if bar.lane == lane else ():
            line[at] = _SIGNS[bar.name % len(_SIGNS)] if line[at] == "." else "!"
    return "".join(line)


def _listed(tasks: Sequence[Bar], lane: int) -> str:
    mine = sorted((bar for bar in tasks if bar.lane == lane), key=lambda bar: (bar.start, bar.end))
    return ", ".join(f"{bar.name}: {bar.start}-{bar.end}" for bar in mine)


def schedule_svg(tasks: Sequence[Bar], *, title: str = "") -> str:
    """Return the chart as a stand-alone SVG picture; tasks that clash on their line have a red edge."""
    first, last = _span(tasks)
    lanes = sorted({bar.lane for bar in tasks})
    scale = _LENGTH / max(1, last - first)
    row = min(_ROW, max(12, 520 // max(1, len(lanes))))
    height = row * len(lanes)
    parts = [_ground(height)]
    parts += [
        svg.text(lane, _LEFT / 2, _TOP + (k + 0.5) * row, min(13, 0.7 * row), INK)
        for k, lane in enumerate(lanes)
    ]
    for bar in tasks:
        x, y = _LEFT + scale * (bar.start - first), _TOP + lanes.index(bar.lane) * row
        parts += _drawn(bar, x, y, scale * (bar.end - bar.start), row, _clashes(bar, tasks))
    ends = ((first, _LEFT), (last, _LEFT + _LENGTH))
    parts += [svg.text(time, x, _TOP + height + 12, 12, INK) for time, x in ends]
    return svg.document(_LEFT + _LENGTH + 24, _TOP + height + 24, parts, title=title)


def _ground(height: float) -> str:
    place = {"x": _LEFT, "y": _TOP, "width": _LENGTH, "height": height}
    return svg.element("rect", attributes={**place, "fill": "#fbf8f2", "stroke": "#c9bfb2"})


def _drawn(bar: Bar, x: float, y: float, width: float, row: float, bad: bool) -> list[str]:
    place = {"x": x, "y": y + 2, "width": width, "height": row - 4, "rx": 3}
    edge: svg.Attributes = {"stroke": ATTACKED if bad else INK, "stroke-width": 2.5 if bad else 0.8}
    box = svg.element("rect", attributes={**place, "fill": fill_of(bar.name), **edge})
    named = [svg.text(bar.name, x + width / 2, y + row / 2, min(13, 0.6 * row), INK)] if width > 8 else []
    return [box, *named]


def _clashes(bar: Bar, tasks: Sequence[Bar]) -> bool:
    return any(
        other is not bar and other.lane == bar.lane and other.start < bar.end and bar.start < other.end
        for other in tasks
    )
