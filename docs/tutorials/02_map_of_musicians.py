# %% [markdown]
# # A map of musicians from human triplets
#
# Visitors of a web survey said which of two musicians is more similar to a third: 9,090 answers about 400 artists
# ([Ellis, Whitman, Berenzweig and Lawrence 2002](https://www.ee.columbia.edu/~dpwe/pubs/ismir02-subj.pdf)). Nobody
# measured anything about the music. This tutorial makes a map of it, asks how good the map is, and finds the
# neighbours of an artist.

# %%
import matplotlib.pyplot as plt
import numpy as np

import learn2search as l2s

data = l2s.fetch_music_artists()
print(data)
anchor, near, far = data.triplets[0]
print(f"{data.names[anchor]} is more like {data.names[near]} than like {data.names[far]}")

# %% [markdown]
# ## Keep some answers apart
#
# A map can always be bent to agree with the answers that made it. So a fifth of them is kept apart to judge it by.
# Answers that were given together, on one screen, stay together: one of them would give the others away.
# `data.groups` says which belong together.

# %%
train, test = l2s.triplets.split(len(data.triplets), share=0.2, seed=0, groups=data.groups)
maps = {}
for axes in (2, 10):
    model = l2s.GaussEmbed(n_components=axes, random_state=0)
    maps[axes] = model.fit(data.triplets[train], n_items=data.n_items, groups=data.groups[train])
    score = maps[axes].score(data.triplets[test])
    print(f"{axes:2} axes: {score:.1%} of the answers kept apart are as the map says")

# %% [markdown]
# Half would be chance. People disagree with each other and with themselves, so far from all answers can be predicted,
# by any map.
#
# ## The map
#
# A picture has two axes. `plot_map` turns the fit with ten axes so that the first two show as much as two can. Only
# the 40 artists with the most answers are drawn; an ellipse says how well the place of its artist is known.

# %%
answers = l2s.triplets.count_items(data.triplets, data.n_items)
space = maps[10].to_embedding()
known = np.argsort(-answers)[:40]
figure, ax = plt.subplots(figsize=(9, 7))
drawn = l2s.Embedding(space.mean[known], space.var[known])
l2s.plot_map(drawn, ax, labels=[data.names[artist] for artist in known], uncertainty=0.5)
figure.tight_layout()
plt.savefig("map.svg")

# %% [markdown]
# Nobody named a kind of music, and yet some kinds lie together. But the picture shows two of ten directions: those
# who are neighbours on it may be far apart on the other eight. Directions have no meaning of their own: the map may
# be turned or mirrored, and says the same.
#
# ## Neighbours
#
# For neighbours take all ten axes.

# %%
for name in ("bob marley", "metallica", "madonna", "nirvana", "enya"):
    artist = data.names.index(name)
    order = np.argsort(np.linalg.norm(space.mean - space.mean[artist], axis=1))
    nearest = [data.names[other] for other in order if other != artist][:5]
    print(f"{name} ({answers[artist]} answers): {', '.join(nearest)}")

# %% [markdown]
# Most of them convince, some do not at all. An artist has 68 answers on average, about a third of which contradict
# the map, so a neighbour is a guess and not a fact.
#
# ## Can its probabilities be believed?
#
# The map does not only say which is nearer, but how sure it is. Of the answers that it holds for 80% probable, 80%
# should come: points on the diagonal. Points below it mean that the map is surer than it should be.

# %%
figure, ax = plt.subplots(figsize=(4.2, 4))
l2s.plot_calibration(maps[10].predict_proba(data.triplets[test]), ax)
figure.tight_layout()
plt.savefig("calibration.svg")

# %% [markdown]
# This map is a little surer than it should be. An artist with a wide ellipse has had few answers, or answers that
# contradict each other: ask more about it. `l2s.next_triplets(model, count=30)` chooses questions whose answers tell
# most, and `l2s.dimension_curve` how many axes the answers support.
