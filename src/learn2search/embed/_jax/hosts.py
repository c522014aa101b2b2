"""Several processes of one fit, on one machine or many, by JAX's own runtime.

All processes run the same program on their own devices. What crosses between them are sums: over NCCL between GPUs,
over Gloo between CPUs. Process 0 keeps the list of the others and asks each for a sign of life.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
from jax import Array
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from numpy.typing import NDArray

GIVE_UP_AFTER = 60  # seconds without a sign of life

_OF_THE_RUNTIME = ("gloo", "nccl", "coordination", "distributed", "deadline_exceeded", "unavailable")


class HostLost(RuntimeError):
    """Another process of the fit has ended, or cannot be reached."""


def connect_hosts(
    coordinator: str | None = None,
    processes: int | None = None,
    process: int | None = None,
    *,
    give_up_after: int = GIVE_UP_AFTER,
) -> None:
    """Make this process one of several that fit together; call it before anything else of JAX.

    Parameters
    ----------
    coordinator : str, optional
        Address and port at which process 0 waits for the others, "10.0.0.1:1234". Without it, JAX reads it and the
        other two from the variables of SLURM, Open MPI, Kubernetes or a TPU.
    processes : int, optional
        How many there are.
    process : int, optional
        Which one this is, from 0.
    give_up_after : int, optional
        Seconds to wait for the others at the beginning, and for a sign of life later.

    Raises
    ------
    ValueError
        If something is left out that no variable tells either.

    Examples
    --------
    >>> from learn2search import accelerated
    >>> accelerated.connect_hosts("127.0.0.1:1234", processes=2, process=2)
    Traceback (most recent call last):
        ...
    ValueError: process must be one of 0 to 1, got 2
    """
    given = (coordinator, processes, process)
    if any(one is None for one in given) and any(one is not None for one in given):
        raise ValueError("name coordinator, processes and process, or none of them")
    if processes is not None and process is not None and not 0 <= process < processes:
        raise ValueError(f"process must be one of 0 to {processes - 1}, got {process}")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    try:
        jax.distributed.initialize(
            coordinator,
            processes,
            process,
            initialization_timeout=give_up_after,
            heartbeat_timeout_seconds=give_up_after,
            shutdown_timeout_seconds=give_up_after,
        )
    except ValueError as error:
        raise ValueError(
            "JAX finds no variables of SLURM, Open MPI, Kubernetes or a TPU here: "
            f"name the coordinator's address, how many processes there are, and which one this is ({error})"
        ) from error


@contextmanager
def other_processes(checkpoint: object) -> Iterator[None]:
    """What the runtime says when another process is gone becomes `HostLost`."""
    try:
        yield
    except Exception as error:
        said = str(error).lower()
        if jax.process_count() == 1 or not any(word in said for word in _OF_THE_RUNTIME):
            raise
        again = f"the fit goes on from {checkpoint}" if checkpoint else "without a checkpoint the fit begins anew"
        raise HostLost(
            "another process of this fit has ended or cannot be reached. Start all of them again with the same "
            f"commands: {again}. ({str(error).splitlines()[0]})"
        ) from error


def largest(number: int) -> int:
    """The largest of the numbers that the processes have."""
    return int(np.max(multihost_utils.process_allgather(np.int32(number))))


def from_first(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """What process 0 has, in all processes."""
    return np.asarray(multihost_utils.broadcast_one_to_all(values))


def summed(mesh: Mesh, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of the processes' arrays, below 2^31."""
    mine = [at for at, device in enumerate(mesh.devices) if device.process_index == jax.process_index()]
    shape, (axis,) = (mesh.size, *values.shape), mesh.axis_names

    def row(at: Any) -> NDArray[np.int32]:
        first, _, _ = at[0].indices(mesh.size)
        return (values if first == mine[0] else np.zeros_like(values))[None].astype(np.int32)

    rows = jax.make_array_from_callback(shape, NamedSharding(mesh, PartitionSpec(axis)), row)
    total = jax.jit(lambda rows: rows.sum(axis=0), out_shardings=NamedSharding(mesh, PartitionSpec()))(rows)
    return np.asarray(total, np.int64)


def on_host(values: Array) -> NDArray[np.float32]:
    """All of an array that lies on the devices of all processes; each of them has to call it."""
    if values.is_fully_replicated:
        return np.asarray(values)
    return np.asarray(multihost_utils.process_allgather(values, tiled=True))
