"""`train`: an embedding from a file of triplets, also over several hosts, or the site's models; `trainer`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from learn2search.cli.site_options import (
    Home,
    SeedOption,
    Url,
    errors_in_a_line,
    needs_web_packages,
    settings_from,
    site_from,
)

if TYPE_CHECKING:
    from learn2search.embed._jax import ParquetFit
    from learn2search.embedding import Embedding

_HELD_OUT = 0.05

Triplets = Annotated[
    Path | None,
    typer.Argument(help="Triplets: .parquet, .csv, .npz, or a folder of Parquet files; without it, the site."),
]
Out = Annotated[Path | None, typer.Option("--out", help="The file of the embedding; by default model.npz.")]
Axes = Annotated[str, typer.Option("--axes", metavar="N|auto", help="How many axes; auto: what the answers tell.")]
Epochs = Annotated[int | None, typer.Option("--epochs", min=1, help="How often all triplets are passed.")]
HeldOut = Annotated[float, typer.Option("--held-out", min=0.0, max=0.9, help="The share that only judges the result.")]
Device = Annotated[str, typer.Option("--device", metavar="auto|cpu|gpu", help="Where to fit, on one machine.")]
Hosts = Annotated[
    str | None,
    typer.Option(
        "--hosts",
        metavar="ADDRESS|auto",
        help="With other processes: where process 0 waits, 10.0.0.1:1234; auto: as SLURM, Open MPI, Kubernetes say.",
    ),
]
Processes = Annotated[int | None, typer.Option("--processes", min=1, help="How many processes there are.")]
Process = Annotated[int | None, typer.Option("--process", min=0, help="Which one this is, from 0.")]
Items = Annotated[
    str,
    typer.Option("--items", metavar="replicated|sharded", help="All items on each device, or split over the devices."),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option("--checkpoint", help="Where process 0 keeps the state of the fit; by default beside --out."),
]
Every = Annotated[int, typer.Option("--checkpoint-every", min=1, metavar="N", help="Epochs from one to the next.")]
GiveUp = Annotated[
    int,
    typer.Option("--give-up-after", min=1, metavar="SECONDS", help="Without a sign of life of another process."),
]


def train(
    triplets: Triplets = None,
    out: Out = None,
    axes: Axes = "auto",
    epochs: Epochs = None,
    held_out: HeldOut = _HELD_OUT,
    device: Device = "auto",
    hosts: Hosts = None,
    processes: Processes = None,
    process: Process = None,
    items: Items = "replicated",
    checkpoint: Checkpoint = None,
    checkpoint_every: Every = 1,
    give_up_after: GiveUp = 60,
    home: Home = None,
    database_url: Url = None,
    seed: SeedOption = None,
) -> None:
    """Fit an embedding to a file of triplets; without a file, the site's models to its finished searches.

    \b
    learn2search train answers.csv --out model.npz --axes 5
    learn2search train answers.parquet --axes 20 --hosts 10.0.0.1:1234 --processes 2 --process 0
    learn2search train answers.parquet --axes 20 --hosts auto           # under SLURM, Open MPI, Kubernetes
    learn2search train                                                  # the site, now

    With --hosts each process reads its share of the triplets from Parquet. When one of them ends, all end with an
    error; started again with the same commands they go on from the checkpoint.
    """
    if triplets is not None and not triplets.exists():
        raise typer.BadParameter(f"There is no file {triplets}.")
    if triplets is None:
        if hosts is not None or checkpoint is not None:
            raise typer.BadParameter("--hosts and --checkpoint are for a file of triplets: name one.")
        _train_site(site_from(home=home, database_url=database_url, seed=seed))
    elif hosts is None and checkpoint is None:
        _train_here(triplets, out or Path("model.npz"), axes, epochs, held_out, device, seed)
    else:
        target = out or Path("model.npz")
        kept = checkpoint or target.with_suffix(".checkpoint.npz")
        connection = (hosts, processes, process, give_up_after)
        options = {"epochs": epochs or 20, "held_out": held_out, "items": items, "seed": seed or 0}
        _train_over_hosts(triplets, target, axes, connection, kept, options | {"checkpoint_every": checkpoint_every})


def trainer(
    parent: Annotated[int | None, typer.Option(hidden=True)] = None,
    home: Home = None,
    database_url: Url = None,
    seed: SeedOption = None,
) -> None:
    """Train whenever there is enough new, until Ctrl-C: for sites whose `serve` runs with --no-trainer.

    Start several, on any machines that reach the database, and one that dies is replaced within seconds: each
    collection is trained by one at a time.
    """
    settings = settings_from(home=home, database_url=database_url, seed=seed)
    with needs_web_packages():
        from learn2search.site.context import Site
        from learn2search.site.errors import SiteError
        from learn2search.site.learning.trainer import run_process

    try:
        site = Site(settings)
    except (SiteError, ValueError) as error:
        raise SystemExit(f"The site does not open: {error}") from error
    if parent is None:
        typer.echo("Trainer is ready. Stop with Ctrl-C.")
        sys.stdout.flush()
    run_process(site, parent)


# --- the site ----------------------------------------------------------------------------------------


def _train_site(site: Any) -> None:
    from learn2search.site.learning import trainer
    from learn2search.store import collections

    with site.database.read() as db:
        known = collections.all_collections(db)
    for collection in known:
        made = trainer.train(site, collection) if collection.model_id is not None else None
        if made is None:
            typer.echo(f"{collection.title}: nothing to learn from yet")
        else:
            end = "published" if made.published else "kept out: no new search shows that it predicts better"
            typer.echo(f"{collection.title}: model {made.version} from {made.triplets:,} triplets, {end}")


# --- a file of triplets ------------------------------------------------------------------------------


def _train_here(
    path: Path, out: Path, axes: str, epochs: int | None, held_out: float, device: str, seed: int | None
) -> None:
    """On this machine: any file that `read_triplets` reads, by `GaussEmbed`."""
    from learn2search import GaussEmbed, read_triplets
    from learn2search.triplets import split

    with errors_in_a_line():
        try:
            data = read_triplets(path)
            learnt, judged = (data, None)
            if held_out:
                rows, other = split(len(data), held_out, 0 if seed is None else seed, data.groups)
                learnt, judged = data[rows], data[other]
            typer.echo(f"{len(learnt):,} triplets of {data.n_items:,} items, and {len(data) - len(learnt):,} held out")
            model = GaussEmbed(
                _axes(axes), epochs=epochs, device=device, random_state=seed, verbose=sys.stderr.isatty(), lapse=0.0
            )
            began = time.monotonic()
            model.fit(learnt, groups=learnt.groups)
        except (ValueError, RuntimeError) as error:
            raise SystemExit(str(error)) from error
        taken = time.monotonic() - began
        typer.echo(f"{model.embedding_.shape[1]} axes, {model.epochs_} epochs, {taken:.1f} s")
        if judged is not None:
            _say_how_good(model.score(judged), model.log_likelihood(judged))
        _write(model.to_embedding(), out)
    if any(name != number for number, name in enumerate(data.names)):
        typer.echo(f"Items are numbered in the order of their names: read_triplets({str(path)!r}).names")


def _train_over_hosts(
    path: Path,
    out: Path,
    axes: str,
    connection: tuple[str | None, int | None, int | None, int],
    checkpoint: Path,
    options: dict[str, Any],
) -> None:
    """One of several processes (or the only one): triplets are read by share from Parquet, by JAX."""
    import numpy as np

    from learn2search import Embedding, accelerated
    from learn2search.progress import bar

    hosts, processes, process, give_up_after = connection
    try:
        if hosts is not None:
            address = None if hosts == "auto" else hosts
            accelerated.connect_hosts(address, processes, process, give_up_after=give_up_after)
        import jax

        is_first = jax.process_index() == 0
        if is_first and hosts is not None:
            typer.echo(f"{jax.process_count()} processes, {len(jax.devices())} devices: {jax.devices()[0].device_kind}")
            typer.echo(f"If one of them ends, the others do so within {give_up_after} seconds")
        began = time.monotonic()
        with bar("fitting", options["epochs"], None if is_first else False) as show:
            fit = accelerated.fit_parquet(
                path, _number_of_axes(axes), checkpoint=checkpoint, after_epoch=show, **options
            )
        if is_first:
            _report(fit, time.monotonic() - began)
            _write(Embedding(fit.fitted.nu, np.exp(2.0 * fit.fitted.log_sd)), out)
            checkpoint.unlink(missing_ok=True)
    except (ValueError, RuntimeError, ImportError, OSError) as error:
        _end_at_once(str(error))


def _report(fit: ParquetFit, taken: float) -> None:
    n, d = fit.fitted.nu.shape
    resumed = f", of which {fit.resumed} before" if fit.resumed else ""
    typer.echo(f"{fit.triplets:,} triplets of {n:,} items, and {fit.held_out:,} held out")
    typer.echo(f"{d} axes, {fit.fitted.epochs} epochs{resumed}, {taken:.1f} s")
    if fit.held_out:
        _say_how_good(fit.accuracy)


def _say_how_good(accuracy: float, log_likelihood: float | None = None) -> None:
    likelihood = "" if log_likelihood is None else f"; log-likelihood {log_likelihood:.3f} each (a coin: -0.693)"
    typer.echo(f"held-out triplets: {accuracy:.1%} predicted right (a coin: 50%){likelihood}")


def _write(embedding: Embedding, out: Path) -> None:
    embedding.save(out)
    typer.echo(f'wrote {out}: learn2search.Embedding.load("{out}")')


def _axes(given: str) -> int | str:
    return "auto" if given == "auto" else _number_of_axes(given)


def _number_of_axes(given: str) -> int:
    if not (given.isascii() and given.isdecimal() and int(given) > 0):
        raise ValueError(
            f"--axes takes a whole number from 1, got {given!r} (auto: on one machine, without --checkpoint)"
        )
    return int(given)


def _end_at_once(message: str) -> NoReturn:
    """Without what JAX does at the end of a program: it would wait for the other processes."""
    typer.echo(message, err=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)
