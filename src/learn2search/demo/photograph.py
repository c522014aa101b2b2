"""What a warm start sees of the faces: `python -m learn2search.demo.photograph` makes it anew, with Chromium.

All faces on one page are photographed, and 8 × 8 colours of each are kept, with the digest of the drawings. Run it
when the faces have changed; it needs the extra `dev`.
"""

from __future__ import annotations

import hashlib
import io
import shutil

import numpy as np

from learn2search import demo
from learn2search.demo.install import THUMBNAIL_COLOURS

WIDTH, HEIGHT, COLUMNS = 64, 80, 27  # of a face on the photograph, in pixels; faces in a row
SIDE = 8  # colours across and down
_STYLE = f"*{{margin:0;font-size:0}}svg{{width:{WIDTH}px;height:{HEIGHT}px;vertical-align:top}}"


def photograph(drawings: list[str]) -> bytes:
    """PNG of all drawings, side by side."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH * COLUMNS, "height": HEIGHT * -(-len(drawings) // COLUMNS)})
        page.set_content(f"<style>{_STYLE}</style>{''.join(drawings)}")
        taken = page.screenshot()
        browser.close()
    return taken


def colours(taken: bytes, count: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """`(count, 192)`: red, green and blue of 8 × 8 places of each drawing."""
    from PIL import Image

    sheet = Image.open(io.BytesIO(taken)).convert("RGB")
    corners = [(WIDTH * (number % COLUMNS), HEIGHT * (number // COLUMNS)) for number in range(count)]
    faces = [sheet.crop((left, top, left + WIDTH, top + HEIGHT)) for left, top in corners]
    small = [face.resize((SIDE, SIDE), Image.Resampling.BOX).tobytes() for face in faces]
    return np.frombuffer(b"".join(small), np.uint8).reshape(count, 3 * SIDE**2)


def main() -> None:
    drawings = [demo.draw(face, f"face-{number:03}-") for number, face in enumerate(demo.faces())]
    digest = hashlib.sha256("".join(drawings).encode()).hexdigest()
    np.savez_compressed(THUMBNAIL_COLOURS, looks=colours(photograph(drawings), len(drawings)), drawings=digest)


if __name__ == "__main__":
    main()
