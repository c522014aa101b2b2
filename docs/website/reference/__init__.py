"""The reference: pages that are made from the code when the site is built."""

from docs.website.reference import addresses, commands, database, names
from docs.website.reference.markdown import Page


def pages() -> list[Page]:
    """All pages of the reference, their list first."""
    made = [*names.pages(), commands.page(), *addresses.pages(), database.page(), names.inside()]
    listed = "\n".join(page.place.removeprefix("reference/").removesuffix(".md") for page in made)
    opening = "Made from the code of this version: what is written here is what the program does."
    toctree = f"```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```"
    return [Page("reference/index.md", "Reference", f"{opening}\n\n{toctree}"), *made]
