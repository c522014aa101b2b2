"""Faults one after the other on a site with visitors: each of them goes on after each fault, and nothing is lost."""

from pathlib import Path

import pytest

from tests.faults.shaken_site import shaken_site
from tests.served_site import PATIENCE

DAY = 86_400
Fault = tuple[str, tuple[float, ...]]


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_visitors_should_go_on_after_every_fault_and_lose_nothing(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All on one site with two workers and two trainers; `learn` waits for a new model."""
    with shaken_site(kind, tmp_path, monkeypatch) as site:
        with site.crowd() as crowd:
            crowd.wait_until_all_went_on(PATIENCE, 5)
            for name, arguments in faults(kind):
                getattr(site, name)(*arguments)
                crowd.wait_until_all_went_on(PATIENCE)
        site.check(crowd)
        with site.crowd(seed=1) as others:
            others.wait_until_all_went_on(PATIENCE)
            site.truncate_model()
            others.wait_until_all_went_on(PATIENCE)
            site.learn()
        site.check(others, replay=False)  # positions of searches that began with the damaged model are gone


def faults(kind: str) -> list[Fault]:
    of_postgres: list[Fault] = [("restart_postgres", ()), ("drop_connections", ()), ("restart_postgres", ())]
    return [
        ("break_another_collection", ()),
        ("learn", ()),
        ("kill_workers", (1,)),
        ("kill_trainer", ()),
        *(of_postgres if kind == "postgresql" else []),
        ("lock_database", ()),
        ("learn", ()),
        ("set_clock", (-DAY,)),
        ("kill_workers", (2,)),
        ("learn", ()),
        ("set_clock", (DAY,)),
        ("kill_trainer", ()),
        ("learn", ()),
        ("set_clock", (0,)),
    ]
