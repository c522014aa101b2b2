"""The compiled random streams: the same generator as NumPy's, one stream a step."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from learn2search import streams
from learn2search.compiled import compiled
from learn2search.typing import Array, Key


@compiled
def draw_normals(key: Key, count: int) -> Array:
    stream = streams.open_stream(key, 0)
    values = np.empty(count)
    for at in range(0, count, 2):
        values[at], values[at + 1] = streams.normal_pair(stream)
    return values


def numpy_words(key: Key, step: int, count: int) -> NDArray[np.uint64]:
    """The same words from NumPy's SFC64: seeded state, then twelve rounds thrown away."""
    generator = np.random.SFC64(0)
    state = generator.state
    state["state"]["state"] = np.array([key[0], key[1], step, 1], np.uint64)
    generator.state = state
    generator.random_raw(12)
    return generator.random_raw(count)


@pytest.mark.parametrize("step", [0, 1, 12345])
def test_words_should_equal_numpy_sfc64_bit_by_bit(step: int) -> None:
    key = streams.stream_keys(7, 1)[0]
    stream = streams.open_stream(key, step)
    ours = [int(streams.next_word(stream)) for _ in range(1000)]
    assert ours == numpy_words(key, step, 1000).tolist()


def test_a_generator_should_draw_what_its_stream_would_and_the_other_way_round() -> None:
    stream, generator = streams.open_stream(streams.stream_keys(7, 1)[0], 3), np.random.Generator(np.random.SFC64(0))
    streams.set_stream(generator, stream)
    assert [generator.random() for _ in range(5)] == [streams.uniform(stream) for _ in range(5)]
    np.testing.assert_array_equal(streams.stream_of(generator), stream)
    with pytest.raises(ValueError, match="SFC64 has a stream, got PCG64"):
        streams.stream_of(np.random.default_rng(0))


def test_a_key_should_not_depend_on_how_many_are_made() -> None:
    np.testing.assert_array_equal(streams.stream_keys(3, 5), streams.stream_keys(3, 500)[:5])


def test_streams_of_neighbouring_steps_and_keys_should_differ() -> None:
    keys = streams.stream_keys(3, 2)
    first = {int(streams.next_word(streams.open_stream(key, step))) for key in keys for step in range(500)}
    assert len(first) == 1000


def test_normal_numbers_should_be_standard_normal() -> None:
    values = draw_normals(streams.stream_keys(11, 1)[0], 200_000)
    error = 1 / np.sqrt(len(values))
    assert abs(values.mean()) < 4 * error
    assert abs(np.mean(values[::2] * values[1::2])) < 4 * np.sqrt(2) * error  # the two of a pair are independent
    assert abs(values.var() - 1) < 4 * np.sqrt(2) * error
    assert abs((values**4).mean() - 3) < 4 * np.sqrt(96) * error
    assert abs(np.mean(values < -1.0) - 0.15865525) < 4 * np.sqrt(0.1587 * 0.8413) * error


def test_below_should_be_uniform() -> None:
    stream = streams.open_stream(streams.stream_keys(1, 1)[0], 0)
    counts = np.bincount([streams.below(stream, 7) for _ in range(14_000)], minlength=7)
    assert len(counts) == 7
    assert ((counts - 2000) ** 2 / 2000).sum() < 22.5  # chi-square, 6 degrees of freedom, p = 0.001


def test_shuffle_should_give_every_order_equally_often() -> None:
    stream = streams.open_stream(streams.stream_keys(2, 1)[0], 0)
    orders = Counter[tuple[int, ...]]()
    for _ in range(6000):
        items = np.arange(3)
        streams.shuffle(stream, items)
        orders[tuple(items.tolist())] += 1
    assert len(orders) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in orders.values()) < 20.5  # 5 degrees of freedom, p = 0.001


def test_seeds_should_be_numbers_or_generators() -> None:
    np.testing.assert_array_equal(streams.stream_keys(np.random.SeedSequence(5), 2), streams.stream_keys(5, 2))
    fresh = streams.stream_keys(np.random.default_rng(5), 2)
    np.testing.assert_array_equal(fresh, streams.stream_keys(np.random.default_rng(5), 2))
    assert not np.array_equal(streams.stream_keys(None, 2), streams.stream_keys(None, 2))
    wrong: Any
    for wrong in (-1, 1.5, "seed", True):
        with pytest.raises(ValueError, match="seed must be a whole number"):
            streams.stream_keys(wrong, 1)
