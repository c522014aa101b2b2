"""Search by comparison: find a thing you can recognise but not describe."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learn2search import metrics, triplets
    from learn2search.click import click_probabilities
    from learn2search.comparison import (
        answer_probabilities,
        calibrate_noise,
        choice_probability,
        fit_scale,
        flip_rate,
        hyperplane,
        margin,
        random_margins,
    )
    from learn2search.datasets.download import DataUnavailable
    from learn2search.datasets.food import fetch_food
    from learn2search.datasets.music_artists import fetch_music_artists
    from learn2search.datasets.music_origin import fetch_music_origin
    from learn2search.datasets.red_wine import fetch_red_wine
    from learn2search.datasets.synthetic import make_triplets
    from learn2search.embed import _jax as accelerated
    from learn2search.embed.dimension import DimensionCurve, choose_dimension, dimension_curve, energy_dimension
    from learn2search.embed.fit_loop import FitWarning
    from learn2search.embed.gauss_embed import GaussEmbed
    from learn2search.embed.methods import register_embedding
    from learn2search.embed.online import online_step
    from learn2search.embed.point import CKL, TSTE
    from learn2search.embed.questions import next_triplets
    from learn2search.embed.tune import tune
    from learn2search.embedding import Embedding
    from learn2search.getting_ready import warm_up
    from learn2search.learn.evidence import Crowd, SearchWeights, weigh_and_fit, weigh_searches
    from learn2search.learn.growth import GrowthCurve, growth_curve, simulate_growth
    from learn2search.learn.loop import Episode, Learner, learn2search
    from learn2search.learn.many import run_many
    from learn2search.learn.noise_fit import NoiseFit, fit_noise
    from learn2search.learn.recipe import Recipe
    from learn2search.nearest import Nearest
    from learn2search.normal_tails import hazard, log_ndtr
    from learn2search.oracle import Oracle, ProbitOracle
    from learn2search.plots import plot_calibration, plot_dimension, plot_learning, plot_map
    from learn2search.search.base import Search
    from learn2search.search.gauss_search import Belief, GaussSearch
    from learn2search.search.noise_check import NoiseWarning
    from learn2search.search.posterior import PosteriorSearch
    from learn2search.search.simulate import Run, calibrate_on_policy, simulate
    from learn2search.search.stored_search import Step
    from learn2search.search.strategies import make_search, register_strategy, strategy_names
    from learn2search.search.trust import fit_trust, temper_belief
    from learn2search.table_oracle import TableOracle
    from learn2search.triplet_data import TripletData
    from learn2search.triplet_files import read_triplets, write_triplets

    __version__: str

__all__ = [
    "CKL",
    "TSTE",
    "Belief",
    "Crowd",
    "DataUnavailable",
    "DimensionCurve",
    "Embedding",
    "Episode",
    "FitWarning",
    "GaussEmbed",
    "GaussSearch",
    "GrowthCurve",
    "Learner",
    "Nearest",
    "NoiseFit",
    "NoiseWarning",
    "Oracle",
    "PosteriorSearch",
    "ProbitOracle",
    "Recipe",
    "Run",
    "Search",
    "SearchWeights",
    "Step",
    "TableOracle",
    "TripletData",
    "__version__",
    "accelerated",
    "answer_probabilities",
    "calibrate_noise",
    "calibrate_on_policy",
    "choice_probability",
    "choose_dimension",
    "click_probabilities",
    "dimension_curve",
    "energy_dimension",
    "fetch_food",
    "fetch_music_artists",
    "fetch_music_origin",
    "fetch_red_wine",
    "fit_noise",
    "fit_scale",
    "fit_trust",
    "flip_rate",
    "growth_curve",
    "hazard",
    "hyperplane",
    "learn2search",
    "log_ndtr",
    "make_search",
    "make_triplets",
    "margin",
    "metrics",
    "next_triplets",
    "online_step",
    "plot_calibration",
    "plot_dimension",
    "plot_learning",
    "plot_map",
    "random_margins",
    "read_triplets",
    "register_embedding",
    "register_strategy",
    "run_many",
    "simulate",
    "simulate_growth",
    "strategy_names",
    "temper_belief",
    "triplets",
    "tune",
    "warm_up",
    "weigh_and_fit",
    "weigh_searches",
    "write_triplets",
]

# Names are imported when they are first used: `learn2search --help` need not wait for numba.
_HOME = {
    "datasets.download": ("DataUnavailable",),
    "datasets.food": ("fetch_food",),
    "datasets.music_artists": ("fetch_music_artists",),
    "datasets.music_origin": ("fetch_music_origin",),
    "datasets.red_wine": ("fetch_red_wine",),
    "datasets.synthetic": ("make_triplets",),
    "embed.dimension": ("DimensionCurve", "choose_dimension", "dimension_curve", "energy_dimension"),
    "embed.gauss_embed": ("GaussEmbed",),
    "embed.methods": ("register_embedding",),
    "embed.point": ("CKL", "TSTE"),
    "embed.fit_loop": ("FitWarning",),
    "embed.online": ("online_step",),
    "embed.questions": ("next_triplets",),
    "embed.tune": ("tune",),
    "embedding": ("Embedding",),
    "getting_ready": ("warm_up",),
    "learn.evidence": ("Crowd", "SearchWeights", "weigh_and_fit", "weigh_searches"),
    "learn.growth": ("GrowthCurve", "growth_curve", "simulate_growth"),
    "learn.loop": ("Episode", "Learner", "learn2search"),
    "learn.many": ("run_many",),
    "learn.noise_fit": ("NoiseFit", "fit_noise"),
    "learn.recipe": ("Recipe",),
    "nearest": ("Nearest",),
    "normal_tails": ("hazard", "log_ndtr"),
    "oracle": ("Oracle", "ProbitOracle"),
    "plots": ("plot_calibration", "plot_dimension", "plot_learning", "plot_map"),
    "click": ("click_probabilities",),
    "comparison": (
        *("answer_probabilities", "calibrate_noise", "choice_probability", "fit_scale"),
        *("flip_rate", "hyperplane", "margin", "random_margins"),
    ),
    "search.gauss_search": ("Belief", "GaussSearch"),
    "search.noise_check": ("NoiseWarning",),
    "search.posterior": ("PosteriorSearch",),
    "search.base": ("Search",),
    "search.simulate": ("Run", "calibrate_on_policy", "simulate"),
    "search.stored_search": ("Step",),
    "search.strategies": ("make_search", "register_strategy", "strategy_names"),
    "search.trust": ("fit_trust", "temper_belief"),
    "table_oracle": ("TableOracle",),
    "triplet_data": ("TripletData",),
    "triplet_files": ("read_triplets", "write_triplets"),
}
_MODULES = {"accelerated": "embed._jax", "metrics": "metrics", "triplets": "triplets"}  # public as a whole
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":  # read when asked for: the sources also run where the package is not installed
        return import_module("importlib.metadata").version("learn2search")
    if name in _MODULES:
        return import_module(f"learn2search.{_MODULES[name]}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'learn2search' has no attribute {name!r}")
    return getattr(import_module(f"learn2search.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
