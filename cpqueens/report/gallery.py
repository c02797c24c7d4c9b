"""One self-contained page with all problems: picture, model to be copied, published values, command."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from cpqueens.text.plaintext import page


@dataclass(frozen=True)
class Exhibit:
    """One problem on the page.

    Parameters
    ----------
    name, summary
        Of the problem.
    picture
        A solution as SVG, "" if there is none.
    caption
        What the picture shows.
    model
        The statement in Python.
    published
        Lines about published values.
    command
        What to type.
    """

    name: str
    summary: str
    picture: str
    caption: str
    model: str
    published: Sequence[str]
    command: str


def gallery_page(exhibits: Iterable[Exhibit], title: str) -> str:
    """Return the page as HTML; it needs nothing from outside."""
    shown = sorted(exhibits, key=lambda e: e.name != "queens")
    links = "".join(f'<a href="#{escape(e.name)}">{escape(e.name)}</a>' for e in shown)
    articles = "\n".join(_article(exhibit) for exhibit in shown)
    return page("problems.html", title=escape(title), links=links, articles=articles)


def _article(exhibit: Exhibit) -> str:
    picture = exhibit.picture or "<p>no picture</p>"
    published = "".join(f'<p class="faint">{escape(line)}</p>' for line in exhibit.published)
    return (
        f'<article id="{escape(exhibit.name)}"><h2>{escape(exhibit.name)}</h2>'
        f"<p>{escape(exhibit.summary)}</p>"
        f"<figure>{picture}<figcaption>{escape(exhibit.caption)}</figcaption></figure>"
        f"<pre>{escape(exhibit.model)}</pre>{published}"
        f"<pre>{escape(exhibit.command)}</pre></article>"
    )


def statement_of(function: Callable[..., Any]) -> str:
    """Return what a problem's function says, without its signature, its text and what only draws.

    Of several viewpoints it is the one that is the default.
    """
    plain = inspect.unwrap(function)
    source = textwrap.dedent(inspect.getsource(plain))
    default = inspect.signature(plain).parameters.get("viewpoint")
    if default is not None:
        source = _from(source, str(default.default))
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    lines = source.splitlines()
    parts = [
        "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in definition.body
        if not isinstance(node, ast.Return) and not _is_beside(node)
    ]
    return textwrap.dedent("\n".join(parts))


def runnable(function: Callable[..., Any]) -> str:
    """Return `statement_of` a problem behind the imports and the default parameters that it needs."""
    plain, statement = inspect.unwrap(function), statement_of(function)
    used = {node.id for node in ast.walk(ast.parse(statement)) if isinstance(node, ast.Name)}
    parameters = inspect.signature(plain).parameters
    given = [
        f"{name} = {p.default!r}" for name, p in parameters.items() if name in used and name != "viewpoint"
    ]
    module = ast.parse(inspect.getsource(inspect.getmodule(plain) or plain))
    imports = [line for node in module.body for line in _import(node, used)]
    own = [name for node in module.body for name in _defined(node) if name in used - set(parameters)]
    imports += [f"from {plain.__module__} import {', '.join(own)}"] if own else []
    return "\n".join([*imports, "", *given, statement])


def _import(node: ast.stmt, used: set[str]) -> list[str]:
    """Return an import of what is used alone, as a line; none of what is not."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return []
    names = [alias for alias in node.names if (alias.asname or alias.name) in used]
    if not names:
        return []
    if isinstance(node, ast.ImportFrom):
        return [ast.unparse(ast.ImportFrom(node.module, names, node.level))]
    return [ast.unparse(ast.Import(names))]


def _defined(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def _from(source: str, viewpoint: str) -> str:
    """Return a function's text with the branches alone that this viewpoint takes; they are not nested."""
    lines = source.splitlines()
    asking = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.If)]
    for node in sorted(asking, key=lambda node: -node.lineno):
        found = _ASKS.search(ast.unparse(node.test))
        if found is None:
            continue
        taken = node.body if found["chosen"] == viewpoint else node.orelse
        here = lines[taken[0].lineno - 1 : taken[-1].end_lineno] if taken else []
        if taken is node.body and isinstance(node.test, ast.BoolOp):
            rest = _ASKS.sub("", ast.unparse(node.test)).strip().removesuffix("and").strip()
            here = [f"{' ' * node.col_offset}if {rest}:", *here]
        elif here:
            here = textwrap.indent(textwrap.dedent("\n".join(here)), " " * node.col_offset).splitlines()
        lines[node.lineno - 1 : node.end_lineno] = here
    return "\n".join(lines)


_ASKS = re.compile(r"viewpoint == '(?P<chosen>\w+)'")


def _is_beside(node: ast.stmt) -> bool:
    """Return whether a statement is the docstring, refuses parameters, or says how solutions are drawn."""
    if isinstance(node, ast.If | ast.For) and isinstance(node.body[-1], ast.Raise | ast.Return):
        return True
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or "m.view" in ast.unparse(node) or ast.unparse(node).startswith("_refuse")
