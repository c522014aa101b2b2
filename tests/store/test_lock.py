"""One trainer at a time."""

from pathlib import Path

from learn2search.store.database import Database
from learn2search.store.lock import trainer_lock


def test_only_one_trainer_should_hold_the_lock(database: Database, database_url: str, tmp_path: Path) -> None:
    other = Database(database_url)
    with trainer_lock(database, tmp_path) as first, trainer_lock(other, tmp_path) as second:
        assert (first, second) == (True, False)
    with trainer_lock(other, tmp_path) as second:
        assert second
    other.close()
