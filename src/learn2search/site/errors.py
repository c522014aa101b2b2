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
    """An error whose message may be shown to the person who caused it.

    Parameters
    ----------
    message
        A sentence. What differs from case to case stands in it by name, `%(slug)s`, so that it can be translated.
    **values
        By these names.

    Examples
    --------
    >>> str(SiteError("There is no collection “%(slug)s” here.", slug="wines"))
    'There is no collection “wines” here.'
    """

    status = 500

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message % values if values else message)
        self.message, self.values = message, values


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
