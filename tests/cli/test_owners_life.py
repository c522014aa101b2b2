"""The life of an owner, from an empty folder to the backup on another computer, on a site in processes of its own."""

import html
import http.cookiejar
import io
import json
import re
import time
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from learn2search import read_triplets
from learn2search.cli.visitors import Visitors, visit
from learn2search.client import Client
from tests.served_site import served

COLOURS = np.random.default_rng(0).integers(0, 256, (60, 3))
RunCommand = Callable[..., str]


class Browser:
    """An owner's browser without scripts: cookies, forms and uploads."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), urllib.request.HTTPRedirectHandler()
        )
        self.send("/owner", token=token)

    def read(self, path: str) -> bytes:
        with self._opener.open(self.address + path, timeout=120) as page:
            content: bytes = page.read()
            return content

    def see(self, path: str) -> str:
        return self.read(path).decode()

    def send(self, path: str, /, **values: str | list[str]) -> str:
        return self._post(path, urllib.parse.urlencode(values, doseq=True).encode(), {})

    def upload(self, path: str, name: str, content: bytes, **values: str) -> str:
        line = "-----a-line-that-no-file-has"
        head = f'--{line}\r\nContent-Disposition: form-data; name="%s"\r\n\r\n'
        body = "".join(head % key + value + "\r\n" for key, value in values.items())
        body += head.replace('name="%s"', f'name="file"; filename="{name}"')
        sent = body.encode() + content + f"\r\n--{line}--\r\n".encode()
        return self._post(path, sent, {"Content-Type": f"multipart/form-data; boundary={line}"})

    def _post(self, path: str, body: bytes, headers: dict[str, str]) -> str:
        request = urllib.request.Request(self.address + path, body, {"Origin": self.address, **headers})
        with self._opener.open(request, timeout=120) as page:
            return str(page.read().decode())


def packed_pictures() -> bytes:
    """Sixty colours as pictures in a ZIP file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, colour in enumerate(COLOURS.tolist()):
            picture = io.BytesIO()
            Image.new("RGB", (40, 50), tuple(colour)).save(picture, "PNG")
            archive.writestr(f"colour_{number:02}.png", picture.getvalue())
    return packed.getvalue()


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


@pytest.mark.heavy
def test_an_owner_should_make_open_change_export_and_move_a_collection(tmp_path: Path, run_command: RunCommand) -> None:
    home, copy = tmp_path / "home", tmp_path / "copy"
    people = Visitors(COLOURS / 255.0, 0.1, seed=0)
    with served("serve", home=home) as site, Client(site.address, site.token) as client:
        owner = Browser(site.address, site.token)

        # A collection from an upload.
        words = {"title": "Colours", "noun": "colour", "nouns": "colours"}
        owner.upload("/owner/-/upload", "colours.zip", packed_pictures(), **words)
        wait_until(lambda: "60 added" in owner.see("/owner/colours/imports"), "the import does not end")
        assert "Colours" in owner.see("/")

        # The owner teaches a little before it opens: of these screens nothing was alike.
        owner.send("/owner/colours/teaching", teaching="owner")
        page = owner.see("/owner/colours/teach")
        for _ in range(3):
            ticket = re.findall(r'name="ticket" value="([^"]+)"', page)[0]
            page = owner.send("/owner/colours/teach", ticket=html.unescape(ticket), none="1")
        assert "3 screens answered by you" in page

        # Visitors come, and find what they look for in less than half of the questions that random order takes.
        costs = list(visit(client, "colours", people, 300, 2, 4))
        assert min(costs) > 0
        assert np.mean(costs[-100:]) < 0.5 * np.mean(np.arange(len(COLOURS)) // 4 + 1)
        wait_until(lambda: client.model("colours").triplets > 0, "no model was made from searches")

        # An item gets another name, five are retired and never shown again.
        assert "Saved" in owner.send("/owner/colours/items/3", title="Renamed", active="1")
        assert [one.title for one in client.items("colours", "Renamed")] == ["Renamed"]
        retired = {10, 11, 12, 13, 14}
        owner.send("/owner/colours/items/many", action="retire", number=[str(number) for number in retired])
        for _ in range(20):
            question = client.start("colours", 4, simulated=True).question
            assert question is not None
            assert not retired & {one.item for one in question.shown}
        owner.send("/owner/colours/items/many", action="restore", number=[str(number) for number in retired])

        # Two strategies are compared, with too few visitors to tell.
        both = ["sampled", "gauss"]
        assert "Saved" in owner.send("/owner/colours/settings", strategies=both, show="4", listed="1", **words)
        list(visit(client, "colours", people, 4, 2, 4))
        assert "Not enough yet" in owner.see("/owner/colours")
        assert "Saved" in owner.send("/owner/colours/settings", strategies=["sampled"], show="4", listed="1", **words)

        # A study with one participant, who begins the one search that is asked for.
        owner.send("/owner/colours/studies", title="Memory", trials="1", practice="0", checks="0")
        (study,) = set(re.findall(r"/owner/colours/studies/(study-\w+)", owner.see("/owner/colours/studies")))
        taking_part = f"/s/{study}?participant=P1"
        assert "Remember this one" in owner.send(taking_part, agreed="1")
        assert "Question 1" in owner.send(taking_part)
        assert "P1" in owner.see(f"/owner/colours/studies/{study}/trials.csv")

        # Everything can be taken away.
        (tmp_path / "t.csv").write_bytes(owner.read("/owner/colours/export/triplets.csv"))
        assert len(read_triplets(tmp_path / "t.csv")) > 300
        clicks = [json.loads(line) for line in owner.see("/owner/colours/export/clicks.jsonl").splitlines()]
        assert len(clicks) == 300 + 20 + 4 + 1
        assert len(owner.see("/owner/colours/export/teaching.jsonl").splitlines()) == 3
        (tmp_path / "site.zip").write_bytes(owner.read("/owner/-/backup"))
        model = client.model("colours")

    # On another computer it goes on where it was.
    run_command("restore", str(tmp_path / "site.zip"), home=copy)
    with served("serve", "--new-token", home=copy) as site, Client(site.address, site.token) as client:
        assert client.model("colours") == model
        assert [one.title for one in client.items("colours", "Renamed")] == ["Renamed"]
        later, learnt = list(visit(client, "colours", people, 20, 2, 4)), costs[-100:]
        error = np.std(learnt, ddof=1) * np.sqrt(1 / len(later) + 1 / len(learnt))
        assert np.mean(later) < np.mean(learnt) + 3 * error, "searches on the copy are no longer than before"
