"""Imports that go on after the page has been sent: how far each is, and what came of it, for every worker to show.

The latest ones of a collection are kept as a setting of the site.
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import BaseModel

from learn2search.site.catalogue.imports import Report
from learn2search.site.catalogue.uploads import import_saved, save_upload
from learn2search.site.context import Site
from learn2search.site.errors import SiteError
from learn2search.store import collections
from learn2search.store.collections import Collection

SILENT = 120.0  # seconds without a sign: the import was interrupted
_KEPT = 8  # imports
_PROBLEMS = 200  # that are named
_EVERY = 0.5  # seconds between two signs


class ImportJob(BaseModel):
    """One upload.

    Attributes
    ----------
    what
        What was sent, in words.
    step, done, total
        What is being done, and how far it is.
    problems
        (file, why it was not imported), the first ones; `n_problems` counts all.
    error
        Why all of it failed, if it did.
    """

    what: str
    started_at: float
    changed_at: float
    step: str = "Waiting"
    done: int = 0
    total: int = 0
    finished: bool = False
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    problems: list[tuple[str, str]] = []
    n_problems: int = 0
    error: str | None = None

    def is_interrupted(self, now: float) -> bool:
        """Has nothing been heard of it for long?"""
        return not self.finished and now - self.changed_at > SILENT

    @property
    def share(self) -> int:
        """Percent of this step."""
        return 100 if self.finished else 0 if self.total == 0 else int(100 * self.done / self.total)


def jobs_of(site: Site, collection: Collection) -> list[ImportJob]:
    """The imports of a collection, the newest first."""
    with site.database.read() as db:
        stored = collections.get_setting(db, _name(collection))
    return [ImportJob.model_validate(one) for one in json.loads(stored)] if stored else []


def begin_import(
    site: Site, sent: Sequence[tuple[str, BinaryIO]], collection: Collection, most_bytes: int
) -> Callable[[], None]:
    """Save what was sent; the function that is returned imports it, and may be called after the page was sent.

    Raises
    ------
    TooLarge
        If all files together have more than `most_bytes`.
    Invalid
        If there are other files beside a ZIP file.
    """
    folder = tempfile.TemporaryDirectory(dir=site.settings.home)
    try:
        save_upload(Path(folder.name), sent, most_bytes)
    except BaseException:
        folder.cleanup()
        raise
    names = [name for name, _ in sent]
    what = names[0] if len(names) == 1 else f"{len(names)} files: {names[0]}, …"
    now = site.now()
    job = ImportJob(what=what[:120], started_at=now, changed_at=now)
    _keep(site, collection, job)

    def work() -> None:
        with folder:
            _run(site, Path(folder.name), collection, job)

    return work


def _run(site: Site, folder: Path, collection: Collection, job: ImportJob) -> None:
    try:
        report = import_saved(site, folder, collection, lambda *steps: _shown(site, collection, job, *steps))
        _finish(job, report)
    except SiteError as error:
        job.error = str(error)
    except Exception:
        job.error = "Something went wrong. It is in the log of the site."
        raise
    finally:
        job.finished, job.changed_at = True, site.now()
        _keep(site, collection, job)
        site.forget()


def _finish(job: ImportJob, report: Report) -> None:
    job.added, job.changed, job.unchanged = report.added, report.changed, report.unchanged
    job.problems = [(problem.name[-200:], problem.message) for problem in report.problems[:_PROBLEMS]]
    job.n_problems = len(report.problems)


def _shown(
    site: Site, collection: Collection, job: ImportJob, steps: Iterable[Any], label: str, total: int
) -> Iterator[Any]:
    """The steps of an import, counted where others can see it."""
    job.step, job.done, job.total = label, 0, total
    for step in steps:
        yield step
        job.done += 1
        if site.now() - job.changed_at > _EVERY:
            job.changed_at = site.now()
            _keep(site, collection, job)


def _keep(site: Site, collection: Collection, job: ImportJob) -> None:
    """Write the job in the place of the one that began at the same moment, or as the newest."""
    with site.database.write() as db:
        stored = collections.get_setting(db, _name(collection))
        others = [one for one in json.loads(stored or "[]") if one["started_at"] != job.started_at]
        text = json.dumps([job.model_dump(), *others][:_KEPT])
        collections.put_setting(db, _name(collection), text)


def _name(collection: Collection) -> str:
    return f"imports:{collection.id}"
