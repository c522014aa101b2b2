"""The owner makes, moves, archives and deletes collections in the browser, without scripts."""

import io
import re
import zipfile
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from learn2search.site.catalogue import import_jobs
from learn2search.site.settings import Settings

ELSEWHERE = {"origin": "http://evil.example"}


def picture(red: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 50), (red, 2, 3)).save(buffer, "PNG")
    return buffer.getvalue()


def packed(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return buffer.getvalue()


def create(owner: TestClient, title: str, *files: tuple[str, bytes]) -> str:
    sent = [("file", one) for one in files]
    return owner.post("/owner/-/upload", data={"title": title, "noun": "red", "nouns": "reds"}, files=sent).text


def order(owner: TestClient) -> list[str]:
    return re.findall(r'<td><a href="/owner/([\w-]+)">', owner.get("/owner").text)


def test_a_collection_should_be_made_of_a_zip_file_and_say_what_went_wrong(owner: TestClient) -> None:
    assert "New collection" in owner.get("/owner").text
    assert 'action="/owner/-/upload"' in owner.get("/owner/-/new").text
    page = create(owner, "Reds", ("reds.zip", packed(a__png=picture(0), b__png=picture(90), broken__jpg=b"no")))
    assert "reds.zip" in page
    assert "2 added, 0 changed, 0 were there already, 1 not imported" in page
    assert "broken.jpg" in page
    assert "not a picture" in page
    assert "the red you can’t describe" in owner.get("/c/reds").text
    assert owner.post("/c/reds").status_code == 200


def test_a_collection_should_be_made_of_files_or_of_a_table(owner: TestClient) -> None:
    assert "2 added" in create(owner, "Files", ("a.png", picture(1)), ("b.png", picture(120)))
    table = b"title,description,group\nOne,the first,odd\nTwo,the second,even\nThree,,odd\n"
    assert "3 added" in create(owner, "Cards", ("cards.csv", table))
    items = owner.get("/owner/cards/items?group=odd").text
    assert re.findall(r'name="title" value="(\w+)"', items) == ["One", "Three"]


def test_a_collection_without_a_title_should_not_be_made(owner: TestClient) -> None:
    before = order(owner)
    page = create(owner, " ", ("a.png", picture(1)))
    assert "A title has 1 to 100 characters" in page
    assert order(owner) == before


def test_an_import_under_way_should_be_looked_at_again(owner: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_jobs, "_run", lambda *_: None)  # the worker is at it
    answer = owner.post("/owner/colours/upload", files={"file": ("more.png", picture(5))})
    assert answer.headers["refresh"] == "2"
    assert "<progress" in answer.text
    assert "more.png" in answer.text


def test_uploads_should_be_told_apart_by_what_and_when(owner: TestClient) -> None:
    for name in ("first.png", "second.png"):
        page = owner.post("/owner/colours/upload", files={"file": (name, picture(7))}).text
    assert page.index("second.png") < page.index("first.png")
    assert len(re.findall(r"<p>\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d</p>", page)) >= 2


def test_collections_should_be_moved(owner: TestClient) -> None:
    create(owner, "Last", ("a.png", picture(1)), ("b.png", picture(120)))
    assert order(owner)[-1] == "last"
    page = owner.post("/owner/last/move", data={"by": -1}).text
    assert "Moved." in page
    assert order(owner)[-2] == "last"
    assert owner.get("/").text.index("<strong>Colours") < owner.get("/").text.index("<strong>Last")
    for _ in order(owner):
        owner.post("/owner/last/move", data={"by": -1})
    assert order(owner)[0] == "last"
    assert owner.get("/").text.index("<strong>Last") < owner.get("/").text.index("<strong>Colours")


def test_an_archived_collection_should_say_so_and_begin_nothing(owner: TestClient) -> None:
    create(owner, "Old", ("a.png", picture(1)), ("b.png", picture(120)))
    assert "Archived: no new search begins" in owner.post("/owner/old/archive").text
    assert "Archived" in owner.get("/owner").text
    page = owner.get("/c/old").text
    assert "“Old” is archived" in page
    assert "Start a search" not in page
    assert "<strong>Old" not in owner.get("/").text
    refused = owner.post("/c/old")
    assert refused.status_code == 409
    assert "is archived: no new search begins here" in refused.text
    assert owner.post("/api/v1/collections/old/searches", json={}).status_code == 409
    assert "Open again" in owner.post("/owner/old/archive", data={"reopen": "1"}).text
    assert owner.post("/c/old").status_code == 200


def test_an_unlisted_collection_should_be_found_by_its_link(owner: TestClient) -> None:
    create(owner, "Hidden", ("a.png", picture(1)), ("b.png", picture(120)))
    values = {"title": "Hidden", "noun": "red", "nouns": "reds", "show": "4", "strategies": "sampled"}
    owner.post("/owner/hidden/settings", data=values)
    assert "<strong>Hidden" not in owner.get("/").text
    assert "<strong>Hidden" in owner.get("/c/hidden").text
    assert "By its link alone" in owner.get("/owner").text


def test_a_collection_should_be_deleted_after_its_title_was_typed(owner: TestClient, settings: Settings) -> None:
    create(owner, "Gone soon", ("a.png", picture(1)), ("b.png", picture(120)))
    page = owner.get("/owner/gone-soon/delete").text
    assert 'href="/owner/-/backup"' in page
    wrong = owner.post("/owner/gone-soon/delete", data={"title": "gone"})
    assert wrong.status_code == 422
    assert "nothing was deleted" in wrong.text
    assert (settings.media / "gone-soon").exists()
    assert "The collection is deleted" in owner.post("/owner/gone-soon/delete", data={"title": "Gone soon"}).text
    assert not (settings.media / "gone-soon").exists()
    assert owner.get("/owner/gone-soon").status_code == 404
    assert owner.get("/c/gone-soon").status_code == 404


def test_a_backup_should_be_downloaded(owner: TestClient, tmp_path: Path, settings: Settings) -> None:
    answer = owner.get("/owner/-/backup")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert "rows.jsonl" in archive.namelist()
    assert not [path for path in settings.home.iterdir() if path.name.startswith("tmp")]


@pytest.mark.parametrize(
    "path", ["-/upload", "colours/move", "colours/archive", "colours/delete", "colours/items/many"]
)
def test_others_and_other_sites_should_be_refused(client: TestClient, token: str, path: str) -> None:
    data = {"title": "Colours", "by": "1", "action": "delete", "number": "1", "sure": "1"}
    files = {"file": ("a.png", picture(1))} if path == "-/upload" else None
    assert client.post(f"/owner/{path}", data=data, files=files).status_code == 401
    client.post("/owner", data={"token": token})
    assert client.post(f"/owner/{path}", data=data, files=files, headers=ELSEWHERE).status_code == 403
    assert "Colours" in client.get("/owner/colours").text
