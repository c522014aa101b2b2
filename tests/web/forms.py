"""What a browser without scripts does: begin a search, and read the form of a question."""

import re

from fastapi.testclient import TestClient

STEP = re.compile(r'name="step" value="(\d+)"')
CHOICE = re.compile(r'name="choice" value="(\d+)"')


def begin(client: TestClient) -> tuple[str, str]:
    """A new search: its address and its page."""
    answer = client.post("/c/colours")
    assert answer.status_code == 200
    return str(answer.url.path), answer.text


def step_of(page: str) -> int:
    return int(STEP.findall(page)[0])


def shown_on(page: str) -> list[int]:
    return [int(number) for number in CHOICE.findall(page)]
