"""What can go wrong on the site, one class for each HTTP status code.

SiteError
├── Invalid        422  what was sent makes no sense
├── TooLarge       413
├── Unauthorised   401  the owner's token is missing or wrong
├── Forbidden      403  another site, or another visitor, tried to act for a visitor
├── NotFound       404
├── Conflict       409  it has changed meanwhile
├── TooMany        429
└── Unavailable    503  not ready: no items yet
"""


class SiteError(Exception):
    """An error whose message may be shown to the person who caused it."""

    status = 500


class Invalid(SiteError):
    """What was sent makes no sense."""

    status = 422


class TooLarge(SiteError):
    """More than is accepted."""

    status = 413


class Unauthorised(SiteError):
    """The owner's token is missing or wrong."""

    status = 401


class Forbidden(SiteError):
    """Another site, or another visitor, tried to act for a visitor."""

    status = 403


class NotFound(SiteError):
    """There is no such thing here."""

    status = 404


class Conflict(SiteError):
    """It has changed meanwhile."""

    status = 409


class TooMany(SiteError):
    """Too many requests."""

    status = 429


class Unavailable(SiteError):
    """Not ready."""

    status = 503
