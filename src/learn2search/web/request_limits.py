"""How many requests a visitor may send, and how many an address, in a minute: for all workers together.

Each worker counts in memory, by slices of five seconds, so that counting costs microseconds. What comes near a limit is
added up in the database, in a thread of its own (`SharedCounts`). So a sender who reaches several workers gets at most
what one worker allows, and for each further worker a `_SHARED`-th of it, and what arrives until the counts have met.
"""

import threading
import time
from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, IPv6Network, ip_address

from learn2search.site.errors import TooMany
from learn2search.site.settings import Settings

SLICE = 5  # seconds
SLICES = 12  # that make a minute
_MOST_SENDERS = 100_000  # in a slice: more are not told apart, and share one count
_OTHERS = "others"
WRONG_TOKENS, METRICS = 10, 60  # a minute


class Counts:
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


class RequestLimits:
    """Limits for visitors and addresses.

    People of one house or school share an address: it may send as much as `visitors_per_address` visitors. A visitor is
    known by the cookie. Programs have none, and are limited as one visitor an address; so are wrong tokens, and
    what is expensive. The owner is not limited.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self._counts = Counts(clock)
        self._of_visitor = {"answers": settings.answers_per_minute, "searches": settings.searches_per_minute}
        together = {what: most * settings.visitors_per_address for what, most in self._of_visitor.items()}
        self._of_address: Mapping[str, int] = together | {"tokens": WRONG_TOKENS, "metrics": METRICS}

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

    def _count(self, name: str, most: int) -> None:
        if self._counts.total(name) >= most:
            raise TooMany("That was very fast. Please wait a moment and try again.")
        self._counts.add(name)


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
