"""Between epochs: early ends, divergence, interruption, progress."""

import signal
from typing import Any

import numpy as np
import pytest

import learn2search as l2s
from learn2search.embed import fit_loop
from learn2search.embed._numba import kernels
from learn2search.embed._numba.kernels import State
from learn2search.typing import Array32, Triplets

Estimator = Any  # a class: GaussEmbed, TSTE or CKL

KINDS = [l2s.GaussEmbed, l2s.TSTE, l2s.CKL]


@pytest.fixture(scope="module")
def triplets() -> Triplets:
    features = np.random.default_rng(0).normal(size=(60, 3)) * 2.0
    return l2s.make_triplets(l2s.ProbitOracle(features, 1.5, seed=1), 60, 3000, seed=2)


def test_held_out_rows_should_be_whole_groups(triplets: Triplets) -> None:
    rows, groups = np.arange(3 * 700).reshape(-1, 3), np.arange(700) // 7
    train, held_out = fit_loop.hold_out(fit_loop.unweighted(rows), 0.2, groups, 0)
    assert not {row[0] // 21 for row in train.rows.tolist()} & {row[0] // 21 for row in held_out.tolist()}
    assert len(held_out) == pytest.approx(140, abs=7)
    whole, nothing = fit_loop.hold_out(fit_loop.unweighted(triplets), 0.0, None, 0)
    assert nothing is None
    assert len(whole.rows) == len(whole.weights) == 3000


@pytest.mark.parametrize("kind", KINDS)
def test_it_should_stop_early_and_keep_the_best_epoch(triplets: Triplets, kind: Estimator) -> None:
    """Ten axes for 1,000 noisy triplets of 60 items: the longer the fit, the more is learnt by heart."""
    rows, groups = triplets[:1000], np.arange(1000)
    options = {"learning_rate": 0.2, "epochs": 200, "random_state": 0}
    early = kind(10, validation_fraction=0.2, patience=8, **options).fit(rows, groups=groups)
    train, held_out = fit_loop.hold_out(fit_loop.unweighted(rows), 0.2, groups, fit_loop.seeds(0, 3)[0])
    result = kind(10, learning_rate=0.2, epochs=200, random_state=0).fit(train.rows, n_items=60)
    assert early.epochs_ < result.epochs_ == 200
    patient = kind(10, validation_fraction=0.2, patience=200, **options).fit(rows, groups=groups)
    assert patient.log_likelihood(held_out) > result.log_likelihood(held_out)


@pytest.mark.parametrize("kind", KINDS)
def test_a_diverging_fit_should_say_so_and_keep_the_best_it_had(triplets: Triplets, kind: Estimator) -> None:
    model = kind(3, learning_rate=1e6, random_state=0)
    with pytest.warns(l2s.FitWarning, match="the fit diverged in epoch 1 of .*; the start is kept: try a smaller"):
        model.fit(triplets)
    assert np.isfinite(model.embedding_).all()
    assert model.epochs_ == 0


def test_divergence_on_the_way_should_keep_what_was_reached(
    triplets: Triplets, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = kernels.run_epoch

    def breaks_in_the_third(rows: Triplets, weights: Array32, state: State, *others: Any) -> None:
        good(rows, weights, state, *others)
        epoch = others[-1]
        if epoch == 2:
            state.nu[5] = np.nan

    expected = l2s.GaussEmbed(3, epochs=3, random_state=0)
    monkeypatch.setattr(fit_loop, "run_epoch", breaks_in_the_third)
    with pytest.warns(l2s.FitWarning, match="epoch 3 of 3; what epoch 2 had result is kept"):
        expected.fit(triplets)
    assert expected.epochs_ == 2
    assert np.isfinite(expected.embedding_).all()


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_should_leave_a_usable_estimator(
    triplets: Triplets, kind: Estimator, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = kernels.run_epoch

    def interrupted_in_the_sixth(rows: Triplets, weights: Array32, state: State, *others: Any) -> None:
        good(rows, weights, state, *others)
        epoch = others[-1]
        if epoch == 5:
            signal.raise_signal(signal.SIGINT)  # Ctrl-C

    monkeypatch.setattr(fit_loop, "run_epoch", interrupted_in_the_sixth)
    model = kind(3, epochs=10, random_state=0)
    with pytest.raises(KeyboardInterrupt, match="interrupted after epoch 5: the estimator is usable"):
        model.fit(triplets)
    assert model.epochs_ == 5
    assert model.score(triplets) > 0.5


def test_an_interrupt_of_an_automatic_fit_should_leave_a_usable_estimator(
    triplets: Triplets, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, fits = kernels.run_epoch, []

    def interrupted_in_the_second_fit(rows: Triplets, weights: Array32, state: State, *others: Any) -> None:
        good(rows, weights, state, *others)
        epoch = others[-1]
        fits.append(epoch)
        if fits.count(0) == 2 and epoch == 1:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(fit_loop, "run_epoch", interrupted_in_the_second_fit)
    model = l2s.GaussEmbed("auto", epochs=3, random_state=0)
    with pytest.raises(KeyboardInterrupt, match="the estimator is usable"):
        model.fit(triplets)
    assert model.score(triplets) > 0.5


def test_progress_should_show_the_held_out_likelihood(triplets: Triplets, capsys: pytest.CaptureFixture[str]) -> None:
    model = l2s.GaussEmbed(2, epochs=3, validation_fraction=0.2, verbose=True, random_state=0)
    model.fit(triplets, groups=np.arange(3000))
    shown = capsys.readouterr()
    assert "3/3" in shown.err
    assert "held-out log-likelihood -0." in shown.err
    assert shown.out == ""
    l2s.TSTE(2, epochs=2, verbose=True).fit(triplets)
    assert "training log-likelihood" in capsys.readouterr().err
