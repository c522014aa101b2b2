"""The JSON API, version 1: the same searches as on the pages, for programs."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from learn2search.site.administration import owners
from learn2search.site.catalogue.item_media import media_of
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Forbidden, Unauthorised
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.show_counts import ShowCount
from learn2search.site.visits import figures, searching
from learn2search.site.visits.search_state import SearchState
from learn2search.store import lessons, models
from learn2search.store.enums import AnswerKind, ModelOrigin, SearchOrigin, SearchStatus
from learn2search.store.items import Item
from learn2search.web.api_errors import ERRORS
from learn2search.web.health import ANSWERS, SEARCHES
from learn2search.web.media_files import media_url
from learn2search.web.rendering import site_of
from learn2search.web.security import is_owner, limited, must_be_owner, new_secret

router = APIRouter(prefix="/api/v1", tags=["API"])
OurSite = Annotated[Site, Depends(site_of)]
Slug = Annotated[str, InPath(max_length=64)]
SearchId = Annotated[str, InPath(max_length=64)]
Given = Literal[AnswerKind.CHOICE, AnswerKind.NONE, AnswerKind.FOUND, AnswerKind.UNDO, AnswerKind.NOT_HERE]
LONGEST_SECRET = 64  # characters
ItemNumber = Annotated[int, Field(ge=0, le=2**31 - 1)]


class CollectionOut(BaseModel):
    """A collection and how long searches in it take."""

    slug: str
    title: str
    items: int
    median_questions: int | None
    first_median_questions: int | None


class ItemOut(BaseModel):
    """An item; `media` holds the addresses of what it shows."""

    item: int
    key: str
    title: str
    description: str
    group: str
    active: bool
    media: dict[str, str]
    link: str = Field(description='Where the item leads to, an http(s) address or "".')


class Question(BaseModel):
    """The items shown. An answer names the step."""

    step: int
    shown: list[ItemOut]
    still_fit: float | None = Field(
        description="How many items still fit: 2 to the power of the belief's entropy. null before the first fit."
    )


class SearchOut(BaseModel):
    """A search as it is now."""

    id: str
    secret: str | None = Field(
        default=None, description="Given once, when the search begins: what answers it sends this as `Search-Secret`."
    )
    collection: str
    status: SearchStatus
    number: int = Field(description="The number of the current question, or of the last one.")
    question: Question | None
    target: ItemOut | None
    to_find: ItemOut | None = Field(
        description="What the site asked the visitor to find, once the search has ended; null where it did not."
    )


class StartIn(BaseModel):
    """How to search. `simulated` needs the owner's token."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{}, {"show": 2}]})

    show: ShowCount | None = None
    simulated: bool = False
    near: list[ItemNumber] = Field(default=[], description="Items that it is like: there the search begins.")


class AnswerIn(BaseModel):
    """An answer to a step. The same answer twice is one answer."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"step": 1, "kind": "none"}, {"step": 1, "kind": "found", "item": 0}]},
    )

    step: int = Field(ge=1, le=2**31 - 1)
    kind: Given
    item: ItemNumber | None = None


class ModelOut(BaseModel):
    """A model of a collection."""

    version: int
    origin: ModelOrigin
    published: bool
    in_use: bool
    triplets: int
    metrics: dict[str, Any]
    created_at: float


class TripletsOut(BaseModel):
    """Comparisons: the anchor is nearer to near than to far."""

    columns: list[str]
    rows: list[list[int]]


def only_with_secret(  # nosec B107 # without one
    request: Request,
    site: OurSite,
    search_id: SearchId,
    search_secret: Annotated[str, Header(max_length=LONGEST_SECRET, description="The secret of the search.")] = "",
) -> None:
    """A dependency: a search is of the program that began it, and of the owner."""
    if not searching.is_of(site, search_id, site.visitor_hash(search_secret)) and not is_owner(request):
        raise Forbidden(
            "This search needs its secret: send what beginning it returned as `secret`, in the header Search-Secret."
        )


_SECRET = Depends(only_with_secret)


@router.get("/collections", responses=ERRORS)
def list_collections(site: OurSite) -> list[CollectionOut]:
    """The collections."""
    return [
        CollectionOut(
            slug=one.collection.slug,
            title=one.collection.title,
            items=one.size,
            median_questions=one.median,
            first_median_questions=one.first_median,
        )
        for one in figures.summaries(site)
    ]


@router.get("/collections/{slug}/items", responses=ERRORS)
def list_items(
    site: OurSite,
    slug: Slug,
    words: Annotated[str, Query(max_length=200)] = "",
    start: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    count: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[ItemOut]:
    """Items that can be looked for, by number; with `words`, those whose title, key or group contains them."""
    collection = site.collection(slug)
    found = owners.find_items(site, collection, words.replace("\0", ""), start, count, active_only=True)
    return [_item(slug, one) for one in found]


@router.post(
    "/collections/{slug}/searches", status_code=201, responses=ERRORS, dependencies=[Depends(limited("searches"))]
)
def start_search(request: Request, site: OurSite, slug: Slug, how: StartIn | None = None) -> SearchOut:
    """Begin a search. Its `secret` is given only here, and needed to answer."""
    how = how or StartIn()
    if how.simulated and not is_owner(request):
        raise Unauthorised("Simulated visitors need the owner's token, because the site learns from them.")
    origin = SearchOrigin.SIMULATED if how.simulated else SearchOrigin.API
    secret = new_secret()
    visitor = site.visitor_hash(secret)
    begun = searching.start(site, slug, visitor=visitor, show=how.show, origin=origin, near=how.near)
    SEARCHES.inc()
    return _search(begun).model_copy(update={"secret": secret})


@router.get("/searches/{search_id}", responses=ERRORS, dependencies=[_SECRET])
def get_search(site: OurSite, search_id: SearchId) -> SearchOut:
    """A search as it is now."""
    return _search(searching.state(site, search_id))


@router.post("/searches/{search_id}/answers", responses=ERRORS, dependencies=[Depends(limited("answers")), _SECRET])
def answer_search(site: OurSite, search_id: SearchId, given: AnswerIn) -> SearchOut:
    """Answer a question. If its step is not open the status is 409, unless this answer was given before."""
    now = searching.answer(site, search_id, given.step, given.kind, given.item)
    if now.stale:
        raise Conflict(f"Step {given.step} is not open: get the search and answer its question.")
    ANSWERS.labels(now.row.strategy).inc()
    return _search(now)


@router.post("/searches/{search_id}/not-it", responses=ERRORS, dependencies=[Depends(limited("answers")), _SECRET])
def correct_search(site: OurSite, search_id: SearchId) -> SearchOut:
    """Undo the end of a search: its last question is open again."""
    return _search(searching.correct(site, search_id))


@router.get("/searches/{search_id}/top", responses=ERRORS, dependencies=[_SECRET])
def most_probable(site: OurSite, search_id: SearchId, count: Annotated[int, Query(ge=1, le=100)] = 10) -> list[ItemOut]:
    """The items that fit the answers best, likeliest first; none while no item is clearly likelier than chance."""
    now, gallery = searching.gallery(site, search_id, count)
    return [_item(now.collection.slug, one) for one in gallery.items] if gallery.likeliest else []


@router.get("/collections/{slug}/models", responses=ERRORS, dependencies=[Depends(must_be_owner)])
def list_models(site: OurSite, slug: Slug) -> list[ModelOut]:
    """The models of a collection, newest first. For the owner."""
    collection = site.collection(slug)
    with site.database.read() as db:
        found = models.history(db, collection.id)
    return [
        ModelOut(
            version=one.version,
            origin=one.origin,
            published=one.published,
            in_use=one.id == collection.model_id,
            triplets=one.triplets,
            metrics=metadata_of(one).figures(),
            created_at=one.created_at,
        )
        for one in found
    ]


@router.get("/collections/{slug}/triplets", responses=ERRORS, dependencies=[Depends(must_be_owner)])
def list_triplets(site: OurSite, slug: Slug) -> TripletsOut:
    """All comparisons that can be learnt from. For the owner."""
    collection = site.collection(slug)
    with site.database.read() as db:
        rows = lessons.usable_triplets(db, collection.id)[:, :3]
    return TripletsOut(columns=["anchor", "near", "far"], rows=rows.tolist())


def _search(now: SearchState) -> SearchOut:
    slug = now.collection.slug
    question = None
    if now.question is not None:
        shown = [_item(slug, now.items[number]) for number in now.question.shown]
        question = Question(step=now.question.number, shown=shown, still_fit=now.still_fit)
    target = None if now.found_item is None else _item(slug, now.found_item)
    to_find = None if now.item_to_find is None else _item(slug, now.item_to_find)
    return SearchOut(
        id=now.row.id,
        collection=slug,
        status=now.row.status,
        number=now.number,
        question=question,
        target=target,
        to_find=to_find,
    )


def _item(slug: str, one: Item) -> ItemOut:
    return ItemOut(
        item=one.number,
        key=one.key,
        title=one.title,
        description=one.description,
        group=one.family,
        active=one.active,
        media={size: media_url(slug, name) for size, name in media_of(one).files.items()},
        link=one.link,
    )
