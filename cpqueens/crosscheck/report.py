"""What a cross-check returns: its findings, which show themselves as text, HTML and JSON."""

from typing import Any

from cpqueens.crosscheck.findings import Findings
from cpqueens.crosscheck.htmlreport import render_html
from cpqueens.crosscheck.jsonreport import to_dict
from cpqueens.crosscheck.table import render_text


class Report(Findings):
    """The result of a cross-check: frozen, complete, and no more certain than its evidence."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with ``schema`` as the version."""
        return to_dict(self)

    def __str__(self) -> str:
        return render_text(self)

    def _repr_html_(self) -> str:
        return render_html(self, whole_page=False)
