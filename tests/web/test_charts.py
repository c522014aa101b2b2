"""Where things go in a drawing."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from learn2search import Embedding
from learn2search.site.learning.model_cache import EmbeddingAt
from learn2search.site.visits.figures import Band
from learn2search.web import charts


def a_search(answers: int, fits: float = 64.0) -> Any:
    """What the funnel looks at of a search."""
    steps = tuple(SimpleNamespace(fits=fits / 2**at, chosen=at) for at in range(answers))
    return SimpleNamespace(number=answers + 1, answers=steps, question=SimpleNamespace(fits=fits / 2**answers))


def test_the_funnel_should_stand_at_the_current_question() -> None:
    drawn = charts.funnel(a_search(6), 64, Band(6, 13))
    assert drawn.dots[6].x == drawn.now
    assert [dot.answered for dot in drawn.dots[:8]] == [True] * 6 + [False] * 2
    assert len(drawn.dots) == 16
    assert drawn.band is not None
    left, width = drawn.band
    assert left < drawn.dots[5].x < left + width
    assert left + width > drawn.dots[12].x


def test_a_long_search_should_show_its_latest_part() -> None:
    drawn = charts.funnel(a_search(60), 64, Band(6, 13))
    assert drawn.dots[-1].number == 63
    assert drawn.band is None
    assert all(0 <= dot.x <= drawn.width for dot in drawn.dots)


def test_the_funnel_should_narrow_with_the_logarithm() -> None:
    body = charts.funnel(a_search(3), 64, None).body
    heights = [float(part.split(" ")[1].split("L")[0].split("Q")[0]) for part in body.split("L")[1:5]]
    assert np.diff(heights) == pytest.approx(35 / 6, abs=0.11)  # a bit less each: the upper edge comes down evenly


@pytest.mark.parametrize("high", [0.4, 3, 17, 64, 999, 1500, 48_000])
def test_axes_should_end_at_round_numbers_above_the_data(high: float) -> None:
    axis = charts.axis(high, 0, 100)
    assert axis.high >= high
    assert 2 <= len(axis.ticks) <= 13
    assert axis.ticks[0] == (0.0, "0")
    assert axis.ticks[-1][0] == 100.0


def test_lines_should_leave_out_what_is_not_a_number() -> None:
    x, y = charts.axis(10, 0, 100), charts.axis(10, 100, 0)
    assert charts.line(x, y, [0, 5, 10], [0, float("nan"), 10]) == "M0.0 100.0L100.0 0.0"
    assert charts.line(x, y, [0], [float("nan")]) == ""
    assert charts.last_finite([1.0, float("nan")]) == 1.0


def test_labels_should_not_cover_each_other() -> None:
    placed = charts.apart((("a", 10.0), ("b", 12.0), ("c", None), ("d", 80.0)), 16)
    assert placed == {"a": 10.0, "b": 26.0, "d": 80.0}


def test_bars_should_mark_yours_and_hold_all_above() -> None:
    bars = charts.bars([1, 5, 9, 3] + [1] * 16, 30)
    assert [bar.you for bar in bars].index(True) == 19
    assert bars[-1].label == "20+"
    assert max(bars, key=lambda bar: bar.height) is bars[2]


def test_histograms_should_count_everything() -> None:
    bars, _, _ = charts.histogram([*range(500), 10_000], 330, 140)
    assert sum(bar.count for bar in bars) == 501


def test_the_map_should_stay_inside_and_keep_pictures_apart() -> None:
    draw = np.random.default_rng(0)
    space = Embedding(draw.standard_normal((200, 5)), np.full((200, 5), 0.1))
    model = SimpleNamespace(items=np.arange(200), info=SimpleNamespace(metrics={}))
    points = charts.map_points(EmbeddingAt(model, 0, space), 720, 600)  # type: ignore[arg-type]
    assert all(0 <= point.x <= 720 and 0 <= point.y <= 600 for point in points)
    assert 20 <= sum(point.shown for point in points) <= 60


@pytest.mark.parametrize(("fits", "said"), [(0.2, 1), (33.4, 33), (347, 350), (12_345, 12_300)])
def test_numbers_should_be_said_as_exactly_as_they_are_known(fits: float, said: int) -> None:
    assert charts.fitting(fits) == said


def test_random_order_should_need_half_the_screens() -> None:
    assert charts.at_random(513, 4) == pytest.approx(64.6, abs=0.1)
