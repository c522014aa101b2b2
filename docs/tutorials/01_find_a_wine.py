# %% [markdown]
# # Find a wine with known features
#
# You have a table with numbers about things, and people who would know the right one when they meet it. This tutorial
# searches 1,599 red wines, each with 11 measurements (acids, sugar, sulphates, alcohol, ...), by questions of the
# kind "which of these two is more like the one you have in mind?". Nothing is learnt: the positions of the wines are
# known.
#
# **The person is simulated**: a program that has one wine in mind, compares as well as the noise lets it, and errs
# now and then. The wines are [real measurements](https://archive.ics.uci.edu/dataset/186/wine+quality) of Portuguese
# vinho verde.

# %%
import matplotlib.pyplot as plt
import numpy as np

import learn2search as l2s

wines = l2s.fetch_red_wine()  # (1599, 11): each measurement with mean 0 and variance 1
names = [
    "fixed acidity", "volatile acidity", "citric acid", "sugar", "chlorides", "free sulphur dioxide",
    "sulphur dioxide", "density", "pH", "sulphates", "alcohol",
]  # fmt: skip
space = l2s.Embedding(wines)
print(wines.shape)

# %% [markdown]
# ## How noisy are people?
#
# A search has to know how far an answer can be trusted: σ, in the unit of the table. "One answer in ten to a random
# question is wrong" is a fair guess, and `calibrate_noise` turns it into a σ. It is only a guess: once people have
# used the search, `fit_noise` reads σ from their finished searches.

# %%
noise = l2s.calibrate_noise(l2s.random_margins(wines), 0.1)
print(f"noise = {noise:.2f}")

# %% [markdown]
# ## One search
#
# The person has wine 200 in mind. We show two wines, they say which is more like it. When their wine is on the screen
# they say so. `entropy` says how much is not known yet, in bits: 2 to the power of it is, roughly, how many wines
# still fit.

# %%
target = 200
person = l2s.ProbitOracle(space, noise=noise, seed=1)
search = l2s.PosteriorSearch(space, noise=noise, seed=0)
beliefs, fit = [search.probability()], [2**search.entropy]
while not search.done:
    query = search.ask(k=2)
    if target in query:
        search.found(target)
        break
    chosen = person.choose(query, target)
    search.tell(chosen)
    beliefs.append(search.probability())
    fit.append(2**search.entropy)
    print(f"question {len(fit) - 1:2}: {query[0]:4} or {query[1]:4}?  {chosen:4}.  {fit[-1]:6.0f} wines still fit")
print(f"found wine {search.target} with question {len(fit)}")

# %% [markdown]
# ## What the search believes
#
# Each dot is a wine, drawn on the two directions in which wines differ most. The larger and darker, the more probable
# it is. An answer cuts the space in two, softly: what lies on the wrong side becomes less probable, and is never
# excluded. Eleven measurements do not fit on two directions, so wines that look near in the picture may be far apart.

# %%
centred = wines - wines.mean(axis=0)
directions = np.linalg.svd(centred, full_matrices=False)[2][:2]
flat = centred @ directions.T
steps = np.unique(np.linspace(0, len(beliefs) - 1, 4).round().astype(int))
figure, axes = plt.subplots(1, len(steps), figsize=(10, 3), sharex=True, sharey=True)
for ax, step in zip(axes, steps, strict=True):
    share = np.minimum(beliefs[step] / beliefs[step].max(), 1)
    order = np.argsort(share)
    ax.scatter(
        *flat[order].T,
        s=3 + 20 * share[order],
        c=share[order],
        cmap="Blues",
        vmin=-0.3,
        vmax=1,
        linewidths=0,
        rasterized=True,
    )
    ax.plot(*flat[target], marker="x", color="#D55E00", markersize=9, markeredgewidth=2)
    ax.set_title(f"after {step}: {fit[step]:.0f} fit", fontsize=10)
    ax.set_xticks([])
    ax.set_yticks([])
figure.tight_layout()
plt.savefig("belief.svg")

# %% [markdown]
# ## Is that quick? 300 searches
#
# One search is an anecdote. `simulate` runs one for each of 300 wines, in compiled code over all cores. `"sampled"`
# is the search from above; `"gauss"` is the paper's, whose belief is one Gaussian whatever the number of items;
# `"random"` asks anything. All meet the same simulated people.

# %%
targets = np.random.default_rng(5).choice(len(wines), 300, replace=False)
runs = {}
for strategy in ("random", "gauss", "sampled"):
    people = l2s.ProbitOracle(space, noise=noise, seed=2)
    runs[strategy] = l2s.simulate(strategy, space, people, targets=targets, noise=noise, seed=3, progress=False)
    print(f"{strategy:8} {runs[strategy].mean:6.1f} ± {runs[strategy].standard_error:.1f} questions")

# %%
plt.figure(figsize=(6, 3.4))
for (strategy, run), colour in zip(runs.items(), ("#777777", "#0072B2", "#E69F00"), strict=True):
    plt.step(np.sort(run.costs), np.arange(1, 301) / 300, where="post", color=colour, label=strategy)
plt.xlim(0, 80)
plt.xlabel("questions")
plt.ylabel("searches that found their wine")
plt.legend(frameon=False)
plt.tight_layout()
plt.savefig("questions.svg")

# %% [markdown]
# Both searches need a small part of what random questions need, and `"sampled"` fewer than `"gauss"`. What is
# simulated here is the person: whether real tasters compare wines by these eleven numbers is another question. If
# they do not, let the searches teach where the wines are: tutorial 3.
