"""Studies, who takes part in them, and what they are asked to find."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "study",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("collection_id", sa.Integer(), nullable=False),
        sa.Column("design", sa.JSON(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collection.id"], name=op.f("fk_study_collection_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study")),
    )
    op.create_table(
        "participant",
        sa.Column("study_id", sa.String(length=32), nullable=False),
        sa.Column("code", sa.String(length=128), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("began_at", sa.Double(), nullable=False),
        sa.Column("rested", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_participant_study_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("study_id", "code", name=op.f("pk_participant")),
        sa.UniqueConstraint("study_id", "number", name=op.f("uq_participant_study_id_number")),
    )
    op.create_table(
        "trial",
        sa.Column("study_id", sa.String(length=32), nullable=False),
        sa.Column("code", sa.String(length=128), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("target", sa.Integer(), nullable=False),
        sa.Column("search_id", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id", "code"],
            ["participant.study_id", "participant.code"],
            name=op.f("fk_trial_study_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "code", "number", name=op.f("pk_trial")),
        sa.UniqueConstraint("search_id", name=op.f("uq_trial_search_id")),
    )
    with op.batch_alter_table("search") as table:
        table.add_column(sa.Column("trial", sa.String(length=16), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("search") as table:
        table.drop_column("trial")
    for name in ("trial", "participant", "study"):
        op.drop_table(name)
