"""Encoders: real networks in ONNX files, made here; each kind of item, and what goes wrong."""

import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import helper
from PIL import Image
from scipy.io import wavfile

from learn2search.site.catalogue.features.encoder import encoder_digest, open_encoder
from learn2search.site.catalogue.features.wordpiece import WordPieces
from learn2search.site.errors import Invalid
from tests.site.catalogue.features import networks

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "wine", "##s", ",", "cafe"]


@pytest.fixture
def squares(tmp_path: Path) -> list[Path | str]:
    """Three pictures 160 × 80: one colour on the middle three quarters, white beside it."""
    paths: list[Path | str] = []
    for number, colour in enumerate([(255, 0, 0), (0, 51, 255), (10, 20, 30)]):
        picture = Image.new("RGB", (160, 80), "white")
        picture.paste(colour, (20, 0, 140, 80))
        picture.save(tmp_path / f"{number}.png")
        paths.append(tmp_path / f"{number}.png")
    return paths


MIDDLES = np.array([[1, 0, 0], [0, 0.2, 1], [10 / 255, 20 / 255, 30 / 255]])


def encoded(path: Path, things: list[Path | str]) -> np.ndarray:
    return np.array(open_encoder(path).encode(things))


# --- pictures --------------------------------------------------------------------------------------


def test_a_picture_should_be_cut_to_its_middle(tmp_path: Path, squares: list[Path | str]) -> None:
    network = networks.mean_colour(tmp_path / "model.onnx")
    np.testing.assert_allclose(encoded(network, squares), MIDDLES, atol=0.01)


def test_a_picture_should_be_brought_to_what_the_description_says(tmp_path: Path, squares: list[Path | str]) -> None:
    network = networks.mean_colour(tmp_path / "model.onnx")
    plain = 'kind = "picture"\nsize = 8\nunit_length = false\n'
    networks.describe(network, plain + 'mean = [0.5, 0.4, 0.3]\nstd = [0.5, 0.25, 0.1]\ncolours = "BGR"\n')
    expected = (MIDDLES[:, ::-1] - [0.5, 0.4, 0.3]) / [0.5, 0.25, 0.1]
    np.testing.assert_allclose(encoded(network, squares), expected, atol=0.05)
    networks.describe(network, plain + "crop = false\n")
    np.testing.assert_allclose(encoded(network, squares), 0.75 * MIDDLES + 0.25, atol=0.01)
    networks.describe(network, plain.replace("unit_length = false\n", ""))
    lengths = np.linalg.norm(MIDDLES, axis=1, keepdims=True)
    np.testing.assert_allclose(encoded(network, squares), MIDDLES / lengths, atol=0.05)


def test_channels_should_come_last_where_the_network_wants_it(tmp_path: Path, squares: list[Path | str]) -> None:
    nodes = [helper.make_node("ReduceMean", ["pixels"], ["colour"], axes=[1, 2], keepdims=0)]
    inputs = [networks.value("pixels", networks.FLOAT, "batch", 8, 8, 3)]
    path = networks.save(tmp_path / "last.onnx", nodes, inputs, [networks.value("colour", networks.FLOAT, "batch", 3)])
    networks.describe(path, 'kind = "picture"\nsize = 8\nlayout = "NHWC"\nunit_length = false\n')
    np.testing.assert_allclose(encoded(path, squares), MIDDLES, atol=0.01)


def test_a_network_of_one_batch_should_get_that(tmp_path: Path, squares: list[Path | str]) -> None:
    network = networks.mean_colour(tmp_path / "two.onnx", batch=2)
    encoder = open_encoder(network)
    assert encoder.batch == 2
    np.testing.assert_allclose(np.array(encoder.encode(squares[2:])), MIDDLES[2:], atol=0.01)


# --- texts and sounds ------------------------------------------------------------------------------


def test_word_pieces_should_be_the_longest_that_there_are() -> None:
    pieces = WordPieces(PIECES)
    numbers, mask = pieces.encode(["Red wines, CAFÉ!", "wine"], 10)
    assert numbers.tolist() == [[2, 4, 5, 6, 7, 8, 1, 3], [2, 5, 3, 0, 0, 0, 0, 0]]
    assert mask.sum(axis=1).tolist() == [8, 3]
    assert pieces.encode(["red red red red"], 4)[0].tolist() == [[2, 4, 4, 3]]  # cut, and closed
    assert pieces.encode(["reds winex"], 9)[0].tolist() == [[2, 4, 6, 1, 3]]  # a word with an unknown rest is unknown
    assert pieces.encode(["red\u200b\x01wine"], 9)[0].tolist() == [[2, 1, 3]]  # what cannot be seen separates nothing
    with pytest.raises(ValueError, match=r"lacks \[CLS\]"):
        WordPieces(["[PAD]", "[UNK]", "[SEP]"])


@pytest.mark.parametrize("pool", ["mean", "first"])
def test_texts_should_be_pooled_over_their_pieces(tmp_path: Path, pool: str) -> None:
    vectors = np.random.default_rng(0).normal(size=(len(PIECES), 4)).astype(np.float32)
    network = networks.word_vectors(tmp_path / "words.onnx", vectors)
    networks.describe(network, f'kind = "text"\ntokens = "wordpiece"\npool = "{pool}"\nunit_length = false\n')
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES), encoding="utf-8")
    long, short = encoded(network, ["red wine", "wine"])
    picked = [[2, 4, 5, 3], [2, 5, 3]]
    expected = [vectors[rows].mean(axis=0) if pool == "mean" else vectors[2] for rows in picked]
    np.testing.assert_allclose([long, short], expected, rtol=1e-5)


def test_strings_should_go_to_a_network_that_takes_them(tmp_path: Path) -> None:
    assert encoded(networks.string_lengths(tmp_path / "strings.onnx"), ["yes", "no"]).tolist() == [[1], [0]]


def test_sounds_should_be_cut_or_filled_up(tmp_path: Path) -> None:
    things: list[Path | str] = []
    for name, samples in {"short.wav": 400, "long.wav": 1600}.items():
        wavfile.write(tmp_path / name, 8000, np.full(samples, 16_384, np.int16))
        things.append(tmp_path / name)
    (tmp_path / "other.mp3").write_bytes(b"ID3")
    network = networks.loudness(tmp_path / "loud.onnx", samples=800)
    short, long, other = open_encoder(network).encode([*things, tmp_path / "other.mp3"])
    assert short == pytest.approx([0.125])
    assert long == pytest.approx([0.25])
    assert other is None


# --- what goes wrong -------------------------------------------------------------------------------

WRONG = [
    ("", "kind: Unable to extract tag"),
    ('kind = "smell"', "Input tag 'smell' found"),
    ('kind = "picture"', "size: Field required"),
    ('kind = "picture"\nsize = 8\nlayuot = "NCHW"', "layuot: Extra inputs"),
    ("kind = ", "cannot be read as TOML"),
    ('kind = "picture"\nsize = 8\ninput = "image"', "has no input “image”: it has pixels"),
    ('kind = "picture"\nsize = 8\noutput = "vector"', "has no output “vector”: it has colour"),
    ('kind = "text"\ntokens = "strings"', r"takes a tensor\(float\) for pixels"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_wrong_description_should_be_refused(tmp_path: Path, text: str, message: str) -> None:
    network = networks.describe(networks.mean_colour(tmp_path / "model.onnx"), text)
    with pytest.raises(Invalid, match=message):
        open_encoder(network)


def test_wrong_files_should_be_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="is not there: an encoder is an ONNX file"):
        open_encoder(tmp_path / "model.onnx")
    (tmp_path / "model.onnx").write_bytes(b"no network")
    with pytest.raises(Invalid, match=r"model.toml is not there: it has to say what the encoder takes"):
        open_encoder(tmp_path / "model.onnx")
    networks.describe(tmp_path / "model.onnx", 'kind = "picture"\nsize = 8\n')
    with pytest.raises(Invalid, match="is not a network that onnxruntime can run"):
        open_encoder(tmp_path / "model.onnx")
    words = networks.word_vectors(tmp_path / "words.onnx", np.ones((3, 2)))
    networks.describe(words, 'kind = "text"\ntokens = "wordpiece"\nvocabulary = "none.txt"\n')
    with pytest.raises(Invalid, match="the vocabulary none.txt cannot be used"):
        open_encoder(words)


def test_a_network_that_does_not_fit_its_description_should_say_so(tmp_path: Path, squares: list[Path | str]) -> None:
    network = networks.describe(networks.mean_colour(tmp_path / "model.onnx"), 'kind = "picture"\nsize = 9\n')
    with pytest.raises(Invalid, match="does not run on what its description says"):
        open_encoder(network).encode(squares)
    words = networks.word_vectors(tmp_path / "words.onnx", np.ones((len(PIECES), 2)))
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES), encoding="utf-8")
    networks.describe(words, 'kind = "text"\ntokens = "wordpiece"\n')
    with pytest.raises(Invalid, match=r'shape \(1, 3, 2\).*set pool = "first"'):
        open_encoder(words).encode(["wine"])
    networks.describe(words, 'kind = "sound"\nrate = 8000\nseconds = 1\n')
    wavfile.write(tmp_path / "a.wav", 8000, np.ones(8, np.int16))
    with pytest.raises(Invalid, match="does not run"):
        open_encoder(words).encode([tmp_path / "a.wav"])


def test_without_the_extra_it_should_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(Invalid, match=r"pip install 'learn2search\[encoder\]'"):
        open_encoder(networks.mean_colour(tmp_path / "model.onnx"))


def test_the_digest_should_be_of_the_content(tmp_path: Path) -> None:
    network = networks.mean_colour(tmp_path / "model.onnx")
    before = encoder_digest(network)
    copy = tmp_path / "copy"
    copy.mkdir()
    assert encoder_digest(networks.mean_colour(copy / "other.onnx")) == before
    (tmp_path / "model.onnx.data").write_bytes(b"weights")
    with_weights = encoder_digest(network)
    networks.describe(network, 'kind = "picture"\nsize = 16\n')
    assert len({before, with_weights, encoder_digest(network)}) == 3
