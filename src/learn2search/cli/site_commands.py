"""How the commands of the site are called. What they do is imported when they run, so that help comes at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from learn2search.site.context import Site
    from learn2search.site.settings import Settings

FACES = "faces"

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
SeedOption = Annotated[
    int | None, typer.Option("--seed", envvar="LEARN2SEARCH_SEED", min=0, metavar="N", help="Repeatable training.")
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")]
NewToken = Annotated[bool, typer.Option("--new-token", help="Make a new owner's token; the old one no longer counts.")]
Title = Annotated[str | None, typer.Option("--title", help="The collection's title; by default the source's name.")]
Slug = Annotated[str | None, typer.Option("--slug", help="Its address: a-z, 0-9 and hyphens; by default the title.")]
Noun = Annotated[str | None, typer.Option("--noun", help="What one item is called: face, wine, song.")]
Nouns = Annotated[str | None, typer.Option("--nouns", help="And several: faces, wines, songs.")]
Show = Annotated[int, typer.Option("--show", metavar="2|4", help="How many to show at a time.")]
Known = Annotated[
    Path | None,
    typer.Option("--features", help="Known features: .npy or .csv, one row an item in their order. No cold start."),
]
WarmStart = Annotated[
    str | None,
    typer.Option(
        "--warm-start", metavar="pictures", help="Place items by the colours of their pictures before answers do."
    ),
]
SlugArgument = Annotated[str, typer.Argument(metavar="COLLECTION", help="The collection's address, as in its page.")]


def register(app: typer.Typer) -> None:
    """Add the commands in the order in which help lists them."""
    app.command()(serve)
    app.command()(demo)
    app.command("import")(import_)
    for command in (train, export, backup, restore, simulate, doctor):
        app.command()(command)


def _settings(**given: Any) -> Settings:
    from pydantic import ValidationError

    from learn2search.site.settings import Settings

    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        raise typer.BadParameter(f"LEARN2SEARCH_{'_'.join(map(str, first['loc'])).upper()}: {first['msg']}") from None


def _site(**given: Any) -> Site:
    try:
        from learn2search.cli.serving import open_site
    except ImportError as error:
        raise _needs_more(error) from error
    return open_site(_settings(**given))


def _needs_more(error: ImportError) -> SystemExit:
    return SystemExit(f"The site needs more packages: pip install 'learn2search[web]' ({error})")


def _warm(start: str | None) -> str | None:
    if start not in (None, "pictures"):
        raise typer.BadParameter(f"A warm start is by “pictures”, not by “{start}”.", param_hint="--warm-start")
    return start


def _names(noun: str | None, nouns: str | None, show: int, warm_start: str | None) -> dict[str, Any]:
    if show not in (2, 4):
        raise typer.BadParameter(f"2 or 4 are shown at a time, not {show}.", param_hint="--show")
    named = {"noun": noun, "nouns": nouns or (f"{noun}s" if noun else None), "warm_start": _warm(warm_start)}
    return {"show": show} | {name: value for name, value in named.items() if value}


def serve(
    source: Annotated[Path | None, typer.Argument(help="A folder, ZIP file or CSV table to import first.")] = None,
    title: Title = None,
    slug: Slug = None,
    noun: Noun = None,
    nouns: Nouns = None,
    show: Show = 4,
    features: Known = None,
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
    """Put a collection on a search page: `learn2search serve ./pictures`.

    Imports the source (only what is new; files that are gone retire their items), prints the visitors' address and,
    the first time, the owner's token, and serves until Ctrl-C. Without a source it serves what is there.
    """
    names = _names(noun, nouns, show, warm_start)
    site = _site(host=host, port=port, workers=workers, home=home, database_url=database_url, seed=seed)
    from learn2search.cli.serving import import_into, run

    if source is not None:
        _safely(lambda: import_into(site, source, title, slug, features, **names))
    run(site, new_token=new_token, browser=not no_browser)


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
    warm_start = _warm(warm_start) or "nothing"
    site = _site(host=host, port=port, workers=workers, home=home, database_url=database_url, seed=seed)
    from learn2search.cli.serving import run
    from learn2search.demo.install import install_faces

    _safely(lambda: install_faces(site, with_snapshot=not untaught, warm_start=warm_start))
    run(site, new_token=new_token, browser=not no_browser)


def import_(
    source: Annotated[Path, typer.Argument(help="A folder, ZIP file or CSV table (file, title, description, group).")],
    title: Title = None,
    slug: Slug = None,
    noun: Noun = None,
    nouns: Nouns = None,
    show: Show = 4,
    features: Known = None,
    warm_start: WarmStart = None,
    home: Home = None,
    database_url: Url = None,
) -> None:
    """Add a source to a collection without serving. A site that is running shows the new items at once."""
    names = _names(noun, nouns, show, warm_start)
    site = _site(home=home, database_url=database_url)
    from learn2search.cli.serving import import_into

    _safely(lambda: import_into(site, source, title, slug, features, **names))


def train(
    watch: Annotated[bool, typer.Option("--watch", help="Go on: train whenever there is enough new.")] = False,
    parent: Annotated[int | None, typer.Option(hidden=True)] = None,
    home: Home = None,
    database_url: Url = None,
    seed: SeedOption = None,
) -> None:
    """Fit models to the finished searches now, whether or not much is new. `serve` does this by itself."""
    site = _site(home=home, database_url=database_url, seed=seed)
    from learn2search.site.learning import trainer
    from learn2search.store import collections

    if watch:
        trainer.run_process(site, parent)
        return
    with site.database.read() as db:
        known = collections.all_collections(db)
    for collection in known:
        made = trainer.train(site, collection) if collection.model_id is not None else None
        if made is None:
            typer.echo(f"{collection.title}: nothing to learn from yet")
        else:
            end = "published" if made.published else "kept out: no new search shows that it predicts better"
            typer.echo(f"{collection.title}: model {made.version} from {made.triplets:,} triplets, {end}")


def export(
    collection: SlugArgument,
    name: Annotated[str, typer.Argument(help="clicks.jsonl, triplets.csv|npz|parquet, embedding.npz|csv, items.csv")],
    out: Annotated[Path | None, typer.Option("--out", help="The file to write; by default COLLECTION-NAME.")] = None,
    home: Home = None,
    database_url: Url = None,
) -> None:
    """Write what a collection has learnt to a file."""
    site = _site(home=home, database_url=database_url)
    from learn2search.files import open_atomic
    from learn2search.site.administration.exports import export as export_parts

    def write() -> None:
        parts, _ = export_parts(site, site.collection(collection), name)
        target = out or Path(f"{collection}-{name}")
        with open_atomic(target) as file:
            file.writelines(parts)
        typer.echo(f"wrote {target}")

    _safely(write)


def backup(
    path: Annotated[Path, typer.Argument(help="The ZIP file to write.")], home: Home = None, database_url: Url = None
) -> None:
    """Write the whole site into one ZIP file, while it may be running."""
    site = _site(home=home, database_url=database_url)
    from learn2search.site.administration import backups

    _safely(lambda: typer.echo(f"wrote {path}: {backups.backup(site, path):,} rows and the media"))


def restore(
    path: Annotated[Path, typer.Argument(help="A ZIP file that `backup` wrote.")],
    home: Home = None,
    database_url: Url = None,
) -> None:
    """Fill an empty site from a backup, on SQLite or PostgreSQL."""
    site = _site(home=home, database_url=database_url)
    from learn2search.site.administration import backups

    _safely(lambda: typer.echo(f"restored {backups.restore(site, path):,} rows from {path}"))


def simulate(
    address: Annotated[str, typer.Argument(help="The address of a running site.")] = "http://127.0.0.1:8000",
    collection: Annotated[str, typer.Option("--collection", help="Where to search.")] = FACES,
    searches: Annotated[int, typer.Option("--searches", min=1, help="How many.")] = 100,
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=64, help="Visitors at the same time.")] = 4,
    token: Annotated[
        str | None, typer.Option("--token", envvar="LEARN2SEARCH_TOKEN", help="The owner's token.")
    ] = None,
    features: Annotated[
        Path | None, typer.Option("--features", help="What visitors perceive: .npy or .csv, one row an item.")
    ] = None,
    noise: Annotated[
        float, typer.Option("--noise", min=0.0, help="How unsure they are, in units of the features.")
    ] = 0.5,
    skew: Annotated[
        float, typer.Option("--skew", min=0.0, help="Popularity of the items, 1/rank^SKEW; 0: all alike.")
    ] = 0.0,
    show: Annotated[int | None, typer.Option("--show", metavar="2|4", help="Pictures at a time.")] = None,
    seed: SeedOption = None,
) -> None:
    """Send bot visitors to a running site, over HTTP. Their searches teach it, so the owner's token is needed.

    By default they see the drawn faces of the demo as a person might: by the features that they are drawn from.
    """
    from learn2search.cli.visitors import Client, SiteError, Visitors
    from learn2search.cli.visitors import simulate as visit
    from learn2search.demo import faces, similarity_features
    from learn2search.site.catalogue.known_features import read_features
    from learn2search.site.errors import ServiceError

    costs: list[int] = []
    try:
        known = similarity_features(faces()) if features is None else read_features(features)
        visitors = Visitors(known, noise, 0 if seed is None else seed, skew)
        with Client(address, token) as client:
            for cost in visit(client, collection, visitors, searches, at_once, show):
                costs.append(cost)
                if len(costs) % 100 == 0 or len(costs) == searches:
                    latest = sorted(costs[-100:])
                    typer.echo(f"{len(costs):,} searches; median of the last {len(latest)}: {latest[len(latest) // 2]}")
    except (SiteError, ServiceError) as error:
        raise SystemExit(str(error)) from error


def doctor(home: Home = None, database_url: Url = None, host: Host = None, port: Port = None) -> None:
    """Check everything that a site needs, and say what to do about what is wrong."""
    try:
        from learn2search.cli.doctor import examine
    except ImportError as error:
        raise _needs_more(error) from error

    findings = examine(_settings(home=home, database_url=database_url, host=host, port=port))
    for finding in findings:
        typer.echo(f"{'ok ' if finding.good else 'BAD'}  {finding.what}: {finding.state}")
    if not all(finding.good for finding in findings):
        raise typer.Exit(1)


def _safely(act: Any) -> None:
    """An error of the service, or a file that cannot be read or written, is told in a line."""
    from learn2search.site.errors import ServiceError

    try:
        act()
    except ServiceError as error:
        raise SystemExit(str(error)) from error
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        raise SystemExit(f"{named}{error.strerror or error}") from error
