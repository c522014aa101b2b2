"""The database: tables, migrations and every SQL statement. Knows `embedding` and nothing else of the package."""
