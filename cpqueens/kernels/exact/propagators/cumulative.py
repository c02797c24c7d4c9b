"""Tasks that share a resource: time table, and time-table edge finding.

Gay, Hartert and Schaus, "Simple and scalable time-table filtering for the cumulative constraint" (2015);
Schutt, Feydy and Stuckey, "Explaining time-table-edge-finding propagation for the cumulative resource
constraint" (2013): tasks that must lie within a time count with all their energy, others with what runs
anyhow. Tasks count with their least durations and demands. Behind the numbers of the tasks lie the steps of
the time table: times, and what is demanded for sure from each on.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at, task_sets as of
from cpqueens.kernels.exact.domains import Memory, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

TIME, HEIGHT, STEP = range(3)
"""The record of a step."""

LARGEST = 1 << 61
"""No energy is greater."""


@inner_kernel
def steps_of(m: Memory, p: int) -> Any:
    """Return where the steps begin."""
    return entry(m.net, p + at.ROWS) + of.ROOM * (of.tasks_of(m, p) + 1)


@inner_kernel
def read_tasks(m: Memory, p: int, sign: int) -> Any:
    """Read the tasks that may be present and may demand something; return their number."""
    t, count = entry(m.net, p + at.ROWS), 0
    for task in range(of.tasks_of(m, p)):
        demand, presence = of.argument(m, p, of.DEMANDS, task), of.argument(m, p, of.PRESENCES, task)
        lasts = entry(m.x, of.argument(m, p, of.DURATIONS, task) + at.HIGH) > 0
        if lasts and entry(m.x, presence + at.HIGH) and entry(m.x, demand + at.HIGH) > 0:
            of.read_task(m, p, count, task, sign)
            of.set_number(m, t, of.DEMAND, count, max(0, entry(m.x, demand + at.LOW)))
            of.set_number(m, t, of.IN, count, of.SURE if entry(m.x, presence + at.LOW) else of.MAYBE)
            of.set_number(m, t, of.BOUND, count, of.number(m, t, of.EARLIEST, count))
            count += 1
    return count


@inner_kernel
def end_of(m: Memory, t: int, k: int) -> Any:
    """Return the earliest end of the k-th task."""
    return of.number(m, t, of.EARLIEST, k) + of.number(m, t, of.LENGTH, k)


@inner_kernel
def add_step(m: Memory, s: int, steps: int, time: int, demand: int) -> Any:
    """Add a change of the demand; return the number of steps."""
    e = steps
    while e > 0 and entry(m.net, s + STEP * (e - 1) + TIME) >= time:
        e -= 1
    if e < steps and entry(m.net, s + STEP * e + TIME) == time:
        put(m.net, s + STEP * e + HEIGHT, entry(m.net, s + STEP * e + HEIGHT) + demand)
        return steps
    for place in range(s + STEP * steps - 1, s + STEP * e - 1, -1):
        put(m.net, place + STEP, entry(m.net, place))
    put(m.net, s + STEP * e + TIME, time)
    put(m.net, s + STEP * e + HEIGHT, demand)
    return steps + 1


@inner_kernel
def build_steps(m: Memory, p: int, count: int) -> Any:
    """Build the time table of what runs in any case; return the number of steps and the capacity needed."""
    t, s = entry(m.net, p + at.ROWS), steps_of(m, p)
    steps = most = 0
    for k in range(count):
        first, end = of.number(m, t, of.LATEST, k), end_of(m, t, k)
        demand = of.number(m, t, of.DEMAND, k)
        if of.number(m, t, of.IN, k) == of.SURE and of.number(m, t, of.LENGTH, k):
            most = max(most, demand)
            if first < end and demand:
                steps = add_step(m, s, steps, first, demand)
                steps = add_step(m, s, steps, end, -demand)
    height = 0
    for e in range(s, s + STEP * steps, STEP):
        height += entry(m.net, e + HEIGHT)
        put(m.net, e + HEIGHT, height)
        most = max(most, height)
    return steps, most


@inner_kernel
def others_height(m: Memory, t: int, e: int, k: int) -> Any:
    """Return what all but the k-th task demand from the step at ``e`` to the next."""
    height = entry(m.net, e + HEIGHT)
    mine = of.number(m, t, of.LATEST, k) <= entry(m.net, e + TIME) and (
        entry(m.net, e + STEP + TIME) <= end_of(m, t, k)
    )
    return height - (of.number(m, t, of.DEMAND, k) if mine and of.number(m, t, of.IN, k) == of.SURE else 0)


@inner_kernel
def earliest_fit(m: Memory, p: int, steps: int, limit: int, k: int) -> Any:
    """Return the earliest start of the k-th task at which the time table has room for it."""
    t, s = entry(m.net, p + at.ROWS), steps_of(m, p)
    start, length = of.number(m, t, of.EARLIEST, k), of.number(m, t, of.LENGTH, k)
    if length and of.number(m, t, of.DEMAND, k) > limit:
        return of.number(m, t, of.LATEST, k) + 1
    for e in range(s, s + STEP * (steps - 1), STEP):
        if entry(m.net, e + TIME) >= start + length:
            break
        full = others_height(m, t, e, k) + of.number(m, t, of.DEMAND, k) > limit
        if length and full:
            start = max(start, entry(m.net, e + STEP + TIME))
    return start


@inner_kernel
def limit_sizes(m: Memory, p: int, steps: int, limit: int, k: int) -> Any:
    """Prune demand and duration of the k-th task, which is present, by what others demand."""
    t, s = entry(m.net, p + at.ROWS), steps_of(m, p)
    task = of.number(m, t, of.TASK, k)
    demand, duration = of.argument(m, p, of.DEMANDS, task), of.argument(m, p, of.DURATIONS, task)
    latest = of.number(m, t, of.LATEST, k)
    most, longest = entry(m.x, demand + at.HIGH), entry(m.x, duration + at.HIGH)
    if of.number(m, t, of.LENGTH, k):
        most = min(most, limit)
    for e in range(s, s + STEP * (steps - 1), STEP):
        time = entry(m.net, e + TIME)
        others = others_height(m, t, e, k)
        if entry(m.net, e + STEP + TIME) > latest and others + of.number(m, t, of.DEMAND, k) > limit:
            longest = min(longest, max(0, time - of.number(m, t, of.EARLIEST, k)))
        if max(time, latest) < min(entry(m.net, e + STEP + TIME), end_of(m, t, k)):
            most = min(most, limit - others)
    if not tighten(m, demand, 0, most):
        return 0
    return tighten(m, duration, 0, longest)


@inner_kernel
def fit_tasks(m: Memory, p: int, count: int, steps: int, limit: int, sign: int) -> Any:
    """Start the tasks where the time table has room for them, or leave them out."""
    t = entry(m.net, p + at.ROWS)
    for k in range(count):
        start = earliest_fit(m, p, steps, limit, k)
        if of.number(m, t, of.IN, k) == of.SURE:
            of.set_number(m, t, of.BOUND, k, start)
            if sign > 0 and not limit_sizes(m, p, steps, limit, k):
                return 0
        else:
            most = 1 if start <= of.number(m, t, of.LATEST, k) else 0
            if not tighten(m, of.argument(m, p, of.PRESENCES, of.number(m, t, of.TASK, k)), 0, most):
                return 0
    return 1


@inner_kernel
def energy_after(m: Memory, p: int, steps: int, time: int) -> Any:
    """Return the energy of the time table from a time on."""
    s, energy = steps_of(m, p), 0
    for e in range(s, s + STEP * (steps - 1), STEP):
        end = entry(m.net, e + STEP + TIME)
        if end > time:
            energy += entry(m.net, e + HEIGHT) * (end - max(time, entry(m.net, e + TIME)))
    return energy


@inner_kernel
def extent(m: Memory, t: int, count: int) -> Any:
    """Return the sum of the demands, and the time from the first start to the last end."""
    demanded, first, last = 0, LARGEST, -LARGEST
    for k in range(count):
        if of.number(m, t, of.IN, k) == of.SURE:
            demanded += of.number(m, t, of.DEMAND, k)
            first = min(first, of.number(m, t, of.EARLIEST, k))
            last = max(last, of.key(m, t, of.BY_LATEST_END, k))
    return demanded, last - first


@inner_kernel
def prepare_energies(m: Memory, p: int, count: int, steps: int) -> None:
    """Set the energies of tasks that the time table lacks, and those of the time table from their ends on."""
    t = entry(m.net, p + at.ROWS)
    for k in range(count):
        if of.number(m, t, of.IN, k) == of.SURE:
            start, end = of.number(m, t, of.EARLIEST, k), of.key(m, t, of.BY_LATEST_END, k)
            length = of.number(m, t, of.LENGTH, k)
            runs = max(0, start + length - of.number(m, t, of.LATEST, k))
            of.set_number(m, t, of.FREE, k, of.number(m, t, of.DEMAND, k) * (length - runs))
            of.set_number(m, t, of.AFTER_START, k, energy_after(m, p, steps, start))
            of.set_number(m, t, of.AFTER_END, k, energy_after(m, p, steps, end))


@inner_kernel
def runs_before(m: Memory, t: int, k: int, end: int) -> Any:
    """Return the energy of the k-th task before ``end`` that the time table has."""
    time = min(end, end_of(m, t, k)) - of.number(m, t, of.LATEST, k)
    return of.number(m, t, of.DEMAND, k) * max(0, time)


@inner_kernel
def find_edges(m: Memory, t: int, count: int, limit: int, b: int) -> Any:
    """Time-table edge finding up to the latest end of the b-th task, from all starts, the last one first."""
    end = of.key(m, t, of.BY_LATEST_END, b)
    energy, need, which = 0, 0, -1
    for place in range(count - 1, -1, -1):
        k = of.number(m, t, of.BY_START, place)
        begin = of.number(m, t, of.EARLIEST, k)
        if of.number(m, t, of.IN, k) != of.SURE or begin >= end:
            continue
        if of.key(m, t, of.BY_LATEST_END, k) <= end:
            energy += of.number(m, t, of.FREE, k)
        else:
            within = min(of.number(m, t, of.LENGTH, k), end - begin)
            mine = of.number(m, t, of.DEMAND, k) * within - runs_before(m, t, k, end)
            if mine > need:
                need, which = mine, k
        table = of.number(m, t, of.AFTER_START, k) - of.number(m, t, of.AFTER_END, b)
        room = limit * (end - begin) - energy - table
        if room < 0:
            return 0
        if need > room:
            left = room + runs_before(m, t, which, end)
            bound = end - left // of.number(m, t, of.DEMAND, which)
            of.set_number(m, t, of.BOUND, which, max(bound, of.number(m, t, of.BOUND, which)))
    return 1


@inner_kernel
def use_energies(m: Memory, p: int, count: int, steps: int, limit: int) -> Any:
    """Prune by energies, unless these are too great for an integer."""
    t = entry(m.net, p + at.ROWS)
    demanded, span = extent(m, t, count)
    if demanded == 0 or span >= LARGEST // demanded:
        return 1
    prepare_energies(m, p, count, steps)
    limit = min(limit, demanded)
    for order in (of.BY_START, of.BY_LATEST_END):
        of.sort(m, t, order, count)
    for b in range(count):
        if of.number(m, t, of.IN, b) == of.SURE and not find_edges(m, t, count, limit, b):
            return 0
    return 1


@propagator
def cumulative(m: Memory, p: int) -> Any:
    """Prune starts, durations, demands, presences and the capacity of tasks that share a resource."""
    capacity = of.argument(m, p, of.CAPACITY, 0)
    if not of.not_negative(m, p, of.DURATIONS) or not of.not_negative(m, p, of.DEMANDS):
        return 0
    for sign in (1, -1):
        count = read_tasks(m, p, sign)
        steps, most = build_steps(m, p, count)
        m.stack[at.WORK] += count * (count + steps) >> 4
        if not tighten(m, capacity, most, entry(m.x, capacity + at.HIGH)):
            return 0
        limit = entry(m.x, capacity + at.HIGH)
        if not fit_tasks(m, p, count, steps, limit, sign):
            return 0
        if not use_energies(m, p, count, steps, limit) or not of.give_bounds(m, p, count, sign, 0):
            return 0
    return 1
