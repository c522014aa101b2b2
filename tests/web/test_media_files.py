"""Media never change, pages do."""

import re
from pathlib import Path

import numpy as np
from fastapi import FastAPI
from fastapi.testclient import TestClient
from scipy.io import wavfile

from learn2search.site.catalogue.imports import import_source, make_collection
from tests.web.forms import begin


def test_media_should_be_kept_for_ever_and_pages_not(client: TestClient) -> None:
    _, page = begin(client)
    picture = re.findall(r'src="(/media/[^"]+)"', page)[0]
    answer = client.get(picture)
    assert answer.headers["content-type"] == "image/webp"
    assert "immutable" in answer.headers["cache-control"]
    assert client.get("/").headers["cache-control"] == "no-store"


def test_a_part_of_a_video_should_be_sent(client: TestClient, token: str) -> None:
    """Browsers ask for parts, to jump; some play nothing from a site that sends none."""
    owner, content = {"authorization": f"Bearer {token}"}, b"\0\0\0\x18ftypisom" + bytes(range(256)) * 8
    client.put("/api/v1/collections/clips", json={"title": "Clips", "listed": False}, headers=owner)
    sent = client.post("/api/v1/collections/clips/files", files=[("file", ("a.mp4", content))], headers=owner)
    assert sent.json()["added"] == 1
    client.post("/api/v1/collections/clips/files", files=[("file", ("b.mp4", content + b"b"))], headers=owner)
    video = client.get("/api/v1/collections/clips/items").json()[0]["media"]["video"]
    whole, part = client.get(video), client.get(video, headers={"range": "bytes=4-11"})
    assert (whole.headers["content-type"], whole.headers["accept-ranges"]) == ("video/mp4", "bytes")
    assert (part.status_code, part.content) == (206, b"ftypisom")
    assert "<video controls" in client.post("/c/clips").text


def test_a_sound_should_show_its_wave_and_its_length(client: TestClient, app: FastAPI, tmp_path: Path) -> None:
    for number in range(4):
        tone = np.sin(np.arange(20_000) / (number + 2))
        wavfile.write(tmp_path / f"tone_{number}.wav", 8000, (32_767 * tone).astype(np.int16))
    site = app.state.site
    import_source(site, tmp_path, make_collection(site, "tones", "Tones", listed=False))
    page = client.post("/c/tones").text
    assert page.count('<span class="length">0:02</span>') == 4
    wave = re.findall(r'src="(/media/tones/\w+-w\.svg)"', page)[0]
    (site.settings.media / "tones" / wave.rsplit("/", 1)[1]).unlink()  # as an earlier version left it
    answer = client.get(wave)
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.text.startswith("<svg")
    assert client.get(re.sub(r"\w{32}-w", f"{'0' * 32}-w", wave)).status_code == 404
