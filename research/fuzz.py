"""Does any request make the site fail? `python -m research.fuzz --full`.

A million requests, a thousand blocks of a thousand, to a site with two collections, as the owner and as a stranger. The
API's are made from its OpenAPI document: each path with each method, with values that fit and values that do not. The
pages have addresses, queries, forms and cookies of the same values. An answer of 500 or more that is not 503 (busy),
or none at all, is a fault. A run that was stopped goes on with the next block; a block is made again from its number.
"""

import http.client
import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from research.rows import Results, Row, Table
from research.running_site import Site, serving
from research.study import Study, main
from research.summary import print_rows

BLOCK = 1000  # requests
BLOCK_ROW = Table("fuzz", "block", {"block": int})
ODD: tuple[Any, ...] = (
    *(
        "",
        "0",
        "-1",
        "1e400",
        "nan",
        "9" * 23,
        "9" * 4000,
        "2147483648",
        "9223372036854775808",
        "٣",
        "\0",
        "a\0b",
        "\x7f",
    ),
    *(
        "../../etc/passwd",
        "%00",
        "'; DROP TABLE item; --",
        "<script>alert(1)</script>",
        "{{7*7}}",
        "🦊",
        "\ud7ff",
        "é" * 300,
    ),
    *(None, True, False, 0, -1, 2**31, 2**63, 1e308, [], [[]], {}, {"a": [None]}, ["x"] * 50),
)
PAGES = (
    *(
        "/",
        "/docs",
        "/owner",
        "/healthz",
        "/metrics",
        "/c/{slug}",
        "/c/{slug}/find",
        "/c/{slug}/like",
        "/c/{slug}/teach",
    ),
    *("/s/{id}", "/s/{id}/gallery", "/s/{id}/not-it", "/s/{id}/again", "/s/{id}/show", "/r/{id}", "/media/{slug}/{id}"),
    *(
        "/owner/{slug}",
        "/owner/{slug}/items",
        "/owner/{slug}/searches",
        "/owner/{slug}/settings",
        "/owner/{slug}/studies",
    ),
    *(
        "/owner/{slug}/items/{id}",
        "/owner/{slug}/export/{id}",
        "/owner/{slug}/rollback",
        "/embed/{slug}",
        "/{id}",
        "/static/{id}",
    ),
)
NAMES = (
    "step",
    "choice",
    "found",
    "none",
    "undo",
    "show",
    "question",
    "start",
    "count",
    "words",
    "near",
    "title",
    "version",
    "lang",
    "item",
)
METHODS = ("GET", "GET", "GET", "POST", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")


class Requests:
    """The requests of one block."""

    def __init__(self, block: int, api: dict[str, Any], searches: list[str]) -> None:
        self.draw = random.Random(block)
        self.api = [(path, method, what) for path, ways in api["paths"].items() for method, what in ways.items()]
        self.schemas, self.searches = api.get("components", {}).get("schemas", {}), searches

    def __iter__(self) -> Iterator[tuple[str, str, bytes | None, dict[str, str]]]:
        for _ in range(BLOCK):
            yield self._of_api() if self.draw.random() < 0.5 else self._of_page()

    def _of_api(self) -> tuple[str, str, bytes | None, dict[str, str]]:
        path, method, what = self.draw.choice(self.api)
        query = {}
        for parameter in what.get("parameters", []):
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", self._piece(parameter["name"]))
            elif parameter["in"] == "query" and self.draw.random() < 0.5:
                query[parameter["name"]] = self._text()
        kinds = what.get("requestBody", {}).get("content", {})
        schema = kinds.get("application/json", {}).get("schema", {})
        body = json.dumps(self._value(schema, 3)).encode() if kinds else None
        return method.upper(), f"{path}?{urlencode(query)}", body, {"Content-Type": "application/json"}

    def _of_page(self) -> tuple[str, str, bytes | None, dict[str, str]]:
        path = self.draw.choice(PAGES).replace("{slug}", self._piece("slug")).replace("{id}", self._piece("search_id"))
        given = urlencode({name: self._text() for name in self.draw.sample(NAMES, self.draw.randrange(4))})
        method = self.draw.choice(METHODS)
        headers = {
            "Accept": "text/html",
            "Cookie": f"visitor={quote(self._text()[:60])}; lang={quote(self._text()[:60])}",
        }
        if method in ("GET", "HEAD", "OPTIONS"):
            return method, f"{path}?{given}", None, headers
        return method, path, given.encode(), headers | {"Content-Type": "application/x-www-form-urlencoded"}

    def _piece(self, name: str) -> str:
        """A part of a path: one that exists, two times in three."""
        if self.draw.random() < 0.67:
            return (
                self.draw.choice(self.searches) if name == "search_id" else self.draw.choice(["cards", "fuzzed", "1"])
            )
        return quote(self._text()[:300], safe="")

    def _text(self) -> str:
        odd = self.draw.choice(ODD)
        return odd if isinstance(odd, str) else json.dumps(odd)

    def _value(self, schema: dict[str, Any], depth: int) -> Any:
        """A value as the schema wants it, and now and then another."""
        if self.draw.random() < 0.25 or depth == 0:
            return self.draw.choice(ODD)
        schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
        if "anyOf" in schema:
            return self._value(self.draw.choice(schema["anyOf"]), depth - 1)
        if "enum" in schema:
            return self.draw.choice(schema["enum"])
        match schema.get("type"):
            case "object":
                named = schema.get("properties", {}).items()
                return {name: self._value(one, depth - 1) for name, one in named if self.draw.random() < 0.8}
            case "array":
                return [self._value(schema.get("items", {}), depth - 1) for _ in range(self.draw.randrange(4))]
            case "integer":
                return self.draw.randrange(12)
            case "number":
                return self.draw.random()
            case "boolean":
                return self.draw.random() < 0.5
            case _:
                return self.draw.choice(["fuzzed", "choice", "none", "undo", "cards"])


def measure(site: Site, block: int, api: dict[str, Any], searches: list[str]) -> Row:
    """Send a block, every second request as the owner."""
    connection, codes, faults = http.client.HTTPConnection("127.0.0.1", site.port, timeout=120), Counter[str](), []
    for number, (method, path, body, headers) in enumerate(Requests(block, api, searches)):
        if path.startswith("/api/v1/collections/cards") and method in ("DELETE", "PUT"):
            path = path.replace("/cards", "/fuzzed", 1)  # one collection stays as it is
        if number % 2:
            headers = headers | {"Authorization": f"Bearer {site.token}"}
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            answer.read()
            status = answer.status
        except (http.client.HTTPException, OSError) as error:
            connection.close()
            codes[type(error).__name__] += 1
            faults.append(f"{method} {path[:200]}: {error}")
            continue
        codes[f"{status // 100}xx"] += 1
        if status >= 500 and status != 503:
            faults.append(f"{method} {path[:200]}: {status} {(body or b'')[:200].decode(errors='replace')}")
    connection.close()
    return {
        "requests": BLOCK,
        "answers": dict(sorted(codes.items())),
        "faults": len(faults),
        "first_faults": faults[:3],
    }


def run(study: Study) -> None:
    os.environ.pop("LEARN2SEARCH_DATABASE_URL", None)
    for name in ("ANSWERS", "SEARCHES"):
        os.environ[f"LEARN2SEARCH_{name}_PER_MINUTE"] = "10000000"
    blocks = [{"block": block} for block in range(1 if study.quick else 1000)]
    if not study.missing(BLOCK_ROW, blocks):
        return
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "cards.csv"
        table.write_text("title\n" + "".join(f"Card {number}\n" for number in range(40)))
        with serving(Path(folder) / "home", "serve", str(table), "--slug", "cards") as site:
            api, searches = _prepare(site)
            study.measure(BLOCK_ROW, lambda block: measure(site, block, api, searches), blocks)


def _prepare(site: Site) -> tuple[dict[str, Any], list[str]]:
    """The OpenAPI document, a second collection, and a few searches."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=120)
    headers = {"Authorization": f"Bearer {site.token}", "Content-Type": "application/json"}

    def call(method: str, path: str, body: object = None) -> Any:
        connection.request(method, f"/api/v1{path}", None if body is None else json.dumps(body), headers)
        return json.loads(connection.getresponse().read() or b"null")

    call("PUT", "/collections/fuzzed", {"title": "Fuzzed"})
    call("PUT", "/collections/fuzzed/items", [{"key": str(number), "title": f"Card {number}"} for number in range(20)])
    searches = [call("POST", "/collections/cards/searches", {})["id"] for _ in range(5)]
    document = call("GET", "/openapi.json")
    connection.close()
    return document, searches


def report(results: Results) -> None:
    rows = results.select(BLOCK_ROW)
    answers: Counter[str] = sum((Counter(row["answers"]) for row in rows), Counter())
    faults = [one for row in rows for one in row["first_faults"]]
    total = {"requests": sum(row["requests"] for row in rows), "faults": sum(row["faults"] for row in rows)}
    print_rows([total | {"answers": dict(answers), "first faults": faults[:5]}])


if __name__ == "__main__":
    main("fuzz")
