"""`python -m learn2search.demo`: look at the faces, write them into files, or make the demo's assets again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from learn2search.demo.collection import write_collection
from learn2search.demo.sheet import contact_sheet, walk_sheet
from learn2search.demo.similarity import COUNT, NAMES, SEED, faces, similarity_features

app = typer.Typer(help=__doc__, no_args_is_help=True, rich_markup_mode=None, add_completion=False)

Count = Annotated[int, typer.Option(min=1, max=COUNT, metavar="N", help="How many faces to show.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Another seed draws other faces.")]


@app.command()
def sheet(out: Path, shown: Count = 40, columns: Annotated[int, typer.Option(min=1)] = 8, seed: Seed = SEED) -> None:
    """Write a contact sheet, the first faces of the collection on one HTML page."""
    out.write_text(contact_sheet(shown, seed, columns), encoding="utf-8")


@app.command()
def walk(out: Path) -> None:
    """Write an HTML page with every feature in seven steps."""
    out.write_text(walk_sheet(), encoding="utf-8")


@app.command()
def write(folder: Path, seed: Seed = SEED) -> None:
    """Write the collection into a folder: 513 SVG files and collection.csv."""
    typer.echo(f"wrote {write_collection(folder, seed=seed)}")


@app.command()
def features(out: Path, seed: Seed = SEED) -> None:
    """Write what simulated visitors see of the faces, a row each, as CSV: features × weights."""
    seen = similarity_features(faces(seed=seed))
    np.savetxt(out, seen, fmt="%.6f", delimiter=",", header=",".join(NAMES), comments="")


@app.command()
def snapshot() -> None:
    """Make assets/snapshot.npz again: what the site learns from 2,000 simulated visitors. Takes minutes."""
    from learn2search.demo.make_assets import make_snapshot

    make_snapshot()


@app.command()
def thumbnails() -> None:
    """Make assets/thumbnails.npz again: needs Chromium and the package playwright (extra dev)."""
    from learn2search.demo.make_assets import make_thumbnails

    make_thumbnails()


if __name__ == "__main__":
    app(prog_name="python -m learn2search.demo")
