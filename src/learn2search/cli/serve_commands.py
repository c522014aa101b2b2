"""`serve` and `demo`: put a collection on a search page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from learn2search.cli.site_options import (
    AccessLines,
    EncoderOption,
    Features,
    Home,
    Host,
    NewToken,
    NoBrowser,
    Noun,
    Nouns,
    Port,
    SeedOption,
    Show,
    Slug,
    Strategies,
    Title,
    Url,
    WarmStart,
    Workers,
    collection_options,
    errors_in_a_line,
    site_from,
)


def serve(
    source: Annotated[Path | None, typer.Argument(help="A folder, ZIP file or CSV table to import first.")] = None,
    title: Title = None,
    slug: Slug = None,
    noun: Noun = None,
    nouns: Nouns = None,
    show: Show = None,
    features: Features = None,
    warm_start: WarmStart = None,
    encoder: EncoderOption = None,
    strategies: Strategies = None,
    host: Host = None,
    port: Port = None,
    workers: Workers = None,
    home: Home = None,
    database_url: Url = None,
    seed: SeedOption = None,
    new_token: NewToken = False,
    no_browser: NoBrowser = False,
    access_log: AccessLines = False,
    trainer: Annotated[
        bool, typer.Option("--trainer/--no-trainer", help="Train here, or leave it to `learn2search trainer`.")
    ] = True,
) -> None:
    """Put a collection on a search page: `learn2search serve ./pictures`.

    Imports the source (only what is new; files that are gone retire their items), prints the visitors' address and,
    the first time, the owner's token, and serves until Ctrl-C. Without a source it serves what is there.
    """
    options = collection_options(noun, nouns, show, warm_start, strategies, encoder)
    site = site_from(
        host=host,
        port=port,
        workers=workers,
        home=home,
        database_url=database_url,
        seed=seed,
        access_log=access_log,
    )
    from learn2search.cli.serving import import_into, run

    if source is not None:
        with errors_in_a_line():
            import_into(site, source, title, slug, features, **options)
    run(site, new_token=new_token, browser=not no_browser, trainer=trainer)


def demo(
    untaught: Annotated[bool, typer.Option("--untaught", help="Begin without what simulated visitors taught.")] = False,
    warm_start: WarmStart = None,
    host: Host = None,
    port: Port = None,
    workers: Workers = None,
    home: Home = None,
    database_url: Url = None,
    seed: SeedOption = None,
    new_token: NewToken = False,
    no_browser: NoBrowser = False,
) -> None:
    """The built-in collection: 513 drawn faces, taught by simulated visitors. Find the face you have in mind."""
    site = site_from(host=host, port=port, workers=workers, home=home, database_url=database_url, seed=seed)
    from learn2search.cli.serving import run
    from learn2search.demo.install import install_faces

    with errors_in_a_line():
        install_faces(site, with_snapshot=not untaught, warm_start=warm_start or "nothing")
    run(site, new_token=new_token, browser=not no_browser)
