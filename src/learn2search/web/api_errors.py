"""How the JSON API says that something did not work."""

from typing import Any

from pydantic import BaseModel


class ErrorOut(BaseModel):
    """Why it did not work."""

    error: str


ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": ErrorOut} for code in (400, 401, 403, 404, 409, 411, 413, 422, 429, 503)
}
