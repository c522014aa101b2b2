"""The owner edits, filters, retires, restores and deletes items, without scripts."""

import io
import re

from fastapi.testclient import TestClient
from PIL import Image, ImageDraw

from learn2search.site.settings import Settings
from tests.web.forms import begin, shown_on

ITEMS = "/owner/colours/items"


def numbers(page: str) -> list[int]:
    return [int(one) for one in re.findall(r'name="number" value="(\d+)"', page)]


def test_a_save_should_say_so_and_keep_the_filter(owner: TestClient) -> None:
    query = "words=colour&shown=shown&sort=uncertainty"
    page = owner.get(f"{ITEMS}?{query}").text
    hidden = re.search(r'name="query" value="([^"]*)"', page).group(1).replace("&amp;", "&")
    assert hidden == query
    values = {"title": "Colour 03", "group": "warm", "active": "1", "query": hidden}
    answer = owner.post(f"{ITEMS}/3", data=values)
    assert ">Saved.<" in answer.text
    assert str(answer.url).endswith(f"?{query}&did=saved")
    assert '<option value="uncertainty" selected>' in answer.text
    assert numbers(owner.get(f"{ITEMS}?group=warm").text) == [3]
    owner.post(f"{ITEMS}/3", data=values | {"group": ""})


def test_those_ticked_should_be_retired_and_restored(owner: TestClient) -> None:
    page = owner.post(f"{ITEMS}/many", data={"action": "retire", "number": ["1", "2"]}).text
    assert "2 retired" in page
    assert numbers(owner.get(f"{ITEMS}?shown=retired").text) == [1, 2]
    page = owner.post(
        f"{ITEMS}/many", data={"action": "restore", "everything": "1", "query": "shown=retired&words=colour"}
    ).text
    assert "2 restored" in page
    assert "None" in owner.get(f"{ITEMS}?shown=retired").text
    assert "tick the items first" in owner.post(f"{ITEMS}/many", data={"action": "retire"}).text
    assert owner.post(f"{ITEMS}/many", data={"action": "burn", "number": "1"}).status_code == 422


def test_all_that_the_filter_shows_should_be_more_than_one_page(owner: TestClient) -> None:
    everything = {"everything": "1", "query": "words=colour_0"}
    assert "10 retired" in owner.post(f"{ITEMS}/many", data={"action": "retire"} | everything).text
    assert "10 restored" in owner.post(f"{ITEMS}/many", data={"action": "restore"} | everything).text


def test_a_deleted_item_should_be_gone_from_the_pages_the_log_and_the_disk(
    owner: TestClient, settings: Settings
) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 50), (9, 9, 9)).save(buffer, "PNG")
    owner.post("/owner/colours/upload", files={"file": ("private person.png", buffer.getvalue())})
    (number,) = numbers(owner.get(f"{ITEMS}?words=private").text)
    place, page = begin(owner)
    while number not in shown_on(page):
        step = int(re.search(r'name="step" value="(\d+)"', page).group(1))
        page = owner.post(place, data={"step": step, "none": "1"}).text
    step = int(re.search(r'name="step" value="(\d+)"', page).group(1))
    owner.post(place, data={"step": step, "found": number})
    replay = f"/owner/colours/searches/{place.removeprefix('/s/')}"
    log = owner.get(replay).text
    assert "Private person" in log
    files = len(list((settings.media / "colours").iterdir()))
    unsure = owner.post(f"{ITEMS}/many", data={"action": "delete", "number": number})
    assert unsure.status_code == 422
    assert "tick “yes, for good”" in unsure.text
    page = owner.post(f"{ITEMS}/many", data={"action": "delete", "number": number, "sure": "1"}).text
    assert "1 deleted for good. Backups made before still hold them." in page
    assert len(list((settings.media / "colours").iterdir())) == files - 2
    log = owner.get(replay).text
    assert "Private person" not in log
    assert "(deleted)" in log
    for path in (f"{ITEMS}?words=private", "/owner/colours", "/owner/colours/export/items.csv", place):
        assert "rivate person" not in owner.get(path).text
    again = owner.post(f"{ITEMS}/{number}", data={"title": "Back", "active": "1"})
    assert again.status_code == 422


def drawn(shift: int, quality: int) -> bytes:
    picture = Image.new("RGB", (200, 250), (240, 220, 200))
    draw = ImageDraw.Draw(picture)
    draw.ellipse((40 + shift, 60, 140 + shift, 200), fill=(60, 90, 160))
    draw.rectangle((20, 20, 90, 60), fill=(10, 120, 60))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def test_pictures_that_are_much_alike_should_be_pointed_out(owner: TestClient) -> None:
    for name, data in (("one.jpg", drawn(0, 95)), ("same.jpg", drawn(0, 60)), ("other.jpg", drawn(40, 95))):
        owner.post("/owner/colours/upload", files={"file": (name, data)})
    page = owner.get("/owner/colours/duplicates").text
    titles = [title.strip() for title in re.findall(r'name="number" value="\d+"> \d+ ([^<]+)<', page)]
    assert titles[:2] == ["One", "Same"]
    assert "Other" not in titles
    assert re.search(r"<b>9\d\.\d%</b> alike", page)
    assert "all pairs" not in page
    ticked = {"action": "retire", "number": numbers(page)[1], "page": "duplicates"}
    assert "1 retired" in owner.post(f"{ITEMS}/many", data=ticked).text
    assert "Same" not in owner.get("/owner/colours/duplicates").text
    owner.post(f"{ITEMS}/many", data={"action": "retire", "everything": "1", "query": "words=.jpg"})
