"""The learning policy: each decision by itself."""

import numpy as np
import pytest

import learn2search as l2s
from learn2search import comparison
from learn2search.learn import policy
from learn2search.learn.before_answers import first_positions, on_axes, placed_like
from learn2search.learn.judging import is_accepted, lapse_in, trust_in
from learn2search.learn.learnt import Attempt, Evaluation, Learnt, Lessons
from learn2search.learn.recipe import make_recipe
from learn2search.typing import Triplets

FEATURES = np.random.default_rng(3).normal(size=(40, 2))
SEED = np.random.SeedSequence(5)


def lessons(count: int = 40, per_lesson: int = 5) -> Lessons:
    """Noiseless triplets about FEATURES, `per_lesson` of them a lesson."""
    drawn = np.random.default_rng(0).integers(0, 40, (4 * count * per_lesson, 3))
    rows = l2s.triplets.drop_degenerate(drawn)[: count * per_lesson]
    anchor, one, other = (FEATURES[column] for column in rows.T)
    wrong = ((anchor - one) ** 2).sum(axis=1) > ((anchor - other) ** 2).sum(axis=1)
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    return Lessons(rows, np.repeat(np.arange(1, count + 1), per_lesson))


# --- when ------------------------------------------------------------------------------------------


def refits(recipe: l2s.Recipe, searches: int, per_search: int = 10) -> list[int]:
    last: Attempt | None = None
    found = []
    for number in range(1, searches + 1):
        if policy.fit_is_due(recipe, number, per_search * number, last):
            last = Attempt(number, per_search * number, True)
            found.append(number)
    return found


def test_the_paper_should_refit_at_powers_of_two() -> None:
    assert refits(make_recipe("paper"), 9000) == [2**power for power in range(14)]


def test_a_factor_should_refit_when_searches_grew_by_it() -> None:
    assert refits(make_recipe("best"), 30) == [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27]


def test_a_factor_should_refit_when_triplets_grew_by_it() -> None:
    assert refits(make_recipe("best", refit=2, refit_by="triplets"), 20) == [1, 2, 4, 8, 16]


def test_any_schedule_can_be_given() -> None:
    assert refits(make_recipe("best", refit=[3, 7]), 20) == [3, 7]


def test_nothing_should_be_fitted_without_triplets() -> None:
    assert not policy.fit_is_due(make_recipe("best"), 10, 0, None)


def test_a_fit_that_was_not_used_should_be_tried_again_sooner() -> None:
    recipe = make_recipe("best", k=4)
    for accepted, expected in ((True, 1300), (False, 1100)):
        due = [count for count in range(1001, 1500) if policy.fit_is_due(recipe, 9, count, Attempt(9, 1000, accepted))]
        assert due[0] == expected


def test_a_doubling_that_was_passed_should_count() -> None:
    """Where searches come several at a time, none may stand exactly at a power of two."""
    paper = make_recipe("paper")
    assert policy.fit_is_due(paper, 9, 100, Attempt(7, 80, True))
    assert not policy.fit_is_due(paper, 15, 150, Attempt(9, 100, True))


# --- while answers are scarce ----------------------------------------------------------------------


def test_scarce_answers_should_be_fitted_all_from_scratch_and_often() -> None:
    recipe = make_recipe("best", scarce_below=8.0)
    scarce = policy.while_scarce(recipe, 799, 100)
    assert (scarce.held_out, scarce.warm_from, scarce.refit) == (0.0, np.inf, 1.1)
    assert policy.last_lesson_to_fit(scarce, lessons(), 0, has_features=False) == 40
    assert not policy.starts_warm(scarce, first_positions(100, 2)._replace(is_taught=True), 799, 2)


def test_the_scarcest_answers_should_not_tell_the_prior() -> None:
    recipe = make_recipe("best", scarce_below=8.0)
    assert policy.while_scarce(recipe, 399, 100).prior == policy.EXPECTED_VARIANCE
    assert policy.while_scarce(recipe, 400, 100).prior == recipe.prior


@pytest.mark.parametrize(
    ("recipe", "triplets"),
    [
        (make_recipe("best", scarce_below=8.0), 800),
        (make_recipe("best", scarce_below=8.0), 0),
        (make_recipe("best"), 100),
        (make_recipe("best", scarce_below=8.0, weigh_searches=True), 100),
    ],
)
def test_other_answers_should_be_fitted_as_the_recipe_says(recipe: l2s.Recipe, triplets: int) -> None:
    assert policy.while_scarce(recipe, triplets, 100) is recipe


@pytest.mark.parametrize(("triplets", "epochs"), [(100, 300), (4000, 300), (8000, 150), (12_000, 100), (40_000, 100)])
def test_a_fit_to_scarce_answers_should_take_many_steps(triplets: int, epochs: int) -> None:
    assert policy.while_scarce(make_recipe("best", scarce_below=8.0), triplets, 10_000).epochs == (epochs, 60)


@pytest.mark.parametrize("d", [1, 5, 40])
def test_the_expected_variance_should_flip_the_expected_share_of_answers(d: int) -> None:
    positions = np.random.default_rng(d).normal(scale=np.sqrt(policy.EXPECTED_VARIANCE), size=(20_000, d))
    margins = l2s.random_margins(positions, count=200_000, seed=1)
    assert l2s.flip_rate(margins, noise=1.0) == pytest.approx(comparison.FLIPPED, abs=0.004)


def test_choices_that_are_not_about_growth_should_stay_while_answers_are_scarce() -> None:
    assert policy.while_scarce(make_recipe("best", scarce_below=8.0, refit=[3, 7]), 100, 100).refit == (3, 7)
    assert policy.while_scarce(make_recipe("best", scarce_below=8.0, refit=1.05), 100, 100).refit == 1.05


def first_searches(seed: int) -> tuple[Lessons, Triplets]:
    """12 searches of 75 random questions about 300 items, and random answers to judge by."""
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(300, 5))
    rows = np.array([generator.choice(300, 3, replace=False) for _ in range(12 * 75 + 2000)])
    rows[: 12 * 75, 0] = np.repeat(generator.choice(300, 12, replace=False), 75)
    rows = l2s.triplets.drop_degenerate(rows)
    anchor, one, other = (features[column] for column in rows.T)
    wrong = l2s.margin(one, other, anchor) + 0.4 * generator.standard_normal(len(rows)) < 0
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    return Lessons(rows[:-2000], 1 + np.arange(len(rows) - 2000) // 75), rows[-2000:]


@pytest.mark.heavy
def test_scarce_answers_should_be_predicted_better_by_their_own_rules() -> None:
    """Mean log-likelihood of random answers, in three simulated worlds with 3 triplets an item."""
    recipe, gains = make_recipe("best", scarce_below=8.0, n_components=5), []
    for seed in range(3):
        taught, judges = first_searches(seed)
        now = policy.while_scarce(recipe, len(taught.triplets), 300)
        both = [policy.fit(one, taught, 12, first_positions(300, 5), None, SEED) for one in (recipe, now)]
        before, after = (np.log(l2s.answer_probabilities(made.embedding, judges)).mean() for made in both)
        gains.append(after - before)
    assert np.mean(gains) > 2 * np.std(gains, ddof=1) / np.sqrt(3)
    assert min(gains) > 0


# --- which lessons ---------------------------------------------------------------------------------


def test_the_newest_lessons_should_be_held_out_whole() -> None:
    recipe = make_recipe("best")
    assert policy.last_lesson_to_fit(recipe, lessons(), 0, has_features=False) == 36
    assert policy.last_lesson_to_fit(recipe, lessons(), 38, has_features=False) == 38  # it was fitted before
    assert policy.last_lesson_to_fit(make_recipe("paper"), lessons(), 0, has_features=False) == 40
    assert len(lessons().up_to(36)) == 180
    assert len(lessons().after(36)) == 20


def test_few_lessons_should_all_be_fitted_unless_features_are_to_be_beaten() -> None:
    few = lessons(9)
    assert policy.last_lesson_to_fit(make_recipe("best"), few, 0, has_features=False) == 9
    assert policy.last_lesson_to_fit(make_recipe("best"), few, 0, has_features=True) == 8
    assert policy.last_lesson_to_fit(make_recipe("best"), lessons(1), 0, has_features=True) == 1


@pytest.mark.parametrize(
    ("milliseconds", "reason"),
    [
        ([2000] * 9, None),
        ([2000, 100, 100], "answered too quickly"),
        ([100, 100], None),  # two answers say nothing about a person
        ([], None),
    ],
)
def test_a_search_without_looking_should_be_doubted(milliseconds: list[int], reason: str | None) -> None:
    assert policy.doubt(milliseconds) == reason


# --- from where, and how ---------------------------------------------------------------------------


def test_a_fit_should_begin_where_the_last_one_ended_once_there_is_enough() -> None:
    recipe = make_recipe("best", n_components=2)
    known = first_positions(40, 2)
    assert not policy.starts_warm(recipe, known, 1000, 2)  # nothing has been learnt
    assert policy.starts_warm(recipe, known._replace(is_taught=True), 80, 2)
    assert not policy.starts_warm(recipe, known._replace(is_taught=True), 79, 2)
    assert not policy.starts_warm(recipe, known._replace(is_taught=True), 80, 3)


def test_a_fit_should_predict_what_it_was_not_shown_and_be_used() -> None:
    recipe = make_recipe("best", n_components=2)
    made = policy.attempt(recipe, lessons(200), 180, first_positions(40, 2), None, SEED)
    assert made.accepted
    assert made.evaluation is not None
    assert made.evaluation.compared == 100
    assert made.evaluation.accuracy > 0.85
    assert made.evaluation.before == pytest.approx(np.log(0.5), abs=0.02)
    assert (made.learnt.fitted_up_to, made.learnt.is_taught, made.learnt.online) == (180, True, True)


def test_a_fit_should_be_used_only_if_it_predicts_better() -> None:
    recipe = make_recipe("best")
    better, worse = Evaluation(-0.5, 0.8, -0.6, 20), Evaluation(-0.6, 0.8, -0.5, 20)
    assert is_accepted(recipe, better, unjudged=False)
    assert not is_accepted(recipe, worse, unjudged=True)
    assert is_accepted(recipe, None, unjudged=True)
    assert not is_accepted(recipe, None, unjudged=False)
    assert is_accepted(make_recipe("paper"), None, unjudged=False)


def test_without_held_out_lessons_nothing_should_replace_features_or_a_fit_to_the_same() -> None:
    recipe, few = make_recipe("best", n_components=2), lessons(5)
    nothing = first_positions(40, 2)
    assert policy.attempt(recipe, few, 5, nothing, None, SEED).accepted
    assert not policy.attempt(recipe, few, 5, nothing._replace(fitted_up_to=5), None, SEED).accepted
    known = first_positions(40, 2, FEATURES)
    assert not policy.attempt(recipe, few, 5, known, FEATURES, SEED).accepted


def test_exact_features_should_be_scaled_at_first_and_refined_later() -> None:
    recipe = make_recipe("best", n_components=2)
    known = first_positions(40, 2, FEATURES)
    few = policy.fit(recipe, lessons(40), 40, known, FEATURES, SEED, exact_features=True)
    assert few.embedding.var is None
    np.testing.assert_allclose(few.embedding.mean, few.feature_scale * FEATURES)
    many = policy.fit(recipe, lessons(60), 60, known, FEATURES, SEED, exact_features=True)
    assert many.embedding.var is not None


# --- before any answer -----------------------------------------------------------------------------


def test_unknown_items_should_be_apart_and_always_at_the_same_position() -> None:
    start = first_positions(50, 3)
    assert len(np.unique(start.embedding.mean, axis=0)) == 50
    np.testing.assert_array_equal(first_positions(20, 3).embedding.mean, start.embedding.mean[:20])
    rows = np.random.default_rng(1).integers(0, 50, (5000, 3))
    assert l2s.metrics.accuracy(start.embedding.mean, rows[(rows[:, 1] != rows[:, 2])]) == pytest.approx(0.5, abs=0.03)


def test_items_that_no_triplet_names_should_be_apart_after_a_fit() -> None:
    made = policy.fit(make_recipe("best", n_components=2), lessons(), 40, first_positions(60, 2), None, SEED)
    unseen = made.embedding.mean[40:]
    assert len(np.unique(unseen, axis=0)) == 20
    np.testing.assert_allclose(made.embedding.var[40:], np.tile(made.prior_variance, (20, 1)))


def test_features_should_begin_in_a_unit_in_which_people_are_rather_unsure() -> None:
    start = first_positions(40, 2, 50 * FEATURES)
    margins = l2s.random_margins(start.feature_scale * 50 * FEATURES, seed=1)
    assert l2s.flip_rate(margins, 1.0) == pytest.approx(comparison.FLIPPED, abs=0.005)
    np.testing.assert_allclose(start.prior_variance, ((start.feature_scale * 50 * FEATURES) ** 2).mean())


def test_equal_items_should_not_spoil_the_unit() -> None:
    assert comparison.expected_scale(np.repeat(FEATURES[:4], 10, axis=0)) > 0
    assert comparison.expected_scale(FEATURES[:2]) > 0


def lessons_of(truth: int, count: int, lapse: float) -> Lessons:
    """Answers about 60 items on so many axes, ten a lesson; a share of them at random."""
    features = np.random.default_rng(truth).normal(size=(60, truth))
    person = l2s.ProbitOracle(features, 0.3 * np.sqrt(truth), seed=1, lapse=lapse)
    return Lessons(l2s.make_triplets(person, 60, 10 * count, seed=2), np.arange(10 * count) // 10 + 1)


def in_use(d: int, fitted_up_to: int = 0) -> Learnt:
    return Learnt(l2s.Embedding(np.eye(60, d)), np.ones(d), fitted_up_to=fitted_up_to)


def test_the_axes_should_be_those_that_predict_lessons_best_from_others() -> None:
    """Fewer, also where many answers are random; or more; the first number is 10."""
    auto, seed = make_recipe("best", k=4), np.random.SeedSequence(0)
    few, many = lessons_of(1, 400, 0.4), lessons_of(16, 1500, 0.0)
    assert policy.next_dimension(auto, in_use(20), few, 400, seed) < 10
    assert policy.next_dimension(auto, in_use(5), many, 1500, seed) in (10, 20)


def test_lessons_should_count_by_their_weights_when_axes_are_compared() -> None:
    auto, seed, few = make_recipe("best"), np.random.SeedSequence(0), lessons_of(2, 30, 0.0)
    plain = policy._predicted(auto, 2, few, 0, 60, seed)
    assert plain.shape == (10,)  # each third of the lessons is one part
    assert (plain < 0).all()
    np.testing.assert_allclose(policy._predicted(auto, 2, few._replace(weights=np.ones(300)), 0, 60, seed), plain)
    halves = policy._predicted(auto, 2, few._replace(weights=np.where(few.numbers > 15, 1.0, 0.0)), 0, 60, seed)
    assert 0 < (halves == 0).sum() < 10


def test_axes_should_be_compared_only_when_the_lessons_have_doubled() -> None:
    auto, seed, few = make_recipe("best"), np.random.SeedSequence(0), lessons_of(1, 300, 0.0)
    assert policy.next_dimension(auto, in_use(10), few, 127, seed) == 10  # too few to tell
    assert policy.next_dimension(auto, in_use(10, fitted_up_to=256), few, 300, seed) == 10  # compared at 256
    assert policy.next_dimension(auto, in_use(20, fitted_up_to=250), few, 300, seed) < 20
    assert policy.next_dimension(make_recipe("best", n_components=7), in_use(7), few, 300, seed) == 7
    assert policy.next_dimension(make_recipe("best", embedding="ckl"), in_use(10), few, 300, seed) == 10


def asked_by_search(seen: np.ndarray, searches: int, seed: int, lapse: float = 0.0) -> Lessons:
    """What so many searches by screens of four teach, ten screens each."""
    generator, people = np.random.default_rng(seed), l2s.ProbitOracle(seen, 0.5, seed=seed, lapse=lapse)
    rows = []
    for _ in range(searches):
        target, *others = (int(item) for item in generator.permutation(len(seen))[:41])
        for shown in zip(*[iter(others)] * 4, strict=True):
            rows.append(l2s.triplets.from_choice(target, shown, people.choose(shown, target)))
    return Lessons(np.concatenate(rows), np.repeat(np.arange(1, searches + 1), 30))


def test_features_should_tell_when_they_do_and_never_later_when_they_do_not() -> None:
    generator = np.random.default_rng(1)
    seen = generator.normal(size=(200, 4))
    useful, useless = seen + generator.normal(size=(200, 4)), generator.normal(size=(200, 4))
    assert policy.features_tell(useless, np.empty((0, 3), np.int64))  # before any answer they may
    few, many = ([asked_by_search(seen, 40, seed).up_to(last) for seed in range(5)] for last in (5, 40))
    assert sum(policy.features_tell(useful, rows) for rows in few) >= 3
    assert all(policy.features_tell(useful, rows) for rows in many)
    assert sum(policy.features_tell(useless, rows) for rows in few + many) <= 1  # of ten; one in twenty is expected


@pytest.mark.parametrize("useful", [True, False])
def test_a_fit_should_take_features_that_tell_and_leave_others_out(useful: bool) -> None:
    generator = np.random.default_rng(2)
    seen = generator.normal(size=(200, 4))
    features = np.column_stack([seen if useful else generator.normal(size=(200, 4)), generator.normal(size=(200, 4))])
    taught, recipe = asked_by_search(seen, 20, seed=3), make_recipe("best", 4, n_components=4)
    placed = on_axes(features, 4)
    known = first_positions(200, 4, placed)
    result = policy.attempt(recipe, taught, 18, known, placed, SEED, features=features)
    again = policy.fit(recipe, taught, 18, known, None, SEED)
    assert np.array_equal(result.learnt.embedding.mean, again.embedding.mean) is not useful
    if useful:
        assert result.accepted  # a map of more answers, whatever two searches say
        assert result.evaluation is not None
        assert result.evaluation.accuracy > 0.7


def test_a_belief_should_be_trusted_as_far_as_searches_that_were_not_fitted_say() -> None:
    seen = np.random.default_rng(4).normal(size=(100, 3))
    taught = asked_by_search(seen, 60, seed=5)
    right = first_positions(100, 3)._replace(embedding=l2s.Embedding(seen / 0.5))  # in units of the noise
    off = 2 * seen + 0.6 * np.random.default_rng(6).normal(size=(100, 3))  # each item misplaced for good
    wrong = right._replace(embedding=l2s.Embedding(off))
    assert trust_in(right, taught, 20) > 0.9
    assert trust_in(wrong, taught, 20) < 0.8
    assert trust_in(wrong, taught, 60) == 1.0  # nothing is left to judge it by
    doubtful = taught._replace(weights=np.zeros(len(taught.numbers)))
    assert trust_in(wrong, doubtful, 20) == 1.0


def test_lapses_should_be_told_by_searches_that_were_not_fitted() -> None:
    seen, learns = np.random.default_rng(4).normal(size=(100, 3)), make_recipe("best", 4, lapse="fit")
    right = first_positions(100, 3)._replace(embedding=l2s.Embedding(seen / 0.5))
    careful, careless = (asked_by_search(seen, 60, seed=5, lapse=lapse) for lapse in (0.0, 0.3))
    assert lapse_in(learns, right, careful, 20, 0.2) < 0.05
    assert lapse_in(learns, right, careless, 20, 0.2) == pytest.approx(0.3, abs=0.08)
    assert lapse_in(learns, right, careless, 60, 0.2) == 0.2  # none is left to tell
    assert lapse_in(make_recipe("best", lapse=0.1), right, careless, 20, 0.0) == 0.1


def test_a_fit_should_expect_the_lapses_that_are_known_and_say_those_that_it_sees() -> None:
    taught = asked_by_search(np.random.default_rng(4).normal(size=(60, 2)), 80, seed=5, lapse=0.3)
    recipe, first = make_recipe("best", 4, n_components=2, lapse="fit"), first_positions(60, 2)
    plain, expecting = (policy.attempt(recipe, taught, 60, first._replace(lapse=e), None, SEED) for e in (0.0, 0.3))
    assert np.abs(expecting.learnt.embedding.mean).mean() > 1.1 * np.abs(plain.learnt.embedding.mean).mean()
    assert 0.15 < expecting.learnt.lapse < 0.45
    assert plain.evaluation is not None
    assert expecting.evaluation is not None
    assert expecting.evaluation.log_likelihood > plain.evaluation.log_likelihood


def test_a_click_should_count_as_one_choice_where_that_is_asked_for() -> None:
    """Then less of what was open before is known."""
    taught = asked_by_search(np.random.default_rng(4).normal(size=(60, 2)), 40, seed=5)
    many, one = (
        policy.fit(make_recipe("best", 4, n_components=2, one_choice=way), taught, 40, in_use(2), None, SEED)
        for way in (False, True)
    )
    assert one.embedding.var is not None
    assert many.embedding.var is not None
    left = [(fit.embedding.var / fit.prior_variance).mean() for fit in (many, one)]
    assert left[1] > 1.2 * left[0]


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_an_item_that_joins_should_be_placed_by_its_features(share: float) -> None:
    """Ridge regression; its variance is what it leaves over, as items that were kept back show."""
    generator = np.random.default_rng(0)
    features = generator.normal(size=(400, 20))
    told = features @ generator.normal(size=(20, 3)) / np.sqrt(20)
    positions = np.sqrt(share) * told + np.sqrt(1 - share) * generator.normal(size=(400, 3))
    mean, variance = placed_like(positions[:300], features[:300], features[300:])
    left = ((positions[300:] - mean) ** 2).mean()
    assert left < 1.2 * (1 - share) + 1e-3
    assert variance == pytest.approx(np.full(3, left), rel=0.25, abs=1e-3)


# --- how much --------------------------------------------------------------------------------------


def with_bots() -> tuple[Lessons, np.ndarray]:
    """Lessons of eight clicks on one of four, every fourth of them at random, and which are honest."""
    generator, person = np.random.default_rng(1), l2s.ProbitOracle(FEATURES, 0.2, seed=2)
    parts, places, honest = [], [], np.arange(120) % 4 > 0
    for is_person in honest:
        target, *items = generator.permutation(40)[:33].tolist()
        for at in range(0, 32, 4):
            shown = tuple(items[at : at + 4])
            chosen = person.choose(shown, target) if is_person else shown[int(generator.integers(4))]
            parts.append(l2s.triplets.from_choice(target, shown, chosen))
            places.append(shown.index(chosen))
    return Lessons(np.concatenate(parts), np.repeat(np.arange(1, 121), 24), np.repeat(places, 3)), honest


def test_bots_should_teach_little_where_searches_are_weighed() -> None:
    lessons, honest = with_bots()
    recipe = make_recipe("best", k=4, n_components=2, weigh_searches=True)
    first = first_positions(40, 2)
    result = policy.attempt(recipe, lessons, 110, first, None, SEED)
    assert result.weights is not None
    assert result.weights.weights[~honest].mean() < 0.3 < 0.9 < result.weights.weights[honest].mean()
    plain = policy.attempt(make_recipe("best", k=4, n_components=2), lessons, 110, first, None, SEED)
    assert plain.weights is None
    asked = l2s.make_triplets(l2s.ProbitOracle(FEATURES, 0.2, seed=3), 40, 4000, seed=4)
    right = [(l2s.answer_probabilities(one.learnt.embedding, asked) > 0.5).mean() for one in (result, plain)]
    assert right[0] > right[1] + 0.01
    trusted = lessons._replace(trusted=np.isin(lessons.numbers, np.flatnonzero(~honest) + 1))
    again = policy.weigh(recipe, trusted, first, None, SEED)
    assert again is not None
    assert (again.weights[~honest] == 1.0).all()


def test_a_new_search_should_be_weighed_by_what_is_known() -> None:
    lessons, honest = with_bots()
    recipe = make_recipe("best", k=4, n_components=2, weigh_searches=True)
    known = policy.attempt(recipe, lessons, 80, first_positions(40, 2), None, SEED).learnt
    assert lessons.places is not None
    weights = []
    for number in range(81, 121):
        of = lessons.numbers == number
        weights.append(policy.weigh_new(recipe, known, lessons.triplets[of], lessons.places[of])[0])
    assert np.mean(np.array(weights)[~honest[80:]]) + 0.3 < np.mean(np.array(weights)[honest[80:]])
    assert policy.weigh_new(make_recipe("best"), known, lessons.triplets[:3], None) == (1.0, 0.0)
    same_place = l2s.triplets.from_search(
        0, [((4 * at, 4 * at + 1, 4 * at + 2, 4 * at + 3), 4 * at) for at in range(1, 10)]
    )
    weight, _ = policy.weigh_new(recipe, first_positions(40, 2), same_place, np.zeros(27, np.int64))
    assert weight < 0.05  # even where nothing is known


def test_lessons_should_teach_the_same_one_by_one_and_together() -> None:
    """The last click of the first lesson and the first of the second are on one item, for one target."""
    rows = np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 5], [2, 3, 4]])
    numbers, weights = np.array([7, 7, 8, 8, 9]), np.array([0.9, 0.9, 0.4, 0.4, 1.0])
    rng = np.random.default_rng(0)
    before = l2s.Embedding(rng.standard_normal((6, 2)), var=np.ones((6, 2)))
    together = policy.take_in(before, rows, numbers, weights, one_choice=True, lapse=0.0)
    one_by_one = before
    for lesson in (7, 8, 9):
        mine = numbers == lesson
        one_by_one = policy.take_in(one_by_one, rows[mine], numbers[mine], weights[mine], one_choice=True, lapse=0.0)
    np.testing.assert_array_equal(together.mean, one_by_one.mean)
    np.testing.assert_array_equal(together.var, one_by_one.var)
