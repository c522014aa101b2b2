"""The life of an owner, from an empty folder to the backup on another computer, on a site in processes of its own."""

import http.cookiejar
import io
import json
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

        # Visitors come, and searches become shorter.
        costs = list(visit(client, "colours", people, 300, 2, 4))
        assert min(costs) > 0
        assert np.mean(costs[-100:]) < np.mean(costs[:30])
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

        # Everything can be taken away.
        (tmp_path / "t.csv").write_bytes(owner.read("/owner/colours/export/triplets.csv"))
        assert len(read_triplets(tmp_path / "t.csv")) > 300
        clicks = [json.loads(line) for line in owner.see("/owner/colours/export/clicks.jsonl").splitlines()]
        assert len(clicks) == 300 + 20 + 4
        (tmp_path / "site.zip").write_bytes(owner.read("/owner/-/backup"))
        model = client.model("colours")

    # On another computer it goes on where it was.
    run_command("restore", str(tmp_path / "site.zip"), home=copy)
    with served("serve", "--new-token", home=copy) as site, Client(site.address, site.token) as client:
        assert client.model("colours") == model
        assert [one.title for one in client.items("colours", "Renamed")] == ["Renamed"]
        assert np.mean(list(visit(client, "colours", people, 20, 2, 4))) < np.mean(costs[:30])
