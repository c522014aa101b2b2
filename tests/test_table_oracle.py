"""People from a table of answers say what the table says, and nothing else."""

from collections.abc import Sequence
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest

import learn2search as l2s
from learn2search.table_oracle import best_of
from learn2search.typing import Triplets


def answers_of(triplets: Triplets, target: int, one: int, other: int) -> list[int]:
    """The nearer item in each row of the table about this pair."""
    return [near for anchor, near, far in triplets.tolist() if anchor == target and {near, far} == {one, other}]


def clicks_possible(triplets: Triplets, query: Sequence[int], target: int) -> dict[int | None, float]:
    """Brute force: how probable each click is, over all ways to draw one answer for each pair."""
    pairs = [answers_of(triplets, target, *pair) for pair in combinations(query, 2)]
    asked = [(pair, found) for pair, found in zip(combinations(query, 2), pairs, strict=True) if found]
    chances: dict[int | None, float] = {}
    ways = list(product(*(found for _, found in asked)))
    for nearer in ways:
        wins = [(near, one if near == other else other) for near, ((one, other), _) in zip(nearer, asked, strict=True)]
        click = certain_best(query, wins)
        chances[click] = chances.get(click, 0.0) + 1 / len(ways)
    return chances


def certain_best(query: Sequence[int], wins: Sequence[tuple[int, int]]) -> int | None:
    """The item with a path of wins to each other item, and no loss."""
    for item in query:
        beaten = all(
            any(all(link in wins for link in zip((item, *way), (*way, other), strict=True)) for way in ways_over(query))
            for other in query
            if other != item
        )
        if beaten and all(loser != item for _, loser in wins):
            return item
    return None


def ways_over(query: Sequence[int]) -> list[tuple[int, ...]]:
    return [way for length in range(len(query) - 1) for way in permutations(query, length)]


@pytest.fixture
def triplets() -> Triplets:
    """Eight items, about a third of the questions asked, some of them two or three times, with people who disagree."""
    person = l2s.ProbitOracle(np.random.default_rng(0).normal(size=(8, 2)), noise=0.7, seed=1)
    return l2s.make_triplets(person, n_items=8, n_triplets=90, seed=2)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_click_should_be_as_probable_as_over_all_ways_to_draw_the_answers(triplets: Triplets, k: int) -> None:
    people, generator, draws = l2s.TableOracle(triplets, 8, seed=3), np.random.default_rng(k), 2000
    for _ in range(12):
        target, *query = generator.choice(8, k + 1, replace=False).tolist()
        clicks = [people.choose(query, target) for _ in range(draws)]
        expected = clicks_possible(triplets, query, target)
        assert set(clicks) <= set(expected)
        for click, chance in expected.items():
            share = sum(one == click for one in clicks) / draws
            assert abs(share - chance) <= 4.5 * np.sqrt(chance * (1 - chance) / draws)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_the_best_should_come_first_in_every_order_that_agrees_with_the_answers(k: int) -> None:
    generator, decided = np.random.default_rng(k), 0
    for _ in range(200):
        rank, asked = generator.permutation(k), np.triu(generator.random((k, k)) < 0.6, 1)
        nearer = rank[:, None] < rank[None, :]
        beats = (asked | asked.T) & nearer  # the answers of somebody who has an order in mind
        orders = [order for order in permutations(range(k)) if agrees(order, beats)]
        firsts = {order[0] for order in orders}
        assert best_of(beats) == (firsts.pop() if len(firsts) == 1 else None)
        decided += best_of(beats) is not None
    assert 20 < decided < 200


def agrees(order: tuple[int, ...], beats: np.ndarray) -> bool:
    place = np.argsort(order)
    return all(place[one] < place[other] for one, other in np.argwhere(beats))


def test_answers_in_a_circle_should_be_undecided() -> None:
    circle = [(0, 1, 2), (0, 2, 3), (0, 3, 1)]
    people = l2s.TableOracle(circle, n_items=7)
    assert people.choose((1, 2, 3), 0) is None
    assert people.choose((1, 2), 0) == 1
    above = l2s.TableOracle([*circle, (0, 4, 1)], n_items=7)  # item 4 beats the circle
    assert above.choose((1, 2, 3, 4), 0) == 4
    aside = l2s.TableOracle([*circle, (0, 4, 5)], n_items=7)  # item 4 lost nothing, but was not compared with 1, 2, 3
    assert aside.choose((1, 2, 3, 4, 5), 0) is None


def test_twelve_items_and_a_target_that_is_shown_should_be_answered() -> None:
    chain = [(0, near, near + 1) for near in range(1, 12)]
    people = l2s.TableOracle(chain, n_items=20)
    assert people.choose(range(12, 0, -1), 0) == 1
    assert people.choose((5, 0, 3), 0) == 0
    assert people.choose((13, 14), 0) is None
    assert people.choose((1, 2), 19) is None


def test_the_share_of_answers_should_equal_that_over_all_questions(triplets: Triplets) -> None:
    people = l2s.TableOracle(triplets, 8, seed=0)
    for k in (2, 3):
        questions = [
            (target, query)
            for target in range(8)
            for query in combinations([item for item in range(8) if item != target], k)
        ]
        chances = [1 - clicks_possible(triplets, query, target).get(None, 0.0) for target, query in questions]
        share = float(np.mean(chances))
        error = 0.0 if k == 2 else 4.5 * np.sqrt(share * (1 - share) / 10_000)
        assert abs(people.coverage(k) - share) <= error + 1e-12
    assert people.coverage(3) == people.coverage(3)


def test_what_the_table_lacks_should_be_chosen_by_the_fallback_among_those_that_lost_nothing() -> None:
    asked: list[tuple[tuple[int, ...], int]] = []

    class Last:
        def choose(self, query: Sequence[int], target: int) -> int | None:
            asked.append((tuple(query), target))
            return query[-1]

    people = l2s.TableOracle([(0, 1, 2), (0, 5, 4), (9, 1, 2), (9, 2, 3), (9, 3, 1)], fallback=Last())
    assert people.choose((1, 2), 0) == 1
    assert people.choose((4, 1, 5, 2), 0) == 5  # 2 and 4 lost
    assert people.choose((1, 2, 3), 9) == 3  # a circle
    assert people.choose((6, 7), 0) == 7
    assert asked == [((1, 5), 0), ((1, 2, 3), 9), ((6, 7), 0)]
    assert people.coverage() == l2s.TableOracle([(0, 1, 2), (0, 5, 4), (9, 1, 2), (9, 2, 3), (9, 3, 1)]).coverage()


def test_visitors_should_draw_answers_of_their_own(triplets: Triplets) -> None:
    both = np.concatenate([triplets, triplets[:, [0, 2, 1]]])  # every pair was answered both ways
    fallback = l2s.ProbitOracle(np.zeros((8, 2)) + np.arange(8)[:, None], noise=9.0, seed=4)
    people = l2s.TableOracle(both, 8, seed=1, fallback=fallback)

    def answers(visitor: l2s.TableOracle) -> list[int | None]:
        return [visitor.choose((one, other), 0) for one, other in combinations(range(1, 8), 2)]

    assert answers(people.visitor(0)) != answers(people.visitor(1)) != answers(people.visitor(2))
    assert answers(people.visitor(1)) == answers(people.visitor(1))


def test_a_loop_should_go_on_with_the_same_answers_after_it_was_saved(triplets: Triplets, tmp_path: Path) -> None:
    both = np.concatenate([triplets, triplets[:, [0, 2, 1]]])

    def episodes(count: int) -> list[l2s.Episode]:
        people = l2s.TableOracle(both, 8, seed=1)
        return list(l2s.learn2search(people, 8, count, seed=0, checkpoint=tmp_path / f"{count > 10}.npz"))

    whole = episodes(20)
    (tmp_path / "True.npz").unlink()
    first = episodes(10)
    (tmp_path / "False.npz").rename(tmp_path / "True.npz")
    assert [*first, *episodes(20)] == whole
    assert any(answer is None for episode in whole for answer in episode.answers)
    assert all(episode.found for episode in whole)


def test_a_search_should_be_simulated_with_people_from_a_table(triplets: Triplets) -> None:
    space = l2s.GaussEmbed(2, random_state=0).fit(triplets).to_embedding()
    first, again = (
        l2s.simulate("sampled", space, l2s.TableOracle(triplets, 8, seed=0), range(8), noise=1.0, progress=False)
        for _ in range(2)
    )
    assert first.logs == again.logs
    assert first.found.all()


def test_bad_input_should_be_refused(triplets: Triplets) -> None:
    people = l2s.TableOracle(triplets, 8)
    with pytest.raises(ValueError, match=r"a query is 2 or more items of 0..7, got \(3, 8\)"):
        people.choose((3, 8), 0)
    with pytest.raises(ValueError, match="the target must be an item of 0..7, got 99"):
        people.choose((3, 4), 99)
    with pytest.raises(ValueError, match="2 to 7 of 8 items beside the target, got k=8"):
        people.coverage(8)
    with pytest.raises(ValueError, match="the fallback knows 3 items, the table 8: give one that knows all"):
        l2s.TableOracle(triplets, 8, fallback=l2s.ProbitOracle(np.eye(3), 0.1))
    with pytest.raises(ValueError, match="at most 2,000,000 items"):
        l2s.TableOracle([(0, 1, 3_000_000)], n_items=3_000_001)
    with pytest.raises(ValueError, match="n_items is 5"):
        l2s.TableOracle([(0, 1, 5)], n_items=5)
