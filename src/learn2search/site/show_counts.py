"""How many items a question may show at a time: the one list for the site, its API and the command line."""

from typing import Literal, get_args

from learn2search.site.errors import Invalid

ShowCount = Literal[2, 4, 6, 9, 12]  # each fills the rows of a screen; the largest is the library's own limit
SHOW_COUNTS: tuple[ShowCount, ...] = get_args(ShowCount)
Automatic = Literal["automatic"]  # the site chooses, by the time that a search is expected to take
AUTOMATIC: Automatic = "automatic"
USUAL_SHOW: ShowCount = 4  # where a collection that chooses by itself needs one number

CHOICE_KEYS = "123456789ABC"  # one for each item shown; 0 is "can't tell", however many there are


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
    raise Invalid("A question shows %(counts)s items, not %(count)s.", counts=counts_in_words(), count=count)


def counts_in_words() -> str:
    """2, 4, 6, 9 or 12."""
    return f"{', '.join(map(str, SHOW_COUNTS[:-1]))} or {SHOW_COUNTS[-1]}"
