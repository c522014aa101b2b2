"""What a visitor was asked to find, what they said it is like, and where an item's link leads."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Earlier searches were for what visitors had in mind, and began with no hint."""
    with op.batch_alter_table("search") as table:
        table.add_column(sa.Column("to_find", sa.Integer(), nullable=True))
        table.add_column(sa.Column("near", sa.JSON(), nullable=False, server_default="[]"))
    with op.batch_alter_table("item") as table:
        table.add_column(sa.Column("link", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("item") as table:
        table.drop_column("link")
    with op.batch_alter_table("search") as table:
        for name in ("near", "to_find"):
            table.drop_column(name)
