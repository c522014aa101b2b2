"""Visitors of a running site who write down what it has acknowledged, and a check that all of that is in its database.

A visitor sends an answer again until it is acknowledged, as the page does; the site counts it once. The check reads the
tables with statements of its own, so that it shares nothing with the code that wrote them.
"""

import hashlib
import http.client
import io
import json
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 4.0  # seconds between two tries
SECONDS = 30.0  # for an answer
UNSURE, UNDONE = 0.03, 0.03  # the shares of "can't tell" and of undoing


class Given(NamedTuple):
    """An answer to a step."""

    step: int
    kind: str
    item: int | None


@dataclass
class Visited:
    """A search as its visitor has seen it. pending: an answer that was sent and not acknowledged."""

    id: str
    secret: str
    shown: dict[int, list[int]] = field(default_factory=dict)
    acknowledged: list[Given] = field(default_factory=list)
    pending: Given | None = None


class GaveUp(Exception):
    """What a visitor sees as an error."""


class Visitor:
    """One visitor: search after search, in a thread of its own."""

    def __init__(self, crowd: "Crowd", number: int) -> None:
        self.crowd, self.draw = crowd, np.random.default_rng([crowd.seed, number])
        self.searches: list[Visited] = []
        self.tries: Counter[str] = Counter()  # that failed, by what was wrong; they were repeated
        self.errors: list[str] = []
        self.seconds: list[float] = []  # that each answer took, with all its tries
        self.answers = 0
        self._connection: http.client.HTTPConnection | None = None
        self.thread = threading.Thread(target=self._visit, daemon=True)

    def _visit(self) -> None:
        self._rest()
        while not self.crowd.over.is_set():
            try:
                self._search()
            except GaveUp as error:
                if not self.crowd.over.is_set():
                    self.errors.append(str(error))
        self._hang_up()

    def _search(self) -> None:
        target = int(self.draw.integers(len(self.crowd.features)))
        now = self._send(f"/collections/{self.crowd.slug}/searches", {"simulated": True}, {})
        seen = Visited(now["id"], now["secret"])
        self.searches.append(seen)
        while now["question"] is not None:
            seen.shown[now["question"]["step"]] = [one["item"] for one in now["question"]["shown"]]
            self._rest()
            if self.crowd.over.is_set():
                return
            seen.pending = self._answer(now, target)
            body = {name: value for name, value in seen.pending._asdict().items() if value is not None}
            begin = time.monotonic()
            now = self._send(f"/searches/{seen.id}/answers", body, {"Search-Secret": seen.secret})
            self.seconds.append(time.monotonic() - begin)
            seen.acknowledged.append(seen.pending)
            seen.pending = None
            self.answers += 1

    def _answer(self, now: dict[str, Any], target: int) -> Given:
        question = now["question"]
        step, shown = question["step"], [one["item"] for one in question["shown"]]
        if target in shown or not shown:
            return Given(step, "found", target)
        chance = self.draw.random()
        if chance < UNSURE:
            return Given(step, "none", None)
        if chance < UNSURE + UNDONE and now["number"] > 1:
            return Given(step, "undo", None)
        perceived = self.crowd.features[shown] + self.draw.normal(0.0, 0.05, self.crowd.features[shown].shape)
        return Given(step, "choice", shown[int(((perceived - self.crowd.features[target]) ** 2).sum(1).argmin())])

    def _rest(self) -> None:
        self.crowd.over.wait(float(self.draw.exponential(self.crowd.think_seconds)))

    def _send(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
        """What the site answers, after as many tries as it takes."""
        begin, pause = time.monotonic(), FIRST_PAUSE
        while True:
            problem = self._try(path, body, headers)
            if not isinstance(problem, str):
                return problem
            self.tries[problem] += 1
            if time.monotonic() - begin > self.crowd.patience or self.crowd.over.wait(pause):
                raise GaveUp(f"{path}: {problem} for {time.monotonic() - begin:.0f} s")
            pause = min(2 * pause, LONGEST_PAUSE)

    def _try(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
        """The answer, or in a word what was wrong and may pass."""
        said = {"Content-Type": "application/json", "Authorization": f"Bearer {self.crowd.token}"} | headers
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self.crowd.port, timeout=SECONDS)
            self._connection.request("POST", f"/api/v1{path}", json.dumps(body), said)
            answer = self._connection.getresponse()
            content = answer.read()
        except (http.client.HTTPException, OSError) as error:
            self._hang_up()
            return type(error).__name__
        if answer.status == 429 or answer.status >= 500:
            return str(answer.status)
        if answer.status >= 400:
            raise GaveUp(f"{path}: {answer.status} {content[:200].decode(errors='replace')}")
        return json.loads(content)

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class Crowd:
    """Visitors of one collection, all at the same time.

    features: what they perceive, row i of item i. think_seconds: of an answer, in the mean. patience: seconds for which
    a request is tried again, then it is an error that the visitor sees.
    """

    def __init__(
        self,
        port: int,
        token: str,
        slug: str,
        features: np.ndarray,
        count: int,
        *,
        think_seconds: float,
        patience: float = 120.0,
        seed: int = 0,
    ) -> None:
        self.port, self.token, self.slug, self.features = port, token, slug, features
        self.think_seconds, self.patience, self.seed = think_seconds, patience, seed
        self.over = threading.Event()
        self.visitors = [Visitor(self, number) for number in range(count)]

    def __enter__(self) -> "Crowd":
        for visitor in self.visitors:
            visitor.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for visitor in self.visitors:
            visitor.thread.join(2 * SECONDS)

    def wait_until_all_went_on(self, seconds: float, answers: int = 1) -> None:
        """Until each visitor has had so many more answers."""
        before, end = [visitor.answers for visitor in self.visitors], time.monotonic() + seconds
        while any(one.answers < had + answers for one, had in zip(self.visitors, before, strict=True)):
            if time.monotonic() > end:
                raise TimeoutError(f"a visitor's search does not go on within {seconds:.0f} s: {self.tries}")
            time.sleep(0.05)

    @property
    def searches(self) -> list[Visited]:
        return [one for visitor in self.visitors for one in visitor.searches]

    @property
    def tries(self) -> Counter[str]:
        """Tries that failed and were repeated, by what was wrong."""
        return sum((visitor.tries for visitor in self.visitors), Counter())

    @property
    def errors(self) -> list[str]:
        return [error for visitor in self.visitors for error in visitor.errors]

    @property
    def seconds(self) -> list[float]:
        return [one for visitor in self.visitors for one in visitor.seconds]


# --- what the database has of it --------------------------------------------------------------------


@dataclass
class Found:
    """What a database has of the answers that were acknowledged.

    lost: acknowledged, and not in the log as they were given. doubled: in the log, and sent by nobody. wrong: sentences
    about everything else that is not as it must be.
    """

    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: list[str] = field(default_factory=list)


def check_database(url: str, slug: str, visited: Iterable[Visited]) -> Found:
    """Compare what was acknowledged with the log; look at the lessons and at the published model."""
    engine = sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.connect() as db:
            found = Found()
            steps = _steps(db, slug)
            for one in visited:
                _check_search(one, steps.get(one.id, {}), found)
            _check_lessons(db, slug, steps, found)
            _check_model(db, slug, found)
            return found
    finally:
        engine.dispose()


Steps = dict[int, tuple[list[int], str | None, int | None]]


def _steps(db: sqlalchemy.Connection, slug: str) -> dict[str, Steps]:
    """What was shown, the kind of the answer and the item that it names, by search and number."""
    rows = _rows(
        db,
        "SELECT step.search_id, step.number, step.shown, step.kind, step.chosen FROM step JOIN search ON "
        "search.id = step.search_id JOIN collection ON collection.id = search.collection_id WHERE slug = :slug",
        slug=slug,
    )
    found: dict[str, Steps] = {}
    for search_id, number, shown, kind, chosen in rows:
        items = json.loads(shown) if isinstance(shown, str) else shown
        found.setdefault(search_id, {})[number] = (items, kind, chosen)
    return found


def _check_search(one: Visited, steps: Steps, found: Found) -> None:
    found.acknowledged += len(one.acknowledged)
    sent = [*one.acknowledged, *([] if one.pending is None else [one.pending])]
    for given in one.acknowledged:
        found.lost += given.step not in steps or steps[given.step][1:] != (given.kind, given.item)
    found.doubled += sum(kind is not None for _, kind, _ in steps.values()) - sum(
        given.step in steps and steps[given.step][1] is not None for given in sent
    )
    for number, shown in one.shown.items():
        if number not in steps or steps[number][0] != shown:
            found.wrong.append(f"step {number} of {one.id} showed {shown}, and the log has {steps.get(number)}")
    if sorted(steps) != list(range(1, len(steps) + 1)):
        found.wrong.append(f"the steps of {one.id} are {sorted(steps)}")
    if sum(kind is None for _, kind, _ in steps.values()) > 1:
        found.wrong.append(f"{one.id} has two open questions")


def _check_lessons(db: sqlalchemy.Connection, slug: str, steps: dict[str, Steps], found: Found) -> None:
    """Every search that was found is one lesson, with the triplets of its clicks."""
    rows = _rows(
        db,
        "SELECT search.id, search.status, search.lesson, search.quarantine FROM search "
        "JOIN collection ON collection.id = search.collection_id WHERE slug = :slug",
        slug=slug,
    )
    learnt = {search_id: lesson for search_id, _, lesson, _ in rows if lesson is not None}
    (last,) = _rows(db, "SELECT lessons FROM collection WHERE slug = :slug", slug=slug)[0]
    if sorted(learnt.values()) != list(range(1, last + 1)):
        found.wrong.append(f"{len(learnt)} lessons, {len(set(learnt.values()))} different ones, the last is {last}")
    found.wrong += [
        f"{search_id} was found and teaches nothing"
        for search_id, status, lesson, quarantine in rows
        if status == "found" and lesson is None and quarantine is None
    ]
    counts: dict[str, int] = dict(
        _rows(db, "SELECT search_id, count(*) FROM triplet WHERE NOT withdrawn GROUP BY search_id")
    )
    for search_id in learnt:
        expected = _triplets_of(steps[search_id])
        if counts.get(search_id, 0) != expected:
            found.wrong.append(f"{search_id} has {counts.get(search_id, 0)} triplets in place of {expected}")


def _triplets_of(steps: Steps) -> int:
    """The chosen item against each other one, for the clicks that were not undone."""
    counted: list[int] = []
    for number in sorted(steps):
        shown, kind, _ = steps[number]
        if kind == "undo":
            counted = counted[:-1]
        elif kind is not None:
            counted.append(len(shown) - 1 if kind == "choice" else 0)
    return sum(counted)


def _check_model(db: sqlalchemy.Connection, slug: str, found: Found) -> None:
    rows = _rows(
        db,
        "SELECT model.arrays, model.checksum, model.published FROM model "
        "JOIN collection ON collection.model_id = model.id WHERE slug = :slug",
        slug=slug,
    )
    if len(rows) != 1:
        found.wrong.append("there is no published model")
        return
    arrays, checksum, published = bytes(rows[0][0]), rows[0][1], rows[0][2]
    if hashlib.sha256(arrays).hexdigest() != checksum or not published:
        found.wrong.append("the published model is not as it was written")
        return
    with np.load(io.BytesIO(arrays)) as file:
        if not np.isfinite(file["mean"]).all() or len(file["mean"]) != len(file["items"]):
            found.wrong.append("the published model is not whole")


def _rows(db: sqlalchemy.Connection, statement: str, **values: Any) -> list[Any]:
    return list(db.execute(sqlalchemy.text(statement), values))
