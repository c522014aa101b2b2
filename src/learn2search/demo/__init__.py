"""The built-in collection: 513 faces, drawn by our own code from 18 continuous features."""

from learn2search.demo.collection import write_collection
from learn2search.demo.face import draw
from learn2search.demo.similarity import FEATURES, NAMES, WEIGHTS, faces, similarity_features
from learn2search.demo.titles import titles
from learn2search.demo.words import describe

__all__ = [
    "FEATURES",
    "NAMES",
    "WEIGHTS",
    "describe",
    "draw",
    "faces",
    "similarity_features",
    "titles",
    "write_collection",
]
