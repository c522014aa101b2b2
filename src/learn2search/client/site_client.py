"""`Client`: a site by program, in typed values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode

from learn2search.client.connection import ClientError, Connection, form_of_files
from learn2search.client.results import (
    CollectionResult,
    FilesOutcome,
    ItemOutcome,
    ItemResult,
    ModelResult,
    SearchResult,
)

_API = "/api/v1"
_AT_ONCE = 1000  # records in one request


class Client:
    """A site, by program. It needs the standard library alone, and may be used by several threads at once.

    Where the site is busy (status 429 or 503) and says when to come again, the client waits and does.

    Parameters
    ----------
    address
        Of the site: `http://127.0.0.1:8000`.
    token
        The owner's, for what only the owner may do.
    wait
        What waits so many seconds; for tests.

    Raises
    ------
    NoConnection
        From every method, if the site does not answer.
    Refused
        From every method, if it answers with an error.

    Examples
    --------
    >>> from learn2search.client import Client
    >>> with Client("http://127.0.0.1:8000") as site:  # doctest: +SKIP
    ...     search = site.start("faces")
    ...     search = site.answer(search, search.question.shown[0])
    ...     search = site.found(search, search.question.shown[1])
    """

    def __init__(self, address: str, token: str | None = None, wait: Callable[[float], None] = time.sleep) -> None:
        self._connection = Connection(address, {"Authorization": f"Bearer {token}"} if token else {}, wait)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()

    # --- collections ---

    def collections(self) -> list[CollectionResult]:
        """The collections that are listed.

        Returns
        -------
        list of CollectionResult
        """
        return [CollectionResult.from_json(one) for one in self._call("GET", "/collections")]

    def items(self, collection: str, words: str = "", start: int = 0, count: int = 100) -> list[ItemResult]:
        """Items that can be looked for, by number.

        Parameters
        ----------
        collection
            The slug of a collection.
        words
            Only items whose title, key or group contains them.
        start, count
            Which of them: `count`, at most 1,000, from place `start` on.

        Returns
        -------
        list of ItemResult
        """
        query = urlencode({"words": words, "start": start, "count": count})
        return [ItemResult.from_json(one) for one in self._call("GET", f"{_of(collection)}/items?{query}")]

    def models(self, collection: str) -> list[ModelResult]:
        """The models of a collection, for the owner.

        Returns
        -------
        list of ModelResult
            The newest first.
        """
        return [ModelResult.from_json(one) for one in self._call("GET", f"{_of(collection)}/models")]

    def model(self, collection: str) -> ModelResult:
        """The model that new searches use, for the owner.

        Returns
        -------
        ModelResult

        Raises
        ------
        ClientError
            If there is none yet.
        """
        found = next((one for one in self.models(collection) if one.in_use), None)
        if found is None:
            raise ClientError(f"“{collection}” has no model yet: it needs two items.")
        return found

    # --- what the owner can change ---

    def put_collection(self, collection: str, title: str | None = None, **options: Any) -> None:
        """Make a collection, or change one.

        Parameters
        ----------
        collection
            Its slug.
        title
            For people; a new collection needs one.
        **options
            noun, nouns, note, show, strategies, warm_start, listed, archived. What is not given stays.
        """
        self._call("PUT", _of(collection), options | ({} if title is None else {"title": title}))

    def put_items(self, collection: str, records: Iterable[Mapping[str, Any]]) -> list[ItemOutcome]:
        """Add, change, retire and restore items by their keys. The same records twice change nothing.

        Parameters
        ----------
        collection
            Its slug.
        records
            Each with `key`, and what is to be true of its item: `title`, `description`, `group`, `active`.

        Returns
        -------
        list of ItemOutcome
            What became of each record, in their order.
        """
        results: list[ItemOutcome] = []
        for some in _batches(records, _AT_ONCE):
            sent = self._call("PUT", f"{_of(collection)}/items", [dict(one) for one in some])
            results += [ItemOutcome.from_json(one) for one in sent]
        return results

    def upload(self, collection: str, *paths: Path | str) -> FilesOutcome:
        """Send files, which are read into memory.

        Parameters
        ----------
        collection
            Its slug.
        *paths
            Pictures, sounds, videos and texts, or one ZIP file. The name of a file is the key of its item: the same
            name again replaces what the item shows.

        Returns
        -------
        FilesOutcome
        """
        data, kind = form_of_files([Path(path) for path in paths])
        sent = self._connection.send("POST", f"{_API}{_of(collection)}/files", data, {"Content-Type": kind})
        return FilesOutcome.from_json(sent)

    def put_positions(self, collection: str, positions: Mapping[str, Sequence[float]]) -> None:
        """Publish a model with positions that are known. Clicks refine them.

        Parameters
        ----------
        collection
            Its slug.
        positions
            By key, `(d,)` each. Every active item needs one.
        """
        rows = {key: [float(one) for one in row] for key, row in positions.items()}
        self._call("PUT", f"{_of(collection)}/embedding", {"keys": list(rows), "mean": list(rows.values())})

    def positions(self, collection: str) -> dict[str, list[float]]:
        """Where the items of the model in use are.

        Returns
        -------
        dict
            By key, `(d,)` each.
        """
        sent = self._call("GET", f"{_of(collection)}/embedding")
        return dict(zip(sent["keys"], sent["mean"], strict=True))

    # --- a search ---

    def start(self, collection: str, show: int | None = None, simulated: bool = False) -> SearchResult:
        """Begin a search.

        Parameters
        ----------
        collection
            Its slug.
        show
            How many items at a time, 2, 4, 6, 9 or 12; by default what the collection says.
        simulated
            A simulated visitor, from whom the site learns: this needs the owner's token.

        Returns
        -------
        SearchResult
            With its first question.
        """
        how: dict[str, Any] = {"simulated": simulated} | ({} if show is None else {"show": show})
        return SearchResult.from_json(self._call("POST", f"{_of(collection)}/searches", how))

    def now(self, search: SearchResult) -> SearchResult:
        """Look again, as after an answer that was lost on its way.

        Returns
        -------
        SearchResult
            The search as it is now.
        """
        return self._go_on(search, "GET", "")

    def answer(self, search: SearchResult, item: ItemResult | int | None) -> SearchResult:
        """Answer the question.

        Parameters
        ----------
        search
            As the site gave it last.
        item
            The shown item, or its number, that is most like it; None: can't tell.

        Returns
        -------
        SearchResult
            With the next question.
        """
        return self._answer(search, "none") if item is None else self._answer(search, "choice", item)

    def found(self, search: SearchResult, item: ItemResult | int) -> SearchResult:
        """This is it: end the search.

        Parameters
        ----------
        search
            As the site gave it last.
        item
            The item, or its number. It need not have been shown.

        Returns
        -------
        SearchResult
        """
        return self._answer(search, "found", item)

    def undo(self, search: SearchResult) -> SearchResult:
        """Take the last answer back; at the end: that was not it.

        Returns
        -------
        SearchResult
            With the question before.
        """
        return self._go_on(search, "POST", "/not-it") if search.question is None else self._answer(search, "undo")

    def not_here(self, search: SearchResult) -> SearchResult:
        """End the search: the collection does not have it.

        Returns
        -------
        SearchResult
        """
        return self._answer(search, "not-here")

    def top(self, search: SearchResult, count: int = 10) -> list[ItemResult]:
        """The items that fit the answers best.

        Returns
        -------
        list of ItemResult
            The likeliest first; none while no item is clearly likelier than chance.
        """
        sent = self._call("GET", f"{_at(search)}/top?count={count}", None, search.secret)
        return [ItemResult.from_json(one) for one in sent]

    def _answer(self, search: SearchResult, kind: str, item: ItemResult | int | None = None) -> SearchResult:
        if search.question is None:
            raise ClientError(f"The search has ended ({search.status}): undo goes back, start begins another.")
        number = item.item if isinstance(item, ItemResult) else item
        given: dict[str, Any] = {"step": search.question.step, "kind": kind}
        given |= {} if number is None else {"item": int(number)}
        return self._go_on(search, "POST", "/answers", given)

    def _go_on(self, search: SearchResult, method: str, path: str, body: object = None) -> SearchResult:
        sent = self._call(method, f"{_at(search)}{path}", body, search.secret)
        return replace(SearchResult.from_json(sent), secret=search.secret)

    def _call(self, method: str, path: str, body: object = None, secret: str = "") -> Any:  # nosec B107 # none
        return self._connection.call(method, f"{_API}{path}", body, {"Search-Secret": secret} if secret else {})


def _batches(records: Iterable[Mapping[str, Any]], size: int) -> Iterator[list[Mapping[str, Any]]]:
    """So many at a time."""
    rest = iter(records)
    while some := list(islice(rest, size)):
        yield some


def _of(collection: str) -> str:
    return f"/collections/{quote(collection, safe='')}"


def _at(search: SearchResult) -> str:
    return f"/searches/{quote(search.id, safe='')}"
