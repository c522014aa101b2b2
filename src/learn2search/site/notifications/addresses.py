"""Where a webhook may lead: not into the network that the site itself stands in, unless its settings allow that.

The name is looked up once, and the connection goes to just the address that was checked: a name that changes its
meaning in between leads nowhere else.
"""

import http.client
import ipaddress
import socket
import ssl
from urllib.parse import SplitResult, urlsplit

from learn2search.site.errors import Invalid

_SECONDS = 10.0
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_PRIVATE = (
    "leads into a private network: only LEARN2SEARCH_WEBHOOK_PRIVATE=true, in the settings of the site, allows that"
)


def parts_of(url: str) -> SplitResult:
    """The parts of a webhook's address.

    Raises
    ------
    Invalid
        If it is no address of a page.
    """
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or len(url) > 2000 or any(ord(sign) <= 32 or ord(sign) > 126 for sign in url.strip()):
        raise Invalid(f"“{url[:200]}” is no address for a webhook: https://shop.example/found, for instance.")
    if parts.username is not None or parts.password is not None:
        raise Invalid("The address of a webhook holds no name and no password: its signature shows who sends it.")
    return parts


def checked_address(parts: SplitResult, private: bool) -> str:
    """The IP address that a webhook leads to.

    Raises
    ------
    Invalid
        If there is none, or one of several is private and `private` is false.
    """
    host = parts.hostname or ""
    try:
        found = socket.getaddrinfo(host, parts.port or _port(parts), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Invalid(f"There is no address for {host}: {error}.") from error
    addresses = [str(one[4][0]) for one in found]
    if not private and not all(_is_public(one) for one in addresses):
        raise Invalid(f"{host} {_PRIVATE}.")
    return addresses[0]


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return _is_public(str(address.ipv4_mapped))
        if address.sixtofour is not None or address.teredo is not None or address in _NAT64:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def connection_to(parts: SplitResult, address: str) -> http.client.HTTPConnection:
    """A connection to this IP address, for the name of the webhook: that name is what its certificate has to have."""
    connection = http.client.HTTPConnection(parts.netloc, timeout=_SECONDS)
    plain = socket.create_connection((address, _port(parts)), timeout=_SECONDS)
    if parts.scheme == "https":
        try:
            plain = ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
        except BaseException:
            plain.close()
            raise
    connection.sock = plain
    return connection
