"""Screens of teaching: an item, others beside it, and which of them are most like it."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "screen",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("collection_id", sa.Integer(), nullable=False),
        sa.Column("visitor", sa.String(length=32), nullable=True),
        sa.Column("anchor", sa.Integer(), nullable=False),
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.Column("chosen", sa.JSON(), nullable=False),
        sa.Column("milliseconds", sa.Integer(), nullable=False),
        sa.Column("answered_at", sa.Double(), nullable=False),
        sa.Column("lesson", sa.Integer(), nullable=True),
        sa.Column("triplets", sa.Integer(), nullable=False),
        sa.Column("first_weight", sa.Double(), nullable=False),
        sa.Column("weight", sa.Double(), nullable=True),
        sa.Column("evidence", sa.Double(), nullable=True),
        sa.Column("quarantine", sa.Text(), nullable=True),
        sa.Column("trusted", sa.Boolean(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collection.id"], name=op.f("fk_screen_collection_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_screen")),
    )
    op.create_index(op.f("ix_screen_collection_id_lesson"), "screen", ["collection_id", "lesson"])


def downgrade() -> None:
    """What the screens have taught stays in the models."""
    op.drop_table("screen")
