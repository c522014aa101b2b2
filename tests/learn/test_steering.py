"""Items that searches pursue without finding them: against enumeration, and on searches that steer."""

import numpy as np
import pytest
from scipy import stats

import learn2search as l2s
from learn2search.learn.cavity import judge_new
from learn2search.learn.evidence import Judged, places_of, weigh
from learn2search.learn.search_clicks import SearchClicks, clicks_of
from learn2search.learn.steering import Part, doubts, judge_pursued, pursued_by_several, seem_pursued

N, WANTED = 30, 7
X = np.random.default_rng(0).normal(size=(N, 2)) * 3
PLACES = places_of(l2s.Embedding(X, np.full((N, 2), 0.05)), 9.0)


def search_for(item: int, found: int, seed: int) -> tuple[int, list[tuple[tuple[int, ...], int]]]:
    """Six screens of three, the one nearest to an item clicked, and another one found."""
    others = [other for other in np.random.default_rng(seed).permutation(N).tolist() if other not in (item, found)]
    screens = [tuple(others[at : at + 3]) for at in range(0, 18, 3)]
    return found, [(screen, min(screen, key=lambda one: float(np.sum((X[one] - X[item]) ** 2)))) for screen in screens]


@pytest.fixture
def clicks() -> SearchClicks:
    """Four searches that steer to one item, and six honest ones."""
    steering = [search_for(WANTED, found, found) for found in (1, 2, 3, 4)]
    return clicks_of(steering + [search_for(found, found, found) for found in (5, 9, 11, 13, 17, 19)])


def test_a_doubt_should_be_the_share_of_the_target_anywhere() -> None:
    known, anywhere, random = np.array([-3.0, -9.0]), np.array([-5.0, -4.0]), np.array([-6.0, -6.0])
    expected = np.exp(anywhere) / (2 * np.exp(known) + np.exp(anywhere) + 2 * np.exp(random))
    np.testing.assert_allclose(doubts(known, anywhere, random), expected)


def test_searches_should_seem_to_pursue_what_explains_their_clicks(clicks: SearchClicks) -> None:
    """The product of the pairs, as one choice of log₂ 3 bits, normalised over all items but the one found."""
    one, doubt = 2, np.zeros(10)
    doubt[one] = 0.8
    found = seem_pursued([Part(PLACES, np.arange(10))], clicks, doubt, N)
    exact = places_of(l2s.Embedding(X, np.zeros((N, 2)) + 1e-12), 9.0)
    sharp = seem_pursued([Part(exact, np.arange(10))], clicks, doubt, N)
    products = np.ones(N)
    for shown in clicks.shown[clicks.search == one]:
        for other in shown[1:]:
            normal = (X[shown[0]] - X[other]) / np.linalg.norm(X[shown[0]] - X[other])
            products *= stats.norm.cdf((X - (X[shown[0]] + X[other]) / 2) @ normal) ** (np.log2(3) / 2)
    products[clicks.targets[one]] = 0.0
    np.testing.assert_allclose(sharp, 0.8 * products / products.sum(), rtol=1e-6)
    assert found.sum() == pytest.approx(0.8)
    assert found[clicks.targets[one]] == 0.0


def test_what_several_pursue_should_be_tried(clicks: SearchClicks) -> None:
    doubt = np.repeat([1.0, 0.0], [4, 6])
    counts = seem_pursued([Part(PLACES, np.arange(5)), Part(PLACES, np.arange(5, 10))], clicks, doubt, N)
    assert counts.argmax() == WANTED
    assert counts.max() < 2.0
    assert len(pursued_by_several(counts)) == 0  # fewer than two searches
    assert pursued_by_several(2.0 * counts)[0] == WANTED
    assert len(pursued_by_several(np.zeros(3))) == 0


def test_a_pursued_item_should_be_judged_as_a_target_is(clicks: SearchClicks) -> None:
    found = judge_pursued([Part(PLACES, np.arange(10))], clicks, WANTED)
    for one in (0, 6):
        of = clicks.search == one
        known, anywhere = np.zeros((of.sum(), 3)), np.zeros((of.sum(), 3))
        judge_new(PLACES, WANTED, clicks.shown[of], clicks.sizes[of], known, anywhere)
        np.testing.assert_allclose(found[of], known)


def test_searches_that_pursue_one_item_together_should_count_little() -> None:
    """Ten searches fit no known target: five pursue one item, five each another. Thirty fit theirs."""
    clicks = clicks_of([(one % 20, [((20, 21, 22, 23), 20)] * 8) for one in range(40)])

    def sure(of: np.ndarray, high: float, low: float = 0.1) -> np.ndarray:
        """The probability of the click that was made, and of the three others."""
        first = np.where(of, high, low)[clicks.search]
        return np.column_stack([first, *[(1 - first) / 3] * 3])

    number = np.arange(40)
    judged = Judged(clicks._replace(places=np.full(320, -1)), sure(number >= 10, 0.8), sure(number < 40, 0.5))
    alone = weigh(judged).weights
    together = weigh(judged._replace(items=np.array([25]), pursued=[sure(number < 5, 0.9)])).weights
    np.testing.assert_allclose(alone[:5], alone[5:10])
    assert together[:5].max() < 0.1 * alone[:5].min()
    assert together[5:10].min() > 0.8  # those that agree with nobody are excused
    assert together[10:].min() > 0.95
    found_it = judged._replace(items=np.array([0]), pursued=[sure(number < 5, 0.9)])  # what search 0 found
    assert weigh(found_it).weights[0] > 10 * together[0]
