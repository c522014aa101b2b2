# %% [markdown]
# # Search a running site from Python
#
# A site that people use with a browser is used by programs, too. This tutorial makes 60 pictures, serves them in a
# process of its own as `learn2search serve` does, and searches them with `learn2search.client`. It needs `pip install
# "learn2search[web,figures]"`.
#
# **The visitor is this program**: it has a colour in mind and clicks the picture whose colour is nearest.

# %%
import colorsys
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from learn2search.client import Client, ClientError

work = tempfile.TemporaryDirectory()
pictures = Path(work.name, "colours")
pictures.mkdir()
generator = np.random.default_rng(0)
colours = {}
for number in range(60):
    colour = colorsys.hsv_to_rgb(generator.uniform(), generator.uniform(0.3, 1), generator.uniform(0.3, 1))
    name = f"Colour {number}"
    colours[name] = np.array(colour)
    Image.new("RGB", (120, 120), tuple(int(255 * part) for part in colour)).save(pictures / f"{name}.png")

# %% [markdown]
# ## A site
#
# In a shell this would be `learn2search serve ./colours`. A free port and a folder for the site's state are all that
# differs here.

# %%
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
command = [sys.executable, "-m", "learn2search.cli", "serve", str(pictures), "--no-browser"]
command += ["--port", str(port), "--home", str(Path(work.name, "home"))]
site_process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def when_ready(site):
    """The collections of the site, once it has started: the very first start on a machine compiles for a minute."""
    for _ in range(600):
        try:
            return site.collections()
        except ClientError:
            if site_process.poll() is not None:
                raise
            time.sleep(0.5)
    raise TimeoutError("the site has not started within five minutes")


# %% [markdown]
# ## A search
#
# `start` gives a value that says what is shown; each answer gives the next one. An item has a number, a key and a
# title. `found` says "this is it".

# %%
wanted = "Colour 17"
shown_so_far = []
try:
    with Client(f"http://127.0.0.1:{port}") as site:
        for collection in when_ready(site):
            print(collection.slug, collection.items)
        search = site.start("colours", show=4)
        while search.question is not None:
            shown = search.question.shown
            away = [np.linalg.norm(colours[item.title] - colours[wanted]) for item in shown]
            best = int(np.argmin(away))
            shown_so_far.append(([item.title for item in shown], best))
            print(f"question {search.number}: {', '.join(item.title for item in shown)} -> {shown[best].title}")
            search = site.found(search, shown[best]) if away[best] == 0 else site.answer(search, shown[best])
        print("found:", search.target.title)
finally:
    site_process.terminate()
    site_process.wait(60)
    work.cleanup()

# %% [markdown]
# ## What was on the screen
#
# A row is a question, a frame the click. The wanted colour is on the left.

# %%
figure, axes = plt.subplots(len(shown_so_far), 5, figsize=(5, 0.9 * len(shown_so_far) + 0.3), squeeze=False)
for row, (titles, best) in zip(axes, shown_so_far, strict=True):
    for place, ax in enumerate(row):
        title = wanted if place == 0 else (titles[place - 1] if place <= len(titles) else None)
        ax.axis("off")
        if title is not None:
            edge = "black" if place - 1 == best else "none"
            ax.add_patch(plt.Rectangle((0.05, 0.05), 0.9, 0.9, color=colours[title]))
            ax.add_patch(plt.Rectangle((0.02, 0.02), 0.96, 0.96, fill=False, edgecolor=edge, linewidth=2))
axes[0][0].set_title("wanted", fontsize=9)
figure.tight_layout()
plt.savefig("screens.svg")

# %% [markdown]
# A new collection of pictures begins with what the pictures look like, which for plain colours is nearly all. Every
# finished search teaches the site, so one that people use gets shorter. The owner's token opens more: adding items,
# positions, models, exports ([all methods](../api.md)).
