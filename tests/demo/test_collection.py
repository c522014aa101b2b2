import csv
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from learn2search.demo import NAMES, describe, faces, similarity_features, titles, write_collection
from learn2search.demo.__main__ import app
from learn2search.demo.titles import ANY, FEMININE, MASCULINE, SECOND


def only(**values: float) -> np.ndarray:
    return np.array([values.get(name, 0.0) for name in NAMES])


def read(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_folder_should_hold_a_picture_for_each_row_of_the_table(tmp_path: Path) -> None:
    rows = read(write_collection(tmp_path / "new" / "faces", count=12, seed=1))
    assert list(rows[0]) == ["file", "title", "description", "group"]
    assert [row["file"] for row in rows] == [f"face-{number:03d}.svg" for number in range(12)]
    assert all(row["title"] and row["description"] and row["group"] == "faces" for row in rows)
    for row in rows:
        ET.parse(tmp_path / "new" / "faces" / row["file"])


def test_writing_twice_should_give_the_same_files(tmp_path: Path) -> None:
    def contents() -> dict[str, bytes]:
        write_collection(tmp_path, count=4, seed=1)
        return {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    assert contents() == contents()


def test_a_collection_cut_short_should_have_no_table(tmp_path: Path) -> None:
    write_collection(tmp_path, count=2)
    (tmp_path / "face-001.svg").unlink()
    (tmp_path / "face-001.svg").mkdir()
    with pytest.raises(OSError, match="face-001.svg"):
        write_collection(tmp_path, count=2)
    assert not (tmp_path / "collection.csv").exists()


def test_names_should_all_be_different() -> None:
    for features in (faces(), faces(9000, seed=1)):  # more than there are pairs of names
        assert len(set(titles(features))) == len(features)
    assert not any(character.isdigit() for title in titles(faces()) for character in title)


def test_no_name_should_stand_twice_in_the_lists() -> None:
    assert len({*MASCULINE, *FEMININE, *ANY}) == 3 * 64
    assert len(set(SECOND)) == 61


def test_names_should_fit_and_stay_the_same() -> None:
    given = titles([only(presentation=-0.9), only(presentation=0.9), only()])
    firsts = [title.split()[0] for title in given]
    assert [names.count(first) for names, first in zip((MASCULINE, FEMININE, ANY), firsts, strict=True)] == [1, 1, 1]
    assert titles(faces()) == titles(faces())


def test_descriptions_should_say_what_is_seen() -> None:
    young = only(age=-0.8, skin=-0.9, hair_length=0.9, hair_curl=-0.2, hair_colour=0.1, glasses=0.4, mood=0.4)
    assert describe(young) == "A young face, fair skin, long wavy auburn hair, thin round glasses, smiling."
    old = only(age=0.9, skin=0.9, presentation=-1, hair_length=-1, beard=1, mood=-0.9)
    assert describe(old) == "An older face, deep brown skin, a shaved head, a full beard, serious."


def test_every_face_should_have_a_description() -> None:
    described = [describe(row) for row in faces()]
    assert len(set(described)) > 400
    assert all(text.endswith(".") and "  " not in text and ", ," not in text for text in described)


def test_sheets_should_be_one_file_without_anything_from_outside(tmp_path: Path) -> None:
    for command, pictures in ((["sheet", "--shown", "5"], 5), (["walk"], 18 * 7)):
        page = tmp_path / f"{command[0]}.html"
        result = CliRunner().invoke(app, [command[0], str(page), *command[1:]])
        assert result.exit_code == 0, result.output
        text = page.read_text(encoding="utf-8")
        assert text.count("<svg ") == text.count("<figcaption>") == pictures
        assert "src=" not in text


def test_the_command_should_write_the_whole_collection(collection: Path) -> None:
    assert len(read(collection / "collection.csv")) == 513
    assert len(list(collection.glob("face-*.svg"))) == 513


def test_the_command_should_write_what_visitors_see(tmp_path: Path) -> None:
    table = tmp_path / "seen.csv"
    assert CliRunner().invoke(app, ["features", str(table)]).exit_code == 0
    assert table.read_text().split("\n", 1)[0].split(",") == list(NAMES)
    assert np.loadtxt(table, delimiter=",", skiprows=1) == pytest.approx(similarity_features(faces()), abs=1e-6)
