"""A fit to Parquet files: each process reads its share, several give what one gives, and a killed one loses nothing."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from jax.sharding import Mesh

import learn2search as l2s
from learn2search.embed import _jax
from learn2search.embed._jax import checkpoint, parquet_rows, spectral
from learn2search.typing import Triplets

N, D = 61, 3
PATIENCE = 180  # seconds: far beyond what a busy machine needs


def write(path: Path, rows: Triplets, group: int) -> None:
    table = pyarrow.table(dict(zip(("anchor", "near", "far"), rows.T, strict=True)))
    pyarrow.parquet.write_table(table, path, row_group_size=group)


@pytest.fixture(scope="module")
def rows() -> Triplets:
    features = 2 * np.random.default_rng(0).normal(size=(N, D))
    return np.asarray(l2s.make_triplets(l2s.ProbitOracle(features, noise=1.0, seed=1), N, 3001))


@pytest.fixture
def answers(tmp_path: Path, rows: Triplets) -> Path:
    write(tmp_path / "answers.parquet", rows, group=500)
    return tmp_path / "answers.parquet"


# --- reading by share --------------------------------------------------------------------------------


@pytest.mark.parametrize("ordered", [False, True])
def test_shares_should_be_cut_from_all_triplets_sorted_by_anchor(tmp_path: Path, rows: Triplets, ordered: bool) -> None:
    given = rows[np.argsort(rows[:, 0], kind="stable")] if ordered else rows
    (tmp_path / "parts").mkdir()
    write(tmp_path / "parts" / "0.parquet", given[:1700], group=300)
    write(tmp_path / "parts" / "1.parquet", given[1700:], group=400)
    source = parquet_rows.ParquetTriplets(tmp_path / "parts", 0.0)
    counts = source.count(source.groups, N)
    assert source.largest(source.groups) == rows.max()
    assert np.array_equal(counts.anchors, np.bincount(rows[:, 0], minlength=N))
    whole = rows[np.argsort(rows[:, 0], kind="stable")]
    for first, last in ((0, 3001), (0, 1), (1000, 1001), (1499, 3001), (2990, 4000), (3001, 3500)):
        assert np.array_equal(source.learnt_from(first, last, counts.anchors), whole[first:last])


def test_a_share_of_a_sorted_file_should_be_read_from_few_row_groups(
    tmp_path: Path, rows: Triplets, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "sorted.parquet", rows[np.argsort(rows[:, 0])], group=300)
    source = parquet_rows.ParquetTriplets(tmp_path / "sorted.parquet", 0.0)
    counts, read, plain = source.count(source.groups, N), list[int](), source._read

    def noted(group: parquet_rows.RowGroup) -> Any:
        read.append(group.number)
        return plain(group)

    monkeypatch.setattr(source, "_read", noted)
    source.learnt_from(0, 700, counts.anchors)
    assert read == [0, 1, 2]


def test_held_out_triplets_should_keep_the_answers_of_a_click_together(answers: Path, rows: Triplets) -> None:
    source = parquet_rows.ParquetTriplets(answers, 0.3)
    counts = source.count(source.groups, N)
    aside = source.aside(source.groups)
    assert counts.held_out == len(aside)
    assert counts.anchors.sum() + len(aside) == len(rows)
    assert 0.25 < len(aside) / len(rows) < 0.35
    learnt = source.learnt_from(0, len(rows), counts.anchors)
    assert not set(map(tuple, aside[:, :2].tolist())) & set(map(tuple, learnt[:, :2].tolist()))
    assert sorted(map(tuple, np.concatenate([aside, learnt]).tolist())) == sorted(map(tuple, rows.tolist()))


def test_triplets_that_name_an_item_twice_should_be_left_out(tmp_path: Path) -> None:
    write(tmp_path / "few.parquet", np.array([(0, 1, 2), (0, 0, 2), (1, 2, 2)]), group=2)
    source = parquet_rows.ParquetTriplets(tmp_path / "few.parquet", 0.0)
    assert source.count(source.groups, 3).anchors.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"head": [0], "winner": [1], "loser": [2]}, "needs the columns anchor, near and far, and has head"),
        ({"anchor": ["a"], "near": ["b"], "far": ["c"]}, "whole numbers"),
        ({"anchor": [0], "near": [-1], "far": [2]}, "the items -1 to 2"),
        ({"anchor": [0], "near": [0], "far": [2]}, "no triplets to learn from"),
    ],
)
def test_files_without_triplets_should_be_told_apart(
    tmp_path: Path, table: dict[str, list[object]], message: str
) -> None:
    pyarrow.parquet.write_table(pyarrow.table(table), tmp_path / "other.parquet")
    with pytest.raises(ValueError, match=message):
        _jax.fit_parquet(tmp_path / "other.parquet", 1, epochs=1)


# --- one process -------------------------------------------------------------------------------------


def test_one_process_should_give_what_optimize_gives(answers: Path, rows: Triplets) -> None:
    found = _jax.fit_parquet(answers, D, epochs=3, held_out=0.0, seed=1)
    start = 0.1 * np.random.default_rng([1, 1]).standard_normal((N, D), np.float32)
    options: dict[str, Any] = {"epochs": 3, "batch_size": 200, "learning_rate": 0.1, "seed": 1}
    expected = _jax.optimize(rows, start, np.zeros((N, D)), **options)
    for one, other in zip(found.fitted, expected, strict=True):
        assert np.asarray(one) == pytest.approx(np.asarray(other), abs=1e-6)
    assert (found.triplets, found.held_out, found.resumed) == (3001, 0, 0)
    assert np.isnan(found.accuracy)


def test_a_fit_that_was_cut_short_should_go_on_from_its_checkpoint(answers: Path, tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def stop(epoch: int) -> None:
        if epoch == 3:
            raise Enough

    options: dict[str, Any] = {"epochs": 6, "seed": 2, "checkpoint": tmp_path / "state.npz", "checkpoint_every": 2}
    with pytest.raises(Enough):
        _jax.fit_parquet(answers, D, **options, after_epoch=stop)
    epochs: list[int] = []
    resumed = _jax.fit_parquet(answers, D, **options, after_epoch=epochs.append)
    assert epochs == [3, 4, 5, 6]
    assert resumed.resumed == 2
    whole = _jax.fit_parquet(answers, D, **options | {"checkpoint": None})
    assert np.array_equal(resumed.fitted.nu, whole.fitted.nu)
    assert np.array_equal(resumed.fitted.log_sd, whole.fitted.log_sd)
    assert resumed.accuracy == whole.accuracy > 0.7
    with pytest.raises(ValueError, match="of another fit, with seed 2 where this one has 3"):
        _jax.fit_parquet(answers, D, **options | {"seed": 3})


def test_a_file_that_is_no_checkpoint_should_be_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", a=np.zeros(2))
    with pytest.raises(ValueError, match="not a checkpoint"):
        checkpoint.read_checkpoint(tmp_path / "other.npz", {})


def test_the_spectral_start_over_devices_should_be_that_of_one(rows: Triplets) -> None:
    mesh = Mesh(np.asarray(jax.devices()[:1]), ("devices",))
    ordered = rows[np.argsort(rows[:, 0], kind="stable")]
    padded = jnp.asarray(np.concatenate([ordered, np.zeros((7, 3), int)]), jnp.int32)
    found = spectral.spectral_start_over(mesh, padded, len(rows), N, D, seed=3)
    assert found == pytest.approx(_jax.spectral_start(rows, N, D, seed=3), abs=1e-3)


# --- several processes -------------------------------------------------------------------------------

BOTH_WAYS = """
import sys
import numpy as np
from learn2search import accelerated
from learn2search.embed._jax import parquet_fit
processes, process, address, path, out = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
if processes > 1:
    accelerated.connect_hosts(address, processes, process, give_up_after=100)
found = {}
for items, first in (("replicated", 10), ("sharded", 10_000)):
    parquet_fit.SPECTRAL_FROM = first
    fit = accelerated.fit_parquet(path, 3, epochs=4, seed=1, items=items, batch_size=300)
    found |= {f"{items} {name}": value for name, value in fit.fitted._asdict().items()}
    found |= {f"{items} accuracy": fit.accuracy, f"{items} rows": [fit.triplets, fit.held_out]}
np.savez(out, **found)
"""


@pytest.fixture
def started() -> Iterator[ExitStack]:
    """Processes that are gone after the test, whatever happens."""
    with ExitStack() as stack:
        yield stack


def start(stack: ExitStack, *arguments: str, devices: int = 1) -> subprocess.Popen[str]:
    flags = f"--xla_force_host_platform_device_count={devices} --xla_backend_optimization_level=0"
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    command = [sys.executable, *arguments]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    stack.callback(process.communicate)
    stack.callback(process.kill)
    return process


def free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@pytest.mark.heavy
def test_two_processes_should_give_the_result_of_one(answers: Path, tmp_path: Path, started: ExitStack) -> None:
    address, files = free_address(), [tmp_path / f"{name}.npz" for name in ("alone", "first", "second")]
    given = [("1", "0"), ("2", "0"), ("2", "1")]
    running = [
        start(started, "-c", BOTH_WAYS, *numbers, address, str(answers), str(file))
        for numbers, file in zip(given, files, strict=True)
    ]
    for process in running:
        said, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
    alone, *both = (np.load(file) for file in files)
    for found in both:
        for name in alone.files:
            assert found[name] == pytest.approx(alone[name], rel=1e-4, abs=2e-4), name


@pytest.mark.heavy
def test_a_killed_process_should_end_the_fit_which_then_goes_on(
    answers: Path, tmp_path: Path, started: ExitStack
) -> None:
    """By the command: an error that says what to do, no model, and in the end the same model as without any kill."""
    out, kept = tmp_path / "model.npz", tmp_path / "model.checkpoint.npz"
    command = ["-m", "learn2search.cli", "train", str(answers), "--axes", "2", "--epochs", "300", "--seed", "1"]

    def pair() -> list[subprocess.Popen[str]]:
        hosts = [*command, "--out", str(out), "--hosts", free_address(), "--processes", "2", "--give-up-after", "100"]
        return [start(started, *hosts, "--process", str(number)) for number in range(2)]

    for killed in (1, 0):
        before, running = written(kept), pair()
        wait_until_written(kept, before, running)
        os.kill(running[killed].pid, signal.SIGKILL)
        said, _ = running[1 - killed].communicate(timeout=PATIENCE)
        assert running[1 - killed].returncode != 0
        assert "another process of this fit has ended" in said or "another task died" in said, said
        assert not out.exists()
    running = pair()
    texts = [process.communicate(timeout=PATIENCE)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0], texts
    assert "300 epochs, of which" in texts[0]
    assert not kept.exists()
    whole = tmp_path / "whole.npz"
    alone = start(started, *command, "--out", str(whole), "--checkpoint", str(kept), devices=2)
    assert "predicted right" in alone.communicate(timeout=PATIENCE)[0]
    found, expected = l2s.Embedding.load(out), l2s.Embedding.load(whole)
    assert found.mean == pytest.approx(expected.mean, abs=1e-3)
    assert found.var == pytest.approx(expected.var, rel=1e-2)


def written(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


def wait_until_written(path: Path, before: int, running: list[subprocess.Popen[str]]) -> None:
    until = time.monotonic() + PATIENCE
    while written(path) == before:
        assert time.monotonic() < until, "no checkpoint was written"
        assert all(process.poll() is None for process in running), [process.communicate()[0] for process in running]
        time.sleep(0.02)
