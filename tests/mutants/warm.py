"""One process collects the tests once; each mutant is planted in a fork of it, in the functions themselves.

A test that fails then is one that notices the fault. What none notices is judged in a process of its own
(`planting`), which loads the package with the fault in it: tables may have been filled before it was planted.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest
from _pytest.main import pytest_runtestloop
from planting import (
    Child,
    Job,
    Noticed,
    children_of,
    fork,
    plant,
    prepare,
    run_tests,
    side_by_side,
)
from timing import QuickestFirst, Seconds

_FUNCTION = 1  # the flag CO_OPTIMIZED, which the code of modules and classes does not have
NOT_IN_PLACE = 14
"""The exit code that says nothing about the fault."""

ENDS = {True: ("tests", "time"), False: ("tests", "time", "survived", "late")}
"""What is final in place, by whether a fuzzer is to follow."""

LIMIT_IN_PLACE = 300.0
"""Seconds on the clock of a fork; one that takes longer is judged in a process of its own."""


class NotInPlace(Exception):  # noqa: N818
    """More than the code of functions changes, or a function cannot be found."""


def watch_warm(jobs: Mapping[int, Job], processes: int, seconds: Seconds) -> Iterator[tuple[int, Noticed]]:
    """Yield number and end of each job that a test notices, and of the others if no fuzzer is to follow."""
    groups: dict[tuple[tuple[str, ...], bool], dict[int, Job]] = {}
    for number, job in jobs.items():
        groups.setdefault((job.tests, job.area.plain), {})[number] = job
    for chosen in groups.values():
        yield from _in_forks(chosen, processes, seconds)


def _in_forks(jobs: Mapping[int, Job], processes: int, seconds: Seconds) -> Iterator[tuple[int, Noticed]]:
    """Run jobs that have the same tests in forks of one process that has collected these."""
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory(prefix="cpqueens-mutants-") as folder:
        children = children_of(jobs, Path(folder))
        first = next(iter(jobs.values()))
        template = Child(first, Path(folder) / "template.txt")

        def serve() -> int:
            prepare(first, Path(folder))
            return run_tests(first.tests, Template(children, processes, seconds, writing))

        pid = fork(template, serve)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as lines:
            for line in islice(lines, len(jobs)):  # its end may be held open by what a test left behind
                number, noticed, took = json.loads(line)
                seconds |= took
                if noticed[0] in ENDS[jobs[number].fuzz]:
                    yield number, Noticed(*noticed)
        os.waitpid(pid, 0)


class Template:
    """A plugin of pytest: where the tests would run, forks do, each with a fault in it."""

    def __init__(self, children: Mapping[int, Child], processes: int, seconds: Seconds, writing: int) -> None:
        self.children, self.processes, self.writing = children, processes, writing
        self.seconds = dict(seconds)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Fork for each child, and tell what its tests noticed."""
        if session.testsfailed:
            return None  # not even without a fault could the tests be collected
        _load_kernels()
        for number, found in side_by_side(
            self.children,
            lambda child: fork(child, lambda: self._run(session, child)),
            self.processes,
            self.seconds,
            LIMIT_IN_PLACE,
        ):
            line = json.dumps([number, astuple(found), self.seconds])
            os.write(self.writing, f"{line}\n".encode())
        return True

    def _run(self, session: pytest.Session, child: Child) -> int:
        try:
            plant_in_place(child.job.planted)
        except NotInPlace as error:
            print(error)
            return NOT_IN_PLACE
        plugin = QuickestFirst(self.seconds, child.book)
        session.config.pluginmanager.register(plugin)
        plugin.pytest_collection_modifyitems(session.items)
        with contextlib.suppress(session.Failed, session.Interrupted):
            pytest_runtestloop(session)
        return 10 if session.testsfailed else 0


def _load_kernels() -> None:
    """Solve something on the own engines, so that no fork has to load their compiled code."""
    from cpqueens import AllDifferent, Model

    model = Model("permutation")
    model.add(AllDifferent(model.intvar(0, 3, shape=4, name="x")))
    for solver in ("backtracking:forward", "local-search"):
        model.solve(solver=solver)


def plant_in_place(planted: str) -> None:
    """Give the functions of a loaded module (``module=file``) the code that they have in the file.

    Raises
    ------
    NotInPlace
        If tables, classes or signatures change as well, or functions that nobody holds any more.
    """
    name, _, file = planted.partition("=")
    plant(planted)  # for what is loaded from now on, in the processes that this one starts, too
    module = sys.modules.get(name)
    if module is None:
        raise NotInPlace(f"{name} is not loaded")
    assert module.__file__ is not None
    old, new = (
        compile(Path(path).read_text(encoding="utf-8"), module.__file__, "exec", dont_inherit=True)
        for path in (module.__file__, file)
    )
    changed: dict[CodeType, CodeType] = {}
    _pair(old, new, changed)
    found = _functions(module, changed | _made_within(changed))
    lost = {id(code) for code in changed.values()} - {id(code) for code, _ in found}
    if not found or lost:
        raise NotInPlace(f"{name}: {len(lost)} of {len(changed)} functions are not found")
    for code, function in found:
        try:
            function.__code__ = code
        except ValueError as error:
            raise NotInPlace(str(error)) from error


def _functions(module: ModuleType, changed: dict[CodeType, CodeType]) -> list[tuple[CodeType, FunctionType]]:
    """Return the functions of a module whose code is to be changed, the new one before each."""
    return [
        (changed[o.__code__], o)
        for o in gc.get_objects()
        if isinstance(o, FunctionType) and o.__globals__ is module.__dict__ and o.__code__ in changed
    ]


def _made_within(changed: Mapping[CodeType, CodeType]) -> dict[CodeType, CodeType]:
    """Return the same of functions within functions: some have been made already, and are in tables."""
    found: dict[CodeType, CodeType] = {}
    for old, new in changed.items():
        pairs = _inside(old), _inside(new)
        if len(pairs[0]) != len(pairs[1]):
            raise NotInPlace(f"{old.co_qualname} makes more functions, or less")
        inner = {before: after for before, after in zip(*pairs, strict=True) if before != after}
        found |= inner | _made_within(inner)
    return found


def _pair(old: CodeType, new: CodeType, changed: dict[CodeType, CodeType]) -> None:
    """Book the functions, of the module and of its classes, whose code differs, with all that is in them."""
    if _outside(old) != _outside(new):
        raise NotInPlace(f"{old.co_qualname} itself changes")
    for before, after in zip(_inside(old), _inside(new), strict=True):
        if not before.co_flags & _FUNCTION:
            _pair(before, after, changed)
        elif before != after:
            changed[before] = after


def _inside(code: CodeType) -> list[CodeType]:
    return [c for c in code.co_consts if isinstance(c, CodeType)]


def _outside(code: CodeType) -> tuple[object, ...]:
    """Return what a module or a class does itself: everything but the code of its functions and classes."""
    constants = [c.co_qualname if isinstance(c, CodeType) else c for c in code.co_consts]
    return code.co_code, code.co_names, repr(constants)
