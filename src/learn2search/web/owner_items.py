"""The owner's pages about items: the list with its filters, editing, many at once, and pictures that are much alike."""

from typing import Annotated

from fastapi import Depends, Form, Request
from fastapi.responses import Response

from learn2search.site.administration import item_changes, owners
from learn2search.site.administration.item_list import SHOWN, SORTS, ItemFilter, groups_of, list_items, matching_numbers
from learn2search.site.catalogue.duplicates import find_duplicates
from learn2search.site.errors import Invalid
from learn2search.web.owner_frame import Ours, OurSite, back, owner_router
from learn2search.web.rendering import render

router = owner_router()
PAGE = 60


def filter_of(words: str = "", group: str = "", shown: str = "all", sort: str = "number") -> ItemFilter:
    """What the address of the page, or the query string that a form sends back, says. Unknown values are the usual."""
    return ItemFilter(
        words.strip()[:200],
        group[:100],
        shown if shown in SHOWN else "all",
        sort if sort in SORTS else "number",
    )


Wanted = Annotated[ItemFilter, Depends(filter_of)]


@router.get("/{slug}/items")
def items(request: Request, site: OurSite, collection: Ours, wanted: Wanted, start: int = 0) -> Response:
    """The items, with filters."""
    start = max(0, start)
    total, found = list_items(site, collection, wanted, start, PAGE)
    return render(
        request,
        "owner/items.html",
        collection=collection,
        found=found,
        total=total,
        wanted=wanted,
        query=wanted.query(start),
        groups=groups_of(site, collection),
        sorts=SORTS,
        start=start,
        page=PAGE,
    )


@router.get("/{slug}/duplicates")
def duplicates(request: Request, site: OurSite, collection: Ours) -> Response:
    """Items that look nearly the same."""
    found = find_duplicates(site, collection)
    return render(request, "owner/duplicates.html", collection=collection, found=found)


@router.post("/{slug}/items/many")
def change_many(
    site: OurSite,
    collection: Ours,
    action: Annotated[str, Form()],
    number: Annotated[list[int], Form(default_factory=list)],
    everything: Annotated[str, Form()] = "",
    sure: Annotated[str, Form()] = "",
    query: Annotated[str, Form()] = "",
    page: Annotated[str, Form()] = "items",
) -> Response:
    """Retire, restore or delete the items that were ticked, or all that the filter shows."""
    numbers = matching_numbers(site, collection, ItemFilter.from_query(query)) if everything else number
    there = "/duplicates" if page == "duplicates" else "/items"
    if not numbers:
        return back(collection.slug, there, "nothing", query=query)
    if action == "delete":
        if not sure:
            raise Invalid("Deleting is for good: tick “yes, for good” as well. Nothing was changed.")
        done, did = item_changes.delete_items(site, collection, numbers), "deleted"
    elif action == "restore":
        done, did = item_changes.restore_items(site, collection, numbers), "restored"
    elif action == "retire":
        done, did = item_changes.retire_items(site, collection, numbers), "retired"
    else:
        raise Invalid(f"Items can be retired, restored or deleted, not “{action}”.")
    return back(collection.slug, there, did, done, query)


@router.post("/{slug}/items/{number}")
def change_item(
    site: OurSite,
    collection: Ours,
    number: int,
    title: Annotated[str, Form()],
    description: Annotated[str, Form()] = "",
    group: Annotated[str | None, Form()] = None,
    active: Annotated[str, Form()] = "",
    query: Annotated[str, Form()] = "",
) -> Response:
    """Change the words of one item; retire or restore it."""
    words = {"title": title.strip()[:300], "description": description.replace("\r\n", "\n")[:4000]}
    if group is not None:
        words["family"] = group.strip()[:100]
    owners.change_item(site, collection, number, **words, active=bool(active))
    return back(collection.slug, "/items", "saved", query=query)
