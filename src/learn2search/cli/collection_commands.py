"""`import` and `export`: what goes into a collection, and what comes out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from learn2search.site.catalogue.imports import Preview

from learn2search.cli.site_options import (
    EncoderOption,
    Features,
    Home,
    Noun,
    Nouns,
    Show,
    Slug,
    Strategies,
    Title,
    Url,
    WarmStart,
    collection_options,
    errors_in_a_line,
    site_from,
)

_UNASKED = 0.1  # the share of a collection's items that --replace retires without a question


def import_(
    source: Annotated[
        Path, typer.Argument(help="A folder, ZIP file or CSV table (file, title, description, group, link).")
    ],
    title: Title = None,
    slug: Slug = None,
    noun: Noun = None,
    nouns: Nouns = None,
    show: Show = None,
    features: Features = None,
    warm_start: WarmStart = None,
    encoder: EncoderOption = None,
    strategies: Strategies = None,
    replace: Annotated[bool, typer.Option("--replace", help="Also retire the items that the source lacks.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Retire more than a tenth of the items without a question.")
    ] = False,
    home: Home = None,
    database_url: Url = None,
) -> None:
    """Add a source to a collection without serving. A site that is running shows the new items at once.

    Nothing is ever retired unless you say --replace: then the collection becomes what the source holds. Retired items
    come back when the source holds them again.
    """
    options = collection_options(noun, nouns, show, warm_start, strategies, encoder)
    site = site_from(home=home, database_url=database_url)
    from learn2search.cli.serving import import_into, print_preview

    def agree(preview: Preview) -> bool:
        """What --replace would retire is shown, and more than a tenth has to be confirmed."""
        if dry_run or (replace and preview.gone):
            print_preview(preview, replace)
        if dry_run:
            raise typer.Exit()
        if replace and len(preview.gone) > _UNASKED * preview.active and not yes:
            if not sys.stdin.isatty():
                raise SystemExit("That is more than a tenth of the items, and nothing was changed: say --yes to do it")
            typer.confirm("That is more than a tenth of the items. Retire them?", abort=True, err=True)
        return replace

    with errors_in_a_line():
        import_into(site, source, title, slug, features, agree=agree, **options)


def export(
    collection: Annotated[str, typer.Argument(metavar="COLLECTION", help="The collection's address, as in its page.")],
    name: Annotated[
        str | None, typer.Argument(help="The file, such as triplets.csv. Without it, the files are listed.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The file to write; by default COLLECTION-NAME.")] = None,
    home: Home = None,
    database_url: Url = None,
) -> None:
    """Write what a collection has learnt to a file, or list the files that there are."""
    site = site_from(home=home, database_url=database_url)
    from learn2search.files import open_atomic
    from learn2search.site.administration import exports

    if name is None:
        for known, one in exports.EXPORTS.items():
            typer.echo(f"{known:16}  {', '.join(one.columns)}")
        return
    with errors_in_a_line():
        parts, _ = exports.export(site, site.collection(collection), name)
        target = out or Path(f"{collection}-{name}")
        with open_atomic(target) as file:
            file.writelines(parts)
        typer.echo(f"wrote {target}")
