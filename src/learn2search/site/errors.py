"""What can go wrong, one class for each status code.

ServiceError
├── Invalid        422  what was sent makes no sense
├── TooLarge       413
├── Unauthorised   401  the owner's token is missing or wrong
├── Forbidden      403  another site tried to act for a visitor
├── NotFound       404
├── Conflict       409  it has changed meanwhile
├── TooMany        429
└── Unavailable    503  not ready: no items yet
"""


class ServiceError(Exception):
    """An error whose message may be shown to the person who caused it."""

    status = 500


class Invalid(ServiceError):
    """What was sent makes no sense."""

    status = 422


class TooLarge(ServiceError):
    """More than is accepted."""

    status = 413


class Unauthorised(ServiceError):
    """The owner's token is missing or wrong."""

    status = 401


class Forbidden(ServiceError):
    """Another site tried to act for a visitor."""

    status = 403


class NotFound(ServiceError):
    """There is no such thing here."""

    status = 404


class Conflict(ServiceError):
    """It has changed meanwhile."""

    status = 409


class TooMany(ServiceError):
    """Too many requests."""

    status = 429


class Unavailable(ServiceError):
    """Not ready."""

    status = 503
