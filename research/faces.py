"""Triplets as the paper's web site collected them, from simulated people through the real site.

`learn2search demo --untaught` is started as a user starts it: 513 drawn faces, four pictures a question, nothing
known. `learn2search simulate` sends visitors over HTTP who look for popular faces more often (Zipf), see the features
that the faces are drawn from, and err as people do. The site learns on the way, in its own trainer. What it has
collected is exported by `learn2search export`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import learn2search as l2s
from research import Array
from research.rows import RESULTS
from research.running_site import COMMAND, serving

N_FACES = 513  # section 6.3
NOISE = 0.5  # of the visitors, in units of what they see; the demo's own
SKEW = 1.0  # popularity 1/rank: section 6.3, "the distribution over targets follows popularity, heavily skewed"
SEED = 5
AT_ONCE = 4
KEPT = RESULTS / "faces-runs"  # not in the repository: delete it to collect anew


def features() -> tuple[list[str], Array]:
    """Names, and what visitors see of the faces `(513, 18)`."""
    table = KEPT / "features.csv"
    if not table.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        partial = table.with_suffix(f".{os.getpid()}.csv")
        subprocess.run([sys.executable, "-m", "learn2search.demo", "features", str(partial)], check=True)
        partial.replace(table)
    names = table.read_text().split("\n", 1)[0].split(",")
    return names, np.loadtxt(table, delimiter=",", skiprows=1)


def collected(count: int) -> Array:
    """At least `count` triplets; collected once and kept beside the results."""
    kept = KEPT / f"triplets-{count}.npz"
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as home:
            collect(Path(home), count, kept)
    return l2s.read_triplets(kept).triplets


def collect(home: Path, count: int, out: Path) -> None:
    """Visitors in parties, until there are enough triplets."""
    export = [*COMMAND, "export", "faces", "triplets.npz", "--home", str(home), "--out", str(home / "triplets.npz")]
    with serving(home, "demo", "--untaught") as site:
        address = [f"http://127.0.0.1:{site.port}", "--token", site.token, "--at-once", str(AT_ONCE)]
        visit = [*COMMAND, "simulate", *address, "--skew", str(SKEW), "--noise", str(NOISE)]
        gathered, party = 0, 0
        while gathered < count:
            searches = "8" if count < 10_000 else "100"
            subprocess.run(
                [*visit, "--searches", searches, "--seed", str(SEED + party)], check=True, capture_output=True
            )
            subprocess.run(export, check=True, capture_output=True)
            gathered, party = len(l2s.read_triplets(home / "triplets.npz")), party + 1
            print(f"  {gathered:,} of {count:,} triplets collected over HTTP", file=sys.stderr, flush=True)
    partial = out.with_suffix(f".{os.getpid()}.npz")
    shutil.copy(home / "triplets.npz", partial)
    partial.replace(out)
