"""A language of the visitors' pages: its messages, and how it writes numbers, dates and durations."""

import time
from dataclasses import dataclass, field
from functools import cache
from gettext import GNUTranslations, NullTranslations

from learn2search.site.errors import SiteError
from learn2search.web.translation.catalogues import catalogue_path, compiled_catalogue, read_entries
from learn2search.web.translation.nouns import NOUNS

_NOUNS = {*NOUNS, *NOUNS.values()}


@dataclass(frozen=True)
class Language:
    """How a page speaks.

    Attributes
    ----------
    code
        As in the attribute `lang`.
    name
        In the language itself.
    thousands
        Between groups of three digits.
    date
        A day, for `time.strftime`.
    messages
        The catalogue.

    Examples
    --------
    >>> LANGUAGES["de"].number(12345), LANGUAGES["de"].gettext("Undo")
    ('12.345', 'Rückgängig')
    """

    code: str
    name: str
    thousands: str
    date: str
    messages: NullTranslations = field(repr=False)

    def gettext(self, message: str) -> str:
        return self.messages.gettext(message)

    def ngettext(self, message: str, plural: str, count: int) -> str:
        return self.messages.ngettext(message, plural, count)

    def error(self, error: SiteError) -> str:
        """The message of an error."""
        return self.gettext(error.message) % error.values if error.values else self.gettext(error.message)

    def word(self, noun: str) -> str:
        """An owner's word for items, if the catalogue knows it, else as it was written."""
        return self.gettext(noun) if noun in _NOUNS else noun

    def number(self, value: float) -> str:
        """A whole number with its digits in groups."""
        return f"{value:,.0f}".replace(",", self.thousands)

    def day(self, seconds: float) -> str:
        """The date of a time in seconds since 1970."""
        return time.strftime(self.date, time.gmtime(seconds))

    def duration(self, seconds: float) -> str:
        """A duration in words: 41 seconds, 3 minutes."""
        if seconds < 90:
            count = max(1, round(seconds))
            return self.ngettext("%(count)s second", "%(count)s seconds", count) % {"count": count}
        if seconds < 5400:
            count = round(seconds / 60)
            return self.ngettext("%(count)s minute", "%(count)s minutes", count) % {"count": count}
        count = round(seconds / 3600)
        return self.ngettext("%(count)s hour", "%(count)s hours", count) % {"count": count}

    def ago(self, now: float, then: float) -> str:
        """When something was, in words: 3 hours ago; a date, if that is long ago."""
        seconds = now - then
        if seconds < 90:
            return self.gettext("just now")
        minutes, hours, days = round(seconds / 60), round(seconds / 3600), round(seconds / 86_400)
        if minutes < 60:
            return self.ngettext("%(count)s minute ago", "%(count)s minutes ago", minutes) % {"count": minutes}
        if hours < 24:
            return self.ngettext("%(count)s hour ago", "%(count)s hours ago", hours) % {"count": hours}
        if days < 30:
            return self.ngettext("%(count)s day ago", "%(count)s days ago", days) % {"count": days}
        return self.day(then)

    def in_words(self, number: int) -> str:
        """A small number as a word."""
        gettext = self.gettext
        words = {2: gettext("two"), 3: gettext("three"), 4: gettext("four"), 5: gettext("five"), 6: gettext("six")}
        words |= {7: gettext("seven"), 8: gettext("eight"), 9: gettext("nine"), 12: gettext("twelve")}
        return words.get(number, str(number))


@cache
def _catalogue(code: str) -> GNUTranslations:
    return compiled_catalogue(read_entries(catalogue_path(code).read_text("utf-8")))


ENGLISH = Language("en", "English", ",", "%Y-%m-%d", NullTranslations())  # the language of the sources
TRANSLATED = (
    Language("de", "Deutsch", ".", "%d.%m.%Y", _catalogue("de")),
    Language("fr", "Français", "\u202f", "%d/%m/%Y", _catalogue("fr")),
)
LANGUAGES = {language.code: language for language in (ENGLISH, *TRANSLATED)}


def preferred(accept_language: str) -> Language:
    """The language that the header Accept-Language (RFC 9110) likes best, English if it likes none of ours.

    Each range has a weight q of 0 to 1, by default 1; 0 means never. "de-AT" is taken as German, and "*" stands for
    what is not named. Of equal weights the first in the header counts.

    Examples
    --------
    >>> preferred("fr;q=0.4, de-AT;q=0.8, en;q=0.1").code
    'de'
    """
    weights: dict[str, float] = {}
    for part in accept_language[:1000].split(","):
        name, _, parameter = part.partition(";")
        code, weight = name.strip().lower().split("-")[0], _weight(parameter)
        if code and (code not in weights or weight > weights[code]):
            weights[code] = weight
    others = weights.get("*", 0.0)
    order = [code for code in weights if code in LANGUAGES] + [code for code in LANGUAGES if code not in weights]
    best = max(order, key=lambda code: weights.get(code, others))
    return LANGUAGES[best] if weights.get(best, others) > 0 else ENGLISH


def _weight(parameter: str) -> float:
    """The q of a range; 0 for what is no weight."""
    name, _, value = parameter.partition("=")
    if not parameter.strip():
        return 1.0
    try:
        weight = float(value) if name.strip().lower() == "q" else 0.0
    except ValueError:
        return 0.0
    return weight if 0 <= weight <= 1 else 0.0
