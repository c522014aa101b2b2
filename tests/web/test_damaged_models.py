"""A model that was damaged on its way to or on the disk: the site goes on with the one before it, and says so."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from learn2search.cli.doctor import examine
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.learning import publishing
from learn2search.site.learning.damaged_models import damaged_models
from learn2search.site.settings import Settings
from learn2search.store.tables import model
from learn2search.web.app import create_app
from tests.web.conftest import PAGE
from tests.web.forms import begin


@pytest.fixture
def site(home: Path, tmp_path: Path) -> Iterator[Site]:
    """A collection with two models, of which the second is published."""
    site = Site.open(Settings(home=tmp_path / "home", database_url=None, seed=0))
    made = make_collection(site, "colours", "Colours", noun="colour", nouns="colours", show=4, warm_start="nothing")
    import_source(site, home / "pictures", made)
    publishing.roll_back(site, site.collection("colours"), 1)
    yield site
    site.close()


def damage(site: Site, version: int, *, truncate: bool) -> None:
    with site.database.write() as db:
        whole: bytes = db.execute(select(model.c.arrays).where(model.c.version == version)).scalar_one()
        flipped = whole[:300] + bytes([whole[300] ^ 1]) + whole[301:]
        broken = whole[: len(whole) // 2] if truncate else flipped
        db.execute(update(model).where(model.c.version == version).values(arrays=broken))


@pytest.mark.parametrize("truncate", [True, False])
def test_a_damaged_model_should_be_replaced_by_the_one_before_it(site: Site, truncate: bool) -> None:
    damage(site, 2, truncate=truncate)
    token = site.new_token()
    with TestClient(create_app(site.settings), headers=PAGE) as client:
        assert client.get("/").status_code == 200
        place, _ = begin(client)
        assert client.get(place).status_code == 200
        answer = client.get("/healthz")
        assert answer.json()["status"] == "degraded"
        assert "Model 2 is damaged; model 1 is in use" in answer.json()["trouble"][0]
        client.post("/owner", data={"token": token})
        page = client.get("/owner/colours")
        assert "Model 2 is damaged; model 1 is in use in its place" in page.text
        assert client.post("/owner/colours/rollback", data={"version": 2}).status_code == 409
        assert client.post("/owner/colours/rollback", data={"version": 1}).status_code == 200
        assert client.get("/healthz").json()["status"] == "ok"
    assert all(finding.good for finding in examine(site.settings) if finding.what.startswith("Model"))


def test_doctor_should_name_a_damaged_model(site: Site) -> None:
    damage(site, 2, truncate=False)
    found = [finding for finding in examine(site.settings) if finding.what == "Model of colours"]
    assert [finding.good for finding in found] == [False]
    assert "model 1 is in use" in found[0].state


def test_a_collection_without_a_whole_model_should_say_so_and_start_anew(site: Site) -> None:
    for version in (1, 2):
        damage(site, version, truncate=True)
    token = site.new_token()
    with TestClient(create_app(site.settings), headers=PAGE) as client:
        assert client.get("/").status_code == 200
        assert client.post("/c/colours").status_code == 503
        client.post("/owner", data={"token": token})
        assert "no other model is whole" in client.get("/owner/colours").text
        publishing.cover(site, site.collection("colours").id)
        assert begin(client)


def test_a_model_from_before_checksums_should_be_read_as_before(site: Site) -> None:
    with site.database.write() as db:
        db.execute(update(model).values(checksum=None))
    with TestClient(create_app(site.settings), headers=PAGE) as client:
        assert begin(client)
        assert client.get("/healthz").json()["status"] == "ok"
    damage(site, 2, truncate=True)  # truncated, it is noticed all the same
    with TestClient(create_app(site.settings), headers=PAGE) as client:
        assert begin(client)
        assert client.get("/healthz").json()["status"] == "degraded"


def test_covering_the_items_should_go_on_from_the_model_that_is_whole(site: Site) -> None:
    damage(site, 2, truncate=False)
    fresh = Site(site.settings)  # has not read the model yet
    assert [one.damage.model.version for one in damaged_models(fresh)] == [2]
    made = publishing.cover(fresh, fresh.collection("colours").id)
    assert made is not None
    assert made.version == 3
    assert damaged_models(fresh) == []
    fresh.close()
