"""Traces for OpenTelemetry: a span for each request that reaches a route, with its transactions and its computing.

Only where `learn2search[tracing]` is installed and the environment says where spans go, by the names that OpenTelemetry
has for that. No address, no query and no form is part of a span.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import structlog
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from learn2search.site import spans
from learn2search.web.access_log import route_of

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")

log = structlog.get_logger()


def wanted_exporter(environment: Mapping[str, str]) -> str | None:
    """`otlp` or `console`; None where no spans are wanted."""
    kind = environment.get("OTEL_TRACES_EXPORTER") or ("otlp" if any(map(environment.get, _ENDPOINTS)) else None)
    is_disabled = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return None if is_disabled or kind not in ("otlp", "console") else kind


class Tracing:
    """Collects spans and sends them in a thread of its own."""

    def __init__(self, exporter: SpanExporter) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        name = {} if "OTEL_SERVICE_NAME" in os.environ else {"service.name": "learn2search"}
        self._provider = TracerProvider(resource=Resource.create(name))
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self.tracer = self._provider.get_tracer("learn2search")
        spans.time_with(self._part)

    def _part(self, name: str) -> AbstractContextManager[Any]:
        """A part of the request that this thread is at; what is done beside requests is not traced."""
        from opentelemetry import trace

        if not trace.get_current_span().is_recording():
            return nullcontext()
        return self.tracer.start_as_current_span(name, record_exception=False)

    def close(self) -> None:
        """Send what is left."""
        spans.time_with(None)
        self._provider.shutdown()


def open_tracing() -> Tracing | None:
    """As the environment wants it; where packages are missing, the log says so and nothing is traced."""
    kind = wanted_exporter(os.environ)
    if kind is None:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter
    except ImportError as error:
        log.warning("no traces", reason=str(error), message="pip install 'learn2search[tracing]'")
        return None
    return Tracing(OTLPSpanExporter() if kind == "otlp" else ConsoleSpanExporter())


class Traced:
    """Middleware, the innermost: a span for each request, named by its route. Callers may pass on their own trace."""

    def __init__(self, app: ASGIApp, tracing: Tracing) -> None:
        self.app, self._tracer = app, tracing.tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        from opentelemetry import propagate
        from opentelemetry.trace import SpanKind, StatusCode

        method = scope["method"]
        caller = propagate.extract(Headers(scope=scope))
        with self._tracer.start_as_current_span(method, caller, SpanKind.SERVER, record_exception=False) as span:

            async def watched(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                    if message["status"] >= 500:
                        span.set_status(StatusCode.ERROR)
                await send(message)

            try:
                await self.app(scope, receive, watched)
            finally:
                span.set_attribute("http.request.method", method)
                found = route_of(scope)
                if "route" in found:
                    span.update_name(f"{method} {found['route']}")
                    span.set_attribute("http.route", found["route"])
                if "search_id" in found:
                    span.set_attribute("learn2search.search_id", found["search_id"])
