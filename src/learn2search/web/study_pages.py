"""The pages of a study, for those who take part. Their address names the study and the participant, and nothing else.

What the page shows depends on what the participant has done; its form leads on. A search of a study is on the pages of
all searches (`search_pages.py`), which lead back here when it has ended.
"""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.studies import taking_part
from learn2search.site.studies.study_design import way_out
from learn2search.site.studies.study_setup import PREFIX
from learn2search.site.studies.taking_part import Stage, Standing
from learn2search.site.visits import to_find
from learn2search.web.health import SEARCHES
from learn2search.web.rendering import render, site_of
from learn2search.web.security import limited, remember_visitor, visitor_of

router = APIRouter(prefix=f"/s/{PREFIX}{{name}}", include_in_schema=False)
OurSite = Annotated[Site, Depends(site_of)]
ID_NAMES = ("participant", "PROLIFIC_PID", "workerId")  # of the participant's id in a link: ours, Prolific's, MTurk's


def standing_of(request: Request, site: OurSite, name: str) -> Standing:
    """A dependency: where the participant of the address is."""
    given = (request.query_params.get(one, "") for one in ID_NAMES)
    return taking_part.standing(site, PREFIX + name, next(filter(None, given), ""))


Now = Annotated[Standing, Depends(standing_of)]


@router.get("")
def look(request: Request, site: OurSite, now: Now) -> Response:
    """What comes next. Who comes back with another browser goes on in that one."""
    if now.stage is Stage.SEARCH:
        return _to_search(request, site, now)
    if now.stage is not Stage.REMEMBER:
        return render(request, f"study/{now.stage}.html", now=now, way_out=way_out(now.design, now.code))
    item, seconds = to_find.item_of(site, now.collection, taking_part.ticket_of(now))
    return render(
        request,
        "study/remember.html",
        now=now,
        collection=now.collection,
        options=options_of(now.collection),
        item=item,
        seconds=now.design.seconds or seconds,
    )


@router.post("", dependencies=[Depends(limited("searches"))])
def go_on(request: Request, site: OurSite, now: Now, agreed: Annotated[str, Form()] = "") -> Response:
    """Agree, begin a search, or end a break: whatever the page of this moment asks for."""
    if now.stage is Stage.AGREE and not agreed:
        raise Invalid("Only those who agree can take part: please go back and tick the box.")
    if now.stage is Stage.AGREE:
        taking_part.agree(site, now)
    elif now.stage is Stage.REST:
        taking_part.rest(site, now)
    elif now.trial is not None and not agreed:  # an old page of the beginning begins no search
        return _to_search(request, site, now)
    return RedirectResponse(address_of(now.study.id, now.code), 303)


def _to_search(request: Request, site: Site, now: Standing) -> Response:
    visitor, cookie = visitor_of(request)
    search_id = taking_part.begin_search(site, now, visitor)
    if now.stage is Stage.REMEMBER:
        SEARCHES.inc()
    response = RedirectResponse(f"/s/{search_id}", 303)
    remember_visitor(request, response, cookie)
    return response


def address_of(study_id: str, code: str) -> str:
    """The link of a participant."""
    return f"/s/{study_id}?{urlencode({'participant': code})}"
