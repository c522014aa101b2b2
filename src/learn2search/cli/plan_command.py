"""`plan`: how many searches a collection needs until it has learnt, before there is one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from learn2search.cli.site_options import SHOW_METAVAR, checked_show

if TYPE_CHECKING:
    from learn2search import GrowthCurve

_WIDTH = 48  # characters of the longest bar


def plan(
    items: Annotated[int, typer.Option(min=20, help="How many items the collection has.")] = 500,
    pictures: Annotated[
        int, typer.Option(callback=checked_show, metavar=SHOW_METAVAR, help="How many a question shows.")
    ] = 4,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Run simulated people now, instead of reading the table of such runs.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of --simulate.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print numbers for a program.")] = False,
) -> None:
    """Say how many searches a new collection needs until it is as good as it will get. Nothing is stored.

    The answer comes from simulated people, who compare in five dimensions and say the wrong one of two random items one
    time in ten, in a collection of which nothing is known before: people may need more, and features of pictures fewer.
    """
    from learn2search import growth_curve, simulate_growth

    curve = simulate_growth(items, pictures, seed=seed, progress=None) if simulate else growth_curve(items, pictures)
    if as_json:
        typer.echo(json.dumps(_values(curve, simulate)))
        return
    typer.echo(f"{items:,} items, {pictures} at a time, simulated people\n")
    longest = max(curve.questions)
    typer.echo("searches before   questions")
    for searches, questions in zip(curve.searches, curve.questions, strict=True):
        bar = "█" * max(1, round(_WIDTH * questions / longest))
        typer.echo(f"{searches:15,.0f}   {questions:9.1f}   {bar}")
    typer.echo(f"{'at best':>15}   {curve.best:9.1f}   {'░' * max(1, round(_WIDTH * curve.best / longest))}\n")
    typer.echo(_verdict(curve))
    if curve.extrapolated and not simulate:
        typer.echo("No collection of this size was simulated: this goes on along the line of those nearest. --simulate")
        typer.echo("runs one.")


def _verdict(curve: GrowthCurve) -> str:
    from learn2search.learn.growth import GROWN

    if curve.enough is None:
        last = curve.searches[-1]
        return f"More than {last:,.0f} searches until it is as good as it will get (at most {GROWN:g} times the best)."
    return f"About {curve.enough:,.0f} searches until it is as good as it will get (at most {GROWN:g} times the best)."


def _values(curve: GrowthCurve, simulated: bool) -> dict[str, object]:
    return {
        "items": curve.n_items,
        "pictures": curve.k,
        "searches": [round(one, 1) for one in curve.searches],
        "questions": [round(one, 2) for one in curve.questions],
        "best": round(curve.best, 2),
        "enough": None if curve.enough is None else round(curve.enough),
        "simulated_now": simulated,
        "extrapolated": curve.extrapolated and not simulated,
    }
