"""What a cross-check returns: its findings, which show themselves as text, HTML and JSON."""

from typing import Any

from cpqueens.crosscheck.findings import Findings
from cpqueens.crosscheck.htmlreport import render_html
from cpqueens.crosscheck.jsonreport import to_dict
from cpqueens.crosscheck.table import render_text


class Report(Findings):
    """The result of a cross-check: frozen, complete, and no more certain than its evidence.

    >>> from cpqueens import cross_check
    >>> from cpqueens.models.queens import queens
    >>> report = cross_check(queens(6), ["backtracking", "python-constraint"])
    >>> report.agree, report.exit_code, report.verdict.count, report["backtracking"].count
    (True, 0, 4, 4)

    Attributes
    ----------
    model, scope, fingerprint
        What was asked about: its name, what is compared, and a digest of the model.
    versions
        Of this package and the libraries.
    want
        ``all``, ``one``, ``best`` or ``count``.
    seeds
        Those of the heuristics.
    published
        What the literature says (`PublishedValues`), or None.
    solvers, heuristics
        What each said (`SolverReport`, `HeuristicReport`).
    disagreements, not_compared
        What does not fit together (`Disagreement`), and what was not compared (`NotCompared`).
    verdict
        The sentence at the end (`Verdict`).
    seconds
        What it took.
    interrupted
        Whether a signal ended it.
    schema
        The version of `to_dict`.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with ``schema`` as the version."""
        return to_dict(self)

    def __str__(self) -> str:
        return render_text(self)

    def _repr_html_(self) -> str:
        return render_html(self, whole_page=False)
