"""Small networks in ONNX files, with the descriptions beside them."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING


def save(path: Path, nodes: list[Any], inputs: list[Any], outputs: list[Any], **weights: np.ndarray) -> Path:
    """Write a network of these nodes; the weights by name."""
    constants = [numpy_helper.from_array(values, name) for name, values in weights.items()]
    graph = helper.make_graph(nodes, "network", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return path


def value(name: str, kind: int, *shape: Any) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def describe(path: Path, text: str) -> Path:
    path.with_suffix(".toml").write_text(text)
    return path


def mean_colour(path: Path, batch: int | str = "batch") -> Path:
    """(batch, 3, 8, 8) → the mean of each colour, (batch, 3)."""
    nodes = [helper.make_node("ReduceMean", ["pixels"], ["colour"], axes=[2, 3], keepdims=0)]
    save(path, nodes, [value("pixels", FLOAT, batch, 3, 8, 8)], [value("colour", FLOAT, batch, 3)])
    return describe(path, 'kind = "picture"\nsize = 8\nunit_length = false\n')


def word_vectors(path: Path, vectors: np.ndarray) -> Path:
    """(batch, pieces) numbers → a vector for each piece, (batch, pieces, f); it has a mask among its inputs."""
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["found"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
        helper.make_node("Mul", ["found", "wide"], ["states"]),
    ]
    inputs = [value(name, INT64, "batch", "pieces") for name in ("input_ids", "attention_mask")]
    outputs = [value("states", FLOAT, "batch", "pieces", vectors.shape[1])]
    return save(path, nodes, inputs, outputs, table=vectors.astype(np.float32), last=np.array([2], np.int64))


def string_lengths(path: Path) -> Path:
    """(batch,) strings → 1 for "yes" and 0 for others, (batch, 1)."""
    nodes = [
        helper.make_node(
            "LabelEncoder",
            ["text"],
            ["known"],
            domain="ai.onnx.ml",
            keys_strings=["yes"],
            values_floats=[1.0],
            default_float=0.0,
        ),
        helper.make_node("Unsqueeze", ["known", "last"], ["row"]),
    ]
    constants = [numpy_helper.from_array(np.array([1], np.int64), "last")]
    graph = helper.make_graph(
        nodes, "network", [value("text", STRING, "batch")], [value("row", FLOAT, "batch", 1)], constants
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 2)]
    path.write_bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())
    return describe(path, 'kind = "text"\ntokens = "strings"\nunit_length = false\n')


def loudness(path: Path, samples: int) -> Path:
    """(batch, samples) → the mean of the squares, (batch, 1)."""
    nodes = [
        helper.make_node("Mul", ["sound", "sound"], ["squares"]),
        helper.make_node("ReduceMean", ["squares"], ["power"], axes=[1], keepdims=1),
    ]
    save(path, nodes, [value("sound", FLOAT, "batch", samples)], [value("power", FLOAT, "batch", 1)])
    return describe(path, f'kind = "sound"\nrate = 8000\nseconds = {samples / 8000}\nunit_length = false\n')
