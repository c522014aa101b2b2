"""Requests counted by all workers together, so that limits hold for the site and not for each worker."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "request_count",
        sa.Column("sender", sa.String(length=32), nullable=False),
        sa.Column("slice", sa.Integer(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("sender", "slice", name=op.f("pk_request_count")),
    )
    op.create_index(op.f("ix_request_count_slice"), "request_count", ["slice"])


def downgrade() -> None:
    op.drop_table("request_count")
