# %% [markdown]
# # Learn from your application's clicks
#
# A shop shows "more like this" under each article: four others, and visitors click the one that they find most alike.
# Nobody thought of it as data, but each click says something: *the clicked article is nearer to this one than the
# three that were passed over*. This tutorial turns such a log into positions, checks them, and lets a search begin
# with them instead of with nothing.
#
# **The log is simulated**, so that the truth is known: 150 articles with three hidden properties, which the learning
# never sees.

# %%
import matplotlib.pyplot as plt
import numpy as np

import learn2search as l2s

generator = np.random.default_rng(0)
hidden = generator.uniform(size=(150, 3))
visitors = l2s.ProbitOracle(hidden, noise=0.1, seed=1, lapse=0.1)  # one click in ten is thoughtless

log = []
for _ in range(3000):
    article, *panel = generator.choice(150, 5, replace=False).tolist()
    log.append({"article": article, "panel": panel, "clicked": visitors.choose(panel, article)})
print(log[0])

# %% [markdown]
# ## From clicks to triplets
#
# A click on one of four is three triplets (anchor, near, far). They are one decision, not three, so they stay
# together when some are kept apart to judge by: `screens` has the number of the click of each row.

# %%
rows = [l2s.triplets.from_choice(click["article"], click["panel"], click["clicked"]) for click in log]
triplets = np.concatenate(rows)
screens = np.repeat(np.arange(len(rows)), [len(some) for some in rows])
train, test = l2s.triplets.split(len(triplets), share=0.1, seed=0, groups=screens)
print(len(triplets), "triplets of", len(rows), "clicks")

# %% [markdown]
# ## How many clicks are enough?
#
# Fit with more and more of the log, and judge each fit by clicks that it has not seen.

# %%
counts, scores = [100, 300, 1000, 2700], []
clicks = np.unique(screens[train])
for count in counts:
    some = train[np.isin(screens[train], clicks[:count])]
    model = l2s.GaussEmbed(n_components=3, random_state=0)
    model.fit(triplets[some], n_items=150, groups=screens[some])
    scores.append(model.score(triplets[test]))
    print(f"{count:4} clicks: {scores[-1]:.1%} of the answers kept apart are as the fit says")
best = l2s.metrics.accuracy(hidden, triplets[test])
print(f"the hidden properties themselves: {best:.1%}")

# %% [markdown]
# Even the true positions cannot predict a thoughtless click. So the mark is not 100%, but what the truth itself
# reaches.

# %%
plt.figure(figsize=(5.4, 3.4))
plt.plot(counts, scores, marker="o", color="#0072B2", label="learnt from clicks")
plt.axhline(best, color="#009E73", linestyle="--", label="the hidden properties")
plt.axhline(0.5, color="#777777", linestyle=":", label="chance")
plt.xscale("log")
plt.xlabel("clicks")
plt.ylabel("answers predicted")
plt.legend(frameon=False)
plt.tight_layout()
plt.savefig("clicks.svg")

# %% [markdown]
# ## A search that begins with the clicks
#
# Now visitors search: they have an article in mind. One learner begins with nothing. The other is given what the
# clicks taught, as `features`: positions in any unit, which it trusts as far as the searches bear them out. Both go
# on learning from their own searches.

# %%
people = l2s.ProbitOracle(hidden, noise=0.1, seed=2)
costs = {}
for name, features in (("nothing", None), ("clicks", model.to_embedding().mean)):
    learner = l2s.Learner(people, 150, k=4, seed=0, features=features)
    costs[name] = np.array([episode.cost for episode in learner.searches(60)])
    print(f"begins with {name}: {costs[name].mean():.1f} questions a search")

# %% [markdown]
# ## With your visitors in place of the simulated ones
#
# `new_search` is a search with what is known now; `observe` takes in what it taught. Any number may be open at a
# time, and `save` keeps all of it.

# %%
learner = l2s.Learner(n_items=150, k=4, seed=0, features=model.to_embedding().mean)
search, wanted = learner.new_search(), 42
while not search.done:
    query = search.ask(learner.k)  # show these four
    if wanted in query:
        search.found(wanted)  # "this is it"
    else:
        search.tell(people.choose(query, wanted))  # what the visitor clicks
learner.observe(search)
print(search)

# %% [markdown]
# Real logs have what this one has not: articles that are always shown first and therefore clicked more, robots, and
# people who click what they want to buy rather than what is alike. Shuffle the panel, keep screens without a click
# out, and look at the held-out answers before you trust the map. `learn2search.weigh_and_fit` weighs down searches of
# visitors who click at random.
