"""Random streams for compiled code: SFC64, a stream for every step of every search.

A stream is four 64-bit words, seeded from a *key* (two words, one key a search) and a *step*. What a search asks is
therefore a function of its key and of the answers before: it does not matter in which thread or in which order searches
run, an undone step comes back the same, and a stored search needs no generator state.

The generator is the one that NumPy calls `SFC64`, seeded in the same way; the tests compare the two bit by bit.
"""

import math

import numpy as np

from learn2search.compiled import compiled
from learn2search.typing import Items, Key, Keys, Seed, Stream

_WARM_UP = 12  # rounds, as in the reference implementation
_TO_UNIT = 1.0 / (1 << 53)


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """What `seed=` may be: an integer, SeedSequence, Generator or RandomState (drawn from), or None for a new one."""
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence([int(word) for word in seed.integers(0, 1 << 32, size=4)])
    if isinstance(seed, np.random.RandomState):  # what scikit-learn's tools pass
        return np.random.SeedSequence([int(word) for word in seed.randint(0, 1 << 32, size=4, dtype=np.uint64)])
    if seed is None or (isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0):
        return np.random.SeedSequence(None if seed is None else int(seed))
    raise ValueError(f"seed must be a whole number from 0 or a numpy Generator, got {seed!r}")


def children(seed: Seed, count: int) -> list[np.random.SeedSequence]:
    """Separate random streams, the same for the same seed: `SeedSequence.spawn` gives others each time."""
    parent = seed_sequence(seed)
    return [np.random.SeedSequence(parent.entropy, spawn_key=(*parent.spawn_key, child)) for child in range(count)]


def stream_keys(seed: Seed, count: int) -> Keys:
    """Keys `(count, 2)`; key i does not depend on `count`."""
    words = seed_sequence(seed).generate_state(2 * count, np.uint64)
    return words.reshape(count, 2).astype(np.uint64, copy=False)


def stream_of(generator: np.random.Generator) -> Stream:
    """The state of a NumPy generator (of the kind SFC64) as a stream; drawing from it does not move the generator."""
    state = generator.bit_generator.state
    if state["bit_generator"] != "SFC64":
        raise ValueError(f"only a generator of the kind SFC64 has a stream, got {state['bit_generator']}")
    stream: Stream = state["state"]["state"]
    return stream


def set_stream(generator: np.random.Generator, stream: Stream) -> None:
    """Let the generator draw what the stream would."""
    bits = generator.bit_generator
    bits.state = {"bit_generator": "SFC64", "state": {"state": stream}, "has_uint32": 0, "uinteger": 0}


@compiled
def next_word(stream: Stream) -> np.uint64:
    a, b, c, counter = stream
    word: np.uint64 = a + b + counter
    stream[0] = b ^ (b >> np.uint64(11))
    stream[1] = c + (c << np.uint64(3))
    stream[2] = ((c << np.uint64(24)) | (c >> np.uint64(40))) + word
    stream[3] = counter + np.uint64(1)
    return word


@compiled
def open_stream(key: Key, step: int) -> Stream:
    """The stream of one step of the search that owns `key`."""
    stream = np.empty(4, np.uint64)
    stream[0] = key[0]
    stream[1] = key[1]
    stream[2] = np.uint64(step)
    stream[3] = np.uint64(1)
    for _ in range(_WARM_UP):
        next_word(stream)
    return stream


@compiled
def uniform(stream: Stream) -> float:
    """A number in [0, 1)."""
    return float(next_word(stream) >> np.uint64(11)) * _TO_UNIT


@compiled
def below(stream: Stream, bound: int) -> int:
    """A whole number in 0..bound-1 (the bias, bound / 2^53, is far below anything a simulation could show)."""
    return int(uniform(stream) * bound)


@compiled
def normal_pair(stream: Stream) -> tuple[float, float]:
    """Two independent standard normal numbers, by Marsaglia's polar method."""
    while True:
        u = 2.0 * uniform(stream) - 1.0
        v = 2.0 * uniform(stream) - 1.0
        square = u * u + v * v
        if 0.0 < square < 1.0:
            scale = math.sqrt(-2.0 * math.log(square) / square)
            return u * scale, v * scale


@compiled
def normal(stream: Stream) -> float:
    """A standard normal number."""
    return normal_pair(stream)[0]


@compiled
def shuffle(stream: Stream, items: Items) -> None:
    """Fisher-Yates, in place."""
    for last in range(len(items) - 1, 0, -1):
        other = below(stream, last + 1)
        items[last], items[other] = items[other], items[last]
