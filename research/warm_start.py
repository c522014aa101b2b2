"""Does a warm start spare the first visitors anything? `python -m research.warm_start`.

The demo from an untaught start, with and without `--warm-start pictures`, served as a user does, on SQLite with one
worker; simulated visitors search over HTTP, four at a time. They perceive the features that the faces are drawn from;
the warm start sees 8 × 8 colours of the drawings and nothing else.

`--photograph` makes those colours anew, with Chromium (needs the extra `dev`): run it when the faces have changed.
"""

import argparse
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from research.recording import Recording
from research.running_site import COMMAND, serving

LOOKS = Path(__file__).parents[1] / "src" / "learn2search" / "demo" / "assets" / "thumbnail_colours.npz"
WIDTH, HEIGHT, COLUMNS = 64, 80, 27  # of a face on the photograph, in pixels; faces in a row
STARTS = {"nothing": (), "pictures": ("--warm-start", "pictures")}


def medians(start: str, seed: int, searches: int) -> list[float]:
    """The median questions of each hundred searches."""
    demo = ("demo", "--untaught", "--seed", "0", *STARTS[start])
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), *demo) as site:
        options = ["--token", site.token, "--searches", str(searches), "--seed", str(seed)]
        command = [*COMMAND, "simulate", f"http://127.0.0.1:{site.port}", *options]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [float(value) for value in re.findall(r"median of the last 100: (\S+)", told)]


def report(recording: Recording, searches: int) -> None:
    """Mean over the seeds ± its standard error."""
    for start in STARTS:
        rows = np.array([found for key, found in recording.cells.items() if key.startswith(f"{start} | {searches} |")])
        error = rows.std(axis=0, ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else np.full(rows.shape[1], np.nan)
        told = [f"{mean:.1f} ± {spread:.1f}" for mean, spread in zip(rows.mean(axis=0), error, strict=True)]
        print(f"{start:9} {len(rows)} runs, median questions of each hundred searches: {', '.join(told)}")


def photograph() -> None:
    """All faces on one page, 8 × 8 colours of each, and which drawings they are of."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "learn2search.demo", "write", folder], check=True, capture_output=True)
        drawings = [path.read_text() for path in sorted(Path(folder).glob("*.svg"))]
    style = "*{margin:0;font-size:0}svg{width:64px;height:80px;vertical-align:top}"
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        size = {"width": WIDTH * COLUMNS, "height": HEIGHT * -(-len(drawings) // COLUMNS)}
        page = browser.new_page(viewport=size)
        page.set_content(f"<style>{style}</style>{''.join(drawings)}")
        sheet = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        browser.close()
    places = [(WIDTH * (number % COLUMNS), HEIGHT * (number // COLUMNS)) for number in range(len(drawings))]
    boxes = [(left, top, left + WIDTH, top + HEIGHT) for left, top in places]
    looks = [sheet.crop(box).resize((8, 8), Image.Resampling.BOX).tobytes() for box in boxes]
    digest = hashlib.sha256("".join(drawings).encode()).hexdigest()
    np.savez_compressed(LOOKS, looks=np.frombuffer(b"".join(looks), np.uint8).reshape(-1, 192), drawings=digest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photograph", action="store_true", help="make the looks of the faces anew, and nothing else")
    parser.add_argument("--searches", type=int, default=400, help="of a run")
    parser.add_argument("--seeds", type=int, default=3, help="runs with each start")
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    options = parser.parse_args()
    if options.photograph:
        return photograph()
    os.environ.pop("LEARN2SEARCH_DATABASE_URL", None)
    recording = Recording("warm_start", "python -m research.warm_start", fresh=options.fresh)
    for seed in range(options.seeds):
        for start in STARTS:
            key = f"{start} | {options.searches} | seed {seed}"
            print(key, recording.cell(key, lambda start=start, seed=seed: medians(start, seed, options.searches)))
    report(recording, options.searches)


if __name__ == "__main__":
    main()
