"""An encoder of the owner's: a network in an ONNX file that gives numbers for a picture, a text or a sound.

It is run by the package onnxruntime, on the CPU. Nothing is downloaded. `docs/encoders.md` has the format.
"""

import hashlib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from learn2search.site.catalogue.features import encoder_inputs
from learn2search.site.catalogue.features.encoder_description import (
    EncoderDescription,
    PictureDescription,
    TextDescription,
    read_description,
)
from learn2search.site.catalogue.features.sound_features import UnreadableSound
from learn2search.site.catalogue.features.wordpiece import WordPieces
from learn2search.site.errors import Invalid
from learn2search.typing import Array, Arrays

_TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(string)": np.object_,
}


class Encoder:
    """A network that is ready to run. `digest` names it: the same files have the same."""

    def __init__(self, path: Path, description: EncoderDescription, session: Any, digest: str) -> None:
        self.path, self.description, self.digest = path, description, digest
        self._session = session
        self._types = {one.name: one.type for one in session.get_inputs()}
        self._input = _chosen(path, "input", description.input, list(self._types))
        self._output = _chosen(path, "output", description.output, [one.name for one in session.get_outputs()])
        self._pieces = self._vocabulary()
        self.batch = self._fixed_batch() or description.batch

    def encode(self, things: Sequence[Path | str]) -> list[Array | None]:
        """Numbers `(f,)` for each picture or sound (the path of its file) or text; None for a sound that cannot be
        decoded.

        Raises
        ------
        Invalid
            If the network does not run on what the description says, or gives something else than numbers.
        """
        prepared = [self._prepared(thing) for thing in things]
        there = [one for one in prepared if one is not None]
        rows = iter(self._encoded(there)) if there else iter(())
        return [None if one is None else next(rows) for one in prepared]

    def _prepared(self, thing: Path | str) -> Any:
        if isinstance(self.description, PictureDescription):
            with Image.open(thing) as picture:
                return encoder_inputs.pixels(picture, self.description)
        if isinstance(self.description, TextDescription):
            return str(thing)
        try:
            return encoder_inputs.samples(Path(thing), self.description)
        except UnreadableSound:
            return None

    def _encoded(self, prepared: list[Any]) -> list[Array]:
        count, fixed = len(prepared), self._fixed_batch()
        if fixed:
            prepared = prepared + [prepared[-1]] * (fixed - count)
        inputs, mask = self._inputs(prepared)
        try:
            found = self._session.run([self._output], inputs)[0]
        except Exception as error:  # onnxruntime has an exception of its own for each cause
            raise Invalid(f"{self.path} does not run on what its description says: {error}") from error
        return list(self._pooled(np.asarray(found), mask)[:count])

    def _inputs(self, prepared: list[Any]) -> tuple[Arrays, Array | None]:
        """What the network takes, by name; and where a text has pieces, `(batch, pieces)`."""
        wanted = self.description
        if not isinstance(wanted, TextDescription):
            return {self._input: self._typed(self._input, np.stack(prepared))}, None
        if self._pieces is None:
            return {self._input: encoder_inputs.strings(prepared)}, None
        numbers, mask = self._pieces.encode(prepared, wanted.longest)
        values = {self._input: numbers, wanted.mask: mask, wanted.types: np.zeros_like(numbers)}
        return {name: self._typed(name, one) for name, one in values.items() if name in self._types}, mask.astype(float)

    def _typed(self, name: str, values: Any) -> Any:
        if self._types[name] not in _TYPES or self._types[name] == "tensor(string)":
            takes = self._types[name]
            raise Invalid(f"{self.path}: the input {name} takes a {takes}, which a {self.description.kind} is not.")
        return values.astype(_TYPES[self._types[name]])

    def _pooled(self, found: Any, mask: Array | None) -> Array:
        """The output as one row an item, `(batch, f)`."""
        if found.ndim == 3 and self.description.pool == "first":
            found = found[:, 0]
        elif found.ndim == 3 and self.description.pool == "mean":
            weights = np.ones(found.shape[:2]) if mask is None else mask
            found = np.einsum("bpf,bp->bf", found, weights) / weights.sum(axis=1, keepdims=True)
        rows = found.reshape(len(found), -1) if found.ndim == 4 and found.shape[2:] == (1, 1) else found
        if rows.ndim != 2 or not np.issubdtype(rows.dtype, np.number):
            raise Invalid(
                f"{self.path}: the output {self._output} has shape {found.shape} and type {found.dtype}, but numbers "
                '(batch, f) are needed: name another output, or set pool = "first" or "mean" for (batch, parts, f).'
            )
        if not np.isfinite(rows).all():
            raise Invalid(
                f"{self.path}: the output {self._output} has values that are not finite: is float16 too small?"
            )
        rows = rows.astype(float)
        if self.description.unit_length:
            rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        return np.asarray(rows)

    def _fixed_batch(self) -> int | None:
        """The batch that the network was exported for, None if it takes any."""
        shape = next(one.shape for one in self._session.get_inputs() if one.name == self._input)
        return shape[0] if shape and isinstance(shape[0], int) and shape[0] > 0 else None

    def _vocabulary(self) -> WordPieces | None:
        wanted = self.description
        if not isinstance(wanted, TextDescription):
            return None
        takes_strings = self._types[self._input] == "tensor(string)"
        if takes_strings != (wanted.tokens == "strings"):
            raise Invalid(
                f"{self.path} takes a {self._types[self._input]} for {self._input}, but its description says "
                f'tokens = "{wanted.tokens}".'
            )
        if takes_strings:
            return None
        try:
            return WordPieces.read(self.path.parent / wanted.vocabulary, wanted.lowercase)
        except (OSError, ValueError) as error:
            raise Invalid(f"{self.path}: the vocabulary {wanted.vocabulary} cannot be used: {error}") from error


def open_encoder(path: Path) -> Encoder:
    """The encoder in an ONNX file with its description beside it.

    Raises
    ------
    Invalid
        If a file is missing or wrong, or onnxruntime is not installed.
    """
    if not path.is_file():
        raise Invalid(f"{path} is not there: an encoder is an ONNX file.")
    description = read_description(path.with_suffix(".toml"))
    try:
        runtime: Any = importlib.import_module("onnxruntime")
    except ImportError as error:
        raise Invalid("An encoder needs one more package: pip install 'learn2search[encoder]'") from error
    quiet = runtime.SessionOptions()
    quiet.log_severity_level = 3  # errors only
    try:
        session = runtime.InferenceSession(str(path), quiet, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has an exception of its own for each cause
        raise Invalid(f"{path} is not a network that onnxruntime can run: {error}") from error
    return Encoder(path, description, session, encoder_digest(path))


def encoder_digest(path: Path) -> str:
    """A name made from the content: of the network, of weights in files beside it (`model.onnx.data`), and of the
    description."""
    digest = hashlib.sha256()
    network = sorted(file for file in path.parent.iterdir() if file.name.startswith(path.name) and file.is_file())
    for file in (*network, path.with_suffix(".toml")):
        with open(file, "rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()[:16]


def _chosen(path: Path, what: str, name: str | None, names: list[str]) -> str:
    if name is None:
        return names[0]
    if name not in names:
        raise Invalid(f"{path} has no {what} “{name}”: it has {', '.join(names)}.")
    return name
