"""The owner's page of webhooks."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from learn2search.site.notifications import subscriptions
from learn2search.site.notifications.events import CHOSEN
from learn2search.web.owner_frame import Ours, OurSite
from learn2search.web.rendering import render
from learn2search.web.security import must_be_owner

router = APIRouter(prefix="/owner/{slug}/webhooks", dependencies=[Depends(must_be_owner)], include_in_schema=False)


@router.get("")
def look(request: Request, site: OurSite, collection: Ours) -> Response:
    """The webhooks of the collection and their last deliveries."""
    return render(
        request,
        "owner/webhooks.html",
        collection=collection,
        webhooks=subscriptions.webhooks_with_deliveries(site, collection),
        kinds=CHOSEN,
        now=site.now(),
    )


@router.post("")
def add(
    site: OurSite,
    collection: Ours,
    url: Annotated[str, Form()],
    kinds: Annotated[list[str], Form(default_factory=list)],
) -> Response:
    """Add a webhook."""
    subscriptions.add_webhook(site, collection, url, kinds)
    return _back(collection)


@router.post("/{webhook_id}/test")
def test_delivery(site: OurSite, collection: Ours, webhook_id: str) -> Response:
    """The result is the first of the deliveries on the page."""
    subscriptions.send_test(site, collection, webhook_id)
    return _back(collection)


@router.post("/{webhook_id}/remove")
def remove(site: OurSite, collection: Ours, webhook_id: str) -> Response:
    """Remove a webhook."""
    subscriptions.remove_webhook(site, collection, webhook_id)
    return _back(collection)


def _back(collection: Ours) -> Response:
    return RedirectResponse(f"/owner/{collection.slug}/webhooks", 303)
