"""The tables. Times are seconds since 1970; items are numbered from 0 inside their collection, in the order they came.

    collection ─┬─ item
                ├─ model        an embedding with the items that it covers; never changed once written
                ├─ search ─── step    the log of answers: the truth from which beliefs are rebuilt
                ├─ triplet      what finished searches teach, derived from their steps
                ├─ screen       an answer of somebody who teaches the collection, without a search
                ├─ webhook ── delivery   who is told of finds and models, and what they were told
                └─ study ─── participant ─── trial   what participants are asked to find; its search has the rest

    request_count   requests of the last minute, for limits that all workers share

A finished search or a screen of teaching becomes the next *lesson* of its collection. So two numbers say what a search
knows: the model that it began with, and how many lessons there were.
"""

from enum import StrEnum
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    text,
)

from learn2search.store.enums import AnswerKind, ModelOrigin, RetiredBy, SearchOrigin, SearchStatus, TrialKind

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMES)


class OneOf(TypeDecorator[StrEnum]):
    """A column of text that holds values of one enumeration. Any other value is a ValueError, read or written."""

    impl = String
    cache_ok = True

    def __init__(self, values: type[StrEnum]) -> None:
        super().__init__(16)
        self.values = values

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        return None if value is None else self.values(value).value

    def process_result_value(self, value: Any, dialect: Any) -> StrEnum | None:
        return None if value is None else self.values(value)


setting = Table(
    "setting",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

collection = Table(
    "collection",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("slug", String(64), nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("options", JSON, nullable=False),
    Column("model_id", Integer, nullable=True),  # the published one; changed by compare-and-swap only
    Column("lessons", Integer, nullable=False, default=0),
    Column("created_at", Double, nullable=False),
)

item = Table(
    "item",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("collection_id", ForeignKey("collection.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("key", String(255), nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False, default=""),
    Column("family", Text, nullable=False, default=""),
    Column("media", JSON, nullable=False),
    Column("digest", String(64), nullable=False),  # of what it was made from: unchanged sources are not read again
    Column("active", Boolean, nullable=False, default=True),
    Column("retired_by", OneOf(RetiredBy), nullable=True),
    Column("created_at", Double, nullable=False),
    Column("link", Text, nullable=False, server_default=""),  # an http(s) address, or nothing
    UniqueConstraint("collection_id", "number"),
    UniqueConstraint("collection_id", "key"),
)

model = Table(
    "model",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("collection_id", ForeignKey("collection.id", ondelete="CASCADE"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("parent_id", Integer, nullable=True),
    Column("origin", OneOf(ModelOrigin), nullable=False),
    Column("published", Boolean, nullable=False),
    Column("trained_up_to", Integer, nullable=False),  # lesson
    Column("triplets", Integer, nullable=False),
    Column("noise", Double, nullable=False),
    Column("metrics", JSON, nullable=False),
    Column("arrays", LargeBinary, nullable=False),  # NPZ: items (n,), mean (n, d), var (n, d)
    Column("checksum", String(64), nullable=True),  # SHA-256 of the arrays; None for models from before there was one
    Column("created_at", Double, nullable=False),
    UniqueConstraint("collection_id", "version"),
)

search = Table(
    "search",
    metadata,
    Column("id", String(32), primary_key=True),  # 128 random bits
    Column("collection_id", ForeignKey("collection.id", ondelete="CASCADE"), nullable=False),
    Column("model_id", ForeignKey("model.id"), nullable=False),
    Column("lessons", Integer, nullable=False),  # of the collection, when it began
    Column("strategy", String(64), nullable=False),
    Column("show", Integer, nullable=False),
    Column("status", OneOf(SearchStatus), nullable=False),
    Column("target", Integer, nullable=True),
    Column("questions", Integer, nullable=True),
    Column("lesson", Integer, nullable=True),  # what it became, once it teaches
    Column("quarantine", Text, nullable=True),  # the reason
    Column("weight", Double, nullable=True),  # how much it teaches, 0 to 1; None before it was weighed: in full
    Column("evidence", Double, nullable=True),  # log honest - log bot, from which the weight follows
    Column("trusted", Boolean, nullable=False, server_default=false()),  # by the owner, whatever it looks like
    Column("visitor", String(32), nullable=True),  # a salted hash of a random cookie
    Column("origin", OneOf(SearchOrigin), nullable=False),
    Column("started_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    Column("ended_at", Double, nullable=True),
    Column("to_find", Integer, nullable=True),  # the item that the site asked the visitor to find
    Column("near", JSON, nullable=False, server_default="[]"),  # items that the visitor said it is like, at the start
    Column("trial", OneOf(TrialKind), nullable=True),  # what it is for, in a study
    Index(None, "collection_id", "status", "ended_at"),
    Index(None, "status", "changed_at"),
)

step = Table(
    "step",
    metadata,
    Column("search_id", ForeignKey("search.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("shown", JSON, nullable=False),
    Column("kind", OneOf(AnswerKind), nullable=True),  # None while the question is open
    Column("chosen", Integer, nullable=True),
    Column("milliseconds", Integer, nullable=True),
    Column("shown_at", Double, nullable=False),
    Column("fits", Double, nullable=False),  # for the page alone: 2^entropy of the belief
    Column("likely", JSON, nullable=False),  # for the page alone: items worth loading ahead
)

triplet = Table(
    "triplet",
    metadata,
    Column("collection_id", ForeignKey("collection.id", ondelete="CASCADE"), primary_key=True),
    Column("lesson", Integer, primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("pair", Integer, primary_key=True),
    Column("search_id", ForeignKey("search.id", ondelete="CASCADE"), nullable=False),
    Column("anchor", Integer, nullable=False),
    Column("near", Integer, nullable=False),
    Column("far", Integer, nullable=False),
    Column("withdrawn", Boolean, nullable=False, default=False),
    Column("weight", Double, nullable=False, server_default="1"),  # of the search when it ended: for online steps
)
Index(
    "uq_triplet_search_step_pair",
    triplet.c.search_id,
    triplet.c.step,
    triplet.c.pair,
    unique=True,
    sqlite_where=text("NOT withdrawn"),
    postgresql_where=text("NOT withdrawn"),
)

screen = Table(
    "screen",
    metadata,
    Column("id", String(32), primary_key=True),  # 128 random bits, given when it was asked: an answer counts once
    Column("collection_id", ForeignKey("collection.id", ondelete="CASCADE"), nullable=False),
    Column("visitor", String(32), nullable=True),  # as of a search
    Column("anchor", Integer, nullable=False),
    Column("shown", JSON, nullable=False),
    Column("chosen", JSON, nullable=False),  # of those shown, each nearer to the anchor than each other one
    Column("milliseconds", Integer, nullable=False),
    Column("answered_at", Double, nullable=False),
    Column("lesson", Integer, nullable=True),  # what it became; None where it says nothing, or was set aside at once
    Column("triplets", Integer, nullable=False),  # how many it gives
    Column("first_weight", Double, nullable=False),  # when it was answered: for online steps
    Column("weight", Double, nullable=True),  # as of a search, and so are the next three
    Column("evidence", Double, nullable=True),
    Column("quarantine", Text, nullable=True),
    Column("trusted", Boolean, nullable=False),
    Column("withdrawn", Boolean, nullable=False),  # taken back by the one who answered
    Index(None, "collection_id", "lesson"),
)

webhook = Table(
    "webhook",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("collection_id", ForeignKey("collection.id", ondelete="CASCADE"), nullable=False),
    Column("url", Text, nullable=False),
    Column("secret", String(64), nullable=False),  # signs what it is told
    Column("kinds", JSON, nullable=False),
    Column("created_at", Double, nullable=False),
)

delivery = Table(
    "delivery",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("webhook_id", ForeignKey("webhook.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("body", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", Double, nullable=True),  # None once it was delivered or given up
    Column("delivered_at", Double, nullable=True),
    Column("message", Text, nullable=False),
    Index(None, "next_at"),
)

study = Table(
    "study",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("collection_id", ForeignKey("collection.id", ondelete="CASCADE"), nullable=False),
    Column("design", JSON, nullable=False),
    Column("is_open", Boolean, nullable=False),
    Column("created_at", Double, nullable=False),
)

participant = Table(
    "participant",
    metadata,
    Column("study_id", ForeignKey("study.id", ondelete="CASCADE"), primary_key=True),
    Column("code", String(128), primary_key=True),  # the id that the researcher gave
    Column("number", Integer, nullable=False),  # in the order of their coming, from 0
    Column("began_at", Double, nullable=False),  # by agreeing to take part
    Column("rested", Integer, nullable=False),  # how many trials were behind them when the last break ended
    UniqueConstraint("study_id", "number"),
)

trial = Table(
    "trial",
    metadata,
    Column("study_id", String(32), primary_key=True),
    Column("code", String(128), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", OneOf(TrialKind), nullable=False),
    Column("target", Integer, nullable=False),
    Column("search_id", String(32), nullable=False, unique=True),  # that its search has, once it has begun
    ForeignKeyConstraint(["study_id", "code"], ["participant.study_id", "participant.code"], ondelete="CASCADE"),
)

# For a minute: how often somebody came, near a limit. It is in no backup.
request_count = Table(
    "request_count",
    metadata,
    Column("sender", String(32), primary_key=True),  # a salted hash of what is counted, the network and the cookie
    Column("slice", Integer, primary_key=True),  # of five seconds, since 1970
    Column("requests", Integer, nullable=False),
    Index(None, "slice"),
)
