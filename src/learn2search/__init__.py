"""Search by comparison: find a thing you can recognise but not describe."""

from importlib.metadata import version

from learn2search.embedding import Embedding
from learn2search.nearest import Nearest
from learn2search.oracle import Oracle, ProbitOracle
from learn2search.probit import (
    calibrate_noise,
    choice_probability,
    flip_rate,
    hazard,
    hyperplane,
    log_ndtr,
    margin,
    random_margins,
)
from learn2search.search import (
    Belief,
    GaussSearch,
    PosteriorSearch,
    Run,
    Search,
    Step,
    calibrate_on_policy,
    make_search,
    simulate,
)

__version__ = version("learn2search")

__all__ = [
    "Belief",
    "Embedding",
    "GaussSearch",
    "Nearest",
    "Oracle",
    "PosteriorSearch",
    "ProbitOracle",
    "Run",
    "Search",
    "Step",
    "__version__",
    "calibrate_noise",
    "calibrate_on_policy",
    "choice_probability",
    "flip_rate",
    "hazard",
    "hyperplane",
    "log_ndtr",
    "make_search",
    "margin",
    "random_margins",
    "simulate",
]
