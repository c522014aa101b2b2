"""The drawings: safe and well-formed text, and pictures that change gradually with their features."""

import itertools
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from learn2search.demo import NAMES, draw, faces
from learn2search.demo.colour import Colour
from learn2search.demo.face import compose
from learn2search.demo.outline import Pen
from learn2search.demo.svg import Element

ELEMENTS = {"svg", "rect", "g", "path", "circle", "ellipse", "clipPath", "defs", "use"}
ATTRIBUTES = {
    *("viewBox", "width", "height", "id", "href", "transform", "clip-path", "clip-rule", "fill-rule"),
    *("fill", "fill-opacity", "opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin"),
    *("d", "x", "y", "rx", "ry", "cx", "cy", "r"),
}
SVG = "{http://www.w3.org/2000/svg}"
STEP = 0.02  # the largest change of a feature from one picture to the next, 1% of its range
CURL = NAMES.index("hair_curl")

rows = arrays(np.float64, 18, elements=st.floats(-1, 1))


def only(**values: float) -> np.ndarray:
    """An average face but for these features."""
    return np.array([values.get(name, 0.0) for name in NAMES])


def parsed(row: np.ndarray, prefix: str = "f-") -> list[ET.Element]:
    return list(ET.fromstring(draw(row, prefix)).iter())


@pytest.fixture(scope="module")
def all_texts(collection: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(collection.glob("*.svg"))]


def test_all_faces_should_be_well_formed_and_of_the_agreed_size(all_texts: list[str]) -> None:
    for text in all_texts:
        root = ET.fromstring(text)
        assert (root.get("viewBox"), root.get("width"), root.get("height")) == ("0 0 400 500", "400", "500")
    assert len({re.sub("face-[0-9]+", "", text) for text in all_texts}) == 513
    assert max(map(len, all_texts)) < 32_000


def test_all_faces_should_be_safe_under_a_strict_policy(all_texts: list[str]) -> None:
    """No scripts, styles or event handlers; references only to ids inside the same drawing."""
    for number, text in enumerate(all_texts):
        nodes = list(ET.fromstring(text).iter())
        assert {node.tag.removeprefix(SVG) for node in nodes} <= ELEMENTS
        assert {name for node in nodes for name in node.attrib} <= ATTRIBUTES
        ids = [node.attrib["id"] for node in nodes if "id" in node.attrib]
        assert len(ids) == len(set(ids))
        assert all(name.startswith(f"face-{number:03d}-") for name in ids)
        references = re.findall(r'(?:href="#|url\(#)([^")]+)', text)
        assert set(references) <= set(ids)
        assert text.count("http") == 1  # the namespace
        assert "nan" not in text
        assert "inf" not in text


@given(row=rows)
def test_any_features_should_give_a_picture(row: np.ndarray) -> None:
    assert parsed(row)[0].tag == f"{SVG}svg"
    assert draw(row, "a") == draw(row, "a")


@pytest.mark.parametrize("corner", [-1.0, 1.0])
def test_the_corners_of_the_cube_should_give_a_picture(corner: float) -> None:
    assert len(parsed(np.full(18, corner))) > 60


def test_wrong_features_should_be_refused() -> None:
    with pytest.raises(ValueError, match="18 features"):
        draw(np.zeros(16), "a")
    with pytest.raises(ValueError, match=r"lie in \[-1, 1\], but age of face 0 is 1.5"):
        draw(only(age=1.5), "a")


# --- gradual change --------------------------------------------------------------------------------------------


def structure(drawing: Element) -> list[str]:
    """The elements and the commands of their paths, without any number."""
    return [
        element.name + "".join(value.commands for value in element.attributes.values() if isinstance(value, Pen))
        for element in drawing.walk()
    ]


def places(drawing: Element) -> np.ndarray:
    """Every coordinate, radius and width, in the order of drawing."""
    found: list[float] = []
    for element in drawing.walk():
        for name, value in element.attributes.items():
            if isinstance(value, Pen):
                found += value.numbers
            elif isinstance(value, float) and name != "opacity":
                found.append(value)
    return np.array(found)


def paints(drawing: Element) -> np.ndarray:
    """Every colour (OKLab) and every opacity."""
    found: list[float] = []
    for element in drawing.walk():
        found += [part for value in element.attributes.values() if isinstance(value, Colour) for part in value]
        found.append(float(str(element.attributes.get("opacity", 1.0))))
    return np.array(found)


def walk(start: np.ndarray, end: np.ndarray) -> list[np.ndarray]:
    steps = int(np.ceil(np.abs(end - start).max() / STEP))
    return [start + (end - start) * step / steps for step in range(steps + 1)]


def random_lines(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    random = np.random.default_rng(5)
    return [(random.uniform(-1, 1, 18), random.uniform(-1, 1, 18)) for _ in range(count)]


def axes() -> list[tuple[np.ndarray, np.ndarray]]:
    """Each feature from end to end, with hair at its liveliest length and with a beard."""
    others = only(hair_length=0.2, hair_curl=0.4, beard=0.6, presentation=-0.5)
    ends = [np.where(np.arange(18) == feature, sign, others) for feature in range(18) for sign in (-1.0, 1.0)]
    return list(zip(ends[::2], ends[1::2], strict=True))


def same_curls(row: np.ndarray, other: np.ndarray) -> bool:
    """Curls are drawn from -0.2 on, where they grow from nothing."""
    return bool((row[CURL] > -0.2) == (other[CURL] > -0.2))


@pytest.mark.parametrize(("start", "end"), [*random_lines(6), *axes()])
def test_neighbouring_pictures_should_differ_a_little(start: np.ndarray, end: np.ndarray) -> None:
    """Over 1% of a feature's range the fastest point, the tip of growing hair, moves 2% of the picture: no jumps."""
    rows = walk(start, end)
    drawings = [compose(row) for row in rows]
    seen = [(structure(drawing), places(drawing), paints(drawing)) for drawing in drawings]
    for (row, before), (next_row, after) in itertools.pairwise(zip(rows, seen, strict=True)):
        if not same_curls(row, next_row):
            continue
        assert before[0] == after[0]
        assert np.abs(before[1] - after[1]).max() < 8.0
        assert np.abs(before[2] - after[2]).max() < 0.3


def test_all_faces_should_be_made_of_the_same_strokes() -> None:
    """So that every coordinate of one face has its counterpart on all others; curls are the one addition."""
    kinds = {tuple(structure(compose(row))) for row in faces(60, seed=2)}
    assert len(kinds) == 2


@pytest.mark.parametrize("length", [-0.9, -0.4, 0.0, 0.8])
def test_curls_should_grow_from_nothing(length: float) -> None:
    """Where they are first drawn, the discs are points: to the pixel the same picture as without them."""
    straight = compose(only(hair_length=length, hair_curl=-0.2))
    curly = compose(only(hair_length=length, hair_curl=-0.2 + 1e-6))
    changed = [(old, new) for old, new in zip(structure(straight), structure(curly), strict=True) if old != new]
    assert len(changed) == 2  # front and back
    assert all(new.startswith(old) for old, new in changed)
    radii = [float(radius) for pen in shapes(curly) for radius in re.findall(r"a([\d.]+) [\d.]+ 0 1 1", pen.data)]
    assert len(radii) == 2 * (33 + 23 + 9)
    assert max(radii) == 0


def shapes(drawing: Element) -> list[Pen]:
    return [value for element in drawing.walk() for value in element.attributes.values() if isinstance(value, Pen)]


# --- features do what they say ---------------------------------------------------------------------------------


def test_beard_and_glasses_should_come_only_when_asked_for() -> None:
    bare = draw(only(beard=-1, glasses=-1), "a-")
    assert "a-beard" not in bare
    assert "a-moustache" not in bare
    assert bare.count("<rect") == 1
    assert draw(only(glasses=1), "a-").count("<rect") == 3


def test_a_beard_should_grow_from_moustache_to_goatee_to_full() -> None:
    def parts(beard: float) -> list[str]:
        return re.findall(r'<path id="a-(moustache|goatee)"', draw(only(presentation=-1, beard=beard), "a-"))

    assert parts(-0.6) == []
    assert parts(-0.1) == ["moustache"]
    assert parts(0.3) == ["goatee", "moustache"]


def test_shaved_heads_should_have_no_hair() -> None:
    assert "a-hair" not in draw(only(hair_length=-1, presentation=-1), "a-")
    assert "a-hair" in draw(only(hair_length=-0.5), "a-")


def test_about_a_fifth_should_have_beards_and_a_third_glasses(all_texts: list[str]) -> None:
    beards = np.mean(["-moustache" in text for text in all_texts])
    glasses = np.mean([text.count("<rect") == 3 for text in all_texts])
    assert 0.15 < beards < 0.27
    assert 0.3 < glasses < 0.4
