"""Room for the names of strategies that other packages add: 64 characters instead of 16."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

SHORT, LONG = sa.String(length=16), sa.String(length=64)


def upgrade() -> None:
    with op.batch_alter_table("search") as table:
        table.alter_column("strategy", existing_type=SHORT, type_=LONG, existing_nullable=False)


def downgrade() -> None:
    """PostgreSQL refuses while a search has a longer name; SQLite keeps it."""
    with op.batch_alter_table("search") as table:
        table.alter_column("strategy", existing_type=LONG, type_=SHORT, existing_nullable=False)
