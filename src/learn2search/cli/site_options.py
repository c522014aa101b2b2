"""What the commands of the site share: options, opening the site, and saying what went wrong in one line.

Everything heavy is imported when a command runs, so that help comes at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from learn2search.site.show_counts import AUTOMATIC, SHOW_COUNTS, counts_in_words

if TYPE_CHECKING:
    from learn2search.site.context import Site
    from learn2search.site.settings import Settings

SHOW_METAVAR = "|".join(map(str, SHOW_COUNTS))
SHOW_OR_AUTOMATIC = f"{AUTOMATIC}|{SHOW_METAVAR}"
WARM_STARTS = ("pictures", "content", "nothing")

Home = Annotated[
    Path | None,
    typer.Option("--home", envvar="LEARN2SEARCH_HOME", metavar="FOLDER", help="Where the site keeps its state."),
]
Url = Annotated[
    str | None,
    typer.Option(
        "--database-url",
        envvar="LEARN2SEARCH_DATABASE_URL",
        metavar="URL",
        help="postgresql://...; by default SQLite in the home folder.",
    ),
]
Host = Annotated[str | None, typer.Option("--host", envvar="LEARN2SEARCH_HOST", help="Address to listen on.")]
Port = Annotated[
    int | None, typer.Option("--port", envvar="LEARN2SEARCH_PORT", min=1, max=65535, help="Port to listen on.")
]
Workers = Annotated[
    int | None, typer.Option("--workers", envvar="LEARN2SEARCH_WORKERS", min=1, help="Processes that serve.")
]
AccessLines = Annotated[
    bool,
    typer.Option(
        "--access-log",
        envvar="LEARN2SEARCH_ACCESS_LOG",
        help="Print a line of JSON for each request: route, status, milliseconds, search.",
    ),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", envvar="LEARN2SEARCH_SEED", min=0, metavar="N", help="Repeatable training.")
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")]
NewToken = Annotated[bool, typer.Option("--new-token", help="Make a new owner's token; the old one no longer counts.")]
Title = Annotated[str | None, typer.Option("--title", help="The collection's title; by default the source's name.")]
Slug = Annotated[str | None, typer.Option("--slug", help="Its address: a-z, 0-9 and hyphens; by default the title.")]
Noun = Annotated[str | None, typer.Option("--noun", help="What one item is called: face, wine, song.")]
Nouns = Annotated[str | None, typer.Option("--nouns", help="And several: faces, wines, songs.")]
Features = Annotated[
    Path | None,
    typer.Option("--features", help="Known features: .npy or .csv, one row an item in their order. No cold start."),
]


def checked_show(show: int | None) -> int | None:
    """The value of --show, of the site's commands and of the game."""
    if show is not None and show not in SHOW_COUNTS:
        raise typer.BadParameter(f"{counts_in_words()} are shown at a time, not {show}.")
    return show


def _checked_show_or_automatic(show: str | None) -> int | str | None:
    """The value of --show of a collection."""
    if show is None or show == AUTOMATIC:
        return show
    if not (show.isascii() and show.isdecimal()):
        raise typer.BadParameter(f"{counts_in_words()} are shown at a time, or “{AUTOMATIC}”, not “{show}”.")
    return checked_show(int(show))


def _checked_warm_start(start: str | None) -> str | None:
    if start is not None and start not in WARM_STARTS:
        raise typer.BadParameter(f"A warm start is “{'”, “'.join(WARM_STARTS)}”, not “{start}”.")
    return start


Show = Annotated[
    str | None,
    typer.Option(
        "--show",
        callback=_checked_show_or_automatic,
        metavar=SHOW_OR_AUTOMATIC,
        help="How many to show at a time; a new collection chooses by itself.",
    ),
]
ShowIfGiven = Annotated[
    int | None,
    typer.Option("--show", callback=checked_show, metavar=SHOW_METAVAR, help="How many to show at a time."),
]
WarmStart = Annotated[
    str | None,
    typer.Option(
        "--warm-start",
        callback=_checked_warm_start,
        metavar="|".join(WARM_STARTS),
        help="What places items before answers do: pictures (the default), texts and sounds too, or nothing.",
    ),
]
EncoderOption = Annotated[
    Path | None,
    typer.Option("--encoder", metavar="FILE", help="A network (ONNX) that places items before answers do."),
]

Strategies = Annotated[
    str | None,
    typer.Option("--strategies", metavar="NAME,NAME", help="How it asks; of several, each visitor gets one."),
]


def collection_options(
    noun: str | None,
    nouns: str | None,
    show: int | str | None,
    warm_start: str | None,
    strategies: str | None,
    encoder: Path | None,
) -> dict[str, Any]:
    """The options of a collection that were given; an encoder is opened, to see that it can be used."""
    if encoder is not None and warm_start is not None:
        raise typer.BadParameter("--encoder is a warm start of its own: leave --warm-start out.")
    several = nouns or (f"{noun}s" if noun else None)
    names = None if strategies is None else [name.strip() for name in strategies.split(",")]
    given = {"noun": noun, "nouns": several, "warm_start": warm_start, "show": show, "strategies": names}
    return {name: value for name, value in given.items() if value is not None} | _encoder_options(encoder)


def _encoder_options(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    with needs_web_packages():
        from learn2search.site.catalogue.features.encoder import open_encoder
        from learn2search.site.catalogue.options import EncoderFile
    with errors_in_a_line():
        opened = open_encoder(path)
    chosen = EncoderFile(path=str(path.resolve()), kind=opened.description.kind, digest=opened.digest)
    return {"warm_start": "encoder", "encoder": chosen.model_dump(mode="json")}


def settings_from(**given: Any) -> Settings:
    """The settings of the environment, with those that were given as options."""
    from pydantic import ValidationError

    from learn2search.site.settings import Settings

    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        raise typer.BadParameter(f"LEARN2SEARCH_{'_'.join(map(str, first['loc'])).upper()}: {first['msg']}") from None


def site_from(**given: Any) -> Site:
    """The site of these settings, opened."""
    with needs_web_packages():
        from learn2search.cli.serving import open_site
    return open_site(settings_from(**given))


@contextmanager
def needs_web_packages() -> Iterator[None]:
    """Say which extra to install when an import fails."""
    try:
        yield
    except ImportError as error:
        message = f"The site needs more packages: pip install 'learn2search[web]' ({error})"
        raise SystemExit(message) from error


@contextmanager
def errors_in_a_line() -> Iterator[None]:
    """End the command with one line when the site refuses, or a file cannot be read or written."""
    from learn2search.client import ClientError
    from learn2search.site.errors import SiteError

    try:
        yield
    except (SiteError, ClientError) as error:
        raise SystemExit(str(error)) from error
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        raise SystemExit(f"{named}{error.strerror or error}") from error
