"""How much a search teaches, the evidence for it, and whether the owner trusts it whatever it looks like."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Searches that ended before are weighed by the next fit; until then each counts in full, as it did."""
    with op.batch_alter_table("search") as table:
        table.add_column(sa.Column("weight", sa.Double(), nullable=True))
        table.add_column(sa.Column("evidence", sa.Double(), nullable=True))
        table.add_column(sa.Column("trusted", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("triplet") as table:
        table.add_column(sa.Column("weight", sa.Double(), nullable=False, server_default="1"))


def downgrade() -> None:
    with op.batch_alter_table("triplet") as table:
        table.drop_column("weight")
    with op.batch_alter_table("search") as table:
        for name in ("trusted", "evidence", "weight"):
            table.drop_column(name)
