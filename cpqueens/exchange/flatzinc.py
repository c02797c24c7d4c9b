"""FlatZinc, which MiniZinc makes of a model (Nethercote et al. 2007), as a model of cpqueens.

Variables that are written out, and those that no constraint defines, are variables here too, by their names:
arrays that are written out whole, with their shapes, from 0. All others are what their constraints define
them to be.
"""

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from cpqueens.errors import CpqueensError, ModelError, UnsupportedConstraint
from cpqueens.exchange import flatzinc_text as text
from cpqueens.exchange.flatzinc_constraints import Form, form_of, linear, within
from cpqueens.exchange.flatzinc_rows import READ, give_bounds, row_of, truths
from cpqueens.exchange.flatzinc_searches import Guides, guides_of
from cpqueens.exchange.flatzinc_symbols import KINDS, Output, Symbols, ends_of, is_output
from cpqueens.exchange.origin import Imported
from cpqueens.language.term import Term
from cpqueens.model import Model
from cpqueens.text.bounded import decoded, label, read_bytes
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.parameters import as_path, needed

MAX_BYTES = 2**29
"""Of a file."""

_MANY = 1000
"""From so many truths on they are defined together."""

_TITLE = re.compile(r"% model (.{1,1000})\n")
_NAMES = re.compile(r"^% (X_[0-9]+): (.{1,1000})$", re.MULTILINE)
"""What our own text says of names that FlatZinc cannot have."""

_STATED = re.compile(r"constraint\s+(\w+)")
_DEFINES = re.compile(r"\bdefines_var\s*\(\s*([A-Za-z_]\w*)\s*\)")


@dataclass(frozen=True, eq=False)
class ImportedFlatZinc(Imported):
    """A model from FlatZinc, with its output items and its search annotations.

    >>> from cpqueens import from_flatzinc
    >>> found = from_flatzinc("var 1..3: x :: output_var; constraint int_le(3, x); solve satisfy;")
    >>> found.outputs[0].name, found.values(found.model.solve())
    ('x', {'x': 3})

    Attributes
    ----------
    model, names, write
        As in `Imported`.
    outputs
        What is to be written of a solution (`Output`).
    guides
        How it asks to be searched (`Guides`).
    """

    outputs: tuple[Output, ...] = ()
    guides: Guides = field(default_factory=Guides)


@explaining_keywords
def from_flatzinc(
    given: str,
    where: str = "FlatZinc",
    *,
    searched_first: bool = False,
    places: Mapping[int, tuple[str, int]] | None = None,
) -> ImportedFlatZinc:
    """Import a model from a text in FlatZinc.

    >>> from cpqueens import from_flatzinc
    >>> found = from_flatzinc(
    ...     "var 0..9: x :: output_var; var 0..9: y :: output_var;"
    ...     "constraint int_lin_eq([2, 3], [x, y], 12); solve maximize x;"
    ... )
    >>> found.values(found.model.solve())
    {'x': 6, 'y': 0}

    Parameters
    ----------
    given
        The whole text.
    where
        The prefix of error messages, usually the path.
    searched_first
        Whether the variables of search annotations come first, in their order, including those that
        constraints define.
    places
        Where the constraints really come from, by the lines of the text from 1 (a MiniZinc model's);
        None: from these lines themselves.

    Raises
    ------
    ModelError
        For a text that is not FlatZinc, with the number of the line.
    UnsupportedConstraint
        For constraints over sets or floats, and unknown ones, by name.

    Examples
    --------
    """
    needed(given, str, "a text in FlatZinc")
    reader = _DocumentReader(given, where, searched_first, places)
    try:
        with _uncollected():
            return reader.read()
    except CpqueensError as error:
        at = None if isinstance(error, text.UnendedError) else reader.at
        place = "" if at is None else f"line {text.line_of(given, at)}: "
        kind = UnsupportedConstraint if isinstance(error, UnsupportedConstraint) else ModelError
        raise kind(f"{where}: {place}{error}") from None


@explaining_keywords
def load_flatzinc(path: str | Path, *, searched_first: bool = False) -> ImportedFlatZinc:
    """Return the model of a file in FlatZinc.

    Raises
    ------
    ModelError, UnsupportedConstraint
        As for `from_flatzinc`, and if it cannot be read or has more than 2^29 bytes.
    """
    try:
        given = decoded(read_bytes(path, MAX_BYTES))
    except ModelError as error:
        raise ModelError(str(error) if label(path) in str(error) else f"{label(path)}: {error}") from None
    return from_flatzinc(given, label(path), searched_first=searched_first)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep Python's garbage collector from looking through a model, again and again, while that grows."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _DocumentReader:
    """Reads one text, twice: declarations, then constraints, each behind those that define what it needs."""

    def __init__(
        self, given: str, where: str, searched_first: bool, places: Mapping[int, tuple[str, int]] | None
    ) -> None:
        self.given = given
        self.where = where
        self.places = places
        self.lines = text.LineNumbers(given)
        self.variables = text.Variables()
        self.searched_first = searched_first
        self.at: int | None = None
        """Where the statement begins that is read."""
        title = _TITLE.match(given)
        self.model = Model(title[1] if title else Path(as_path(where)).stem or "FlatZinc")
        self.symbols = Symbols(self.model, dict(_NAMES.findall(given)))
        self.outputs: dict[str, text.Declared] = {}
        self.visible: set[str] = set()
        self.definers: dict[str, int] = {}
        self.ahead: set[int] = set()
        """Where the constraints begin that were built before their turn."""
        self.goals: text.Goals | None = None
        self.guides = Guides()

    def read(self) -> ImportedFlatZinc:
        """Return the model."""
        first = self._declarations()
        self._bound(first)
        self._variables()
        for name in [n for n, d in self.symbols.declared.items() if d.is_variable and d.value is not None]:
            self._alias(self.symbols.declared[name])
        self._define_together()
        for at, statement in text.statements(self.given, first):
            if statement.startswith("constraint") and at not in self.ahead:
                self._build(at, statement)
        return self._finished()

    # ---- declarations -------------------------------------------------------------------------------

    def _declarations(self) -> int:
        """Read all but the constraints, and note which of these define variables; return where they begin."""
        first, known = len(self.given), self.symbols.declared
        for at, statement in text.statements(self.given):
            self.at = at
            if self.goals is not None:
                raise ModelError("'solve' must be the last statement")
            if statement.startswith("constraint"):
                first = min(first, at)
                if "defines_var" in statement:
                    for name in _DEFINES.findall(statement):
                        self.definers[known[name].name if name in known else name] = at
                continue
            found = self.variables.declared(statement) or text.parse(statement)
            if isinstance(found, text.Goals):
                self.goals = found
            elif isinstance(found, text.Declared):
                if first < len(self.given):
                    raise ModelError(f"{found.name}: declared behind the first constraint")
                self._declare(found)
        self.at = None
        if self.goals is None:
            raise ModelError("the statement 'solve' is missing")
        self.guides = guides_of(self.goals, self.symbols.listed)
        aim = self.symbols.declared.get(str(self.goals.term))
        if aim is not None and isinstance(aim.domain, tuple):  # its holes bound the objective
            self.visible.add(aim.name)
        if self.searched_first:
            names = {n for search in self.guides.searches for n in search.names if n in known}
            self.visible.update(n for n in names if known[n].value is None)
        return first

    def _declare(self, found: text.Declared) -> None:
        if found.name in self.symbols.declared:
            raise ModelError(f"{found.name}: declared twice")
        if found.domain is not None and not found.domain and found.is_variable:
            raise ModelError(f"{found.name}: empty domain")
        known = self.symbols.declared
        known[found.name] = found
        if found.size:  # many arrays name the same variables
            found.value[:] = [known[v].name if type(v) is str and v in known else v for v in found.value]
        if is_output(found):
            self.outputs[found.name] = found
            names = [found.name] if found.size is None else found.value
            self.visible.update(n for n in names if isinstance(n, text.Name))

    def _bound(self, first: int) -> None:
        """Give bounds to integers that have none, and that no constraint defines."""
        names = [
            name for name, found in self.symbols.declared.items()
            if found.is_variable and found.kind == "int" and found.size is None and found.domain is None
            and not self._is_defined(found)
        ]  # fmt: skip
        if names:
            give_bounds(self.symbols, names, self._saying_bounds(first))

    def _saying_bounds(self, first: int) -> Iterator[text.Stated]:
        for at, statement in text.statements(self.given, first):
            found = _STATED.match(statement)
            if found is not None and found[1] in READ:
                self.at = at
                yield self._parsed(statement)
        self.at = None

    def _variables(self) -> None:
        """Create the variables that nothing defines, and those that are written out."""
        kept: dict[str, tuple[str, ...]] = {}
        taken: set[str] = set()
        for name, found in self.outputs.items():
            if found.size and self.symbols.is_whole(found, taken):
                kept[name] = tuple(found.value)
                taken.update(found.value)
        for name, found in self.symbols.declared.items():
            is_own = found.is_variable and found.size is None and found.kind in ("int", "bool")
            if is_own and name not in taken and not self._is_defined(found):
                kept[name] = (name,)
        places = {name: place for place, name in enumerate(self.symbols.declared)}
        kept = dict(sorted(kept.items(), key=lambda item: places[item[1][0]]))  # an array where it begins
        for are_arrays, names in groupby(
            self._in_order(kept), lambda name: self.symbols.declared[name].size is not None
        ):
            if not are_arrays:
                self.symbols.create_all(list(names))
                continue
            for name in names:
                self.symbols.create_array(name, kept[name])

    def _is_defined(self, found: text.Declared) -> bool:
        if found.value is not None:
            return True
        return found.name in self.definers and (found.name not in self.visible or ends_of(found) is None)

    def _in_order(self, kept: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the names of what is created, what is searched first in front."""
        if not self.searched_first:
            return list(kept)
        places: dict[str, int] = {}
        for search in self.guides.searches:
            for name in search.names:
                places.setdefault(name, len(places))
        last = len(places)
        return sorted(kept, key=lambda k: min((places.get(n, last) for n in kept[k]), default=last))

    # ---- constraints --------------------------------------------------------------------------------

    def _define_together(self) -> None:
        """Define the truths of many relations and clauses at once, then those over these, while it pays."""
        waiting = sorted(set(self.definers.values()))
        built = len(waiting)
        while built >= max(_MANY, len(waiting) // 4):
            places, names, made = [], [], []
            for self.at in waiting:
                found = row_of(text.statement_at(self.given, self.at), self.symbols)
                if found is not None and found[1] is not None and self._is_open(found[1], "b"):
                    places.append(self.at)
                    made.append(found[0])
                    names.append(found[1])
            try:
                terms = truths(self.symbols, made)
            except ModelError:  # one by one they say which
                return
            for name, term in zip(names, terms, strict=True):
                self.symbols.bind(name, term)
            self.ahead.update(places)
            built = len(made)
            waiting = [at for at in waiting if at not in self.ahead]

    def _build(self, at: int, statement: str) -> None:
        """Build a constraint, and before it those that define what it needs, however many on each other."""
        self.at = at
        if self._post_row(statement):
            return
        waiting: list[tuple[int, str, text.Stated, bool]] = [(at, statement, self._parsed(statement), False)]
        begun = {at}
        while waiting:
            self.at, statement, stated, is_ready = waiting.pop()
            missing = () if is_ready else {self.definers[n] for n in self._undefined(stated.arguments)}
            if missing:
                waiting.append((self.at, statement, stated, True))
            elif not self._post_row(statement):
                self._post(stated)
            for other in sorted(missing):
                if other not in begun and other not in self.ahead:
                    begun.add(other)
                    self.at = other
                    statement = text.statement_at(self.given, other)
                    if not self._post_row(statement):
                        waiting.append((other, statement, self._parsed(statement), False))
        if len(begun) > 1:
            self.ahead |= begun

    def _parsed(self, statement: str) -> text.Stated:
        found = text.parse(statement)
        assert isinstance(found, text.Stated)
        return found

    def _post_row(self, statement: str) -> bool:
        """Post a constraint over variables that are known, or take a variable for its truth."""
        found = row_of(statement, self.symbols)
        if found is None:
            return False
        made, truth = found
        if truth is None:
            self.model._posted.append(made, self._source())
            return True
        if not self._is_open(truth, "b"):
            return False
        try:
            (term,) = truths(self.symbols, [made])
        except ModelError:  # `_post` says of which constraint
            return False
        self.symbols.bind(truth, term)
        return True

    def _undefined(self, values: Sequence[Any]) -> Iterator[str]:
        """Yield the variables among values that a constraint defines which was not built yet."""
        for value in values:
            if type(value) is list:
                yield from self._undefined(value)
            elif isinstance(value, text.Name | text.ArrayEntry):
                yield from (
                    n
                    for n in self.symbols.names_in(value)
                    if n in self.definers and n not in self.symbols.bound
                )

    def _post(self, stated: text.Stated) -> None:
        """Post a constraint, or take a variable for what it defines that to be."""
        form, ending = form_of(str(stated.name), len(stated.arguments))
        given = stated.arguments
        signature = form.signature + ("b" if ending else "")
        if len(given) != len(signature):
            raise ModelError(f"{stated.name}: {len(signature)} arguments are needed, got {len(given)}")
        defined = self._defined_by(stated, form, ending)
        if not ending and self._solve_linear(stated):
            return
        arguments = [
            None if k == defined else self._argument(stated, k, letter) for k, letter in enumerate(signature)
        ]
        try:
            self._say(stated, form, ending, arguments, defined)
        except ModelError as error:
            raise ModelError(f"{stated.name}: {error}") from None

    def _say(
        self, stated: text.Stated, form: Form, ending: str, arguments: list[Any], defined: int | None
    ) -> None:
        if ending:
            *inner, result = arguments
            truth = form.truth(inner)
            if defined is not None:
                self._define(stated.arguments[defined], 1 * truth)
            else:
                self._add(truth == result if ending == "_reif" else (result == 0) | truth)
        elif defined is not None:
            self._define(stated.arguments[defined], form.value(arguments))
        else:
            self._add(form.truth(arguments))

    def _add(self, truth: Any) -> None:
        """Add a constraint; where it comes from is the line of its statement."""
        if self.at is None:
            self.model.add(truth)
        else:
            self.model._add(truth, None, self._source())

    def _source(self) -> tuple[str, int] | None:
        assert self.at is not None
        line = self.lines.of(self.at)
        return (self.where, line) if self.places is None else self.places.get(line)

    def _defined_by(self, stated: text.Stated, form: Form, ending: str) -> int | None:
        """Return the argument that the constraint defines, if it is a variable that is not known yet."""
        at = len(form.signature) if ending == "_reif" else None if ending else form.result
        if at is None or not self._is_open(stated.arguments[at], (form.signature + "b")[at]):
            return None
        others = [a for k, a in enumerate(stated.arguments) if k != at]
        return None if stated.arguments[at] in set(self._undefined(others)) else at

    def _is_open(self, name: Any, letter: str) -> bool:
        """Say whether a value is a variable of a kind that this statement defines, and nothing did yet."""
        if not isinstance(name, str) or self.definers.get(name) != self.at or name in self.symbols.bound:
            return False
        found = self.symbols.declared.get(name)
        return found is not None and found.is_variable and found.size is None and found.kind == KINDS[letter]

    def _solve_linear(self, stated: text.Stated) -> bool:
        """Take a linear equation for the definition of a variable in it that is not known yet."""
        if stated.name != "int_lin_eq" or len(stated.arguments) != 3:
            return False
        entries = self.symbols.listed(stated.arguments[1])
        mine = [k for k, name in enumerate(entries) if self._is_open(name, "i")]
        weights, side = self._argument(stated, 0, "K"), self._argument(stated, 2, "k")
        if len(mine) != 1 or len(weights) != len(entries) or abs(weights[mine[0]]) != 1:
            return False
        (k,) = mine
        sign = weights[k]
        others = self.symbols.terms([n for j, n in enumerate(entries) if j != k], "int")
        left = [-sign * w for j, w in enumerate(weights) if j != k]
        self._define(entries[k], linear([sign, *left], [Term(self.model, (), (), side), *others]))
        return True

    def _define(self, name: str, term: Any) -> None:
        """Let a variable be a term, within its domain."""
        found = self.symbols.declared[name]
        plain = term if type(term) is Term else term.plain()  # a sum that grows
        low, high, _ = plain.ends()
        if name in self.symbols.bound or name in self.visible or self.model.partial_terms(plain).any():
            if name not in self.symbols.bound and ends_of(found) is None:
                self.symbols.known(name, self.model.intvar(low, high, name=name))
            self._add(self.symbols.variable(name) == plain)
            return
        self.symbols.bind(name, plain)
        ends = ends_of(found)
        if ends is not None and (low < ends[0] or high > ends[1] or isinstance(found.domain, tuple)):
            self._add(within(plain, (0, 1) if found.domain is None else found.domain))

    def _alias(self, found: text.Declared) -> None:
        """Let a variable be what its declaration says."""
        self.at = None
        if found.size is None:
            self._define(found.name, self.symbols.term(found.value, found.kind))

    # ---- arguments ----------------------------------------------------------------------------------

    def _argument(self, stated: text.Stated, k: int, letter: str) -> Any:
        """Return an argument of a constraint as its signature wants it."""
        try:
            return self.symbols.converted(stated.arguments[k], letter)
        except ModelError as error:
            raise ModelError(f"{stated.name}: argument {k + 1}: {error}") from None

    # ---- the end ------------------------------------------------------------------------------------

    def _finished(self) -> ImportedFlatZinc:
        self.at, self.definers, self.ahead = None, {}, set()  # before memory is needed for the names
        assert self.goals is not None
        declared = self.symbols.declared.items()
        names = {n: self.symbols.term(n, f.kind) for n, f in declared if f.is_variable and f.size is None}
        outputs = tuple(self.symbols.output(found) for found in self.outputs.values())
        self.symbols.say_assumed()
        if self.goals.sense != "satisfy":
            term = self.symbols.term(self.goals.term, "int")
            (self.model.minimize if self.goals.sense == "minimize" else self.model.maximize)(term)
        return ImportedFlatZinc(self.model, names, lambda values: [], outputs=outputs, guides=self.guides)
