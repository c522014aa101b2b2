"""Pages of the repository as pages of the site: links, programs in percent format, and the lists of the first page."""

from pathlib import Path

import pytest

from docs.website import tutorials
from docs.website.links import for_site, place_on_site
from docs.website.stage import with_all_pages

LISTS = "# First\n\n```{toctree}\n:caption: In depth\n:glob:\n\nsite\ntutorials/*\n```\n"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("docs/searching.md", "searching.md"),
        ("docs/research/README.md", "research/index.md"),
        ("README.md", "index.md"),
        ("CONTRIBUTING.md", "contributing.md"),
        ("docs/tutorials/01_wine.py", "tutorials/01_wine.md"),
        ("research/results/maps.json", "files/research/results/maps.json"),
    ],
)
def test_each_file_has_one_place_on_the_site(path: str, place: str) -> None:
    assert place_on_site(path) == place


def test_links_lead_to_the_same_file_on_the_site() -> None:
    copied: list[str] = []
    text = "[a](../CONTRIBUTING.md#tests) [b](data.md) [c](../research/results/maps.json) [d](https://example.org)"
    changed = for_site(text, "docs/searching.md", copied.append)
    assert (
        changed
        == "[a](contributing.md#tests) [b](data.md) [c](files/research/results/maps.json) [d](https://example.org)"
    )
    assert copied == ["research/results/maps.json"]


def test_links_to_folders_become_words_and_code_stays() -> None:
    text = "[`results`](../research/results)\n\n```md\n[x](../README.md)\n```\n"
    assert for_site(text, "docs/data.md", print) == "`results`\n\n```md\n[x](../README.md)\n```\n"


def test_cells_become_text_and_code(tmp_path: Path) -> None:
    program = tmp_path / "09_try.py"
    program.write_text("# %% [markdown]\n# # Try\n# One *line*.\n\n# %%\nx = 1\n")
    page = tutorials.as_page(program)
    assert page.startswith("# Try\nOne *line*.\n\n```python\nx = 1\n```\n")


def test_a_page_that_no_list_names_is_listed() -> None:
    fitted = with_all_pages(LISTS, ["site", "scale", "guides/noise"])
    assert fitted.endswith("\nsite\nscale\n```\n")


def test_a_pattern_stays_where_pages_match_it() -> None:
    assert "tutorials/*" in with_all_pages(LISTS, ["site", "tutorials/01_wine"])
