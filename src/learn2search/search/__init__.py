"""Search strategies: what to ask next, and what an answer means."""

from learn2search.search.gauss import Belief, GaussSearch
from learn2search.search.posterior import PosteriorSearch
from learn2search.search.protocol import Search, Step
from learn2search.search.simulate import Run, calibrate_on_policy, make_search, simulate

__all__ = [
    "Belief",
    "GaussSearch",
    "PosteriorSearch",
    "Run",
    "Search",
    "Step",
    "calibrate_on_policy",
    "make_search",
    "simulate",
]
