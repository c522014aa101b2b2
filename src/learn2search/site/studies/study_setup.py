"""What an owner does with studies: make, look, open, close, delete."""

import secrets
from typing import Any

from pydantic import ValidationError

from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, NotFound
from learn2search.site.studies.study_design import StudyDesign
from learn2search.store import items, participants
from learn2search.store.collections import Collection
from learn2search.store.items import Item
from learn2search.store.participants import Study

PREFIX = "study-"  # of a study's id: no search has such an id, so both can stand in /s/...


def create_study(site: Site, collection: Collection, values: dict[str, Any], targets: str = "") -> Study:
    """Make a study. It is open: who has its link can take part.

    Parameters
    ----------
    values
        Those of a `StudyDesign`, but its targets.
    targets
        One item a line, by its key, its title or its number. Empty: all that can be found.

    Raises
    ------
    Invalid
        Names the first value that is wrong, or the line that names no item.
    Unavailable
        If the collection has too few items.
    """
    active = site.models.covered(site.published_model_id(collection))
    with site.database.read() as db:
        known = [item for item in items.all_items(db, collection.id) if item.number in active]
    chosen = _named_items(known, targets)
    values = {"show": options_of(collection).usual_show} | values | {"targets": chosen}
    try:
        design = StudyDesign.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise Invalid(f"{first['loc'][0]}: {first['msg'].removeprefix('Value error, ')}") from error
    there = len(chosen) or len(known)
    if design.trials > there:
        raise Invalid(
            f"trials: each participant looks for {design.trials} different items, but there are only {there}."
        )
    study = Study(PREFIX + secrets.token_hex(6), collection.id, design.model_dump(mode="json"), True, site.now())
    with site.database.write() as db:
        participants.add_study(db, study)
    return study


def _named_items(known: list[Item], text: str) -> tuple[int, ...]:
    """The numbers of the items that the lines name."""
    named: dict[str, list[int]] = {}
    for item in known:
        for name in {item.key.casefold(), item.title.casefold(), str(item.number)}:
            named.setdefault(name, []).append(item.number)
    exact = {item.key: item.number for item in known}
    chosen: list[int] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        found = [exact[line]] if line in exact else named.get(line.casefold(), [])
        if not found:
            raise Invalid(f"targets: “{line}” is the key, title or number of no item that can be found.")
        if len(found) > 1:
            raise Invalid(f"targets: “{line}” is the name of {len(found)} items: give their keys.")
        chosen += found
    return tuple(dict.fromkeys(chosen))


def studies_of(site: Site, collection: Collection) -> list[Study]:
    """The studies on a collection, the newest first."""
    with site.database.read() as db:
        return participants.studies_of(db, collection.id)


def study_on(site: Site, collection: Collection, study_id: str) -> Study:
    """A study on this collection.

    Raises
    ------
    NotFound
        If there is none of this id.
    """
    with site.database.read() as db:
        study = participants.get_study(db, study_id)
    if study is None or study.collection_id != collection.id:
        raise NotFound(f"“{collection.title}” has no study “{study_id}”.")
    return study


def set_open(site: Site, study: Study, is_open: bool) -> None:
    """Open or close a study. Closed, nobody begins; who has begun can go on."""
    with site.database.write() as db:
        participants.set_open(db, study.id, is_open)


def delete_study(site: Site, study: Study) -> None:
    """Delete a study with the ids of its participants. Their searches stay, and nothing says whose they were."""
    with site.database.write() as db:
        participants.remove_study(db, study.id)
