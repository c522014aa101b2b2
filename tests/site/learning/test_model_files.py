"""Large models as files that the workers of a machine share."""

import errno
import fcntl
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select, update

import learn2search as l2s
from learn2search.site.administration import collection_changes
from learn2search.site.context import Site
from learn2search.site.learning import model_files
from learn2search.site.learning.model_files import ModelFiles
from learn2search.site.settings import Settings
from learn2search.store import collections, models
from learn2search.store.enums import ModelOrigin
from learn2search.store.models import DamagedModelError
from learn2search.store.tables import collection as collection_table
from learn2search.store.tables import model as model_table

SMALL = (600, 8)
NOISE = 0.5


@pytest.fixture
def site(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site on which every model is large enough for a file."""
    monkeypatch.setattr(model_files, "_LEAST", 0)
    site = Site.open(Settings(home=tmp_path / "home", database_url=database_url, seed=0))
    with site.database.write() as db:
        collections.add(db, "points", "Points", {"show": 4}, 0.0)
    yield site
    site.close()


def publish(
    site: Site, seed: int, shape: tuple[int, int] = SMALL, *, exact: bool = False, published: bool = True
) -> int:
    """Write a model with positions that are drawn."""
    draw = np.random.default_rng(seed)
    mean, var = draw.standard_normal(shape), draw.uniform(0.1, 0.2, shape)
    with site.database.write() as db:
        made = models.add(
            db,
            collection_id=int(db.execute(select(collection_table.c.id)).scalar_one()),
            parent_id=None,
            origin=ModelOrigin.START,
            published=published,
            trained_up_to=0,
            triplets=0,
            noise=NOISE,
            metrics={},
            items=np.arange(shape[0]) * 2,
            embedding=l2s.Embedding(mean, None if exact else var),
            now=0.0,
        )
    return made.info.id


def get(site: Site, model_id: int) -> models.Model:
    """As another worker gets it."""
    with site.database.read() as db:
        return ModelFiles(site.settings.models).get(db, model_id)


def in_memory(site: Site, model_id: int) -> models.Model:
    with site.database.read() as db:
        return models.get(db, model_id)


def is_mapped(array: object) -> bool:
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return isinstance(array, np.memmap)


def machine(site: Site) -> Path:
    """The folder of this machine."""
    return site.settings.models / platform.node()


def folders(site: Site) -> list[int]:
    """The models that have files."""
    return sorted(int(place.name.split("-")[0]) for place in site.settings.models.glob("*/[0-9]*"))


def assert_alike(first: models.Model, second: models.Model) -> None:
    assert first.info == second.info
    assert np.array_equal(first.items, second.items)
    assert first.embedding.mean.dtype == second.embedding.mean.dtype
    assert first.embedding.fingerprint == second.embedding.fingerprint


@pytest.mark.parametrize("exact", [True, False])
def test_a_model_should_be_mapped_from_its_file_as_it_is_in_the_database(site: Site, exact: bool) -> None:
    model_id = publish(site, 0, exact=exact)
    model = site.models.model(model_id)
    assert_alike(model, in_memory(site, model_id))
    assert is_mapped(model.items)
    assert is_mapped(model.embedding.mean)
    assert (model.embedding.var is None) == exact
    assert exact or is_mapped(model.embedding.var)
    assert is_mapped(site.models.embedding_at(model_id, 0).embedding.mean)
    assert folders(site) == [model_id]
    assert not list(site.settings.models.rglob("*.partial"))


@pytest.mark.parametrize("exact", [True, False])
def test_a_mapped_model_should_ask_the_same_questions(site: Site, exact: bool) -> None:
    model_id = publish(site, 1, exact=exact)
    one, other = get(site, model_id).embedding, in_memory(site, model_id).embedding
    searches = [l2s.PosteriorSearch(space, noise=NOISE, seed=3) for space in (one, other)]
    for _ in range(6):
        asked, expected = (search.ask(4) for search in searches)
        assert asked == expected
        for search in searches:
            search.tell(asked[1])
        assert np.array_equal(searches[0].probability(), searches[1].probability())


def test_a_second_worker_should_not_write(site: Site) -> None:
    model_id = publish(site, 0)
    get(site, model_id)
    before = {path: path.stat() for path in site.settings.models.rglob("*.npy")}
    get(site, model_id)
    assert {path: path.stat().st_ino for path in site.settings.models.rglob("*.npy")} == {
        path: stat.st_ino for path, stat in before.items()
    }


@pytest.mark.parametrize("damage", ["truncated", "longer", "other bit", "missing", "digests", "other digests", "empty"])
def test_damaged_files_should_be_written_anew(site: Site, damage: str) -> None:
    model_id = publish(site, 0)
    expected = get(site, model_id)
    expected_digits = expected.embedding.fingerprint  # before the file that it is mapped from is changed
    place = next(site.settings.models.glob("*/[0-9]*"))
    kept = site.settings.models.parent / "kept"
    shutil.copytree(place, kept)  # a file that is mapped is replaced, never changed
    shutil.rmtree(place)
    file, digests = kept / "mean.npy", kept / "sha256.json"
    whole = file.read_bytes()
    at = len(whole) // 2
    if damage == "truncated":
        file.write_bytes(whole[:at])
    elif damage == "longer":
        file.write_bytes(whole + b"1234")
    elif damage == "other bit":
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    elif damage == "missing":
        (kept / "var.npy").unlink()
    elif damage == "empty":
        file.unlink()
        digests.unlink()
    else:
        digests.write_text("{" if damage == "digests" else "[]")
    kept.rename(place)
    again = get(site, model_id)
    assert is_mapped(again.embedding.mean)
    assert again.embedding.fingerprint == expected_digits
    assert (place / "mean.npy").read_bytes() == whole


def test_files_of_older_models_should_be_removed(site: Site) -> None:
    ids = [publish(site, seed) for seed in range(5)]
    unpublished = publish(site, 9, published=False)
    first = get(site, ids[2])
    (machine(site) / "7.partial").mkdir()
    for model_id in ids[3:]:
        assert is_mapped(get(site, model_id).embedding.mean)
    assert folders(site) == ids[2:]
    assert not list(site.settings.models.rglob("*.partial"))  # of a worker that was killed while it wrote
    sixth = publish(site, 6)
    assert is_mapped(get(site, sixth).embedding.mean)
    assert folders(site) == [*ids[3:], sixth]
    assert_alike(first, in_memory(site, ids[2]))  # whoever has it goes on with it
    for model_id in (ids[0], unpublished):  # those that few need are read into memory
        model = get(site, model_id)
        assert not is_mapped(model.embedding.mean)
        assert_alike(model, in_memory(site, model_id))
    assert folders(site) == [*ids[3:], sixth]


def test_a_model_that_is_damaged_in_the_database_should_be_noticed_although_it_has_files(site: Site) -> None:
    first, second = publish(site, 0), publish(site, 1)
    get(site, second)
    with site.database.write() as db:
        whole: bytes = db.execute(select(model_table.c.arrays).where(model_table.c.id == second)).scalar_one()
        damaged = whole[:300] + bytes([whole[300] ^ 1]) + whole[301:]
        db.execute(update(model_table).where(model_table.c.id == second).values(arrays=damaged))
    with pytest.raises(DamagedModelError, match="checksum"):
        get(site, second)
    assert site.models.model(second).info.id == first


def test_a_model_without_a_checksum_should_be_read_into_memory(site: Site) -> None:
    model_id = publish(site, 0)
    with site.database.write() as db:
        db.execute(update(model_table).values(checksum=None))
    assert not is_mapped(get(site, model_id).embedding.mean)


def test_a_small_model_should_have_no_files(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "_LEAST", 1_000_000)
    assert not is_mapped(site.models.model(publish(site, 0)).embedding.mean)
    assert not site.settings.models.exists()


def test_the_folder_should_come_back_when_it_was_deleted(site: Site) -> None:
    files, model_id = ModelFiles(site.settings.models), publish(site, 0)
    for _ in range(2):
        with site.database.read() as db:
            model = files.get(db, model_id)
        assert is_mapped(model.embedding.mean)
        shutil.rmtree(site.settings.models)
    assert_alike(model, in_memory(site, model_id))


def test_the_folder_of_another_machine_should_be_removed_when_nobody_uses_it(site: Site) -> None:
    for name in ("gone", "there"):
        shutil.copytree(machine_with(site, publish(site, 0)), site.settings.models / name)
    with open(site.settings.models / "there" / ".in-use") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        machine_with(site, publish(site, 1))
    assert {place.name for place in site.settings.models.iterdir()} == {"there", machine(site).name}


def machine_with(site: Site, model_id: int) -> Path:
    """The folder of this machine, in which a model is."""
    assert is_mapped(get(site, model_id).embedding.mean)
    return machine(site)


def test_the_files_of_a_deleted_collection_should_be_removed(site: Site) -> None:
    first = publish(site, 0)
    site.models.model(first)
    assert folders(site) == [first]
    collection_changes.delete_collection(site, site.collection("points"), "Points")
    assert folders(site) == []


@pytest.mark.parametrize("fault", ["no folder", "full disk"])
def test_without_a_place_for_files_models_should_be_read_into_memory(
    site: Site, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_id = publish(site, 0)
    if fault == "no folder":
        site.settings.models.write_text("in the way: root may write to any folder")
    else:

        def full(place: Path, model: models.Model) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(model_files, "_write", full)
    model = site.models.model(model_id)
    assert not is_mapped(model.embedding.mean)
    assert_alike(model, in_memory(site, model_id))


MEASURE = """
import json, sys
from pathlib import Path
import learn2search as l2s
from learn2search.site.learning.model_files import ModelFiles
from learn2search.store.database import Database
database = Database(sys.argv[1])

def anonymous():
    rollup = Path("/proc/self/smaps_rollup").read_text()
    return 1024 * int(rollup.split("\\nAnonymous:")[1].split()[0])

with database.read() as db:
    before = anonymous()
    model = ModelFiles(Path(sys.argv[2])).get(db, int(sys.argv[3]))
grown = anonymous() - before
print(json.dumps(grown), flush=True)
sys.stdin.readline()
shares = [part.split("\\nPss:")[1].split()[0] for part in Path("/proc/self/smaps").read_text().split("VmFlags")
          if "models-cache" in part]
print(1024 * sum(map(int, shares)), flush=True)
sys.stdin.readline()
"""


@pytest.mark.heavy
def test_processes_should_share_the_memory_of_a_large_model(site: Site) -> None:
    model_id = publish(site, 0, (650_000, 20))
    positions = 650_000 * 20 * 4 * 2  # 104 MB, in float32 with variances
    command = [sys.executable, "-c", MEASURE, site.settings.database, str(site.settings.models), str(model_id)]
    workers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) for _ in range(2)
    ]
    try:
        grown = [int(worker.stdout.readline()) for worker in workers if worker.stdout]
        shares = []
        for worker in workers:
            assert worker.stdin
            assert worker.stdout
            worker.stdin.write("\n")
            worker.stdin.flush()
            shares.append(int(worker.stdout.readline()))
    finally:
        for worker in workers:
            worker.communicate("\n")
    assert min(grown) < positions / 2  # SQLite keeps 32 MB of pages
    assert all(share < 0.6 * (positions + 8 * 650_000) for share in shares)
    assert sum(shares) > 0.9 * positions
    mapped = get(site, model_id)
    assert mapped.embedding.mean.dtype == np.float32
    assert is_mapped(mapped.embedding.mean)
