"""What words say: texts that share rare words are alike (TF-IDF), as are texts whose words often go together (SVD)."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from learn2search.typing import Array, Mask

AXES = 64
_WORD = re.compile(r"\w\w+")
_FEWEST = 2  # texts that must have a word: a word of one text alone makes no two alike
_DENSE = 300  # texts or words up to which all axes are computed, and the first are taken


def text_features(texts: Sequence[str], define_axes: Mask | None = None, axes: int = AXES) -> Array:
    """Texts on the first axes of their weighted words, `(n, at most axes)`.

    A word that f of n texts have counts ln((1 + n) / (1 + f)) + 1 each time, and every text has length 1 (TF-IDF). The
    axes are the first right singular vectors of that table, each turned so that its largest weight is positive.

    Parameters
    ----------
    texts
        Words are letters and digits without a space between, two at least; capital letters count as small ones.
    define_axes
        `(n,)`: the texts that words, their weights and axes are taken from; by default all.

    Examples
    --------
    >>> texts = ["red wine of Porto", "white wine of Porto", "green tea of Assam", "black tea of Assam"]
    >>> wine, _, tea, other_tea = text_features(texts)
    >>> bool(tea @ other_tea > wine @ tea)
    True
    """
    counts = [Counter(_WORD.findall(text.lower())) for text in texts]
    given = np.ones(len(texts), bool) if define_axes is None else define_axes
    n = int(given.sum())
    frequency = Counter(word for count, is_given in zip(counts, given, strict=True) if is_given for word in count)
    words = sorted(word for word, texts_with_it in frequency.items() if texts_with_it >= _FEWEST)
    if not words:
        return np.zeros((len(texts), 0))
    table = _weighted(counts, {word: np.log((1 + n) / (1 + frequency[word])) + 1 for word in words})
    return np.asarray(table @ _axes(table[given], axes).T)


def _weighted(counts: Sequence[Counter[str]], weights: dict[str, float]) -> sparse.csr_array:
    """The counts times the weights of their words, each row of length 1, `(n, words)`; other words are left out."""
    column = {word: at for at, word in enumerate(weights)}
    values, columns, ends = [], [], [0]
    for count in counts:
        row = {word: times * weights[word] for word, times in count.items() if word in weights}
        length = float(np.linalg.norm(list(row.values()))) if row else 1.0
        values += [value / length for value in row.values()]
        columns += [column[word] for word in row]
        ends.append(len(values))
    return sparse.csr_array((np.array(values, float), columns, ends), shape=(len(counts), len(weights)))


def _axes(table: sparse.csr_array, most: int) -> Array:
    """The first right singular vectors, `(at most `most`, words)`, the same in every process."""
    if min(table.shape) <= max(_DENSE, most):
        _, lengths, axes = np.linalg.svd(table.toarray(), full_matrices=False)
    else:
        _, lengths, axes = svds(table, k=most, v0=np.ones(min(table.shape)))
        order = np.argsort(-lengths)
        lengths, axes = lengths[order], axes[order]
    axes = axes[:most][lengths[:most] > 1e-9 * lengths.max()]
    return np.asarray(axes * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None])
