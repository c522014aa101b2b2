"""Bring the database of a worker up to date. One that is away is waited for, while the worker answers as it can."""

import threading

import structlog
from sqlalchemy.exc import SQLAlchemyError

from learn2search.site.context import Site
from learn2search.store.database import is_away

PAUSE = 2.0  # seconds between two tries

log = structlog.get_logger()


def open_or_retry(site: Site) -> threading.Event:
    """Open the site now, or else as soon as its database is there.

    A worker that ended because the database is away would end the whole site. So it serves what it can, static files
    and pages that say so, until a thread of its own has found the database.

    Returns
    -------
    threading.Event
        Set it when the worker ends: then nobody waits any longer.
    """
    ended = threading.Event()
    if not _is_open(site):
        threading.Thread(target=_keep_trying, args=(site, ended), daemon=True).start()
    return ended


def _keep_trying(site: Site, ended: threading.Event) -> None:
    while not ended.wait(PAUSE):
        if _is_open(site):
            log.info("database is there")
            return


def _is_open(site: Site) -> bool:
    try:
        site.prepare()
    except SQLAlchemyError as error:
        if not is_away(error):
            raise
        log.error("database away", reason=str(error).splitlines()[0], again_in_seconds=PAUSE)
        return False
    return True
