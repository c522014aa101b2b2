"""What an open search believes. It is never stored, but kept in memory, or else rebuilt from the log of answers."""

import hashlib
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from learn2search import Search, strategy_names, temper_belief
from learn2search.search.strategies import make_search_knowing
from learn2search.site.errors import Conflict, Unavailable
from learn2search.site.learning.model_cache import EmbeddingAt, ModelCache
from learn2search.site.visits.search_state import SearchState
from learn2search.store.enums import AnswerKind
from learn2search.store.searches import SearchRow, StepRow
from learn2search.typing import Items

MISS_RATE = 0.02  # people overlook things: the share of its probability that a shown item keeps in the gallery
LIKELY = 8  # items whose pictures are worth loading ahead
_MEMORY = 100_000_000  # bytes, about, for the beliefs that are kept
_UNKNOWN = 0.5  # of the prior variance: an item with more is little known,
_OTHERS = 1.5  # if it also has so many times the variance of the median item
_UNTOUCHED = 0.97  # of the prior variance: an item with about as much is new (a fit may leave more than the prior's)
_EXPLORED = 0.25  # the share of questions in which a little-known item replaces another, while there are some
_TRIES = 16  # to draw one that has not been shown yet
_FEW = 0.2  # of all items: when more are little known, only new ones count


class OpenSearch:
    """A search that goes on: the library's `Search`, with the numbers of items instead of rows of the embedding."""

    def __init__(self, search: Search, known: EmbeddingAt) -> None:
        self.search = search
        self.known = known
        self.state: SearchState | None = None  # its log, while it is kept

    @property
    def fits(self) -> float:
        """How many items still fit: 2 to the power of the entropy, of the belief as far as it can be trusted."""
        p = temper_belief(self.search.probability(), self.known.metadata.trust)
        p = p[p > 0]
        return float(2.0 ** -(p * np.log2(p)).sum())

    def top(self, count: int) -> list[tuple[int, float]]:
        """The most probable items, best first."""
        return [(int(self.known.items[row]), chance) for row, chance in self.search.top(count)]

    def tell(self, chosen: int | None) -> None:
        """Take the answer to the open question: an item, or None for "can't tell"."""
        self.search.tell(None if chosen is None else self.known.row(chosen))

    def ask(self, show: int, active: frozenset[int], draw: np.random.Generator) -> tuple[int, ...]:
        """The items to show next, none when all have been shown.

        Parameters
        ----------
        active
            Items that may be shown; others that the strategy wants are replaced.
        draw
            Decides whether a little-known item is shown too.
        """
        if self.search.done:
            return ()
        rows = self.search.ask(k=min(show, self.search.left))
        shown = self._without_retired(rows, active)
        shown = self._with_unknown(shown, active, draw)
        if len(shown) < 2:
            return ()
        return self.known.numbers(rows if shown == rows else self.search.show(shown))

    def show_also(self, number: int, shown: tuple[int, ...]) -> tuple[int, ...]:
        """The items shown, with this one among them: if it is not, at a place that depends on its number alone."""
        if number in shown or not shown:
            return shown
        place = number % len(shown)
        rows = [self.known.row(one) for one in (*shown[:place], number, *shown[place + 1 :])]
        return self.known.numbers(self.search.show(rows))

    def _free(self, shown: Sequence[int], active: frozenset[int]) -> list[int]:
        """Rows of the items that may be shown and were not, the most probable first."""
        taken = self.search.used | set(shown)
        order = np.argsort(-self.search.probability(), kind="stable")
        return [int(row) for row in order if row not in taken and int(self.known.items[row]) in active]

    def _without_retired(self, rows: tuple[int, ...], active: frozenset[int]) -> tuple[int, ...]:
        if all(int(self.known.items[row]) in active for row in rows):
            return rows
        free = iter(self._free(rows, active))
        replaced = (row if int(self.known.items[row]) in active else next(free, -1) for row in rows)
        return tuple(row for row in replaced if row >= 0)

    def _with_unknown(
        self, rows: tuple[int, ...], active: frozenset[int], draw: np.random.Generator
    ) -> tuple[int, ...]:
        """Now and then replace the least probable item by one of which little is known."""
        unknown = little_known(self.known)
        if len(unknown) == 0 or len(rows) < 3 or draw.random() >= _EXPLORED:
            return rows
        taken = self.search.used | set(rows)
        drawn = (int(row) for row in draw.choice(unknown, _TRIES))
        new = next((row for row in drawn if row not in taken and int(self.known.items[row]) in active), None)
        if new is None:
            return rows
        least = int(np.argmin(self.search.probability()[list(rows)]))
        return (*rows[:least], new, *rows[least + 1 :])


class BeliefCache:
    """Open searches by their id and the number of the open step.

    An open search is taken out of the cache to be used, so that no two threads ever share it.
    """

    def __init__(self, models: ModelCache) -> None:
        self._models = models
        self._lock = threading.Lock()
        # By hand: a cache of cachetools has a size for each value, but searches share their embeddings.
        self._kept: OrderedDict[tuple[str, int], OpenSearch] = OrderedDict()
        self._holders: Counter[EmbeddingAt] = Counter()  # how many kept searches use each embedding
        self._open_step: dict[str, int] = {}  # of the kept searches
        self._bytes = 0

    def begin(self, row: SearchRow, miss_rate: float = 0.0) -> OpenSearch:
        """A search that has no answers yet.

        Parameters
        ----------
        miss_rate
            The share of its probability that an item keeps after it was shown. 0 for asking, since nothing is shown
            twice; larger for the gallery, since people overlook things.
        """
        known = self._models.embedding_at(row.model_id, row.lessons)
        if row.strategy not in strategy_names():
            raise Unavailable(
                "This search is by the strategy “%(name)s”, which is not installed here any more.", name=row.strategy
            )
        make = partial(
            make_search_knowing,
            known.metadata.lapse,
            row.strategy,
            known.embedding,
            known.model.info.noise,
            seed=_seed_of(row),
        )
        search = make()
        if miss_rate and "miss_rate" in search.options:
            search = make(miss_rate=miss_rate)
        if row.near:
            search.begin_near([known.row(item) for item in row.near])
        return OpenSearch(search, known)

    def at(self, row: SearchRow, answers: Sequence[StepRow], question: StepRow) -> OpenSearch:
        """The search after the answers, with the question open: from the cache, or else replayed."""
        with self._lock:
            kept = self._taken_out((row.id, question.number))
        return kept or self.replay(row, answers, question)

    def state_at(self, search_id: str, number: int) -> SearchState | None:
        """The search when step `number` was asked, if that is kept. Its log cannot change while this step is open."""
        with self._lock:
            kept = self._kept.get((search_id, number))
        return None if kept is None else kept.state

    def visitor_of(self, search_id: str) -> str | None:
        """Who began a search, if it is kept. A trial of a study may go on in another browser: for it, None."""
        with self._lock:
            kept = self._kept.get((search_id, self._open_step.get(search_id, 0)))
        if kept is None or kept.state is None or kept.state.row.trial is not None:
            return None
        return kept.state.row.visitor

    def replay(
        self, row: SearchRow, answers: Sequence[StepRow], question: StepRow | None, miss_rate: float = 0.0
    ) -> OpenSearch:
        """The same, from the log of answers alone; without a question, the next one can be asked."""
        fresh = self.begin(row, miss_rate)
        row_of = fresh.known.row if self._models.damage(row.model_id) is None else _row_or_conflict(fresh.known)
        log = [
            ([row_of(item) for item in step.shown], None if step.chosen is None else row_of(step.chosen))
            for step in answers
            if step.kind in (AnswerKind.CHOICE, AnswerKind.NONE)
        ]
        shown = () if question is None else question.shown
        fresh.search.replay(log, [row_of(item) for item in shown] or None)
        return fresh

    def keep(self, search_id: str, number: int, belief: OpenSearch, state: SearchState | None = None) -> None:
        """Keep a search whose open step is `number`, and its log. When memory is short, those kept first go."""
        belief.state = state
        with self._lock:
            # One question of a search is open: what was kept for another, before an undo, is of no use any more.
            self._taken_out((search_id, self._open_step.get(search_id, number)))
            self._taken_out((search_id, number))
            self._open_step[search_id] = number
            self._kept[(search_id, number)] = belief
            self._bytes += _size(belief) + (0 if self._holders[belief.known] else _weight(belief.known))
            self._holders[belief.known] += 1
            while self._bytes > _MEMORY and len(self._kept) > 1:
                self._taken_out(next(iter(self._kept)))

    def drop(self, search_id: str) -> None:
        """Let go of a search that has ended, or whose last answer is undone."""
        with self._lock:
            self._taken_out((search_id, self._open_step.get(search_id, 0)))

    def forget(self) -> None:
        """Let go of all searches; they are replayed when they are needed."""
        with self._lock:
            self._kept.clear()
            self._open_step.clear()
            self._holders.clear()
            self._bytes = 0

    def _taken_out(self, key: tuple[str, int]) -> OpenSearch | None:
        belief = self._kept.pop(key, None)
        if belief is not None:
            self._open_step.pop(key[0], None)
            self._bytes -= _size(belief)
            self._holders[belief.known] -= 1
            if not self._holders[belief.known]:
                del self._holders[belief.known]
                self._bytes -= _weight(belief.known)
        return belief


def _row_or_conflict(known: EmbeddingAt) -> Callable[[int], int]:
    """The rows of items in a model that stands in for a damaged one: it may not have all that were shown."""

    def row_of(number: int) -> int:
        try:
            return known.row(number)
        except KeyError as error:
            raise Conflict(
                "This search cannot go on, because its positions were lost. Please begin another."
            ) from error

    return row_of


def _seed_of(row: SearchRow) -> int:
    return int.from_bytes(hashlib.sha256(row.id.encode()).digest()[:16])


def little_known(known: EmbeddingAt) -> Items:
    """Rows of the items whose positions are far less certain than those of the others.

    While many items are little known, every question says something about some of them. Only new items, which are as
    uncertain as before any answer, are almost never informative enough to be asked about: then only those are given.
    """
    variance = known.embedding.var
    prior = known.metadata.prior.variances(known.embedding.dim)
    if variance is None:
        return np.empty(0, np.int64)

    def find() -> Items:
        share = (variance / prior).mean(axis=1)
        least = min(max(_UNKNOWN, _OTHERS * float(np.median(share))), _UNTOUCHED)
        unknown = share > least
        if unknown.mean() > _FEW:
            unknown = np.abs(share - 1.0) < 1.0 - _UNTOUCHED
        return np.flatnonzero(unknown)

    return known.embedding.derived("little_known", find)


def _size(belief: OpenSearch) -> int:
    """Bytes of a search without its embedding, about."""
    return 20 * belief.known.embedding.n_items + 4_000


def _weight(known: EmbeddingAt) -> int:
    """Bytes of an embedding, about: positions, variances, and what is derived from them."""
    return 24 * known.embedding.mean.size
