"""What a site can be asked for, and how it is set: addresses, settings and metrics, from the application itself."""

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from fastapi.routing import APIRoute
from prometheus_client.metrics import MetricWrapperBase

from docs.website.reference.markdown import Page, code, one_line, table
from learn2search.site.settings import Settings
from learn2search.web import health
from learn2search.web.app import create_app

PREFIX = "LEARN2SEARCH_"


class Address(NamedTuple):
    """One address of the site. meaning: the first paragraph of what answers it."""

    method: str
    path: str
    meaning: str
    in_api: bool


def pages() -> list[Page]:
    """The addresses, the settings and the metrics."""
    return [_addresses(), _settings(), _metrics()]


def addresses() -> list[Address]:
    """Every address, in the order of the application."""
    return list(_below(create_app(Settings()).routes))


def settings() -> dict[str, tuple[str, str]]:
    """Each setting of the site: what it means and its default."""
    found = {}
    for name, field in Settings.model_fields.items():
        default = "" if field.default_factory else str(field.default)
        found[PREFIX + name.upper()] = (field.description or "", "" if default in ("None", "()") else default)
    return found


def metrics() -> dict[str, MetricWrapperBase]:
    """Each metric by the name under which it is read."""
    found = [one for one in vars(health).values() if isinstance(one, MetricWrapperBase)]
    return {_read_as(metric): metric for metric in found}


def _below(routes: Iterable[Any]) -> Iterator[Address]:
    """The addresses of an application: FastAPI keeps the routers that it has as they were given."""
    for route in routes:
        if hasattr(route, "original_router"):
            yield from _below(route.original_router.routes)
        elif isinstance(route, APIRoute):
            meaning = one_line(inspect.getdoc(route.endpoint))
            for method in sorted((route.methods or set()) - {"HEAD"}):
                yield Address(method, re.sub(r":\w+}", "}", route.path), meaning, route.include_in_schema)


def _addresses() -> Page:
    found = addresses()
    groups = {
        "By program": [one for one in found if one.in_api],
        "Pages of visitors": [one for one in found if not one.in_api and not one.path.startswith("/owner")],
        "Pages of the owner": [one for one in found if not one.in_api and one.path.startswith("/owner")],
    }
    opening = (
        "What a running site answers. A site describes the addresses for programs itself, at `/api/v1/openapi.json`;"
        " [how to use them](../api.md#addresses)."
    )
    parts = [f"## {title}\n\n{_address_table(rows)}" for title, rows in groups.items()]
    return Page("reference/addresses.md", "Addresses", "\n\n".join([opening, *parts]))


def _address_table(rows: list[Address]) -> str:
    ordered = sorted(rows, key=lambda one: (one.path, one.method))
    return table(["address", "what it does"], [(code(f"{one.method} {one.path}"), one.meaning) for one in ordered])


def _settings() -> Page:
    rows = [(code(name), meaning, code(default) if default else "") for name, (meaning, default) in settings().items()]
    opening = "Environment variables of the site; [all, with the options that mean the same](../cli.md#settings)."
    return Page("reference/settings.md", "Settings", f"{opening}\n\n{table(['variable', 'meaning', 'default'], rows)}")


def _metrics() -> Page:
    rows = [(code(name), _labels(metric), metric._documentation) for name, metric in metrics().items()]
    opening = "What `GET /metrics` gives, in Prometheus' format; [who may read it](../site.md)."
    return Page("reference/metrics.md", "Metrics", f"{opening}\n\n{table(['metric', 'labels', 'meaning'], rows)}")


def _labels(metric: Any) -> str:
    return ", ".join(code(name) for name in metric._labelnames)


def _read_as(metric: Any) -> str:
    return f"{metric._name}_total" if metric._type == "counter" else str(metric._name)
