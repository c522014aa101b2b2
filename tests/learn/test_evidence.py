"""Evidence and weights of searches: against direct multiplication, enumeration and refits, and on a small crowd."""

import itertools
import math

import numpy as np
import pytest

import learn2search as l2s
from learn2search.learn.evidence import Judged, judge, log_clicks, log_random, places_of, weigh
from learn2search.learn.search_clicks import SearchClicks, clicks_of

N = 40
Found = tuple[int, list[tuple[tuple[int, ...], int | None]]]


def placed(places: list[int], sizes: list[int]) -> SearchClicks:
    """One search with clicks at these places."""
    steps = []
    for place, size in zip(places, sizes, strict=True):
        query = tuple(range(1, size + 1))
        steps.append((query, query[place]))
    return clicks_of([(0, steps)])


def test_the_clicks_of_bots_should_be_a_distribution() -> None:
    sizes = [3, 2, 3, 3]
    every = itertools.product(*(range(size) for size in sizes))
    total = sum(math.exp(float(log_random(placed(list(places), sizes))[0])) for places in every)
    assert total == pytest.approx(1.0)


def test_place_biased_clicks_should_follow_polyas_urn() -> None:
    places, urn, probability = [2, 2, 0, 2, 1], np.full(4, 0.5), 1.0
    for place in places:
        probability *= urn[place] / urn.sum()
        urn[place] += 1
    expected = 0.5 * 0.25 ** len(places) + 0.5 * probability
    assert math.exp(float(log_random(placed(places, [4] * 5))[0])) == pytest.approx(expected)


def test_unknown_places_should_be_even() -> None:
    clicks = placed([0, 0, 0], [4, 4, 4])._replace(places=np.full(3, -1))
    assert math.exp(float(log_random(clicks)[0])) == pytest.approx(0.25**3)


def small_judged() -> Judged:
    clicks = clicks_of([(9, [((4, 2, 7), 2), ((1, 3), 3)]), (8, [((1, 2, 3, 4), 4)])])
    known = np.array([[0.5, 0.3, 0.2, 0.0], [0.9, 0.1, 0.0, 0.0], [0.1, 0.2, 0.3, 0.4]])
    anywhere = np.array([[0.4, 0.3, 0.3, 0.0], [0.6, 0.4, 0.0, 0.0], [0.2, 0.2, 0.3, 0.3]])
    return Judged(clicks, known, anywhere)


def test_evidence_should_be_the_quotient_of_products() -> None:
    judged, crowd = small_judged(), l2s.Crowd(honest=0.8, excuse=0.3, lapse=0.1, sharpness=0.5)
    found = weigh(judged, crowd=crowd)

    def click(row: list[float]) -> float:
        powers = [p**0.5 for p in row]
        return 0.9 * powers[0] / sum(powers) + 0.1 / len(row)

    known = click([0.5, 0.3, 0.2]) * click([0.9, 0.1])
    anywhere = click([0.4, 0.3, 0.3]) * click([0.6, 0.4])
    urn = (1 / 3) * (1 / 2)  # one click each at three and at two places: even
    honest, bot = 0.7 * known + 0.3 * anywhere, 0.95 * (0.5 / 6 + 0.5 * urn) + 0.05 * anywhere
    assert math.exp(found.evidence[0]) == pytest.approx(honest / bot)
    assert found.weights[0] == pytest.approx(0.8 * honest / (0.8 * honest + 0.2 * bot))
    np.testing.assert_allclose(np.exp(log_clicks(judged, 0.1, 0.5)[0][0]), known)


def test_a_visitors_other_searches_should_count() -> None:
    judged, crowd = small_judged(), l2s.Crowd()
    alone = weigh(judged, crowd=crowd).weights
    together = weigh(judged, crowd=crowd, visitors=np.array([0, 0])).weights
    unknown = weigh(judged, crowd=crowd, visitors=np.array([-1, -1])).weights
    np.testing.assert_allclose(unknown, alone)
    odds = together / (1 - together)
    prior = (crowd.honest + together[::-1]) / 2
    np.testing.assert_allclose(odds, prior / (1 - prior) * alone / (1 - alone) * (1 / 9), rtol=1e-3)
    assert weigh(judged, crowd=crowd, trusted=np.array([False, True])).weights[1] == 1.0


def people(seed: int) -> tuple[list[Found], l2s.ProbitOracle]:
    """Honest searches: eight screens of four random items each."""
    generator = np.random.default_rng(seed)
    person = l2s.ProbitOracle(generator.normal(size=(N, 2)), noise=0.2, seed=1)
    searches: list[Found] = []
    for _ in range(180):
        target, *items = generator.permutation(N)[:33].tolist()
        screens = [tuple(items[at : at + 4]) for at in range(0, 32, 4)]
        searches.append((target, [(screen, person.choose(screen, target)) for screen in screens]))
    return searches, person


def with_bots(searches: list[Found], seed: int) -> tuple[list[Found], np.ndarray]:
    """Every fourth clicks at random."""
    generator = np.random.default_rng(seed)
    honest = np.arange(len(searches)) % 4 > 0
    mixed = [
        one if person else (one[0], [(screen, screen[int(generator.integers(4))]) for screen, _ in one[1]])
        for one, person in zip(searches, honest, strict=True)
    ]
    return mixed, honest


def test_bots_should_count_little_and_people_much() -> None:
    searches, person = people(0)
    mixed, honest = with_bots(searches, 1)
    model, found = l2s.weigh_and_fit(mixed, N, 2, random_state=0)
    assert found.weights[~honest].mean() < 0.2
    assert found.weights[honest].mean() > 0.9
    assert 0.65 < found.crowd.honest < 0.85
    plain, _ = l2s.weigh_and_fit(mixed, N, 2, rounds=0, random_state=0)
    asked = l2s.make_triplets(l2s.ProbitOracle(person.features, 0.2, seed=5), N, 4000, seed=6)
    assert model.score(asked) > plain.score(asked) + 0.01
    _, clean = l2s.weigh_and_fit(searches, N, 2, random_state=0)
    assert (clean.weights < 0.5).mean() < 0.02


@pytest.mark.heavy
def test_evidence_should_agree_with_refits_without_the_search() -> None:
    searches, _ = people(2)
    mixed, _ = with_bots(searches[:100], 3)
    clicks = clicks_of(mixed)
    rows, search = clicks.triplets()
    crowd = l2s.Crowd()

    def fit(kept: np.ndarray) -> l2s.GaussEmbed:
        return l2s.GaussEmbed(2, random_state=0).fit(rows[kept], n_items=N)

    def evidence(by: l2s.GaussEmbed, search: Found) -> float:
        """Of a search as if it were new."""
        prior = by.prior_variance_
        found = l2s.weigh_searches(by.to_embedding(), [search], prior_variance=prior, fitted=[0], crowd=crowd)
        return float(found.evidence[0])

    model = fit(np.ones(len(rows), bool))
    places = places_of(model.to_embedding(), model.prior_variance_)
    found = weigh(judge(places, clicks, np.ones(len(mixed))), crowd=crowd).evidence
    some = range(0, len(mixed), 7)
    refitted, seen = [], []
    for one in some:
        other = fit(search != one)
        refitted.append(evidence(other, mixed[one]))
        seen.append(evidence(model, mixed[one]))
    judged = found[list(some)]
    assert np.corrcoef(judged, refitted)[0, 1] > 0.7
    bias = np.mean(seen) - np.mean(refitted)  # of a fit that has seen the search
    assert bias > 0.2
    assert abs(judged.mean() - np.mean(refitted)) < 0.5 * bias


def test_what_cannot_be_weighed_should_be_an_error() -> None:
    line = l2s.Embedding([[0.0], [1.0], [2.0]])
    with pytest.raises(ValueError, match="variances"):
        l2s.weigh_searches(line, [(0, [((1, 2), 1)])])
    vague = l2s.Embedding(line.mean, var=np.ones((3, 1)))
    with pytest.raises(ValueError, match="not among 0..2"):
        l2s.weigh_searches(vague, [(0, [((1, 3), 1)])])
    with pytest.raises(ValueError, match="one number a search"):
        l2s.weigh_searches(vague, [(0, [((1, 2), 1)])], fitted=[1, 1])
    with pytest.raises(ValueError, match="visitors"):
        l2s.weigh_searches(vague, [(0, [((1, 2), 1)])], visitors=[])
