"""The colours and the font of the search site, for the documentation: one file of tokens says them for both."""

import re

from docs.website.links import ROOT

STATIC = ROOT / "src" / "learn2search" / "web" / "static"

_FURO = {
    "color-brand-primary": "plum",
    "color-brand-content": "plum",
    "color-brand-visited": "plum",
    "color-background-primary": "paper",
    "color-background-secondary": "sunken",
    "color-background-hover": "surface",
    "color-background-border": "line",
    "color-foreground-primary": "ink",
    "color-foreground-secondary": "ink-soft",
    "color-foreground-muted": "ink-soft",
    "color-foreground-border": "control",
    "color-sidebar-background": "sunken",
    "color-sidebar-search-background": "surface",
    "color-card-background": "surface",
    "color-inline-code-background": "sunken",
    "color-code-background": "sunken",
    "color-highlight-on-target": "gold-soft",
    "color-table-header-background": "sunken",
    "color-api-background": "sunken",
    "color-api-name": "plum",
    "color-api-pre-name": "ink-soft",
}
_OWN = (
    "plum",
    "plum-soft",
    "plum-mid",
    "gold",
    "gold-ink",
    "gold-soft",
    "gold-line",
    "teal",
    "surface",
    "sunken",
    "line",
)


def variables() -> tuple[dict[str, str], dict[str, str]]:
    """The variables of Furo in light and in dark."""
    light, _, dark = (STATIC / "tokens.css").read_text().partition("prefers-color-scheme: dark")
    first, second = _tokens(light), _tokens(dark)
    return _named(first) | _fonts(first), _named({**first, **second})


def _tokens(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+):\s*([^;]+);", css))


def _named(tokens: dict[str, str]) -> dict[str, str]:
    furo = {name: tokens[token] for name, token in _FURO.items()}
    return furo | {token: tokens[token] for token in _OWN}


def _fonts(tokens: dict[str, str]) -> dict[str, str]:
    return {"font-stack": tokens["font"], "font-stack--headings": tokens["font"]}
