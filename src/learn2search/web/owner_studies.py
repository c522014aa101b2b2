"""The owner's pages of studies."""

from typing import Annotated, Any

from fastapi import Depends, Form, Request
from fastapi.responses import Response, StreamingResponse

from learn2search.site.administration import exports
from learn2search.site.catalogue.options import options_of
from learn2search.site.studies import study_results, study_setup
from learn2search.site.studies.study_design import LONGEST_TEXT, MOST_TRIALS, design_of
from learn2search.store.participants import Study
from learn2search.web.owner_frame import Ours, OurSite, back, owner_router
from learn2search.web.rendering import render

router = owner_router()


def the_study(site: OurSite, collection: Ours, study_id: str) -> Study:
    return study_setup.study_on(site, collection, study_id)


OurStudy = Annotated[Study, Depends(the_study)]


@router.get("/{slug}/studies")
def studies(request: Request, site: OurSite, collection: Ours) -> Response:
    """The studies of the collection, and a form for a new one."""
    known = study_setup.studies_of(site, collection)
    return render(
        request,
        "owner/studies.html",
        collection=collection,
        studies=[(one, design_of(one), study_results.overview(site, one)) for one in known],
        options=options_of(collection),
        longest=LONGEST_TEXT,
        most=MOST_TRIALS,
    )


async def filled_in(request: Request) -> dict[str, Any]:
    """A dependency: the fields of the form, which are those of a design; empty ones are left to their defaults."""
    form = await request.form()
    values: dict[str, Any] = {name: str(value).strip() for name, value in form.items() if str(value).strip()}
    return values | ({"show": int(values["show"])} if values.get("show", "").isdecimal() else {})


@router.post("/{slug}/studies")
def create(site: OurSite, collection: Ours, values: Annotated[dict[str, Any], Depends(filled_in)]) -> Response:
    """Make a study."""
    targets = values.pop("targets", "")
    made = study_setup.create_study(site, collection, values, targets)
    return back(collection.slug, f"/studies/{made.id}", "saved")


@router.get("/{slug}/studies/{study_id}")
def study(request: Request, site: OurSite, collection: Ours, one: OurStudy) -> Response:
    """One study: its design, its links, how far participants are."""
    link = f"{str(request.base_url).rstrip('/')}/s/{one.id}?participant="
    return render(
        request,
        "owner/study.html",
        collection=collection,
        study=one,
        design=design_of(one),
        overview=study_results.overview(site, one),
        link=link,
        now=site.now(),
    )


@router.post("/{slug}/studies/{study_id}")
def change(site: OurSite, collection: Ours, one: OurStudy, do: Annotated[str, Form()]) -> Response:
    """Open, close or delete."""
    if do == "delete":
        study_setup.delete_study(site, one)
        return back(collection.slug, "/studies", "deleted-study")
    study_setup.set_open(site, one, do == "open")
    return back(collection.slug, f"/studies/{one.id}", "saved")


@router.get("/{slug}/studies/{study_id}/trials.csv")
def trials(site: OurSite, collection: Ours, one: OurStudy) -> Response:
    """The data of the study, a row for each trial."""
    headers = {"Content-Disposition": f'attachment; filename="{collection.slug}-{one.id}-trials.csv"'}
    return StreamingResponse(exports.trials(site, [one]), media_type="text/csv", headers=headers)
