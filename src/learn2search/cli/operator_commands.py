"""`backup`, `restore` and `doctor`: keep a site safe, move it, and find out what is wrong."""

from __future__ import annotations

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


def doctor(home: Home = None, database_url: Url = None, host: Host = None, port: Port = None) -> None:
    """Check everything that a site needs, and say what to do about what is wrong."""
    with needs_web_packages():
        from learn2search.cli.doctor import examine

    findings = examine(settings_from(home=home, database_url=database_url, host=host, port=port))
    for finding in findings:
        typer.echo(f"{'ok ' if finding.good else 'BAD'}  {finding.what}: {finding.state}")
    if not all(finding.good for finding in findings):
        raise typer.Exit(1)
