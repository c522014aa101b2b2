"""GaussEmbed's objective in JAX: the way to GPUs, and the autodiff oracle for the compiled slopes.

Needs NumPy, SciPy and JAX only, so it also runs where numba is missing. `log_likelihood` and `objective` are the
differentiable functions (`elbo.py`), `optimize` fits on one device or several and returns `Fitted`
(`optimizer.py`), from `spectral_start` where items are many (`spectral.py`). `fit_parquet` does so over several
processes that each read their share of the triplets (`parquet_fit.py`, `parquet_rows.py`, `checkpoint.py`), after
`connect_hosts` (`hosts.py`). JAX is imported with the first use of one of these. `choose_devices` needs no JAX.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jax

    from learn2search.embed._jax.elbo import log_likelihood, objective
    from learn2search.embed._jax.hosts import HostLost, connect_hosts
    from learn2search.embed._jax.optimizer import Fitted, optimize
    from learn2search.embed._jax.parquet_fit import ParquetFit, fit_parquet
    from learn2search.embed._jax.spectral import spectral_start

__all__ = [
    "Fitted",
    "HostLost",
    "ParquetFit",
    "choose_devices",
    "connect_hosts",
    "fit_parquet",
    "log_likelihood",
    "objective",
    "optimize",
    "spectral_start",
]

_MODULE_OF = {
    "Fitted": "optimizer",
    "optimize": "optimizer",
    "HostLost": "hosts",
    "connect_hosts": "hosts",
    "ParquetFit": "parquet_fit",
    "fit_parquet": "parquet_fit",
    "log_likelihood": "elbo",
    "objective": "elbo",
    "spectral_start": "spectral",
}
_INSTALL = 'pip install "learn2search[jax]", for an NVIDIA GPU with "jax[cuda13]" after it'


def choose_devices(device: str) -> "list[jax.Device] | None":
    """The devices to fit on.

    Parameters
    ----------
    device : {"auto", "cpu", "gpu"}
        "cpu": the compiled path. "gpu": all GPUs of this machine. "auto": the GPUs if there are any, else the compiled
        path.

    Returns
    -------
    list of jax.Device or None
        None is the compiled path on the CPU.

    Raises
    ------
    ValueError
        If the name is unknown.
    RuntimeError
        If "gpu" is asked for and there is none; the message says what is missing.

    Examples
    --------
    >>> from learn2search import accelerated
    >>> accelerated.choose_devices("cpu") is None
    True
    """
    if device not in ("auto", "cpu", "gpu"):
        raise ValueError(f'device must be "auto", "cpu" or "gpu", got {device!r}')
    if device == "cpu":
        return None
    gpus = _gpus()
    if device == "gpu" and not gpus:
        why = "JAX sees none here" if find_spec("jax") else "JAX is not installed"
        raise RuntimeError(f'device="gpu" needs a GPU, but {why}: {_INSTALL}, or use device="auto"')
    return gpus or None


def _gpus() -> "list[jax.Device]":
    """GPUs come to JAX as plug-ins: where there is none, importing JAX (a second) would be in vain."""
    if not (find_spec("jax") and find_spec("jax_plugins")):
        return []
    import jax

    try:
        return list(jax.local_devices(backend="gpu"))
    except RuntimeError:
        return []


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"learn2search.embed._jax.{_MODULE_OF[name]}"), name)
    except ModuleNotFoundError as missing:
        raise ImportError(f"{name} needs {missing.name}: {_INSTALL}") from missing
