"""Simulation: the same searches as step by step, on any number of threads."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

import learn2search as l2s
from learn2search.search.posterior import RULES
from learn2search.streams import stream_keys

FEATURES = np.random.default_rng(0).random((120, 4))
SPACE = l2s.Embedding(FEATURES)
UNCERTAIN = l2s.Embedding(FEATURES, np.full(FEATURES.shape, 0.01))
TARGETS = np.random.default_rng(1).integers(0, 120, 60)


def oracle(**options: Any) -> l2s.ProbitOracle:
    return l2s.ProbitOracle(FEATURES, 0.1, seed=5, **options)


def in_python(strategy: str) -> Any:
    """The same strategy, but one that the compiled loop cannot run: a subclass may have changed a step."""
    kind = type(l2s.make_search(strategy, SPACE, 0.1))
    changed = type(f"{kind.__name__}InPython", (kind,), {"start": lambda self: kind.start(self)})
    return partial(changed, rule=strategy) if strategy in RULES else changed


@pytest.mark.parametrize("strategy", ["gauss", "sampled", "ig", "eff", "random"])
@pytest.mark.parametrize(("k", "stop"), [(2, "shown"), (4, "shown"), (2, "mode")])
def test_compiled_and_interactive_searches_should_be_the_same(strategy: str, k: int, stop: str) -> None:
    people = oracle(undecided=0.01, lapse=0.05)
    run = l2s.simulate(strategy, SPACE, people, TARGETS[:12], k=k, stop=stop, seed=9, keep_logs=True)
    keys = stream_keys(9, 12)
    for number, target in enumerate(TARGETS[:12]):
        visitor = people.visitor(number)
        search = l2s.make_search(strategy, SPACE, 0.1, stop=stop)
        search.restart(keys[number])
        for step in run.logs[number]:
            query = search.ask(min(k, search.left))
            assert query == step.query
            search.tell(visitor.choose(query, int(target)))
            assert search.log[-1] == step
        if stop == "shown":
            assert target in run.logs[number][-1].query
        else:
            assert search.top(1)[0][0] == target


@pytest.mark.parametrize("strategy", ["gauss", "sampled", "ig", "eff", "random"])
@pytest.mark.parametrize("space", ["exact", "uncertain", "twins"])
@pytest.mark.parametrize(("k", "stop", "reuse"), [(2, "shown", False), (2, "mode", True), (3, "mode", False)])
def test_the_compiled_and_the_plain_loop_should_be_the_same_step_by_step(
    strategy: str, space: str, k: int, stop: str, reuse: bool
) -> None:
    features = FEATURES[:40] if space != "twins" else np.repeat(FEATURES[:20], 2, axis=0)
    embedding = l2s.Embedding(features, np.full(features.shape, 0.01) if space == "uncertain" else None)
    people = l2s.ProbitOracle(features, 0.1, seed=5, undecided=0.01, lapse=0.05)
    options: dict[str, Any] = {"k": k, "stop": stop, "reuse": reuse, "max_queries": 25, "seed": 9, "keep_logs": True}
    fast = l2s.simulate(strategy, embedding, people, np.arange(0, 40, 3), **options)
    plain = l2s.simulate(in_python(strategy), embedding, people, np.arange(0, 40, 3), **options)
    assert plain.logs == fast.logs
    np.testing.assert_array_equal(plain.costs, fast.costs)
    np.testing.assert_array_equal(plain.found, fast.found)
    assert plain.flip_rate == pytest.approx(fast.flip_rate, abs=1e-12)


def test_both_loops_should_expect_the_same_lapses() -> None:
    options: dict[str, Any] = {"k": 3, "seed": 9, "keep_logs": True}
    fast, plain, without = (
        l2s.simulate(strategy, SPACE, oracle(lapse=0.2), TARGETS[:6], **options, lapse=lapse).logs
        for strategy, lapse in (("sampled", 0.2), (in_python("sampled"), 0.2), ("sampled", 0.0))
    )
    assert fast == plain
    assert fast != without


@pytest.mark.parametrize("max_queries", [3, None])
def test_both_loops_should_show_the_rest_one_by_one(max_queries: int | None) -> None:
    features = np.concatenate([np.zeros((9, 2)), FEATURES[:4, :2] + 1])
    people, targets = l2s.ProbitOracle(features, 0.5, seed=1), np.arange(13)
    for strategy in ("gauss", "random"):
        fast, plain = (
            l2s.simulate(one, l2s.Embedding(features), people, targets, max_queries=max_queries, keep_logs=True)
            for one in (strategy, in_python(strategy))
        )
        assert plain.logs == fast.logs
        np.testing.assert_array_equal(plain.costs, fast.costs)
        np.testing.assert_array_equal(plain.found, fast.found)
        assert fast.costs.max() == max_queries or fast.costs.max() > len(max(fast.logs, key=len))


@pytest.mark.parametrize("space", [SPACE, UNCERTAIN], ids=["exact", "uncertain"])
@pytest.mark.parametrize("strategy", ["gauss", "sampled"])
def test_results_should_not_depend_on_the_number_of_threads(strategy: str, space: l2s.Embedding) -> None:
    runs = [l2s.simulate(strategy, space, oracle(), TARGETS, seed=2, workers=workers) for workers in (1, 2, 7)]
    logged = l2s.simulate(strategy, space, oracle(), TARGETS, seed=2, keep_logs=True)
    for run in (*runs[1:], logged):
        np.testing.assert_array_equal(run.costs, runs[0].costs)
        assert math.isclose(run.flip_rate, runs[0].flip_rate)
    assert not np.array_equal(l2s.simulate(strategy, space, oracle(), TARGETS, seed=3).costs, runs[0].costs)


def test_an_oracle_of_ones_own_should_be_asked() -> None:
    class Nearest:
        def choose(self, query: Sequence[int], target: int) -> int | None:
            return min(query, key=lambda item: np.linalg.norm(FEATURES[item] - FEATURES[target]))

    run = l2s.simulate("sampled", SPACE, Nearest(), TARGETS, noise=0.02, seed=0)
    assert run.found.all()
    assert run.mean < 7
    with pytest.raises(ValueError, match="noise= is needed"):
        l2s.simulate("sampled", SPACE, Nearest(), TARGETS)


def test_an_oracle_that_never_answers_should_not_hang_the_search() -> None:
    class Silent:
        def choose(self, query: Sequence[int], target: int) -> int | None:
            return None

    run = l2s.simulate("gauss", SPACE, Silent(), TARGETS[:5], noise=0.1)
    assert run.found.all()
    assert run.costs.max() <= 60


def test_an_oracle_that_answers_with_an_item_not_shown_should_be_named() -> None:
    class Wrong:
        def choose(self, query: Sequence[int], target: int) -> int | None:
            return 119 if 119 not in query else 118

    with pytest.raises(ValueError, match="was not shown"):
        l2s.simulate("gauss", SPACE, Wrong(), [0], noise=0.1)


@pytest.mark.parametrize("strategy", ["gauss", "sampled", "random"])
@pytest.mark.parametrize("k", [2, 5, 12])
def test_every_target_should_be_found_before_the_items_run_out(strategy: str, k: int) -> None:
    """Even by a person who only guesses; with 120 items the last question may be smaller than k."""
    guessing = l2s.ProbitOracle(FEATURES, 0.1, seed=5, lapse=1.0)
    run = l2s.simulate(strategy, SPACE, guessing, np.arange(120), k=k, seed=0)
    assert run.found.all()
    assert run.costs.max() <= math.ceil(120 / k)
    assert run.costs.min() >= 1


@pytest.mark.parametrize("strategy", ["gauss", "sampled"])
def test_duplicates_should_be_found_too(strategy: str) -> None:
    features = np.repeat(FEATURES[:10], 3, axis=0)
    run = l2s.simulate(
        strategy, l2s.Embedding(features), l2s.ProbitOracle(features, 0.1, seed=1), np.arange(30), seed=0
    )
    assert run.found.all()
    assert run.costs.max() <= 30


def test_a_search_should_stop_at_max_queries() -> None:
    run = l2s.simulate("random", SPACE, oracle(), TARGETS, max_queries=2, seed=0)
    assert run.costs.max() == 2
    assert not run.found.all()


def test_random_search_should_cost_what_theory_says() -> None:
    """Pairs without repetition show the target after (n/2 + 1)/2 questions on average."""
    run = l2s.simulate("random", SPACE, oracle(), np.arange(120).repeat(20), seed=0)
    assert abs(run.mean - 30.5) < 4 * math.sqrt((60**2 - 1) / 12 / 2400)


@pytest.mark.heavy
def test_strategies_should_rank_as_in_the_paper() -> None:
    """Figure 1a at n = 120: IG best, then Eff, GaussSearch, and Rand last; ours beside IG."""
    targets = np.arange(120).repeat(5)
    cost = {
        name: l2s.simulate(name, SPACE, oracle(), targets, stop="mode", seed=1)
        for name in ("ig", "sampled", "eff", "gauss", "random")
    }
    assert cost["ig"].mean < cost["eff"].mean < cost["random"].mean
    assert cost["ig"].mean < cost["gauss"].mean < cost["random"].mean
    error = math.hypot(cost["ig"].standard_error, cost["sampled"].standard_error)
    assert cost["sampled"].mean < 1.05 * cost["ig"].mean + 2 * error


def test_noise_should_be_calibrated_on_the_pairs_that_are_asked() -> None:
    noise = l2s.calibrate_on_policy("gauss", SPACE, 0.1, n_searches=600, seed=0)
    run = l2s.simulate("gauss", SPACE, l2s.ProbitOracle(FEATURES, noise, seed=77), np.arange(120).repeat(10), seed=78)
    assert abs(run.flip_rate - 0.1) < 0.01
    with pytest.raises(ValueError, match="between 0 and 0.5"):
        l2s.calibrate_on_policy("gauss", SPACE, 0.6)


def test_the_flip_rate_should_be_the_share_of_wrong_answers() -> None:
    run = l2s.simulate("gauss", SPACE, oracle(), np.arange(120).repeat(10), seed=3, keep_logs=True)
    wrong, asked = 0, 0
    for target, log in zip(run.targets, run.logs, strict=True):
        for (i, j), chosen in log:
            nearer = i if l2s.margin(FEATURES[i], FEATURES[j], FEATURES[target]) > 0 else j
            wrong += chosen != nearer
            asked += 1
    assert abs(wrong / asked - run.flip_rate) < 4 * math.sqrt(0.1 / asked)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("keep_logs", [False, True])
def test_the_flip_rate_should_be_of_those_who_can_tell(k: int, keep_logs: bool) -> None:
    person = l2s.ProbitOracle(FEATURES, 0.15, seed=5, undecided=0.2, lapse=0.05)
    told = l2s.simulate("gauss", SPACE, person, np.arange(120).repeat(10), k=k, seed=3, keep_logs=True)
    answers = [
        (int(np.argmin(((FEATURES[list(query)] - FEATURES[target]) ** 2).sum(axis=1))), query, chosen)
        for target, log in zip(told.targets, told.logs, strict=True)
        for query, chosen in log
        if chosen is not None
    ]
    wrong = np.mean([query[nearest] != chosen for nearest, query, chosen in answers])
    run = l2s.simulate("gauss", SPACE, person, np.arange(120).repeat(10), k=k, seed=3, keep_logs=keep_logs)
    assert abs(wrong - run.flip_rate) < 4 * math.sqrt(wrong / len(answers)) + 1e-9


def test_calibration_should_repeat_with_the_same_seed() -> None:
    seed = np.random.SeedSequence(5)
    found = [l2s.calibrate_on_policy("gauss", SPACE, n_searches=20, seed=seed) for _ in range(2)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([3, 120], "target 120 is unknown: the items are 0..119"),
        ([-1], "target -1 is unknown"),
        ([], "targets must be a list of items"),
        ([1.5], "targets must be a list of items"),
    ],
)
def test_unknown_targets_should_be_refused(targets: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        l2s.simulate("gauss", SPACE, oracle(), targets)


def test_an_oracle_of_another_collection_should_be_refused() -> None:
    with pytest.raises(ValueError, match="the oracle knows 50 items, the embedding has 120"):
        l2s.simulate("gauss", SPACE, l2s.ProbitOracle(FEATURES[:50], 0.1), [3])
    with pytest.raises(ValueError, match="2 to 12 items"):
        l2s.simulate("gauss", SPACE, oracle(), [3], k=13)


def test_progress_should_be_shown_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then draws as if on a terminal
    l2s.simulate("random", SPACE, oracle(), TARGETS, progress=True)
    assert "searching" in capsys.readouterr().err


def test_wrong_answers_should_be_counted_for_four_pictures_and_for_lapses() -> None:
    four = l2s.simulate("gauss", SPACE, oracle(), np.arange(120).repeat(4), k=4, seed=1)
    assert 0.02 < four.flip_rate < 0.4
    guessing = l2s.simulate("gauss", SPACE, oracle(lapse=1.0), TARGETS, seed=1)
    assert guessing.flip_rate == pytest.approx(0.5)


def test_only_questions_should_be_counted_when_the_rest_is_shown_one_by_one() -> None:
    features = np.concatenate([np.zeros((25, 2)), np.random.default_rng(0).random((5, 2)) + 1])
    space, people = l2s.Embedding(features), l2s.ProbitOracle(features, 0.5, seed=1)
    targets = np.arange(30).repeat(10)
    runs = [l2s.simulate("gauss", space, people, targets, seed=0, workers=w) for w in (1, 3, 25)]
    assert runs[0].flip_rate == runs[1].flip_rate == runs[2].flip_rate
    logged = l2s.simulate("gauss", space, people, targets, seed=0, keep_logs=True)
    assert all(len(log) <= 5 for log in logged.logs)
    np.testing.assert_array_equal(logged.costs, runs[0].costs)


def test_max_queries_should_be_a_limit() -> None:
    features = np.zeros((100, 1))
    features[-1] = 1
    people = l2s.ProbitOracle(features, 0.1, seed=1)
    run = l2s.simulate("gauss", l2s.Embedding(features), people, np.arange(100), max_queries=3, seed=0)
    assert run.costs.max() == 3
    assert not run.found.all()
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="max_queries must be 1 or more"):
            l2s.simulate("gauss", SPACE, oracle(), [3], max_queries=wrong)


def test_twins_should_be_found_as_the_mode_by_an_oracle_of_ones_own() -> None:
    features = np.repeat(FEATURES[:6], 2, axis=0)

    class Nearest:
        def choose(self, query: Sequence[int], target: int) -> int | None:
            return min(query, key=lambda item: np.linalg.norm(features[item] - features[target]))

    run = l2s.simulate(
        "sampled", l2s.Embedding(features), Nearest(), np.arange(12), noise=0.1, stop="mode", max_queries=300
    )
    assert run.found.all()


def test_calibration_should_leave_its_first_guess_when_it_must() -> None:
    line = l2s.Embedding(np.random.default_rng(0).random((5000, 1)))
    noise = l2s.calibrate_on_policy("gauss", line, 0.1, n_searches=100, seed=np.random.default_rng(1))
    run = l2s.simulate("gauss", line, l2s.ProbitOracle(line.mean, noise, seed=8), np.arange(0, 5000, 20), seed=9)
    assert abs(run.flip_rate - 0.1) < 0.03
