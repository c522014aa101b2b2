"""The main sentences of the visitors' pages: the owner's own where there are some, else those of the catalogue."""

from learn2search.site.catalogue.options import Options
from learn2search.site.catalogue.sentences import sentence_in
from learn2search.web.translation.language import Language


def default_sentence(language: Language, options: Options, name: str, title: str = "") -> str:
    """What the site says where the owner has no sentence of this name. `title` is that of the item that was found."""
    noun = language.word(options.noun)
    if name == "landing":
        return language.gettext("Find the %(noun)s you can’t describe") % {"noun": noun}
    if name == "question":
        return language.gettext("Which is most like the %(noun)s you have in mind?") % {"noun": noun}
    if name == "end":
        return language.gettext("There it is: %(title)s") % {"title": title}
    return language.word(options.nouns)


def sentence(language: Language, options: Options, name: str, title: str = "") -> str:
    """What a page says: the names are those of `Sentences`."""
    own = sentence_in(options.sentences, language.code, name)
    if not own:
        return default_sentence(language, options, name, title)
    return f"{own} {title}" if name == "end" else own
