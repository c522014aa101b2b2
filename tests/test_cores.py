"""How many cores are used: what is asked for, all of them, or an error that says what to give."""

import os
from typing import Any

import numpy as np
import pytest

import learn2search as l2s
from learn2search.cores import core_count


def test_none_should_be_all_cores_and_numbers_be_kept() -> None:
    assert core_count(None, "workers") == os.cpu_count()
    assert core_count(3, "workers") == core_count(int(np.int64(3)), "workers") == 3


@pytest.mark.parametrize("wanted", [-1, 0, 2.5, True, "all"])
def test_other_numbers_should_be_refused(wanted: Any) -> None:
    with pytest.raises(ValueError, match="workers must be a whole number from 1, or None for all [0-9]+ cores, got "):
        core_count(wanted, "workers")


def test_options_should_say_so() -> None:
    line = l2s.Embedding([[0.0], [1.0], [2.0]])
    oracle = l2s.ProbitOracle(line, noise=0.1, seed=0)
    with pytest.raises(ValueError, match="workers must be .* got -1"):
        l2s.simulate("sampled", line, oracle, [0], workers=-1)
    with pytest.raises(ValueError, match="workers must be .* got -1"):
        l2s.run_many(len, {}, "nowhere", workers=-1)
    with pytest.raises(ValueError, match="threads must be .* got -1"):
        l2s.tune([(0, 1, 2)], threads=-1)
