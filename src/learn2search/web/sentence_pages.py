"""The owner's page for the sentences of a collection."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from learn2search.site.administration import owners
from learn2search.site.catalogue.options import Options, checked, options_of
from learn2search.site.catalogue.sentences import ANY, LONGEST, SENTENCES, without_empty
from learn2search.site.context import Site
from learn2search.store.collections import Collection
from learn2search.web.rendering import render, site_of
from learn2search.web.security import must_be_owner
from learn2search.web.translation.language import LANGUAGES
from learn2search.web.wording import sentence

router = APIRouter(include_in_schema=False, dependencies=[Depends(must_be_owner)])
OurSite = Annotated[Site, Depends(site_of)]
_PLACES = {ANY: "All languages"} | {code: language.name for code, language in LANGUAGES.items()}


@router.get("/owner/{slug}/sentences")
def sentences(request: Request, site: OurSite, slug: str) -> Response:
    """The sentences that visitors read, to be changed."""
    collection = site.collection(slug)
    return _page(request, collection, options_of(collection), preview=False)


async def _form(request: Request) -> dict[str, str]:
    """The fields: a sentence and a language in each name, `question-de`."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


@router.post("/owner/{slug}/sentences")
def change_sentences(
    request: Request, site: OurSite, slug: str, form: Annotated[dict[str, str], Depends(_form)]
) -> Response:
    """Keep the sentences, or show what they would look like."""
    collection = site.collection(slug)
    own = {code: {name: form.get(f"{name}-{code}", "") for name in SENTENCES} for code in _PLACES}
    options = checked(options_of(collection).model_dump() | {"sentences": own})
    options = options.model_copy(update={"sentences": without_empty(options.sentences)})
    if form.get("preview"):
        return _page(request, collection, options, preview=True)
    owners.change_collection(site, collection, collection.title, options)
    return RedirectResponse(f"/owner/{slug}/sentences", 303)


def _page(request: Request, collection: Collection, options: Options, *, preview: bool) -> Response:
    return render(
        request,
        "owner/sentences.html",
        collection=collection,
        options=options,
        preview=preview,
        places=_PLACES.items(),
        names=SENTENCES,
        longest=LONGEST,
        says=sentence,
        example="…",
    )
