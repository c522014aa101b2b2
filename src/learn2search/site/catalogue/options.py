"""What an owner can choose for a collection."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from learn2search.site.errors import Invalid
from learn2search.site.show_counts import ShowCount
from learn2search.store.collections import Collection

Strategy = Literal["sampled", "gauss"]


class Options(BaseModel):
    """noun: what an item is called. strategies: more than one splits the visitors between them. warm_start: what tells
    where items are before answers do.
    """

    model_config = ConfigDict(extra="ignore")

    noun: str = Field(default="picture", min_length=1, max_length=40)
    nouns: str = Field(default="pictures", min_length=1, max_length=40)
    note: str = Field(default="", max_length=400)
    show: ShowCount = 4
    shape: Literal["tall", "square", "wide"] = "square"
    strategies: tuple[Strategy, ...] = Field(default=("sampled",), min_length=1, max_length=2)
    warm_start: Literal["nothing", "pictures"] = "nothing"
    dimensions: int = Field(default=10, ge=1, le=100)
    listed: bool = True


def options_of(collection: Collection) -> Options:
    return Options.model_validate(collection.options)


def checked(values: dict[str, Any]) -> Options:
    """Options from a form; a wrong one is named."""
    try:
        return Options.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise Invalid(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
