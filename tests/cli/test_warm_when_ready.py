"""A site that says it is ready has compiled what its first visitors need."""

from pathlib import Path

import numpy as np
import pytest

from learn2search.client import Client
from tests.served_site import served


@pytest.mark.heavy
@pytest.mark.parametrize("features", ["of pictures", "known"])
def test_no_visitor_should_wait_for_the_compiler(
    features: str, tmp_path: Path, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "compiled"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(cache))
    np.save(tmp_path / "features.npy", np.random.default_rng(0).standard_normal((30, 3)))
    known = ["--features", str(tmp_path / "features.npy")] if features == "known" else []
    with served("serve", str(pictures), *known, home=tmp_path / "home") as site, Client(site.address) as visitor:
        ready = compiled(cache)
        assert ready, "compiled code is kept elsewhere"
        for show in (2, 4, 9):
            search = visitor.start("pictures", show=show)
            for _ in range(2):
                search = visitor.answer(search, search.question.shown[0])
            visitor.found(search, search.question.shown[0])
        assert compiled(cache) - ready == set()


def compiled(cache: Path) -> set[str]:
    """The files of machine code: numba writes one for each function and its types, as soon as it has compiled it."""
    return {str(path.relative_to(cache)) for path in cache.rglob("*.nbc")}
