"""Words that the owner, a table or an uploaded name brings in, on every page that shows them: never a script."""

from pathlib import Path

from playwright.sync_api import Page

from learn2search.site.administration import collection_changes
from learn2search.site.catalogue.imports import import_source, make_collection
from tests.browser.conftest import Open, Running

HOSTILE = (
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 1">',
    "'-window.hacked=1-'",
    "{{ 7 * 7 }}{% print(7 * 7) %}${7 * 7}",
    "</title><svg onload=window.hacked=1>",
    "javascript:window.hacked=1",
)


def test_words_should_never_become_scripts(open_page: Open, running: Running, tmp_path: Path) -> None:
    lines = [f'"{word.replace(chr(34), chr(34) * 2)}","{word.replace(chr(34), chr(34) * 2)}"' for word in HOSTILE]
    (tmp_path / "cards.csv").write_text("\n".join(["title,description", *lines]), encoding="utf-8")
    site = running.site
    options = {"noun": HOSTILE[1][:40], "nouns": HOSTILE[4][:40], "note": HOSTILE[0]}
    made = make_collection(site, "hostile", HOSTILE[0], **options)
    import_source(site, tmp_path / "cards.csv", made)
    try:
        page = open_page("/owner")
        page.fill("input[name=token]", running.token)
        page.press("input[name=token]", "Enter")
        page.get_by_role("heading", name="Your collections").wait_for()
        for path in ("", "/items", "/searches", "/studies", "/imports", "/duplicates"):
            check(page, f"{running.address}/owner/hostile{path}")
        check(page, f"{running.address}/")
        check(page, f"{running.address}/c/hostile")
        page.locator("form[action='/c/hostile'] button").first.click()
        page.wait_for_url("**/s/**")
        is_clean(page)
        page.locator("button[name=found]").first.click()
        page.locator("h1", has_text="There it is").wait_for()
        page.wait_for_load_state()
        is_clean(page)
    finally:
        collection_changes.delete_collection(site, site.collection("hostile"), HOSTILE[0])


def check(page: Page, address: str) -> None:
    answer = page.goto(address)
    assert answer.status < 500, address
    if answer.status == 200:
        is_clean(page)


def is_clean(page: Page) -> None:
    """No script has run, and the words are there as words."""
    assert page.evaluate("window.hacked") is None, page.url
    assert page.locator("img[src=x]").count() == 0, page.url
    assert page.locator("svg[onload]").count() == 0, page.url
    assert page.locator("a[href^='javascript:']").count() == 0, page.url
    assert "4949" not in page.content(), page.url
