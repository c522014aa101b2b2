"""A site by program: `Client`, what it gives, and what can go wrong. Only the standard library is needed."""

from learn2search.client.connection import ClientError, NoConnection, Refused
from learn2search.client.results import (
    CollectionResult,
    FilesOutcome,
    ItemOutcome,
    ItemResult,
    ModelResult,
    QuestionResult,
    SearchResult,
)
from learn2search.client.site_client import Client
from learn2search.client.webhook_signature import NotFromTheSite, read_event

__all__ = [
    "Client",
    "ClientError",
    "CollectionResult",
    "FilesOutcome",
    "ItemOutcome",
    "ItemResult",
    "ModelResult",
    "NoConnection",
    "NotFromTheSite",
    "QuestionResult",
    "Refused",
    "SearchResult",
    "read_event",
]
