"""What operators see."""

from fastapi.testclient import TestClient

from tests.web.forms import begin


def test_operators_should_see_health_and_metrics(client: TestClient) -> None:
    begin(client)
    assert client.get("/healthz").json() == {"status": "ok"}
    counters = client.get("/metrics").text
    assert 'learn2search_items{collection="colours"}' in counters
    assert "learn2search_searches_total" in counters
