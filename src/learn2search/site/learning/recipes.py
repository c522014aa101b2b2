"""How a collection learns."""

from learn2search.learn.recipe import Recipe, make_recipe
from learn2search.site.catalogue.options import options_of
from learn2search.store.collections import Collection


def recipe_of(collection: Collection) -> Recipe:
    """The library's best preset, with searches weighed: nobody knows who visits."""
    options = options_of(collection)
    return make_recipe("best", options.usual_show, n_components=options.dimensions, weigh_searches=True)
