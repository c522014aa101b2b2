"""Workers are replaced one after the other, and no visitor notices."""

import http.client
import json
import os
import signal
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.served_site import PATIENCE, children, served


def visit(address: str, stop: threading.Event, answers: list[int], failures: list[str]) -> None:
    """Search after search over one connection, which is opened again where the site has said that it closes it."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)

    def post(path: str, body: object, headers: dict[str, str]) -> dict[str, object]:
        connection.request("POST", f"/api/v1{path}", json.dumps(body), headers | {"Content-Type": "application/json"})
        with connection.getresponse() as response:
            content = response.read()
            if response.status not in (200, 201):
                failures.append(f"{response.status} {content[:100]!r}")
            return json.loads(content)

    while not stop.is_set() and not failures:
        try:
            search = post("/collections/words/searches", {"show": 2}, {})
            now, secret = search, {"Search-Secret": str(search["secret"])}
            for _ in range(5):
                question = now["question"]
                assert isinstance(question, dict)
                given = {"step": question["step"], "kind": "choice", "item": question["shown"][0]["item"]}
                now = post(f"/searches/{search['id']}/answers", given, secret)
                answers.append(int(question["step"]))
        except (OSError, http.client.HTTPException) as error:
            failures.append(repr(error))
    connection.close()


@pytest.mark.heavy
def test_a_rolling_restart_should_fail_no_request(tmp_path: Path) -> None:
    words = tmp_path / "words.csv"
    words.write_text("title\n" + "".join(f"Word {number}\n" for number in range(40)))
    limits = {"LEARN2SEARCH_ANSWERS_PER_MINUTE": "100000", "LEARN2SEARCH_SEARCHES_PER_MINUTE": "100000"}
    os.environ.update(limits)
    try:
        with served("serve", str(words), home=tmp_path / "home", workers=2) as site:
            first = set(children(site.process.pid, "spawn_main"))
            assert len(first) == 2
            stop, answers, failures = threading.Event(), list[int](), list[str]()
            threads = [threading.Thread(target=visit, args=(site.address, stop, answers, failures)) for _ in range(4)]
            for thread in threads:
                thread.start()
            site.process.send_signal(signal.SIGHUP)
            deadline = time.monotonic() + PATIENCE
            while first & set(children(site.process.pid, "spawn_main")) and time.monotonic() < deadline:
                time.sleep(0.2)
            before = len(answers)
            while len(answers) < before + 20 and not failures and time.monotonic() < deadline:
                time.sleep(0.05)
            stop.set()
            for thread in threads:
                thread.join(PATIENCE)
            assert not failures
            assert not first & set(children(site.process.pid, "spawn_main"))
            assert len(answers) >= before + 20
    finally:
        for name in limits:
            del os.environ[name]
