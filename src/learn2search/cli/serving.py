"""`serve` and `demo`: import, print the addresses, run the workers and the trainer, stop cleanly."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from rich.console import Console
from uvicorn.supervisors import Multiprocess

from learn2search import warm_up
from learn2search.cli import patient_protocol
from learn2search.progress import spinner, track
from learn2search.site.catalogue import known_features
from learn2search.site.catalogue.imports import (
    Preview,
    Report,
    import_source,
    make_collection,
    preview_import,
    read_source,
    slug_of,
)
from learn2search.site.catalogue.item_features import PICTURES, feature_source, item_features
from learn2search.site.catalogue.options import checked
from learn2search.site.catalogue.sources import title_of
from learn2search.site.context import Site
from learn2search.site.settings import Settings
from learn2search.store.collections import Collection

_PATIENCE = 1.0  # seconds before a trainer that ended is started again
_AGAIN = 5.0  # seconds before one that could not be started is tried again
_WORKER_SECONDS = 30  # until a worker that does not answer is replaced: on a busy machine, starting takes long
_STARTUP_FAILURE = 3  # uvicorn's exit code of a worker that could not start
_SHOWN = 20  # problems that are listed

console = Console(stderr=True, highlight=False)


def open_site(settings: Settings) -> Site:
    """The site with its database up to date; a database that does not open ends the command with the reason."""
    try:
        return Site.open(settings)
    except Exception as error:
        place = "LEARN2SEARCH_DATABASE_URL" if settings.database_url else str(settings.home)
        raise SystemExit(f"The site in {place} does not open: {error}") from error


def import_into(
    site: Site,
    source: Path,
    title: str | None,
    slug: str | None,
    known: Path | None = None,
    *,
    agree: Callable[[Preview], bool] = lambda preview: False,
    **options: Any,
) -> Collection:
    """Import a source with a progress bar, and print what happened. A source that fails leaves no collection behind.

    Parameters
    ----------
    title, slug
        Of the collection; by default made from the name of the source.
    known
        A file with the items' features.
    agree
        Shall it retire what is gone from the source? By default not.
    options
        Of the collection, where it is new.
    """
    title = title or title_of(source.resolve().stem)
    slug = slug or slug_of(title)
    if known is not None:
        options = {"warm_start": "nothing"} | options
    checked(options)
    read = read_source(source)
    preview = preview_import(site, read, slug)
    replace = agree(preview)
    collection = make_collection(site, slug, title, **options)
    print_report(import_source(site, read, collection, track, replace=replace))
    if preview.gone and preview.unchanged and not replace:
        count = f"{len(preview.gone):,} {'item is' if len(preview.gone) == 1 else 'items are'}"
        console.print(f"{count} not in {source.name} any more, and stay: `learn2search import --replace` retires them")
    _print_features(site, site.collection(collection.slug))
    if known is not None:
        known_features.publish_features(site, collection, known_features.read_features(known))
        console.print(f"Positions are those of {known.name}")
    return site.collection(collection.slug)


def _print_features(site: Site, collection: Collection) -> None:
    """Say how many items are placed before there are answers, if any are to be."""
    source = feature_source(collection)
    if source is not None:
        features = item_features(site, collection, source)
        placed = int(features.any(axis=1).sum())
        if placed or source != PICTURES:
            console.print(f"{placed:,} of {len(features):,} items are placed by what they show, until answers do")


def print_preview(preview: Preview, replace: bool) -> None:
    """Say what an import would do, and whom it would retire."""
    console.print(
        f"would add {preview.new:,} and look again at {preview.changed:,}; {preview.unchanged:,} are as they were"
    )
    if not replace:
        return
    console.print(f"would retire {len(preview.gone):,} of {preview.active:,} items")
    for item in preview.gone[:_SHOWN]:
        console.print(f"  retired: {item.key} ({item.title})", markup=False)
    if len(preview.gone) > _SHOWN:
        console.print(f"  ... and {len(preview.gone) - _SHOWN:,} more")


def print_report(report: Report) -> None:
    """Say what an import did, and which files it could not take."""
    console.print(
        f"{report.added:,} added, {report.changed:,} changed, {report.unchanged:,} as they were, "
        f"{report.retired:,} retired"
    )
    for problem in report.problems[:_SHOWN]:
        console.print(f"  not imported: {problem.name}: {problem.message}", markup=False)
    if len(report.problems) > _SHOWN:
        console.print(f"  ... and {len(report.problems) - _SHOWN:,} more")


def run(site: Site, *, new_token: bool, browser: bool, trainer: bool = True) -> None:
    """Serve until SIGINT or SIGTERM; with a `trainer` beside the workers, in a process of its own."""
    settings = site.settings
    _check_port(settings)
    with spinner("Getting ready (the very first start compiles for half a minute or more)"):
        warm_up(["search"], progress=False)
    site.close()
    _export(settings)
    stop = threading.Event()
    keeper = threading.Thread(target=_keep_training, args=(stop,), daemon=True)
    if trainer:
        keeper.start()
    threading.Thread(target=_welcome, args=(settings, new_token, browser and _has_screen()), daemon=True).start()
    try:
        with _shared_counters(settings.workers):
            _serve(settings)
    finally:
        stop.set()
        if trainer:
            keeper.join(15)


def _serve(settings: Settings) -> None:
    """Serve until a signal; a worker that cannot start ends the command with uvicorn's code for it."""
    config = uvicorn.Config(
        "learn2search.web.app:from_environment",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=5,
        server_header=False,
        http="learn2search.cli.patient_protocol:PatientProtocol",  # by name: a worker imports it once it can be asked
        timeout_worker_healthcheck=_WORKER_SECONDS,
        limit_concurrency=patient_protocol.MOST_CONNECTIONS,
        timeout_keep_alive=patient_protocol.KEEP_ALIVE_SECONDS,
    )
    if settings.workers == 1:
        server = uvicorn.Server(config)
        with suppress(KeyboardInterrupt):
            server.run()
        failed = not server.started
    else:
        supervisor = Multiprocess(config, [config.bind_socket()])
        supervisor.run()
        failed = any(worker.exitcode == _STARTUP_FAILURE for worker in supervisor.processes)
    if failed:
        print("The site has ended: a worker could not start.", file=sys.stderr)
        raise SystemExit(_STARTUP_FAILURE)


@contextmanager
def _shared_counters(workers: int) -> Iterator[None]:
    """A folder in which several workers keep their counters, for /metrics."""
    if workers == 1 or "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="learn2search-counters-") as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        try:
            yield
        finally:
            del os.environ["PROMETHEUS_MULTIPROC_DIR"]


def _check_port(settings: Settings) -> None:
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            message = f"{_address(settings)} cannot be used: {error.strerror}. Try --port {settings.port + 1}"
            raise SystemExit(message) from error


def _address(settings: Settings) -> str:
    host = _host(settings)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _host(settings: Settings) -> str:
    """The host under which this machine itself reaches the site."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)


def _welcome(settings: Settings, new_token: bool, browser: bool) -> None:
    """Print the addresses as soon as the site answers.

    The token is made only now: if the start failed before it was printed, it would be lost.
    """
    while True:
        try:
            socket.create_connection((_host(settings), settings.port), timeout=1).close()
            break
        except OSError:
            time.sleep(0.05)
    site = Site(settings)
    _announce(settings, site.new_token() if new_token else site.first_token())
    site.close()
    if browser:
        webbrowser.open(_address(settings))


def _announce(settings: Settings, token: str | None) -> None:
    """Print the addresses and the token on standard output, for people and programs."""
    lines = [
        "",
        "Learn2Search is ready.",
        "",
        f"  Visitors  {_address(settings)}/",
        f"  Owner     {_address(settings)}/owner",
    ]
    if token:
        lines.append(f"  Token     {token}   (shown only now; --new-token makes another)")
    lines += [f"  State     {settings.home}", "", "Stop with Ctrl-C.", ""]
    print("\n".join(lines), flush=True)


def _export(settings: Settings) -> None:
    """Put the settings into the environment, where the processes of the workers and the trainer read them."""
    for name, value in settings.model_dump().items():
        if value is not None:
            text = ",".join(value) if isinstance(value, tuple) else str(value)
            os.environ[f"LEARN2SEARCH_{name.upper()}"] = text


def _keep_training(stop: threading.Event) -> None:
    """Run the trainer in a process of its own, and start it again if it ends before the site does."""
    command = [sys.executable, "-m", "learn2search.cli", "trainer", "--parent", str(os.getpid())]
    while not stop.is_set():
        try:
            trainer = subprocess.Popen(command, start_new_session=True)  # nosec B603 # our own Python
        except OSError as error:  # no memory or no process is left for it, at this moment
            print(f"The trainer does not start, and is tried again: {error}", file=sys.stderr, flush=True)
            stop.wait(_AGAIN)
            continue
        while trainer.poll() is None and not stop.wait(0.2):
            pass
        if stop.is_set():
            trainer.send_signal(signal.SIGTERM)
            try:
                trainer.wait(10)
            except subprocess.TimeoutExpired:
                trainer.kill()
                trainer.wait()
            return
        time.sleep(_PATIENCE)


def _has_screen() -> bool:
    """Is there a screen? Without one, a browser would take over the terminal."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
