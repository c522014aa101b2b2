"""Code that is a public name leads to its reference: `PosteriorSearch`, `l2s.simulate`, `Embedding.load(path)`.

So pages need no links of their own for names, and read the same where they are not built.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

_BACK = re.compile(r'<a class="viewcode-back"[^>]*>.*?</a>')
_BARS = re.compile(r"\|(\w[^|\s`]*)\|")


class NameLinks(SphinxPostTransform):
    """Makes links of the names."""

    default_priority = 5
    formats = ("html",)

    def run(self, **options: Any) -> None:
        objects = self.env.get_domain("py").data["objects"]
        for literal in list(self.document.findall(nodes.literal)):
            if _may_lead(literal):
                name = full_name(literal.astext(), objects)
                if name and objects[name].docname != self.env.docname:
                    self._link(literal, objects[name])

    def _link(self, literal: nodes.literal, entry: Any) -> None:
        builder = self.app.builder
        literal.replace_self(make_refnode(builder, self.env.docname, entry.docname, entry.node_id, literal.deepcopy()))


def full_name(text: str, objects: Any) -> str | None:
    """The documented name that a piece of code is, without its arguments."""
    name = re.sub(r"\(.*\)$", "", text.strip()).removeprefix("l2s.").removeprefix("learn2search.")
    found = [text.strip(), f"learn2search.{name}", f"learn2search.client.{name}"]
    return next((one for one in found if one in objects), None) if re.fullmatch(r"[\w.]+", name) else None


def _may_lead(literal: nodes.literal) -> bool:
    parent = literal.parent
    while parent is not None:
        if isinstance(parent, nodes.reference | nodes.title):
            return False
        parent = parent.parent
    return True


def _keep_bars(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """|m| is the size of m; to reStructuredText it would be a substitution."""
    lines[:] = [line if line.lstrip().startswith((">>>", "...")) else _BARS.sub(r"\\|\1\\|", line) for line in lines]


def _no_way_back(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """In pages of source, links back to the reference: they miss names that are public by another path."""
    if page.startswith("_modules/"):
        context["body"] = _BACK.sub("", context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(NameLinks)
    app.connect("autodoc-process-docstring", _keep_bars)
    app.connect("html-page-context", _no_way_back)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
