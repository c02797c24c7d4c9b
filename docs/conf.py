"""How the site is built: MyST pages whose code runs while they are built, warnings as errors, no network."""

import logging
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from sphinx.search.en import SearchEnglish

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
os.environ["COLUMNS"] = "96"

import generating  # noqa: E402  (beside this file)
from generating import downloads, kernel, looked_at, names, places, returned  # noqa: E402

project = "cpqueens"
author = "the cpqueens authors"
copyright = author
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinxcontrib.programoutput",
]
html_theme = "furo"
html_title = "cpqueens"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_favicon = "_static/favicon.svg"
html_search_scorer = str(HERE / "_static" / "scorer.js")
myst_html_meta = {
    "description": "Constraint programming in Python: model once, solve by CP-SAT and others, check answers"
}
html_use_index = False  # the reference has one, and search finds the rest
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # a page that is opened as a file may not read others
html_extra_path = ["generated/extra"]
exclude_patterns = [
    "files",
    "generating",
    "_build",
    "generated/extra",
    "generated/parts",
    "generated/jupyter",
    "teaching/notebooks",
]
suppress_warnings = ["mystnb.unknown_mime_type"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_output_stderr = "error"  # a warning on a page is one of a program that the page teaches
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # on a busy machine, too
NotebookClient.startup_timeout.default_value = 600  # where a kernel takes a minute to start
linkcheck_timeout = 15
nb_ipywidgets_js = {}
nb_merge_streams = True
nb_number_source_lines = False
programoutput_prompt_template = "$ {command}\n{output}"
logging.getLogger("traitlets").setLevel(logging.WARNING)  # each execution of a notebook is a line otherwise

autodoc_typehints = "none"
napoleon_use_rtype = False
napoleon_attr_annotations = False  # what a constraint keeps is not what it is given
napoleon_use_ivar = True  # attributes that are members stand on the page once


generating.write_all(HERE / "generated")  # before Sphinx looks which pages there are
forks = kernel.Forks(HERE / "generated" / "jupyter")


def setup(app: Any) -> None:
    """Have Sphinx look at what it built, hide where that was, and say of Chinese pages that they are."""
    if app.config.nb_execution_mode != "off":
        forks.connect(app)
    looked_at.connect(app)
    app.add_search_language(_Search)
    places.connect(app)
    app.connect("autodoc-process-docstring", _names_linked, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", _attributes_together, priority=900)  # what napoleon made of it
    app.connect("doctree-read", _attributes_apart)
    app.connect("html-page-context", _in_its_language)
    app.connect("html-page-context", _entries_linked)


class _Search(SearchEnglish):
    """English, in which "if", "then" and "not" are words that people look for."""

    stopwords = frozenset(SearchEnglish.stopwords) - {"if", "then", "not"}


def _in_its_language(app: Any, page: str, template: str, context: dict[str, Any], document: object) -> None:
    if page.startswith("zh/"):
        context["language"] = "zh-CN"


OUTSIDE_LINKS = re.compile(r"(<a\b.*?</a>|<h1>.*?</h1>|<dt\b.*?</dt>)", re.S)
CODE = re.compile(r'<span class="(n|nc|nf|pre)">([A-Za-z_]\w*)(?=[<(.])')


def _entries_linked(app: Any, page: str, template: str, context: dict[str, Any], document: object) -> None:
    """Let names of constraints, classes and functions lead to their entries, in code and within lines."""
    if "body" not in context:
        return
    up = "../" * page.count("/")
    files = _files()

    def link(found: re.Match[str]) -> str:
        name = found[2]
        if name not in files or page == f"generated/reference/{files[name]}":
            return found[0]
        address = f"{up}generated/reference/{files[name]}.html"
        return f'<span class="{found[1]}"><a class="entry" href="{address}">{name}</a>'

    parts = OUTSIDE_LINKS.split(context["body"])
    parts[::2] = [CODE.sub(link, part) for part in parts[::2]]
    body = "".join(parts)
    if page in downloads.sources():
        files = (f'<a href="{up}downloads/{page}.{kind}" download>{what}</a>' for kind, what in KINDS)
        body = body.replace("</h1>", f'</h1>\n<p class="downloads">This page as {" or ".join(files)}</p>', 1)
    context["body"] = body


KINDS = (("ipynb", "a notebook"), ("py", "a script"))


@cache
def _files() -> dict[str, str]:
    """Return the page of the reference for each public name."""
    import cpqueens

    return {name: names.place(name) for name in cpqueens.__all__}


def _names_linked(app: Any, what: str, name: str, thing: object, options: Any, lines: list[str]) -> None:
    """Let names of classes that have an entry lead there."""
    lines[:] = [NAMED.sub(_link, line) for line in lines]


NAMED = re.compile(r"(?<![`:\w])`([A-Z]\w*)`(?![`_])")


def _link(found: re.Match[str]) -> str:
    place = returned.entries().get(found[1])
    return f":py:obj:`{found[1]} <{place}>`" if place else found[0]


def _attributes_apart(app: Any, document: Any) -> None:
    """Write a space between names that are described together."""
    from docutils import nodes
    from sphinx import addnodes

    for name in document.findall(addnodes.literal_strong):
        if name.astext() == ",":
            name[:] = [nodes.Text(", ")]


def _attributes_together(
    app: Any, what: str, name: str, thing: object, options: Any, lines: list[str]
) -> None:
    """Keep names that are described together, and what precedes a colon, from being read as a type."""
    said = next((line for line in lines if line.startswith(":type: ")), None)
    if said is not None and what in ("attribute", "property"):
        lines.remove(said)
        lines[0] = f"{said.removeprefix(':type: ')}: {lines[0]}"
    for k, line in enumerate(lines):
        field, colon, text = line.removeprefix(":ivar ").partition(":")
        if line.startswith(":ivar ") and ", " in field:
            lines[k] = f":ivar {field.replace(', ', ',')}{colon}{text}"
