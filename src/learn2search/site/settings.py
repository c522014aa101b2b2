"""Settings: environment variables with the prefix `LEARN2SEARCH_`, and options of the same names."""

import re
from pathlib import Path
from typing import Annotated

import platformdirs
from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?")


def default_home() -> Path:
    """The user's data folder, where state is kept that no other setting places elsewhere."""
    return platformdirs.user_data_path("learn2search", appauthor=False)


class Settings(BaseSettings):
    """Where the site keeps its state and how it is served."""

    model_config = SettingsConfigDict(
        env_prefix="LEARN2SEARCH_", env_ignore_empty=True, extra="ignore", use_attribute_docstrings=True
    )

    home: Path = Field(default_factory=default_home)
    """Where the site keeps its state: database, media, features of the media. By default in the user's data folder."""
    database_url: str | None = None
    """`postgresql://...`; by default SQLite in the home folder."""
    media_url: str | None = None
    """`s3://bucket/prefix`: the media in an object store; by default in a folder in the home folder."""
    media_cache_mb: int = Field(default=2000, ge=0)
    """How many megabytes of such media a machine keeps as copies."""
    host: str = "127.0.0.1"
    """The address to listen on."""
    port: int = Field(default=8000, ge=0, le=65535)
    """The port to listen on."""
    workers: int = Field(default=1, ge=1, le=64)
    """How many processes serve."""
    seed: int | None = Field(default=None, ge=0)
    """Makes training repeatable."""
    answers_per_minute: int = Field(default=240, ge=1)
    """How many answers one visitor may give, or a program at one address."""
    searches_per_minute: int = Field(default=40, ge=1)
    """How many searches one visitor may begin, or a program at one address."""
    visitors_per_address: int = Field(default=10, ge=1)
    """How many times as much all visitors of one address may do together."""
    access_log: bool = False
    """Whether workers write a line of JSON for each request."""
    webhook_private: bool = False
    """Whether webhooks may lead into private networks."""
    embed_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """The sites whose pages may show searches and use the API, between commas: `https://shop.example`."""

    @field_validator("media_url")
    @classmethod
    def _bucket(cls, given: str | None) -> str | None:
        """`s3://bucket`, with a prefix or without."""
        if given is not None and not re.fullmatch(r"s3://[a-z0-9.-]+(/[\w./-]*)?", given):
            raise ValueError(f"{given} is no bucket: give s3://bucket/prefix")
        return given

    @field_validator("embed_origins", mode="before")
    @classmethod
    def _separated(cls, given: object) -> object:
        """Origins between commas or spaces: `https://shop.example, https://blog.example`."""
        names = re.split(r"[\s,]+", given.strip()) if isinstance(given, str) else given
        if not isinstance(names, list | tuple):
            return names
        found = tuple(str(name).lower().rstrip("/") for name in names if name)
        for name in found:
            if not _ORIGIN.fullmatch(name):
                raise ValueError(f"{name} is no origin: give scheme, host and port alone, as in https://shop.example")
        return found

    @property
    def database(self) -> str:
        """The URL of the database; by default a file under `home`."""
        return self.database_url or f"sqlite:///{self.home / 'site.db'}"

    @property
    def media(self) -> Path:
        """The media, or copies of them where `media_url` says that they are elsewhere."""
        return self.home / "media"

    @property
    def features(self) -> Path:
        """What was computed from the media; it can be deleted, and is then computed again."""
        return self.home / "features"

    @property
    def models(self) -> Path:
        """Copies of large models, which the workers of this machine share; it can be deleted."""
        return self.home / "models-cache"
