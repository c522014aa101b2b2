"""A checksum of the arrays of each model."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Models from before have no checksum, and are read as before."""
    with op.batch_alter_table("model") as table:
        table.add_column(sa.Column("checksum", sa.String(64), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("model") as table:
        table.drop_column("checksum")
