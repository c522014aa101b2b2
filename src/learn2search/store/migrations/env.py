"""Run by Alembic: the connection comes from `Database.migrate`."""

from alembic import context

from learn2search.store.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
context.run_migrations()
