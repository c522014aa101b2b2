"""Fits a psiz model, in psiz's own environment: it needs psiz and its TensorFlow, and not learn2search.

`peers.py` starts it; jobs and answers are those of `peer_worker.py`. psiz is a box of layers, not a list of estimators:
this is one model built of its layers with their defaults, the exponential similarity of Euclidean distances. It learns
by Adam (0.001, batches of 128) until a held-back tenth has not become more probable for 15 epochs.
"""

import json
import os
import platform
import sys
import time
from importlib.metadata import version
from typing import Any

os.environ |= {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3"}

import keras
import numpy as np
import psiz
import tensorflow

Array = np.ndarray[Any, Any]
PACKAGES = ("psiz", "tensorflow", "keras", "numpy")
MOST_EPOCHS, PATIENCE, BATCH, HELD_BACK = 1000, 15, 128, 0.1


def model(n_items: int, d: int) -> Any:
    """The probability of each of two items, from (anchor, first, second)."""
    items = keras.Input((3,), dtype="int32")
    places = keras.layers.Embedding(n_items, d)(items)
    euclid = {"rho_initializer": keras.initializers.Constant(2.0), "w_initializer": keras.initializers.Constant(1.0)}
    distance = psiz.keras.layers.Minkowski(rho_trainable=False, w_trainable=False, **euclid)
    similarity = psiz.keras.layers.ExponentialSimilarity()(distance([places[:, :1], places[:, 1:]]))
    return keras.Model(items, psiz.keras.layers.SoftRank(n_select=1)(similarity))


def fitted(train: Array, n_items: int, d: int, seed: int) -> tuple[Any, int]:
    """The model, and how many epochs it took."""
    keras.utils.set_random_seed(seed)
    made = model(n_items, d)
    made.compile(optimizer=keras.optimizers.Adam(1e-3), loss="categorical_crossentropy")
    rows = np.random.default_rng(seed).permutation(train)
    near = np.tile(np.array([1.0, 0.0], np.float32), (len(rows), 1))
    cut = int(HELD_BACK * len(rows))
    stop = keras.callbacks.EarlyStopping("val_loss", patience=PATIENCE, restore_best_weights=True)
    history = made.fit(
        rows[cut:],
        near[cut:],
        validation_data=(rows[:cut], near[:cut]),
        batch_size=BATCH,
        epochs=MOST_EPOCHS,
        verbose=0,
        callbacks=[stop],
    )
    return made, len(history.history["loss"])


def measure(train: Array, test: Array, n_items: int, d: int, seed: int) -> dict[str, Any]:
    cpu = time.process_time()
    made, epochs = fitted(train, n_items, d, seed)
    cpu = time.process_time() - cpu
    chances = np.asarray(made.predict(test, batch_size=4096, verbose=0), float)
    return {
        "accuracy": float(np.mean(chances[:, 0] > chances[:, 1])),
        "nll": float(-np.log(chances[:, 0]).mean()),
        "cpu_seconds": cpu,
        "iterations": epochs,
    }


def main() -> None:
    tensorflow.config.threading.set_intra_op_parallelism_threads(1)
    tensorflow.config.threading.set_inter_op_parallelism_threads(1)
    versions = {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}}
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        d, seed = job["options"]["n_components"], job["options"]["random_state"]
        with np.load(job["fold"]) as fold:
            found = measure(fold["train"], fold["test"], int(fold["n_items"]), d, seed)
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
