"""Published models whose arrays cannot be read: which, since when, and what is in use in their place."""

from dataclasses import dataclass

from learn2search.site.context import Site
from learn2search.site.learning.model_cache import Damage
from learn2search.store import collections
from learn2search.store.collections import Collection


@dataclass(frozen=True)
class DamagedModel:
    """The published model of a collection is damaged; since: when that was first noticed, in seconds since 1970."""

    collection: Collection
    damage: Damage
    since: float

    @property
    def message(self) -> str:
        """Which, what is in use, and what to do."""
        stand_in = self.damage.stand_in
        broken = f"Model {self.damage.model.version} is damaged"
        if stand_in is None:
            return f"{broken}, and no other model is whole: restore a backup, or retrain"
        return f"{broken}; model {stand_in.version} is in use in its place: retrain, or go back to a model"


def damaged_model(site: Site, collection: Collection) -> DamagedModel | None:
    """What is wrong with the published model of a collection, None if it is whole."""
    if collection.model_id is None:
        return None
    damage = site.models.damage(collection.model_id)
    if damage is None:
        return None
    return DamagedModel(collection, damage, _since(site, collection.model_id))


def damaged_models(site: Site) -> list[DamagedModel]:
    """All collections whose published model is damaged."""
    with site.database.read() as db:
        known = collections.all_collections(db)
    found = [damaged_model(site, collection) for collection in known]
    return [one for one in found if one is not None]


def _since(site: Site, model_id: int) -> float:
    """When the damage was first noticed: by whichever process saw it first."""
    name = f"damaged:{model_id}"
    with site.database.read() as db:
        known = collections.get_setting(db, name)
    if known is None:
        known = str(site.now())
        with site.database.write() as db:
            collections.put_setting(db, name, known)
    return float(known)
