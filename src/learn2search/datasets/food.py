"""Food: which dish tastes more similar, judged by crowd workers on grids of pictures.

M. Wilber, I. Kwak, S. Belongie, "Cost-Effective HITs for Relative Similarity Comparisons", HCOMP 2014. The original
is an archive with pictures and the raw answers as JSON; a folder may hold the JSON files alone, as `food100-raw-
json.tar.gz`. Both give the same triplets, checked by the counts that the authors publish.
"""

import json
from typing import Any

import numpy as np

from learn2search.datasets.download import DataUnavailable, find, members, retrieve
from learn2search.triplet_data import TripletData

ADDRESS = "https://vision.cornell.edu/se3/wp-content/uploads/2014/09/food100-dataset.zip"
NAMES = "food100-ingredients.json"  # of the dishes; beside the archive, and not needed
PACKED = ("food100-raw-json.tar.gz", "food100-dataset.zip")
N_ITEMS, N_TRIPLETS, N_UNIQUE = 100, 250_320, 190_376


def fetch_food(*, unique: bool = False) -> TripletData:
    """Food: which dish tastes more similar, 250,320 triplets of 100 dishes with the screen of each.

    On a screen, each picked picture is nearer to the probe than each one that was not picked. Catch trials are left
    out.

    Parameters
    ----------
    unique : bool, optional
        Keep the first of equal rows only: 190,376, as published.

    Returns
    -------
    TripletData
        Triplets, screens, names of dishes (7 of the 100 have none: the name of the picture) and crowd workers.

    Raises
    ------
    DataUnavailable
        If the data is neither on this machine nor to be had from its address, or is another version.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.fetch_food(unique=True)
    TripletData(190,376 triplets of 100 items in ... groups)
    """
    screens = [screen for path, content in _raw_files() for screen in _screens(path, content)]
    pictures = sorted({name for screen in screens for name in (screen["probe"], *screen["images"])})
    number = {name: at for at, name in enumerate(pictures)}
    rows, groups = [], []
    for group, screen in enumerate(screens):
        picked = set(screen["near_answer"])
        for near in screen["near_answer"]:
            others = [far for far in screen["images"] if far not in picked]
            rows += [(number[screen["probe"]], number[near], number[far]) for far in others]
            groups += [group] * len(others)
    triplets, group_of = np.array(rows, np.int64), np.array(groups, np.int64)
    first = np.sort(np.unique(triplets, axis=0, return_index=True)[1])
    if (len(pictures), len(triplets), len(first)) != (N_ITEMS, N_TRIPLETS, N_UNIQUE):
        raise DataUnavailable(
            f"the Food data should give {N_TRIPLETS:,} triplets ({N_UNIQUE:,} different) of {N_ITEMS} pictures, "
            f"this gives {len(triplets):,} ({len(first):,}) of {len(pictures)}: another version?"
        )
    workers = np.array([screen["worker"] for screen in screens], np.int64)[group_of]
    data = TripletData(triplets, N_ITEMS, group_of, _dishes(pictures), workers)
    return data[first] if unique else data


def _raw_files() -> list[tuple[str, bytes]]:
    """The raw JSON files, from an archive in a folder or from the original one, in the order of their names."""
    path = find(*PACKED)
    archive = retrieve(PACKED[1], ADDRESS, None, _checked) if path is None else path.read_bytes()
    return _json_files(archive, str(path or ADDRESS))


def _checked(archive: bytes) -> bytes:
    """Only an archive that can be read is kept."""
    _json_files(archive, ADDRESS)
    return archive


def _json_files(archive: bytes, where: str) -> list[tuple[str, bytes]]:
    files = members(archive, where)
    return sorted((path.rsplit("/", 1)[-1], content) for path, content in files if path.endswith(".json"))


def _screens(path: str, content: bytes) -> list[dict[str, Any]]:
    """The screens of one file; other JSON files of the archive have none."""
    hits = json.loads(content)
    if not isinstance(hits, list) or not hits or "HIT_screens" not in hits[0]:
        return []
    return [
        screen | {"worker": hit.get("worker_id", -1)}
        for hit in hits
        for screen in hit["HIT_screens"]
        if not screen["is_catchtrial"]
    ]


def _dishes(pictures: list[str]) -> tuple[str, ...]:
    """The name of each picture's dish; of two dishes with one name, and where there is none, that of the picture."""
    path = find(NAMES)
    dishes = json.loads(path.read_text(encoding="utf-8")) if path else {}
    files = [picture.removeprefix("images/") for picture in pictures]
    named = [(dishes.get(file) or {}).get("name") for file in files]
    return tuple(
        name if name and named.count(name) == 1 else file.removesuffix(".jpg")
        for name, file in zip(named, files, strict=True)
    )
