"""The database: tables, migrations and every SQL statement. Of the package it uses `embedding` only."""
