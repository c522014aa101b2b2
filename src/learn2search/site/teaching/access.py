"""Who may teach a collection: nobody, the owner alone, or also everybody who has a secret link."""

import hmac
import secrets

from learn2search.site.administration import owners
from learn2search.site.catalogue.options import checked, options_of
from learn2search.site.context import Site
from learn2search.site.errors import NotFound
from learn2search.store import collections
from learn2search.store.collections import Collection


def change_access(site: Site, collection: Collection, access: str, shown: int) -> None:
    """Say who may teach, and how many items a screen shows. A link that is opened is a new one; a closed one is gone.

    Raises
    ------
    Invalid
        If there is no such choice.
    """
    old = options_of(collection)
    known = old.teaching_secret if old.teaching == "link" else ""
    secret = (known or secrets.token_urlsafe(16)) if access == "link" else ""
    values = old.model_dump() | {"teaching": access, "teaching_secret": secret, "teaching_shown": shown}
    owners.change_collection(site, collection, collection.title, checked(values))


def collection_of_link(site: Site, secret: str) -> Collection:
    """The collection that the link teaches.

    Raises
    ------
    NotFound
        If no collection has this link, or has it no more.
    """
    with site.database.read() as db:
        known = collections.all_collections(db)
    for one in known:
        options = options_of(one)
        is_open = options.teaching == "link" and options.teaching_secret
        if is_open and hmac.compare_digest(options.teaching_secret.encode(), secret.encode()):
            return one
    raise NotFound("Nothing can be taught at this address: ask the one who sent it for a new link.")


def check_owner_teaches(collection: Collection) -> None:
    """Raise `NotFound` where teaching is turned off."""
    if options_of(collection).teaching == "off":
        raise NotFound("Teaching “%(collection)s” is turned off.", collection=collection.title)
