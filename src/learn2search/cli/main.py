"""The command line. Each command imports what it needs when it runs, so that help comes at once."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from learn2search.cli.collection_commands import export, import_
from learn2search.cli.operator_commands import backup, copy_database, doctor, restore
from learn2search.cli.plan_command import plan
from learn2search.cli.reproduce import PASS_ON, reproduce
from learn2search.cli.serve_commands import demo, serve
from learn2search.cli.simulate_command import simulate
from learn2search.cli.site_options import SHOW_METAVAR, checked_show
from learn2search.cli.train_command import train, trainer

app = typer.Typer(
    help="Find a thing you can recognise but not describe.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
)
play_app = typer.Typer(help="Games: it finds what you have in mind.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(play_app, name="play")
app.command()(serve)
app.command()(demo)
app.command("import")(import_)
app.command("copy-database")(copy_database)
for command in (train, trainer, export, backup, restore, simulate, plan, doctor):
    app.command()(command)
app.command(**PASS_ON)(reproduce)


@app.callback()
def main() -> None:
    """Find a thing you can recognise but not describe."""


@app.command()
def version() -> None:
    """Print the version."""
    from importlib.metadata import version as installed_version

    typer.echo(installed_version("learn2search"))


@app.command("warm-up")
def warm_up() -> None:
    """Compile for this machine beforehand, so that no first search, simulation or fit waits for it.

    Takes a minute or two the first time, and seconds when it was done before. An image for containers can run it
    while it is built.
    """
    from learn2search import warm_up as compile_all

    compile_all()
    typer.echo("ready: the compiled code is kept on disk for the next start")


Show = Annotated[
    int, typer.Option(callback=checked_show, metavar=SHOW_METAVAR, help="How many colours to show at a time.")
]
Seed = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        envvar="LEARN2SEARCH_SEED",
        help="The same seed and answers give the same questions.",
    ),
]


@play_app.command()
def colors(show: Show = 4, seed: Seed = None) -> None:
    """Find the colour you have in mind among 1,000.

    Think of a colour. The game shows a few, you press the key of the one that is most like yours, and
    every answer narrows down what it can be. After a few questions your colour is on the screen.

    \b
    1 2 3 4    most like it (with twelve colours 1 to 9, a, b and c)
    f 1        this is it! (f and then its number; or Shift and its number)
    0          can't tell
    u          undo, as often as you like
    r          start again
    q          quit

    Without a keyboard (when standard input or output is not a terminal) a simulated person plays one search,
    which is printed line by line.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        raise typer.Exit(_play(show, seed))
    _simulate(show, seed)


def _play(show: int, seed: int | None) -> int:
    """Play in this terminal; the exit status."""
    from rich.console import Console

    from learn2search.play.game import play, why_not

    console = Console()
    problem = why_not(console)
    if problem is not None:
        typer.echo(problem, err=True)
        return 1
    try:
        play(console, show, seed)
    except KeyboardInterrupt:
        return 130
    return 0


def _simulate(show: int, seed: int | None) -> None:
    from rich.console import Console

    from learn2search.play.simulated import play_simulated

    play_simulated(Console(), show, seed)
