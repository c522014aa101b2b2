"""What Sphinx is told. `python -m docs.website` runs it over the pages that stage.py collects."""

from docs.website.theme import STATIC, variables
from learn2search import __version__

project = "Learn2Search"
author = "Learn2Search contributors"
copyright = "Learn2Search contributors, MIT licence"
release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "docs.website.mathml",
    "docs.website.name_links",
]
root_doc = "index"
exclude_patterns = ["files/**"]

myst_enable_extensions = ["dollarmath", "attrs_inline", "deflist"]
myst_heading_anchors = 6

suppress_warnings = [
    "ref.python",  # an attribute has the name of that of another class: `n_items`
]
default_role = "literal"  # what stands as code; a public name becomes a link: name_links.py
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_param = False  # else each word of a type is looked up as a name
napoleon_use_rtype = False
napoleon_preprocess_types = False
toc_object_entries_show_parents = "hide"
html_math_renderer = "mathml"

_light, _dark = variables()
html_theme = "furo"
html_title = "Learn2Search"
html_logo = str(STATIC / "mark.svg")
html_favicon = str(STATIC / "mark.svg")
html_static_path = ["static", str(STATIC / "font")]
html_css_files = ["docs.css"]
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"light_css_variables": _light, "dark_css_variables": _dark, "sidebar_hide_name": False}
