"""Texts as numbers of word pieces, as networks of the BERT family read them (Schuster and Nakajima, 2012).

A word is cut from its beginning into the longest pieces that the vocabulary has; pieces inside a word begin with ##.
"""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_LONGEST = 100  # letters of a word; a longer one is unknown
_UNSEEN = {"Cc", "Cf"}  # control and format characters
_CHINESE = (("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff"))
_PAD, _UNKNOWN, _FIRST, _LAST = "[PAD]", "[UNK]", "[CLS]", "[SEP]"


class WordPieces:
    """A vocabulary.

    Parameters
    ----------
    pieces
        In the order of their numbers.
    lowercase
        Capital letters become small, and accents are taken off, as in "uncased" networks.

    Examples
    --------
    >>> pieces = WordPieces(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "play", "##ing"])
    >>> pieces.encode(["Playing", "play chess"], 16)[0].tolist()
    [[2, 4, 5, 3], [2, 4, 1, 3]]
    """

    def __init__(self, pieces: Sequence[str], lowercase: bool = True) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._lowercase = lowercase
        missing = [piece for piece in (_PAD, _UNKNOWN, _FIRST, _LAST) if piece not in self._numbers]
        if missing:
            raise ValueError(f"the vocabulary lacks {', '.join(missing)}: is it one of a BERT network?")

    @classmethod
    def read(cls, path: Path, lowercase: bool) -> "WordPieces":
        """From a file with a piece in each line."""
        return cls(path.read_text(encoding="utf-8").splitlines(), lowercase)

    def encode(self, texts: Sequence[str], longest: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of the pieces of each text, `(n, m)` with m at most `longest`, and 1 where there is a piece."""
        first, last = self._numbers[_FIRST], self._numbers[_LAST]
        rows = [[first, *self._pieces(text)[: longest - 2], last] for text in texts]
        width = max(map(len, rows))
        numbers = np.full((len(rows), width), self._numbers[_PAD], np.int64)
        mask = np.zeros((len(rows), width), np.int64)
        for at, row in enumerate(rows):
            numbers[at, : len(row)], mask[at, : len(row)] = row, 1
        return numbers, mask

    def _pieces(self, text: str) -> list[int]:
        text = "".join(letter for letter in text if letter.isspace() or unicodedata.category(letter) not in _UNSEEN)
        if self._lowercase:
            apart = unicodedata.normalize("NFD", text.lower())
            text = "".join(letter for letter in apart if unicodedata.category(letter) != "Mn")
        spaced = "".join(f" {letter} " if _stands_alone(letter) else letter for letter in text)
        return [number for word in spaced.split() for number in self._cut(word)]

    def _cut(self, word: str) -> list[int]:
        found, start = [], 0
        while start < len(word) <= _LONGEST:
            ends = range(len(word), start, -1)
            names = ((end, ("##" if start else "") + word[start:end]) for end in ends)
            end, number = next(
                ((end, self._numbers[name]) for end, name in names if name in self._numbers), (None, None)
            )
            if end is None or number is None:
                return [self._numbers[_UNKNOWN]]
            found.append(number)
            start = end
        return found or [self._numbers[_UNKNOWN]]


def _stands_alone(letter: str) -> bool:
    """Punctuation, symbols of ASCII and Chinese characters are words of their own."""
    is_symbol = letter.isascii() and not letter.isalnum() and not letter.isspace()
    is_chinese = any(first <= letter <= last for first, last in _CHINESE)
    return is_symbol or is_chinese or unicodedata.category(letter).startswith("P")
