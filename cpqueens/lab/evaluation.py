"""What an evaluation returns: all about its runs, which shows itself as text, JSON, CSV and a page."""

import os
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from cpqueens.crosscheck.report import as_builtin, plain
from cpqueens.errors import ModelError
from cpqueens.lab import evaluation_text as said
from cpqueens.lab.evaluated import Evaluated
from cpqueens.lab.evaluation_text import text
from cpqueens.report import html
from cpqueens.report.outputfile import write_whole
from cpqueens.system.requirements import need
from cpqueens.text.parameters import as_path
from cpqueens.text.plaintext import shown


def page(e: Evaluated) -> str:
    """Return the page.

    Raises
    ------
    MissingLibrary
        If matplotlib is not installed.
    """
    need("matplotlib", "matplotlib")
    title = f"Evaluation of {', '.join(e.heuristics)} on {', '.join(head.title for head in e.problems)}"
    return html.page(title, f"<h1>{escape(title)}</h1>\n{''.join(_sections(e))}")


def _sections(e: Evaluated) -> Iterator[str]:
    """Yield header, claims, proofs, figures, pictures and what is missing."""
    from cpqueens.lab.evaluation_plots import pictures

    yield html.paragraphs(said.header(e), "soft")
    yield "<h2>Is it right?</h2>" + html.paragraphs(said.validity(e), "bad" if e.wrong else "")
    yield html.paragraphs(said.verdicts(e), "bad" if any(c.outside for c in e.coverages) else "")
    for caption, (head, *rows) in said.tables(e):
        yield f"<h2>{escape(caption)}</h2>{html.data_table(head, rows)}"
    yield '<h2>Pictures</h2><div class="pictures">'
    for picture in pictures(e):
        yield html.figure(picture.svg, picture.caption)
    yield "</div>"
    missing = said.missing(e)
    if missing:
        yield "<h2>What is missing</h2>" + html.paragraphs(missing, "")


SCHEMA, VERSION = "cpqueens.evaluate", 2


class Evaluation(Evaluated):
    """The result of an evaluation; it can be printed and displayed.

    >>> from cpqueens import evaluate
    >>> found = evaluate("local-search:sideways", "queens", sizes=[6], runs=20)
    >>> found.exit_code(), found.performances[0].asked, len(found.runs)
    (0, 20, 20)

    Attributes
    ----------
    heuristics, problems, budget
        The solvers, the problem (`ProblemHead`), and with which limits (`RunLimits`).
    seeds
        First and last.
    machines, versions
        Where, and with which libraries.
    performances
        For each heuristic and problem, in their order (`Performance`).
    references
        What exact solvers proved of each problem (`Reference`).
    coverages, occupancies
        Which solutions are found, and where they put values, of problems without an objective (`Coverage`,
        `Occupancy`).
    anytimes, targets
        How objectives improve over time, and how long it takes to reach some of them (`Anytime`,
        `ReachedTarget`).
    comparisons
        Tests of one against another (`Comparison`).
    runs
        The table of all runs (`RunTable`).
    units
        In what runs are measured.
    seconds, interrupted
        What it took, and whether a signal ended it.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; what is infinite or unknown is None."""
        return dict(msgspec.json.decode(self.to_json()))

    def to_json(self) -> str:
        """Return that as text."""
        named = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "runs"}
        references = [
            {**vars(r), "solutions": None if r.solutions is None else len(r.solutions)}
            for r in self.references
        ]
        for target in (reached := plain(named["targets"])):
            del target["lengths"]  # which the runs have
        data = {**named, "references": references, "targets": reached, "runs": self.runs.to_dict()}
        told = {"schema": SCHEMA, "version": VERSION, "exit_code": self.exit_code(), **data}
        return msgspec.json.encode(told, enc_hook=as_builtin).decode()

    def to_html(self) -> str:
        """Return one self-contained page.

        Raises
        ------
        MissingLibrary
            If matplotlib is not installed.
        """
        return page(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a report: ``.html`` for a page, ``.json`` for all figures and runs, ``.csv`` for the runs.

        Raises
        ------
        ModelError
            For another suffix, or a file that cannot be written.
        MissingLibrary
            If matplotlib, which draws the page's pictures, is not installed.
        """
        place = Path(as_path(path))
        write_whole(place, form_of(place)(self))

    def __str__(self) -> str:
        return text(self)


FORMS = {".csv": lambda e: e.runs.to_csv(), ".html": Evaluation.to_html, ".json": Evaluation.to_json}


def form_of(path: Path) -> Any:
    """Return what makes the text of a file with this suffix.

    Raises
    ------
    ModelError
        If nothing does.
    """
    if path.suffix.lower() not in FORMS:
        raise ModelError(f"{shown(str(path), 60)}: a report is a file with suffix {', '.join(sorted(FORMS))}")
    return FORMS[path.suffix.lower()]
