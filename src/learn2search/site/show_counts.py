"""How many items a question may show at a time: the one list for the site, its API and the command line."""

from typing import Literal, get_args

from learn2search.site.errors import Invalid

ShowCount = Literal[2, 4]
SHOW_COUNTS: tuple[ShowCount, ...] = get_args(ShowCount)


def checked_show(count: int) -> ShowCount:
    """`count`, if so many can be shown at a time.

    Raises
    ------
    Invalid
        If it is not in `SHOW_COUNTS`.
    """
    for allowed in SHOW_COUNTS:
        if count == allowed:
            return allowed
    raise Invalid(f"A question shows {' or '.join(map(str, SHOW_COUNTS))} items, not {count}.")
