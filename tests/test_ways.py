"""The ways through the code that docs/architecture.md tells are the ways that calls take."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import learn2search
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors, trainer
from learn2search.site.settings import Settings
from learn2search.site.visits import searching
from learn2search.store.enums import AnswerKind

PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"
PACKAGE = Path(learn2search.__file__).parent
STEP = re.compile(r"^\d+\. `(?P<module>[\w/]+\.py)` `(?P<function>\w+)`", re.MULTILINE)
N = 24
FEATURES = np.random.default_rng(0).normal(size=(N, 2))


def way(heading: str) -> list[list[tuple[str, str]]]:
    """The numbered lists under a heading: (module, function) of each step."""
    text = PAGE.read_text().split(f"## The way of a {heading}", 1)[1].split("\n## ", 1)[0]
    return [STEP.findall(part) for part in re.split(r"\n(?=1\. )", text)[1:]]


def calls_of(act: Callable[[], Any]) -> list[tuple[str, str]]:
    """The functions of the package that are called, in order."""
    called: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            called.append((path.relative_to(PACKAGE).as_posix(), frame.f_code.co_name))

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return called


def follows(steps: list[tuple[str, str]], called: list[tuple[str, str]]) -> None:
    """Each step is called, and after the one before it."""
    at = 0
    for step in steps:
        assert step in called[at:], f"{step} is not called after {called[at - 1] if at else 'the beginning'}"
        at = called.index(step, at)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site.open(Settings(home=tmp_path / "home", database_url=None, seed=0))
    (tmp_path / "cards.csv").write_text("title\n" + "".join(f"Card {number:02}\n" for number in range(N)))
    made = make_collection(site, "cards", "Cards", dimensions=2)
    import_source(site, tmp_path / "cards.csv", made)
    simulated_visitors.run(site, "cards", FEATURES, 0.2, 40, seed=0)
    yield site
    site.close()


def test_a_click_should_take_its_way(site: Site) -> None:
    (steps,) = way("click")
    inside = [step for step in steps if not step[0].startswith("web/")]  # the pages have tests of their own
    now = searching.start(site, "cards")
    assert now.question is not None
    step, chosen = now.question.number, now.question.shown[0]
    follows(inside, calls_of(lambda: searching.answer(site, now.row.id, step, AnswerKind.CHOICE, chosen)))


def test_a_lesson_should_take_its_way(site: Site) -> None:
    ends, begins = way("lesson")
    now = searching.start(site, "cards")
    for _ in range(2):
        assert now.question is not None
        now = searching.answer(site, now.row.id, now.question.number, AnswerKind.CHOICE, now.question.shown[0])
    assert now.question is not None
    step, target = now.question.number, now.question.shown[0]
    site.models.embedding_at(now.row.model_id, now.row.lessons)
    follows(ends, calls_of(lambda: searching.answer(site, now.row.id, step, AnswerKind.FOUND, target)))
    follows(begins, calls_of(lambda: searching.start(site, "cards")))


def test_a_fit_should_take_its_way(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    (steps,) = way("fit")
    monkeypatch.setattr(learn2search.learn.policy, "is_accepted", lambda *_, **__: True)
    simulated_visitors.run(site, "cards", FEATURES, 0.2, 1, seed=1)
    monkeypatch.setattr(learn2search.learn.policy, "fit_is_due", _always(learn2search.learn.policy.fit_is_due))
    follows(steps, calls_of(lambda: trainer.train_due(site)))


def _always(decide: Callable[..., bool]) -> Callable[..., bool]:
    def fit_is_due(*arguments: Any) -> bool:
        decide(*arguments)
        return True

    return fit_is_due


def test_every_module_on_the_page_should_be_there() -> None:
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", PAGE.read_text()))
    missing = sorted(
        name for name in named if not (PACKAGE / name).exists() and not (PACKAGE.parents[1] / name).exists()
    )
    assert not missing
