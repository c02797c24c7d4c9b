"""Tasks in time, one line for each machine or task, as text and as an SVG picture (Gantt's chart)."""

from collections.abc import Sequence
from dataclasses import dataclass

from cpqueens.language.views import Schedule
from cpqueens.report import svg
from cpqueens.report.board_svg import ATTACKED
from cpqueens.report.numbers import INK

_WIDEST = 100
_LENGTH, _ROW, _LEFT, _TOP = 620, 30, 44, 10
_SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

Ticks = Sequence[int | tuple[int, str]]


@dataclass(frozen=True)
class Bar:
    """One task: its line, when it starts and ends, its number (a colour, a sign), and what it is called."""

    lane: int | str
    start: int
    end: int
    number: int
    name: str


def bars(starts: Sequence[Sequence[int]], view: Schedule, names: Sequence[str] = ()) -> list[Bar]:
    """Return the tasks, called by their ``names``: else those of several rows by their row, others by number.

    ``names`` are those of the tasks, or of the rows.
    """
    found: list[Bar] = []
    own = view.tasks or (names if len(starts) == 1 else ())
    for row, line in enumerate(starts):
        for start in line:
            k = len(found)
            number = row if len(starts) > 1 else k
            name = own[k] if own else names[row] if names else str(number)
            lane = view.lanes[k] if view.lanes else own[k] if own else k
            found.append(Bar(lane, start, start + int(view.durations[k]), number, name))
    return found


def schedule_text(tasks: Sequence[Bar], columns: int | None = None, ticks: Ticks = ()) -> str:
    """Return a line for each machine, with the sign of the task at each unit of time, ``!`` where two clash.

    Where that is too wide, tasks are listed with their times.
    """
    first, last = _span(tasks)
    lanes = _lanes(tasks)
    width = max((len(str(lane)) for lane in lanes), default=1)
    if last - first > (_WIDEST if columns is None else columns - width - 3):
        return "\n".join(f"{lane:>{width}} | {_listed(tasks, lane)}" for lane in lanes)
    lines = [f"{lane:>{width}} |{_timeline(tasks, lane, first, last)}" for lane in lanes]
    left = " " * (width + 2)
    ends = f"{first}{last:>{max(1, last - first - len(str(first)))}}"
    named = dict(sorted({bar.number: bar.name for bar in tasks if bar.name not in map(str, lanes)}.items()))
    told = [f"{_sign(k)} {name}" for k, name in named.items() if name != str(k)]
    marks = _marks(ticks, first, last) if ticks else ends
    return "\n".join([*lines, left + marks, *([", ".join(told)] if told else [])])


def _marks(ticks: Ticks, first: int, last: int) -> str:
    """Return the texts of times under their places, those left out that have no room."""
    line = ""
    for time, said in sorted(_tick(tick) for tick in ticks):
        at = time - first
        if first <= time <= last and (not line or at > len(line)):
            line = line.ljust(at) + said
    return line


def _tick(tick: int | tuple[int, str]) -> tuple[int, str]:
    return (tick[0], str(tick[1])) if isinstance(tick, tuple) else (tick, str(tick))


def _lanes(tasks: Sequence[Bar]) -> list[int | str]:
    """Return the lines from top to bottom: numbers in their order, names as they come."""
    found = list(dict.fromkeys(bar.lane for bar in tasks))
    return sorted(found) if all(isinstance(lane, int) for lane in found) else found


def _span(tasks: Sequence[Bar]) -> tuple[int, int]:
    return min((bar.start for bar in tasks), default=0), max((bar.end for bar in tasks), default=0)


def _sign(number: int) -> str:
    return _SIGNS[number % len(_SIGNS)]


def _timeline(tasks: Sequence[Bar], lane: int | str, first: int, last: int) -> str:
    line = ["."] * (last - first)
    for bar in tasks:
        for at in range(bar.start - first, bar.end - first) if bar.lane == lane else ():
            line[at] = _sign(bar.number) if line[at] == "." else "!"
    return "".join(line)


def _listed(tasks: Sequence[Bar], lane: int | str) -> str:
    mine = sorted((bar for bar in tasks if bar.lane == lane), key=lambda bar: (bar.start, bar.end))
    return ", ".join(f"{bar.name}: {bar.start}-{bar.end}" for bar in mine)


def schedule_svg(tasks: Sequence[Bar], ticks: Ticks = (), *, title: str = "") -> str:
    """Return the chart as a stand-alone SVG picture; tasks that clash on their line have a red edge."""
    first, last = _span(tasks)
    lanes = _lanes(tasks)
    scale = _LENGTH / max(1, last - first)
    row = min(_ROW, max(12, 520 // max(1, len(lanes))))
    height, letters = row * len(lanes), min(13, 0.7 * row)
    left = max(_LEFT, 0.62 * letters * max((len(str(lane)) for lane in lanes), default=0) + 14)
    parts = [svg.rect(left, _TOP, _LENGTH, height, fill="#fbf8f2", stroke="#c9bfb2")]
    parts += [svg.text(lane, left / 2, _TOP + (k + 0.5) * row, letters, INK) for k, lane in enumerate(lanes)]
    for time, said in [_tick(tick) for tick in ticks if first <= _tick(tick)[0] <= last]:
        x = left + scale * (time - first)
        parts.append(svg.element("path", d=f"M{svg.number(x)} {_TOP}v{height}", stroke="#c9bfb2"))
        parts.append(svg.text(said, x, _TOP + height + 12, 12, INK))
    for bar in tasks:
        x, y = left + scale * (bar.start - first), _TOP + lanes.index(bar.lane) * row
        parts += _drawn(bar, x, y, scale * (bar.end - bar.start), row, _clashes(bar, tasks))
    ends = () if ticks else ((first, left), (last, left + _LENGTH))
    parts += [svg.text(time, x, _TOP + height + 12, 12, INK) for time, x in ends]
    return svg.document(left + _LENGTH + 24, _TOP + height + 24, parts, title=title)


def _drawn(bar: Bar, x: float, y: float, width: float, row: float, bad: bool) -> list[str]:
    edge = {"stroke": ATTACKED if bad else INK, "stroke_width": 2.5 if bad else 0.8}
    box = svg.rect(x, y + 2, width, row - 4, rx=3, fill=svg.fill_of(bar.number), **edge)
    letters = min(13, 0.6 * row, 1.5 * width / len(bar.name or " "))
    named = [svg.text(bar.name, x + width / 2, y + row / 2, letters, INK)] if min(width, letters) > 6 else []
    return [box, *named]


def _clashes(bar: Bar, tasks: Sequence[Bar]) -> bool:
    return any(
        other is not bar and other.lane == bar.lane and other.start < bar.end and bar.start < other.end
        for other in tasks
    )
