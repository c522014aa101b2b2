# %% [markdown]
# # Watch a blind search learn from people's answers
#
# A search that knows nothing about its items shows them at random at first. Each search that ends with a find teaches
# where the items are, and the next ones are shorter. Here **people answer**: crowd workers who said, of 100 dishes,
# which taste alike ([Food](../data.md#data-sets), 250,320 answers). Nothing is simulated: a question that nobody was
# asked stays unanswered.

# %%
import matplotlib.pyplot as plt
import numpy as np

import learn2search as l2s

food = l2s.fetch_food()
people = l2s.TableOracle(food.triplets, food.n_items, seed=0)
print(food)
print(f"the table answers {people.coverage(k=4):.0%} of all questions with four dishes")

# %% [markdown]
# ## The loop
#
# A `Learner` begins without features and without answers. `searches(n)` runs n searches: each looks for a dish drawn
# at random, asks with what is known by then, and is taken in when it is over. Four dishes are shown at a time.

# %%
SEARCHES = 400
learner = l2s.Learner(people, food.n_items, k=4, seed=0)
costs, unanswered = [], []
for episode in learner.searches(SEARCHES):
    costs.append(episode.cost)
    unanswered.append(np.mean([answer is None for answer in episode.answers]))
print(f"{len(learner.triplets):,} comparisons learnt; {np.mean(unanswered):.0%} of the questions stayed unanswered")
for start in range(0, SEARCHES, 100):
    print(f"searches {start + 1:3} to {start + 100}: {np.mean(costs[start : start + 100]):.1f} questions")

# %% [markdown]
# ## Is it better than no search?
#
# Two marks stand beside it. Dishes shown in random order, four at a time, take 13 questions on average: the mean of
# ⌈p/4⌉ over the places p at which the dish can stand. And somebody who knew *all* 250,320 answers beforehand shows
# how good a search could be that asks these people: it is a mark to reach and no fair rival.

# %%
in_random_order = np.mean(np.ceil(np.arange(1, food.n_items + 1) / 4))
everything = l2s.GaussEmbed(n_components=10, random_state=0).fit(
    food.triplets, n_items=food.n_items, groups=food.groups
)
mark = l2s.simulate(
    "sampled", everything.to_embedding(), people, targets=range(food.n_items), k=4, noise=1.0, seed=0, progress=False
)
print(f"in random order {in_random_order:.1f}, with all answers known {mark.mean:.1f} ± {mark.standard_error:.1f}")

# %%
window = 50
middle = np.convolve(costs, np.ones(window) / window, mode="valid")
plt.figure(figsize=(6.4, 3.6))
plt.plot(costs, ".", color="#BBBBBB", markersize=4, label="one search")
plt.plot(np.arange(len(middle)) + window / 2, middle, color="#0072B2", linewidth=2, label=f"mean of {window}")
plt.axhline(in_random_order, color="#777777", linestyle="--", label="random order")
plt.axhline(mark.mean, color="#009E73", linestyle=":", label="all answers known")
plt.ylim(0, 30)
plt.xlabel("search")
plt.ylabel("questions")
plt.legend(frameon=False, ncols=2)
plt.tight_layout()
plt.savefig("learning.svg")

# %% [markdown]
# One search is luck, up or down; the mean falls. This is one seed and 400 searches: the curve wobbles by a question
# or so. Three seeds and 1,500 searches are [measured here](../research/people.md).
#
# ## What it has learnt
#
# The search has never seen a picture or a word. These are its nearest dishes, from finished searches alone:

# %%
place = learner.embedding.mean
known = np.argsort(-l2s.triplets.count_items(learner.triplets, food.n_items))
for dish in [dish for dish in known if " " in food.names[dish]][:5]:  # some names are only those of files
    nearest = np.argsort(np.linalg.norm(place - place[dish], axis=1))[1:4]
    print(f"{food.names[dish]}: {', '.join(food.names[other] for other in nearest)}")

# %% [markdown]
# In an application people replace the table: `search = learner.new_search()`, `search.ask()`, `search.tell(...)`, and
# `learner.observe(search)` when it is over (tutorial 6). On a web site `learn2search serve ./pictures` does all of
# it.
