"""What an owner chooses for a study."""

from typing import Annotated, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from learn2search.site.show_counts import USUAL_SHOW, ShowCount
from learn2search.store.participants import Study

LONGEST_TEXT = 10_000
MOST_TRIALS = 200
Teaching = Literal["nothing", "apart", "ordinary"]


def _https(address: str) -> str:
    """An address that participants may be led to."""
    parts = urlsplit(address)
    if address and (parts.scheme != "https" or not parts.hostname or not address.isprintable() or " " in address):
        raise ValueError(f"a whole address that begins with https:// was expected, not {address!r}")
    return address


class StudyDesign(BaseModel):
    """The design of a study, as the database keeps it.

    Attributes
    ----------
    instructions, consent
        Plain text of the owner's, with line breaks.
    targets
        Items to draw from, by their numbers; none: all that can be found.
    trials
        How many items each participant looks for, beside practice and checks.
    break_after
        So many trials lie between two breaks; 0: there are none.
    seconds
        How long an item is shown before its search; 0: as long as its kind needs.
    show
        How many items a question shows: the same for all participants, on every screen.
    teaching
        What the collection learns from found trials: nothing; or as from any search; or "apart": nothing, but their
        comparisons can be exported. Practice and checks never teach.
    completion_code
        What a participant takes back to who has sent them.
    redirect
        Where a participant goes at the end, https only.
    with_participant
        Whether the participant's id is appended to `redirect`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: str = Field(min_length=1, max_length=100)
    instructions: str = Field(default="", max_length=LONGEST_TEXT)
    consent: str = Field(default="", max_length=LONGEST_TEXT)
    targets: tuple[int, ...] = Field(default=(), max_length=10_000)
    trials: int = Field(default=10, ge=1, le=MOST_TRIALS)
    practice: int = Field(default=1, ge=0, le=20)
    checks: int = Field(default=1, ge=0, le=20)
    break_after: int = Field(default=0, ge=0, le=MOST_TRIALS)
    seconds: int = Field(default=0, ge=0, le=300)
    show: ShowCount = USUAL_SHOW
    teaching: Teaching = "nothing"
    completion_code: str = Field(default="", max_length=200)
    redirect: Annotated[str, AfterValidator(_https)] = Field(default="", max_length=2000)
    with_participant: bool = False


def design_of(study: Study) -> StudyDesign:
    """The design of a stored study."""
    return StudyDesign.model_validate(study.design)


def way_out(design: StudyDesign, participant: str) -> str:
    """Where a participant goes at the end; empty if nowhere.

    Examples
    --------
    >>> way_out(StudyDesign(title="Faces", redirect="https://panel.example/done?cc=1", with_participant=True), "A B")
    'https://panel.example/done?cc=1&participant=A+B'
    """
    if not design.redirect or not design.with_participant:
        return design.redirect
    parts = urlsplit(design.redirect)
    query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), ("participant", participant)])
    return urlunsplit(parts._replace(query=query))
