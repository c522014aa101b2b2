"""Builds the documentation site: `make docs`, or `python -m docs.website --out FOLDER`.

stage.py         collects the pages in one folder: those of docs/, those made from the code, the tutorials
links.py         a link from page to page that is right on disk is made right on the site
reference/       pages from the code: public names, commands, settings, addresses, tables, metrics
tutorials.py     programs in percent format as pages
mathml.py        formulas as MathML
name_links.py    a public name that stands as code leads to its reference
theme.py         colours and fonts of the search site
conf.py          what Sphinx is told
"""
