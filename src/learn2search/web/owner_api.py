"""The owner's part of the JSON API: collections, items, files and positions. Each request may be sent twice."""

import io
import json
import zipfile
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from anyio import to_thread
from fastapi import APIRouter, Depends, File, Request, Response, UploadFile
from fastapi import Path as InPath
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from learn2search.site.administration import collection_changes, exports, item_records
from learn2search.site.administration.item_records import ItemRecord, Outcome
from learn2search.site.administration.positions import put_positions
from learn2search.site.catalogue.options import checked, options_of
from learn2search.site.catalogue.uploads import import_upload
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, NotFound, TooLarge
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.show_counts import Automatic, ShowCount
from learn2search.store.collections import Collection
from learn2search.store.enums import ModelOrigin
from learn2search.web.api_errors import ERRORS
from learn2search.web.rendering import site_of
from learn2search.web.security import LARGEST_UPLOAD, must_be_owner

router = APIRouter(prefix="/api/v1", tags=["Owner"], dependencies=[Depends(must_be_owner)])
OurSite = Annotated[Site, Depends(site_of)]
NewSlug = Annotated[str, InPath(max_length=60)]
_LINES = "application/x-ndjson"
_RECORDS = [
    {"key": "espresso", "title": "Espresso", "description": "Short and strong"},
    {"key": "lungo", "title": "Lungo", "group": "long"},
    {"key": "ristretto", "title": "Ristretto"},
]


def _collection(site: OurSite, slug: Annotated[str, InPath(max_length=64)]) -> Collection:
    return site.collection(slug)


Ours = Annotated[Collection, Depends(_collection)]


# --- collections -----------------------------------------------------------------------------------


class CollectionIn(BaseModel):
    """What is to be true of a collection. What is left out stays as it is; a new one needs a title."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"title": "Coffees", "noun": "coffee", "nouns": "coffees"}, {"archived": False}]
        },
    )

    title: str | None = None
    noun: str | None = None
    nouns: str | None = None
    note: str | None = None
    show: ShowCount | Automatic | None = None
    strategies: list[str] | None = None
    warm_start: Literal["nothing", "pictures", "content"] | None = None
    listed: bool | None = None
    archived: bool | None = None


class OwnCollectionOut(BaseModel):
    """A collection as the owner sees it."""

    slug: str
    title: str
    created: bool
    listed: bool
    archived: bool


@router.put("/collections/{slug}", responses=ERRORS | {201: {"model": OwnCollectionOut}})
def put_collection(response: Response, site: OurSite, slug: NewSlug, wanted: CollectionIn) -> OwnCollectionOut:
    """Make a collection (201) or change one. `archived` begins no new searches and loses nothing."""
    given = {name: value for name, value in wanted.model_dump().items() if value is not None and name != "title"}
    try:
        known: Collection | None = site.collection(slug)
    except NotFound:
        known = None
    if known is None and wanted.title is None:
        raise Invalid(f"There is no collection “{slug}” yet: a new one needs a title.")
    checked(({} if known is None else options_of(known).model_dump()) | given)
    if known is None:
        made = collection_changes.create_collection(site, wanted.title or "", slug, **given)
        response.status_code = 201
    else:
        made = collection_changes.change_options(site, known, wanted.title, **given)
    options = options_of(made)
    return OwnCollectionOut(
        slug=slug, title=made.title, created=known is None, listed=options.listed, archived=options.archived
    )


# --- items -----------------------------------------------------------------------------------------


class RecordOut(BaseModel):
    """What became of a record; `message` says why it was refused."""

    key: str
    outcome: Outcome
    item: int | None
    message: str


_ITEMS_IN = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {"type": "array", "items": ItemRecord.model_json_schema(), "maxItems": item_records.MOST},
            "examples": {"cards": {"value": _RECORDS}, "retired": {"value": [{"key": "lungo", "active": False}]}}
            | {"restored": {"value": [{"key": "lungo", "active": True}]}},
        },
        _LINES: {
            "schema": {"type": "string"},
            "examples": {"cards": {"value": "\n".join(json.dumps(one) for one in _RECORDS)}},
        },
    },
}


@router.put("/collections/{slug}/items", responses=ERRORS, openapi_extra={"requestBody": _ITEMS_IN})
async def put_items(request: Request, site: OurSite, collection: Ours) -> list[RecordOut]:
    """Add, change, retire and restore items by their keys: a list, or a record a line. One that cannot be used is
    refused in its place, and the others count."""
    records = _records(await request.body(), request.headers.get("content-type", ""))
    work = partial(item_records.put_items, site, collection, records)
    results = await to_thread.run_sync(work, limiter=request.app.state.uploads)
    return [RecordOut(**vars(one)) for one in results]


def _records(body: bytes, kind: str) -> list[object]:
    try:
        if kind.partition(";")[0].strip().lower() == _LINES:
            return [_line(line) for line in body.decode("utf-8-sig").splitlines() if line.strip()]
        read = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"The records are no JSON in UTF-8: {error}") from error
    if not isinstance(read, list):
        raise Invalid(f"The records are a list [...], or a record a line with Content-Type {_LINES}.")
    return read


def _line(text: str) -> object:
    """A line that is no JSON is refused in its place."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


class ProblemOut(BaseModel):
    """Why a file was not taken."""

    name: str
    message: str


class FilesOut(BaseModel):
    """What became of the files that were sent."""

    added: int
    changed: int
    unchanged: int
    problems: list[ProblemOut]


@router.post("/collections/{slug}/files", responses=ERRORS)
async def put_files(
    request: Request, site: OurSite, collection: Ours, file: Annotated[list[UploadFile], File()]
) -> FilesOut:
    """Add pictures, sounds and texts, or a ZIP file of them. The name of a file is the key of its item: the same name
    again replaces what it shows."""
    sent = [(one.filename or "upload", one.file) for one in file]
    work = partial(import_upload, site, sent, collection, LARGEST_UPLOAD, by_key=True)
    report = await to_thread.run_sync(work, limiter=request.app.state.uploads)
    site.forget()
    problems = [ProblemOut(name=one.name, message=one.message) for one in report.problems]
    return FilesOut(added=report.added, changed=report.changed, unchanged=report.unchanged, problems=problems)


# --- the model -------------------------------------------------------------------------------------


class ModelDescription(BaseModel):
    """The model that new searches use. `noise` is in units of its positions."""

    version: int
    origin: ModelOrigin
    items: int
    dimensions: int
    noise: float
    triplets: int
    has_variances: bool
    metrics: dict[str, Any]
    created_at: float


@router.get("/collections/{slug}/model", responses=ERRORS)
def describe_model(site: OurSite, collection: Ours) -> ModelDescription:
    """What is known about the model in use."""
    model = site.models.model(site.published_model_id(collection))
    info = model.info
    return ModelDescription(
        version=info.version,
        origin=info.origin,
        items=len(model.items),
        dimensions=model.embedding.dim,
        noise=info.noise,
        triplets=info.triplets,
        has_variances=model.embedding.var is not None,
        metrics=metadata_of(info).figures(),
        created_at=info.created_at,
    )


_FILE_IN = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


class PositionsIn(BaseModel):
    """Where items are: row i of `mean` is the item with the key `keys[i]`. Every active item needs a row."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"keys": ["espresso", "lungo", "ristretto"], "mean": [[0.0, 1.0], [1.0, 0.5], [0.1, 1.2]]},
            ]
        },
    )

    keys: list[str] = Field(max_length=200_000)
    mean: list[list[float]] = Field(max_length=200_000)


class PositionsOut(BaseModel):
    """Where the items of the model in use are, and how sure that is; `var` is null where positions are exact."""

    keys: list[str]
    mean: list[list[float]]
    var: list[list[float]] | None


@router.get("/collections/{slug}/embedding", responses=ERRORS)
def get_positions(site: OurSite, collection: Ours) -> PositionsOut:
    """Where the items of the model in use are. As a file: `/embedding.npz`."""
    model = site.models.model(site.published_model_id(collection))
    named = site.items(collection.id, model.items.tolist())
    var = model.embedding.var
    return PositionsOut(
        keys=[named[number].key for number in model.items.tolist()],
        mean=model.embedding.mean.tolist(),
        var=None if var is None else var.tolist(),
    )


@router.get("/collections/{slug}/embedding.npz", responses=ERRORS, response_class=StreamingResponse)
def get_positions_file(site: OurSite, collection: Ours) -> Response:
    """The same as an NPZ file: item i in row i of `mean` and `var`."""
    parts, kind = exports.export(site, collection, "embedding.npz")
    return StreamingResponse(parts, media_type=kind)


@router.put("/collections/{slug}/embedding", responses=ERRORS)
def replace_positions(site: OurSite, collection: Ours, given: PositionsIn) -> ModelDescription:
    """Publish a model with these positions. Clicks refine them."""
    put_positions(site, collection, given.keys, given.mean)
    return describe_model(site, site.collection(collection.slug))


@router.put("/collections/{slug}/embedding.npz", responses=ERRORS, openapi_extra={"requestBody": _FILE_IN})
async def replace_positions_by_file(request: Request, site: OurSite, collection: Ours) -> ModelDescription:
    """The same from an NPZ file: `mean`, and `keys` as text; without `keys`, item i is in row i."""
    content = await request.body()

    def work() -> ModelDescription:
        put_positions(site, collection, *_read_npz(content))
        return describe_model(site, site.collection(collection.slug))

    return await to_thread.run_sync(work, limiter=request.app.state.uploads)


def _read_npz(content: bytes) -> tuple[list[str] | None, np.ndarray[Any, Any]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(member.file_size for member in archive.infolist()) > LARGEST_UPLOAD:
                raise TooLarge(f"Unpacked, at most {LARGEST_UPLOAD / 1e6:.0f} MB are accepted.")
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            keys = [str(key) for key in file["keys"]] if "keys" in file.files else None
            return keys, np.asarray(file["mean"], float)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise Invalid(f"This is no NPZ file with an array `mean` of numbers and perhaps `keys`: {error}") from error
