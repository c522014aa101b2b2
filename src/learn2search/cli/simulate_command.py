"""`simulate`: send simulated visitors to a running site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from learn2search.cli.site_options import SeedOption, ShowIfGiven, errors_in_a_line, needs_web_packages

_FACES = "faces"  # the collection of the demo
_REPORTED = 100  # searches after which a line is printed


def simulate(
    address: Annotated[str, typer.Argument(help="The address of a running site.")] = "http://127.0.0.1:8000",
    collection: Annotated[str, typer.Option("--collection", help="Where to search.")] = _FACES,
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
    show: ShowIfGiven = None,
    seed: SeedOption = None,
) -> None:
    """Send bot visitors to a running site, over HTTP. Their searches teach it, so the owner's token is needed.

    By default they see the drawn faces of the demo as a person might: by the features that they are drawn from.
    """
    with needs_web_packages():
        from learn2search.cli.visitors import Visitors, visit
        from learn2search.client import Client
        from learn2search.demo import faces, similarity_features
        from learn2search.site.catalogue.known_features import read_features

    costs: list[int] = []
    with errors_in_a_line():
        perceived = similarity_features(faces()) if features is None else read_features(features)
        visitors = Visitors(perceived, noise, 0 if seed is None else seed, skew)
        with Client(address, token) as client:
            for cost in visit(client, collection, visitors, searches, at_once, show):
                costs.append(cost)
                if len(costs) % _REPORTED == 0 or len(costs) == searches:
                    latest = sorted(costs[-_REPORTED:])
                    typer.echo(f"{len(costs):,} searches; median of the last {len(latest)}: {latest[len(latest) // 2]}")
