"""Get a worker ready: its database up to date, the models of its collections loaded.

A database that is away is waited for, while the worker answers as it can.
"""

import threading

import structlog
from sqlalchemy.exc import SQLAlchemyError

from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.store import collections
from learn2search.store.database import is_away

PAUSE = 2.0  # seconds between two tries

log = structlog.get_logger()


class Opening:
    """How far a worker is.

    Attributes
    ----------
    ended
        Set it when the worker ends: then nobody waits any longer.
    ready
        Set once the database is open and the models are loaded.
    """

    def __init__(self) -> None:
        self.ended, self.ready = threading.Event(), threading.Event()


def open_or_retry(site: Site) -> Opening:
    """Open the site now, or else as soon as its database is there.

    A worker that ended because the database is away would end the whole site. So it serves what it can, static files
    and pages that say so, until a thread of its own has found the database.

    """
    opening = Opening()
    if _is_open(site):
        opening.ready.set()
    else:
        threading.Thread(target=_keep_trying, args=(site, opening), daemon=True).start()
    return opening


def _keep_trying(site: Site, opening: Opening) -> None:
    while not opening.ended.wait(PAUSE):
        if _is_open(site):
            log.info("database is there")
            opening.ready.set()
            return


def _is_open(site: Site) -> bool:
    try:
        site.prepare()
        _load_models(site)
    except SQLAlchemyError as error:
        if not is_away(error):
            raise
        log.error("database away", reason=str(error).splitlines()[0], again_in_seconds=PAUSE)
        return False
    return True


def _load_models(site: Site) -> None:
    """Read the positions that searches begin with, so that no visitor waits for them.

    What is wrong with one collection is told where it is used, and keeps no other from being searched.
    """
    with site.database.read() as db:
        known = collections.all_collections(db)
    for one in known:
        try:
            if one.model_id is not None and not options_of(one).archived:
                site.newest_embedding(one)
        except SQLAlchemyError:
            raise
        except Exception as error:
            log.error("collection not loaded", collection=one.id, reason=str(error))
