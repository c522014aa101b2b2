"""How many requests a visitor may send, and how many an address, in a minute: for all workers together.

Each worker counts in memory, by slices of five seconds, so that counting costs microseconds. A sender who has a quarter
of a limit at one worker is added up in the database, in a thread of its own. So whoever reaches several workers gets at
most a limit, a quarter of it for each further worker, and what arrives in the half second until the counts have met.
Wrong tokens are added up at once.
"""

import threading
import time
from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, IPv6Network, ip_address

from sqlalchemy.exc import SQLAlchemyError

from learn2search.site.context import Site
from learn2search.site.errors import TooMany
from learn2search.store import request_counts

PAUSE = 0.5  # seconds between two times that workers share what they counted
_SHARE = 4  # from this part of a limit on
SLICE = 5  # seconds
SLICES = 12  # that make a minute
_MOST_SENDERS = 100_000  # in a slice: more are not told apart, and share one count
_OTHERS = "others"
TOKENS = "tokens"
WRONG_TOKENS, METRICS = 10, 60  # a minute


class MinuteCounts:
    """How often each name was counted in the last minute."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._slices: dict[int, dict[str, int]] = {}

    def slice_now(self) -> int:
        return int(self._clock() // SLICE)

    def add(self, name: str) -> None:
        now = self.slice_now()
        with self._lock:
            current = self._slices.get(now)
            if current is None:
                self._slices = {at: counts for at, counts in self._slices.items() if now - SLICES < at <= now}
                current = self._slices[now] = {}
            if name not in current and len(current) >= _MOST_SENDERS:
                name = _OTHERS
            current[name] = current.get(name, 0) + 1

    def total(self, name: str) -> int:
        oldest = self.slice_now() - SLICES
        return sum(counts.get(name, 0) for at, counts in list(self._slices.items()) if at > oldest)

    def by_slice(self, name: str) -> dict[int, int]:
        """Its counts of the last minute, by slice."""
        oldest = self.slice_now() - SLICES
        return {at: counts[name] for at, counts in list(self._slices.items()) if at > oldest and name in counts}


class SharedCounts:
    """Counts of this worker and, of senders that come near a limit, those of all others.

    What is to be shared waits until `meet` adds it to the database, and takes what the others have added.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._own = MinuteCounts(site.now)
        self._lock = threading.Lock()
        self._meeting = threading.Lock()
        self._waiting: dict[tuple[str, int], int] = {}  # of this worker: not yet in the database,
        self._added: dict[tuple[str, int], int] = {}  # and what is there
        self._others: dict[str, dict[int, int]] = {}  # of all others, when they last met
        self.wanted = threading.Event()

    def total(self, name: str) -> int:
        """In the last minute, of all workers as far as it is known here."""
        oldest = self._own.slice_now() - SLICES
        others = self._others.get(name)
        return self._own.total(name) + (
            sum(count for at, count in others.items() if at > oldest) if others is not None else 0
        )

    def add(self, name: str, shared_from: int) -> None:
        """Count once more; from so many on this worker alone, the others get to know."""
        self._own.add(name)
        if self._own.total(name) < shared_from:
            return
        with self._lock:
            if name in self._others:
                key = (name, self._own.slice_now())
                self._waiting[key] = self._waiting.get(key, 0) + 1
            else:
                self._others[name] = {}
                self._waiting |= {(name, at): count for at, count in self._own.by_slice(name).items()}
        self.wanted.set()

    def meet(self) -> None:
        """Add what waits to the database, and take what the others have added. Without a database it waits on."""
        with self._meeting:
            oldest = self._own.slice_now() - SLICES
            with self._lock:
                waiting, self._waiting = self._waiting, {}
                known = list(self._others)
            try:
                names = {self._site.visitor_hash(name): name for name in known}
                found = self._exchanged(waiting, names, oldest)
            except (SQLAlchemyError, OSError):
                with self._lock:
                    for key, count in waiting.items():
                        self._waiting[key] = self._waiting.get(key, 0) + count
                return
            for key, count in waiting.items():
                self._added[key] = self._added.get(key, 0) + count
            self._added = {key: count for key, count in self._added.items() if key[1] > oldest}
            others: dict[str, dict[int, int]] = {name: {} for name in names.values() if self._own.total(name)}
            for (sender, at), count in found.items():
                name = names[sender]
                if name in others:
                    others[name][at] = count - self._added.get((name, at), 0)
            with self._lock:
                self._others = {name: {} for name in self._others if name not in names.values()} | others

    def _exchanged(
        self, waiting: request_counts.Counted, names: Mapping[str, str], oldest: int
    ) -> request_counts.Counted:
        hashed = {name: sender for sender, name in names.items()}
        with self._site.database.write() as db:
            request_counts.add(db, {(hashed[name], at): count for (name, at), count in waiting.items()})
            request_counts.forget(db, oldest)
            return request_counts.of(db, names, oldest + 1)


class RequestLimits:
    """Limits for visitors and addresses.

    People of one house or school share an address: it may send as much as `visitors_per_address` visitors. A visitor is
    known by the cookie. Programs have none, and are limited as one visitor an address; so are wrong tokens, and
    what is expensive. The owner is not limited.
    """

    def __init__(self, site: Site) -> None:
        settings = site.settings
        self._counts = SharedCounts(site)
        self._of_visitor = {"answers": settings.answers_per_minute, "searches": settings.searches_per_minute}
        together = {what: most * settings.visitors_per_address for what, most in self._of_visitor.items()}
        self._of_address: Mapping[str, int] = together | {TOKENS: WRONG_TOKENS, "metrics": METRICS}
        self._ended = threading.Event()
        threading.Thread(target=self._keep_meeting, name="request limits", daemon=True).start()

    def check(self, what: str, address: str, visitor: str = "") -> None:
        """Count a request of one kind.

        Parameters
        ----------
        address
            The network that it comes from, as `network_of` gives it.
        visitor
            What the visitor is known by; nothing, where one has no cookie yet.

        Raises
        ------
        TooMany
            If there were too many in the last minute.
        """
        self._count(f"{what} {address}", self._of_address[what])
        if visitor and what in self._of_visitor:
            self._count(f"{what} {address} {visitor[:64]}", self._of_visitor[what])

    def check_token(self, address: str) -> None:
        """Count a wrong token, which all workers know at once. Not for the event loop: it waits for the database."""
        self._counts.meet()
        self._count(f"{TOKENS} {address}", WRONG_TOKENS)
        self._counts.meet()

    def check_tries(self, address: str) -> None:
        """Refuse whoever has tried too many wrong tokens. It waits for the database, too."""
        self._counts.meet()
        if self._counts.total(f"{TOKENS} {address}") >= WRONG_TOKENS:
            raise _refusal()

    def _count(self, name: str, most: int) -> None:
        if self._counts.total(name) >= most:
            raise _refusal()
        self._counts.add(name, 1 if name.startswith(TOKENS) else max(1, most // _SHARE))

    def _keep_meeting(self) -> None:
        while self._counts.wanted.wait() and not self._ended.wait(PAUSE):
            self._counts.wanted.clear()
            self._counts.meet()

    def meet(self) -> None:
        """Share with the other workers what was counted; a thread does so while there is something to share."""
        self._counts.meet()

    def close(self) -> None:
        """Share no more."""
        self._ended.set()
        self._counts.wanted.set()


def _refusal() -> TooMany:
    return TooMany("That was very fast. Please wait a moment and try again.")


def network_of(address: str) -> str:
    """The network for which an address counts: one line has 2⁶⁴ addresses of IPv6, and could take a new one each time.

    Examples
    --------
    >>> network_of("2001:db8:1:2:aaaa::1"), network_of("192.0.2.7"), network_of("::ffff:192.0.2.7")
    ('2001:db8:1:2::/64', '192.0.2.7', '192.0.2.7')
    """
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, IPv4Address):
        return str(known)
    return str(known.ipv4_mapped or IPv6Network((known, 64), strict=False))
