"""The owner's own sentences for a collection: for all languages, or for one."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

ANY = "any"  # stands for all languages that have no sentence of their own
LONGEST = 120  # characters: two lines of a title on a phone
LanguageCode = Annotated[str, StringConstraints(pattern=r"^(any|[a-z]{2})$")]
Sentence = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST, pattern=r"^[^\x00-\x1f]*$")]


class Sentences(BaseModel):
    """What the owner says in place of the site's own words; what is empty stays as it is.

    Attributes
    ----------
    landing
        The title of the first page.
    question
        Above the items of every question.
    end
        When the item is found; its title follows.
    nouns
        What several items are called.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    landing: Sentence = ""
    question: Sentence = ""
    end: Sentence = ""
    nouns: Annotated[Sentence, Field(max_length=40)] = ""


SENTENCES = tuple(Sentences.model_fields)
ByLanguage = dict[LanguageCode, Sentences]


def sentence_in(known: ByLanguage, code: str, name: str) -> str:
    """The owner's sentence in a language, else the one for all languages; empty if there is none.

    Examples
    --------
    >>> known = {"any": Sentences(end="Voilà:"), "de": Sentences(end="Bitte sehr:")}
    >>> [sentence_in(known, code, "end") for code in ("de", "en")]
    ['Bitte sehr:', 'Voilà:']
    """
    found = (getattr(known[key], name) for key in (code, ANY) if key in known)
    return next((sentence for sentence in found if sentence), "")


def without_empty(known: ByLanguage) -> ByLanguage:
    """Only the languages for which the owner has written something."""
    return {code: one for code, one in known.items() if any(getattr(one, name) for name in SENTENCES)}
