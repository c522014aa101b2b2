"""`backup`, `restore` and `doctor`: keep a site safe, move it, and find out what is wrong."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from learn2search.cli.site_options import (
    Home,
    Host,
    Port,
    Url,
    errors_in_a_line,
    needs_web_packages,
    settings_from,
    site_from,
)


def backup(
    path: Annotated[Path, typer.Argument(help="The ZIP file to write.")], home: Home = None, database_url: Url = None
) -> None:
    """Write the whole site into one ZIP file, while it may be running."""
    site = site_from(home=home, database_url=database_url)
    from learn2search.site.administration import backups

    with errors_in_a_line():
        typer.echo(f"wrote {path}: {backups.backup(site, path):,} rows and the media")


def restore(
    path: Annotated[Path, typer.Argument(help="A ZIP file that `backup` wrote.")],
    home: Home = None,
    database_url: Url = None,
) -> None:
    """Fill an empty site from a backup, on SQLite or PostgreSQL."""
    site = site_from(home=home, database_url=database_url)
    from learn2search.site.administration import backups

    with errors_in_a_line():
        typer.echo(f"restored {backups.restore(site, path):,} rows from {path}")


def copy_database(
    source: Annotated[str, typer.Argument(metavar="FROM", help="sqlite:///path/site.db or postgresql://...")],
    target: Annotated[str, typer.Argument(metavar="TO", help="An empty database of either kind.")],
) -> None:
    """Copy a site's whole database into an empty one, as from SQLite to PostgreSQL, and verify every row.

    Stop the site first: answers that come after the copy has begun are not in it. An interrupted copy leaves the target
    empty; the same command begins anew. Media are not in the database: they stay where they are.
    """
    with needs_web_packages():
        from sqlalchemy.exc import SQLAlchemyError

        from learn2search.progress import track
        from learn2search.store.copying import CopyError
        from learn2search.store.copying import copy_database as copy_all
        from learn2search.store.database import Database
    if source.startswith("sqlite:///") and not Path(source.removeprefix("sqlite:///")).is_file():
        raise SystemExit(f"{source} is not there: give the path of the file, as in sqlite:////var/lib/site.db")
    try:
        with closing(Database(source)) as old, closing(Database(target)) as new:
            sums = copy_all(old, new, track)
    except (CopyError, SQLAlchemyError, ValueError, OSError) as error:
        raise SystemExit(str(error).splitlines()[0]) from error
    for name, table in sums.items():
        typer.echo(f"{name:12} {table.rows:10,} rows   {table.checksum:064x}")
    typer.echo(f"copied and verified {sum(table.rows for table in sums.values()):,} rows")


def doctor(home: Home = None, database_url: Url = None, host: Host = None, port: Port = None) -> None:
    """Check everything that a site needs, and say what to do about what is wrong."""
    with needs_web_packages():
        from learn2search.cli.doctor import examine

    findings = examine(settings_from(home=home, database_url=database_url, host=host, port=port))
    for finding in findings:
        typer.echo(f"{'ok ' if finding.good else 'BAD'}  {finding.what}: {finding.state}")
    if not all(finding.good for finding in findings):
        raise typer.Exit(1)
