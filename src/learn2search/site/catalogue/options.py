"""What an owner can choose for a collection."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from learn2search import strategy_names
from learn2search.site.catalogue.item_media import MediaKind
from learn2search.site.catalogue.sentences import ByLanguage
from learn2search.site.errors import Invalid
from learn2search.site.show_counts import AUTOMATIC, USUAL_SHOW, Automatic, ShowCount, counts_in_words
from learn2search.store.collections import Collection

StrategyName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]

OUR_STRATEGIES = ("sampled", "gauss")  # those of the library that serve a collection of any size


class EncoderFile(BaseModel):
    """An encoder that the owner chose: where it is, what it reads, and a name made from its content."""

    model_config = ConfigDict(frozen=True)

    path: str
    kind: MediaKind
    digest: str

    @property
    def source(self) -> str:
        """The name of its features."""
        return f"encoder:{self.kind}:{self.digest}"


class Options(BaseModel):
    """The options of a collection, as the database keeps them.

    Attributes
    ----------
    noun, nouns
        What one item is called, and several.
    note
        A sentence for visitors.
    show
        How many items a question shows, or "automatic": as many as make a search quickest
        (`site/visits/automatic_show.py`).
    shape
        Of the frames in which pictures are shown.
    strategies
        By their names. With several, each visitor gets one of them, and the dashboard compares them. Whether they are
        installed is checked when they are chosen (`checked`), not when they are read.
    warm_start
        What places the items before there are answers: pictures by their colours and edges, all content (texts and
        sounds too), or an encoder.
    encoder
        Where `warm_start` is "encoder".
    dimensions
        Of the embedding.
    sentences
        The owner's own, by language.
    listed
        Whether the first page shows the collection. Who has its link finds it in any case.
    archived
        No new search begins; those under way go on, and the first page does not show it.
    position
        Where the collection stands in lists: lower ones first, those that came first among equals.
    strategies_since
        When the strategies were last changed, in seconds since 1970; None while they are those of the beginning.
    to_find
        Whether visitors can ask for a random item to look for.
    teaching
        Who may teach the collection without searching: nobody, the owner, or also who has the link with
        `teaching_secret`.
    teaching_shown
        How many items a screen of teaching shows beside its first one.
    """

    model_config = ConfigDict(extra="ignore")

    noun: str = Field(default="picture", min_length=1, max_length=40)
    nouns: str = Field(default="pictures", min_length=1, max_length=40)
    note: str = Field(default="", max_length=400)
    show: ShowCount | Automatic = AUTOMATIC
    shape: Literal["tall", "square", "wide"] = "square"
    strategies: tuple[StrategyName, ...] = Field(default=("sampled",), min_length=1, max_length=8)
    warm_start: Literal["nothing", "pictures", "content", "encoder"] = "nothing"
    encoder: EncoderFile | None = None
    dimensions: int = Field(default=10, ge=1, le=100)
    listed: bool = True
    archived: bool = False
    position: int = 0
    strategies_since: float | None = None
    to_find: bool = True
    teaching: Literal["off", "owner", "link"] = "off"
    teaching_secret: str = ""
    teaching_shown: Literal[8, 12] = 8
    sentences: ByLanguage = Field(default_factory=dict, max_length=50)

    @property
    def usual_show(self) -> ShowCount:
        """How many items a question shows, where one number has to stand for "automatic"."""
        return USUAL_SHOW if self.show == AUTOMATIC else self.show


def options_of(collection: Collection) -> Options:
    """The options of a stored collection."""
    return Options.model_validate(collection.options)


def in_order(known: Iterable[Collection]) -> list[Collection]:
    """Collections in the order that the owner gave them."""
    return sorted(known, key=lambda one: (options_of(one).position, one.id))


def dated(old: Options, new: Options, now: float) -> Options:
    """The new options; where they have other strategies than the old ones, with the time from which those count."""
    if set(new.strategies) == set(old.strategies):
        return new.model_copy(update={"strategies_since": old.strategies_since})
    return new.model_copy(update={"strategies_since": now})


def offered_strategies() -> tuple[str, ...]:
    """The strategies that an owner can choose: ours, and those of installed packages."""
    return (*OUR_STRATEGIES, *strategy_names(built_in=False))


def checked(values: dict[str, Any]) -> Options:
    """Options from a form.

    Raises
    ------
    Invalid
        Names the first option that is wrong.
    """
    try:
        options = Options.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"][0] == "show":
            raise Invalid(f"show: {counts_in_words()}, or {AUTOMATIC}, not {values['show']!r}.") from error
        raise Invalid(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    for name in options.strategies:
        if name not in offered_strategies():
            raise Invalid(f"strategies: choose from {', '.join(offered_strategies())}, not “{name}”.")
    return options
