"""A video in a real browser: it is recorded by the browser, imported, and played in a search."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.visits import searching
from tests.browser.conftest import Running

Open = Callable[..., Page]

RECORD = """async () => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d"), pieces = [];
  const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: "video/webm" });
  recorder.ondataavailable = event => pieces.push(event.data);
  const ended = new Promise(resolve => { recorder.onstop = resolve; });
  recorder.start();
  for (let frame = 0; frame < 20; frame++) {
    pen.fillStyle = `hsl(${frame * 18} 80% 50%)`;
    pen.fillRect(0, 0, 64, 64);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  recorder.stop();
  await ended;
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
}"""


@pytest.mark.heavy
def test_a_recorded_video_should_be_imported_and_played(running: Running, open_page: Open, tmp_path: Path) -> None:
    video = base64.b64decode(open_page("/").evaluate(RECORD))
    for number in range(4):
        (tmp_path / f"{number}.webm").write_bytes(video + bytes(number))  # four files, not one and three copies
    made = make_collection(running.site, "clips", "Clips", show=4, listed=False)
    report = import_source(running.site, tmp_path, made)
    assert report.added == 4
    page = open_page(f"/s/{searching.start(running.site, 'clips').row.id}")
    page.locator("summary", has_text="Play").first.click()
    played = page.locator("video").first
    played.evaluate("one => { one.muted = true; return one.play(); }")
    page.wait_for_function("() => document.querySelector('video').currentTime > 0.2")
    assert played.evaluate("one => [one.videoWidth, one.videoHeight]") == [64, 64]
