# %% [markdown]
# # Your own strategy in 30 lines, raced
#
# A strategy decides what to ask, and what an answer means. This tutorial writes one, races it against those of the
# library, and looks at what the race says. The idea is a textbook one, *bisection*: keep a probability for every
# item, show the most probable one, and beside it the item that makes the border between the two split the probability
# most evenly.

# %%
import matplotlib.pyplot as plt
import numpy as np

import learn2search as l2s


@l2s.register_strategy("bisection")
class Bisection(l2s.Search):
    """Show the most probable item, and beside it what splits the probability most evenly."""

    def start(self):
        self.log_weight = np.zeros(self.embedding.n_items)

    def chances(self, i, j):
        """How probable each item as a target makes the answer i, when i and j are shown."""
        x = self.embedding.mean
        return l2s.choice_probability(x[i], x[j], x, self.noise)

    def learn(self, query, chosen):
        for other in query:
            if chosen not in (None, other):
                self.log_weight += np.log(np.maximum(self.chances(chosen, other), 1e-9))

    def probability(self):
        weight = np.zeros(self.embedding.n_items)
        left = self.candidates
        weight[left] = np.exp(self.log_weight[left] - self.log_weight[left].max())
        return weight / weight.sum()

    def propose(self, k, generator):
        belief = self.probability()
        free = generator.permutation(self.free)  # ties are broken at random
        best = free[np.argmax(belief[free])]
        others = [item for item in free[:40] if item != best]
        unevenness = [abs(self.chances(best, other) @ belief - 0.5) for other in others]
        return [best, *np.array(others)[np.argsort(unevenness)[: k - 1]]]


# %% [markdown]
# Undoing, storing, restricting to some of the items, learning and the site come with the class `Search`.
# `learn2search serve --strategies bisection` would put it before visitors, once it is in an [installed
# package](../strategies.md#its-name).
#
# ## The race
#
# 300 items at random places with four features, and simulated people: 10% of their answers to random questions are
# wrong. Each strategy looks for the same 100 items.

# %%
items = np.random.default_rng(0).uniform(size=(300, 4))
space = l2s.Embedding(items)
noise = l2s.calibrate_noise(l2s.random_margins(items), 0.1)
runs = {}
for strategy in ("random", "bisection", "gauss", "sampled"):
    people = l2s.ProbitOracle(space, noise=noise, seed=1)
    runs[strategy] = l2s.simulate(strategy, space, people, targets=range(100), noise=noise, seed=2, progress=False)
    print(f"{strategy:10} {runs[strategy].mean:6.1f} ± {runs[strategy].standard_error:.1f} questions")

# %%
plt.figure(figsize=(6.4, 3.6))
for (strategy, run), colour in zip(runs.items(), ("#777777", "#CC79A7", "#0072B2", "#E69F00"), strict=True):
    plt.step(np.sort(run.costs), np.arange(1, 101) / 100, where="post", color=colour, label=strategy)
plt.xscale("log")
plt.xlabel("questions")
plt.ylabel("searches that found their item")
plt.legend(frameon=False)
plt.tight_layout()
plt.savefig("race.svg")

# %% [markdown]
# ## What the race says
#
# The same people met every strategy, but each asked them other questions, so part of a small difference is luck.
# Compare search by search: the mean difference and its error.

# %%
for rival in ("gauss", "sampled"):
    difference = runs["bisection"].costs - runs[rival].costs
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    print(f"bisection - {rival}: {difference.mean():+.1f} ± {error:.1f} questions")

# %% [markdown]
# In this race the textbook idea is ahead of the paper's Gaussian search, which keeps much less in mind: a mean and a
# covariance in place of a probability for each item. It is behind `"sampled"`, and the error is small enough to
# believe both.
#
# ## What a change does
#
# Does it matter that the most probable item is shown? Ask any pair, of ten drawn at random, that splits evenly, with
# the same belief, for 20 of the items:


# %%
@l2s.register_strategy("even-pairs")
class EvenPairs(Bisection):
    """The same belief, but any pair may be asked."""

    def propose(self, k, generator):
        belief = self.probability()
        pairs = [generator.choice(self.free, k, replace=False) for _ in range(10)]
        return min(pairs, key=lambda pair: abs(self.chances(pair[0], pair[1]) @ belief - 0.5))


people = l2s.ProbitOracle(space, noise=noise, seed=1)
changed = l2s.simulate("even-pairs", space, people, targets=range(20), noise=noise, seed=2, progress=False)
print(f"even-pairs {changed.mean:.1f} ± {changed.standard_error:.1f} questions")

# %% [markdown]
# It is no better than random questions. **A search ends when the item is shown**, so showing what is probable is
# worth a lot. And an even split is not all: where both items lie close together nobody can answer well, so the split
# is even and the answer tells little. `"sampled"` asks for the pair whose *answer* tells most, and pays a bonus for
# showing what is probable.
