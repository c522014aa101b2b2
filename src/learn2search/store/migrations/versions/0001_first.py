"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_setting()
    _create_collection()
    _create_item()
    _create_model()
    _create_search()
    _create_step()
    _create_triplet()


def _create_setting() -> None:
    op.create_table(
        "setting",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_setting")),
    )


def _create_collection() -> None:
    op.create_table(
        "collection",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=True),
        sa.Column("lessons", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collection")),
        sa.UniqueConstraint("slug", name=op.f("uq_collection_slug")),
    )


def _create_item() -> None:
    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("collection_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("family", sa.Text(), nullable=False),
        sa.Column("media", sa.JSON(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("retired_by", sa.String(length=16), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collection.id"], name=op.f("fk_item_collection_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_item")),
        sa.UniqueConstraint("collection_id", "key", name=op.f("uq_item_collection_id_key")),
        sa.UniqueConstraint("collection_id", "number", name=op.f("uq_item_collection_id_number")),
    )


def _create_model() -> None:
    op.create_table(
        "model",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("collection_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("published", sa.Boolean(), nullable=False),
        sa.Column("trained_up_to", sa.Integer(), nullable=False),
        sa.Column("triplets", sa.Integer(), nullable=False),
        sa.Column("noise", sa.Double(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("arrays", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collection.id"], name=op.f("fk_model_collection_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model")),
        sa.UniqueConstraint("collection_id", "version", name=op.f("uq_model_collection_id_version")),
    )


def _create_search() -> None:
    op.create_table(
        "search",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("collection_id", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("lessons", sa.Integer(), nullable=False),
        sa.Column("strategy", sa.String(length=16), nullable=False),
        sa.Column("show", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("target", sa.Integer(), nullable=True),
        sa.Column("questions", sa.Integer(), nullable=True),
        sa.Column("lesson", sa.Integer(), nullable=True),
        sa.Column("quarantine", sa.Text(), nullable=True),
        sa.Column("visitor", sa.String(length=32), nullable=True),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collection.id"], name=op.f("fk_search_collection_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["model_id"], ["model.id"], name=op.f("fk_search_model_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search")),
    )
    op.create_index(
        op.f("ix_search_collection_id_status_ended_at"), "search", ["collection_id", "status", "ended_at"], unique=False
    )
    op.create_index(op.f("ix_search_status_changed_at"), "search", ["status", "changed_at"], unique=False)


def _create_step() -> None:
    op.create_table(
        "step",
        sa.Column("search_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=True),
        sa.Column("chosen", sa.Integer(), nullable=True),
        sa.Column("milliseconds", sa.Integer(), nullable=True),
        sa.Column("shown_at", sa.Double(), nullable=False),
        sa.Column("fits", sa.Double(), nullable=False),
        sa.Column("likely", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["search_id"], ["search.id"], name=op.f("fk_step_search_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("search_id", "number", name=op.f("pk_step")),
    )


def _create_triplet() -> None:
    op.create_table(
        "triplet",
        sa.Column("collection_id", sa.Integer(), nullable=False),
        sa.Column("lesson", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("pair", sa.Integer(), nullable=False),
        sa.Column("search_id", sa.String(length=32), nullable=False),
        sa.Column("anchor", sa.Integer(), nullable=False),
        sa.Column("near", sa.Integer(), nullable=False),
        sa.Column("far", sa.Integer(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collection.id"], name=op.f("fk_triplet_collection_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["search_id"], ["search.id"], name=op.f("fk_triplet_search_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("collection_id", "lesson", "step", "pair", name=op.f("pk_triplet")),
    )
    op.create_index(
        "uq_triplet_search_step_pair",
        "triplet",
        ["search_id", "step", "pair"],
        unique=True,
        sqlite_where=sa.text("NOT withdrawn"),
        postgresql_where=sa.text("NOT withdrawn"),
    )


def downgrade() -> None:
    op.drop_index(
        "uq_triplet_search_step_pair",
        table_name="triplet",
        sqlite_where=sa.text("NOT withdrawn"),
        postgresql_where=sa.text("NOT withdrawn"),
    )
    op.drop_table("triplet")
    op.drop_table("step")
    op.drop_index(op.f("ix_search_status_changed_at"), table_name="search")
    op.drop_index(op.f("ix_search_collection_id_status_ended_at"), table_name="search")
    op.drop_table("search")
    op.drop_table("model")
    op.drop_table("item")
    op.drop_table("setting")
    op.drop_table("collection")
