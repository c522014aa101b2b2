"""The client against a real site, and the documentation's example of it."""

import builtins
import re
import subprocess
import sys
from pathlib import Path

import pytest

from learn2search.cli.visitors import Visitors, visit
from learn2search.client import Client, ClientError, Refused
from tests.client.conftest import Live

ROOT = Path(__file__).parents[2]


def test_a_program_should_search(live: Live) -> None:
    with Client(live.address) as site:
        (collection,) = site.collections()
        assert (collection.slug, collection.items) == ("colours", 30)
        search = site.start("colours", show=4)
        assert search.question is not None
        first = search.question
        search = site.answer(search, first.shown[0])
        assert site.undo(search).question.shown == first.shown
        search = site.answer(site.now(search), None)
        assert search.number == 2
        search = site.found(search, 7)
        assert (search.status, search.target.item) == ("found", 7)
        again = site.undo(search)
        assert again.status == "open"
        assert site.top(again) == [], "nothing is likelier than chance yet"
        assert site.not_here(again).status == "not-here"


def test_items_and_models_should_be_typed(live: Live) -> None:
    with Client(live.address, live.token) as site:
        (item,) = site.items("colours", words="Colour 07")
        assert (item.item, item.title, set(item.media)) == (7, "Colour 07", {"large", "small"})
        assert len(site.items("colours", start=25)) == 5
        assert site.model("colours").origin == "start"


def test_errors_should_be_sentences(live: Live) -> None:
    with Client(live.address) as site:
        with pytest.raises(Refused, match="There is no collection “nowhere” here") as refused:
            site.start("nowhere")
        assert refused.value.status == 404
        with pytest.raises(Refused, match="owner's token"):
            site.start("colours", simulated=True)
        ended = site.found(site.start("colours"), 3)
        with pytest.raises(ClientError, match="has ended"):
            site.answer(ended, 3)
        with pytest.raises(Refused, match="was not shown"):
            site.answer(site.start("colours"), 31)


def test_simulated_visitors_should_use_it(live: Live) -> None:
    import numpy as np

    features = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0
    with Client(live.address, live.token) as site:
        costs = list(visit(site, "colours", Visitors(features, 0.1, seed=0), 6, 2, None))
    assert len(costs) == 6
    assert min(costs) >= 1


def test_the_example_of_the_documentation_should_run(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    example = next(block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "input(" in block)
    example = example.replace("http://127.0.0.1:8000", live.address).replace('"faces"', '"colours"')
    said = iter(["1", "?", "u", "2", "! 1"])
    printed: list[str] = []
    names = {"__name__": "__main__", "input": lambda _: next(said), "print": lambda *words: printed.append(str(words))}
    exec(example, vars(builtins) | names)
    assert "There it is" in printed[-1]


def test_the_owner_should_fill_a_collection(live: Live, tmp_path: Path) -> None:
    from PIL import Image

    page = (ROOT / "docs" / "api.md").read_text()
    example = next(block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "put_items" in block)
    example = example.replace("http://127.0.0.1:8000", live.address).replace("TOKEN", live.token)
    printed: list[tuple[str, ...]] = []
    exec(example, vars(builtins) | {"print": lambda *words: printed.append(words)})
    assert [words[1] for words in printed] == ["added", "added", "refused"]
    assert "no such item" in printed[2][2]
    Image.new("RGB", (40, 40), "brown").save(tmp_path / "mocha 1.png")
    with Client(live.address, live.token) as site:
        sent = [site.upload("coffees", tmp_path / "mocha 1.png") for _ in range(2)]
        assert [(one.added, one.unchanged) for one in sent] == [(1, 0), (0, 1)]
        keys = [item.key for item in site.items("coffees")]
        assert keys == ["espresso", "lungo", "mocha 1.png"]
        site.put_positions("coffees", {key: [float(place), 1.0] for place, key in enumerate(keys)})
        assert site.model("coffees").origin == "features"
        assert set(site.positions("coffees")) == set(keys)
        site.put_collection("coffees", archived=True)


def test_it_should_need_no_package_of_the_site() -> None:
    forbidden = ["fastapi", "sqlalchemy", "pydantic", "httpx", "numpy"]
    code = f"import sys, learn2search.client; print([one for one in {forbidden} if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
