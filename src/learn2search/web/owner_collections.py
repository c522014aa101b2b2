"""The owner's pages about whole collections: make, move, archive, delete, and how far an import is."""

import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from anyio import to_thread
from fastapi import BackgroundTasks, File, Form, Request, UploadFile
from fastapi.responses import FileResponse, RedirectResponse, Response
from starlette.background import BackgroundTask

from learn2search.site.administration import backups, collection_changes
from learn2search.site.catalogue import import_jobs
from learn2search.site.context import Site
from learn2search.site.errors import SiteError
from learn2search.store.collections import Collection
from learn2search.web.owner_frame import Ours, OurSite, back, owner_router
from learn2search.web.rendering import render
from learn2search.web.security import LARGEST_UPLOAD

router = owner_router()
_LOOK_AGAIN = "2"  # seconds

# No collection has the address "-".


@router.get("/-/new")
def new(request: Request) -> Response:
    """A form for a new collection."""
    return render(request, "owner/new.html", problem=None, title="", noun="picture", nouns="pictures")


@router.post("/-/upload")
async def create(
    request: Request,
    site: OurSite,
    later: BackgroundTasks,
    file: Annotated[list[UploadFile], File()],
    title: Annotated[str, Form()] = "",
    noun: Annotated[str, Form()] = "picture",
    nouns: Annotated[str, Form()] = "pictures",
) -> Response:
    """Make a collection of what was sent."""
    words: dict[str, Any] = {"noun": noun.strip() or "picture", "nouns": nouns.strip() or "pictures"}
    try:
        make = partial(collection_changes.create_collection, site, title, **words)
        made = await to_thread.run_sync(make)
    except SiteError as error:
        return render(request, "owner/new.html", error.status, problem=str(error), title=title, **words)
    return await import_into(request, site, made, later, file)


@router.post("/{slug}/upload")
async def upload(
    request: Request, site: OurSite, collection: Ours, later: BackgroundTasks, file: Annotated[list[UploadFile], File()]
) -> Response:
    """Add pictures, sounds, texts, a table or a ZIP file of them to the collection."""
    return await import_into(request, site, collection, later, file)


async def import_into(
    request: Request, site: Site, collection: Collection, later: BackgroundTasks, files: list[UploadFile]
) -> Response:
    """Save the files, go to the page of the import, and import after that: it may take minutes."""
    sent = [(one.filename or "upload", one.file) for one in files]
    limiter = request.app.state.uploads
    begin = partial(import_jobs.begin_import, site, sent, collection, LARGEST_UPLOAD)
    work = await to_thread.run_sync(begin, limiter=limiter)

    async def run() -> None:
        await to_thread.run_sync(work, limiter=limiter)

    later.add_task(run)
    return RedirectResponse(f"/owner/{collection.slug}/imports", 303)


@router.get("/{slug}/imports")
def imports(request: Request, site: OurSite, collection: Ours) -> Response:
    """How far the newest import is, and what came of the ones before. It looks again by itself while one goes on."""
    jobs, now = import_jobs.jobs_of(site, collection), site.now()
    goes_on = any(not job.finished and not job.is_interrupted(now) for job in jobs)
    headers = {"Refresh": _LOOK_AGAIN} if goes_on else {}
    return render(request, "owner/imports.html", headers=headers, collection=collection, jobs=jobs, now=now)


@router.post("/{slug}/move")
def move(site: OurSite, collection: Ours, by: Annotated[int, Form()]) -> Response:
    """Move the collection up or down in the list."""
    collection_changes.move_collection(site, collection, by)
    return RedirectResponse("/owner?did=moved", 303)


@router.post("/{slug}/archive")
def archive(site: OurSite, collection: Ours, reopen: Annotated[str, Form()] = "") -> Response:
    """Archive the collection: it begins no new searches. Or take it back."""
    collection_changes.archive_collection(site, collection, not reopen)
    return back(collection.slug, "/settings", "opened" if reopen else "archived")


@router.get("/{slug}/delete")
def ask_to_delete(request: Request, collection: Ours) -> Response:
    """What would be deleted, and a form that asks for the name."""
    return render(request, "owner/delete.html", collection=collection, problem=None)


@router.post("/{slug}/delete")
def delete(request: Request, site: OurSite, collection: Ours, title: Annotated[str, Form()] = "") -> Response:
    """Delete the collection for good."""
    try:
        collection_changes.delete_collection(site, collection, title)
    except SiteError as error:
        return render(request, "owner/delete.html", error.status, collection=collection, problem=str(error))
    return RedirectResponse("/owner?did=deleted-collection", 303)


@router.get("/-/backup")
def backup(site: OurSite) -> Response:
    """The whole site as one file."""
    folder = tempfile.TemporaryDirectory(dir=site.settings.home)
    path = Path(folder.name) / "site.zip"
    try:
        backups.backup(site, path)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(path, filename="learn2search-backup.zip", background=BackgroundTask(folder.cleanup))
