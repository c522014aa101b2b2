"""`python -m learn2search.cli`, where the command itself is not on the path."""

from learn2search.cli.main import app

app()
