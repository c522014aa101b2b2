"""One trainer of a collection at a time."""

import sqlalchemy

from learn2search.store.database import Database
from learn2search.store.lock import HOUSEKEEPING, _keep_alive, trainer_lock


def test_only_one_trainer_should_hold_the_lock_of_a_collection(database: Database, database_url: str) -> None:
    other = Database(database_url)
    with trainer_lock(database, 1) as first, trainer_lock(other, 1) as second:
        assert (bool(first), bool(second)) == (True, False)
        assert (first.still_ours(), second.still_ours()) == (True, False)
    with trainer_lock(other, 1) as second:
        assert second
    other.close()


def test_collections_should_be_trained_side_by_side(database: Database, database_url: str) -> None:
    other = Database(database_url)
    with (
        trainer_lock(database, 1) as first,
        trainer_lock(other, 2) as second,
        trainer_lock(other, HOUSEKEEPING) as third,
    ):
        assert first
        assert second
        assert third
    other.close()


def test_a_machine_that_vanished_should_be_found_out_within_seconds(database: Database) -> None:
    """Both sides ask: the server about the one that holds a lock, every process about the server."""
    if database.is_sqlite:
        return
    statement = sqlalchemy.text("SELECT current_setting('tcp_keepalives_idle')")
    with database.engine.connect() as connection:
        server_idle = connection.execute(statement).scalar_one()
        _keep_alive(connection)
        assert int(connection.execute(statement).scalar_one()) == 3 < int(server_idle)
        there = connection.connection.dbapi_connection.info.get_parameters()
        assert there["keepalives_idle"] == "5"
        assert there["tcp_user_timeout"] == "11000"


def test_a_lock_that_was_lost_should_say_so_and_be_free_for_others(database: Database, database_url: str) -> None:
    """The server ends the session, as when it restarts or finds the machine gone."""
    if database.is_sqlite:
        return  # the kernel keeps a file's lock as long as its process lives
    other = Database(database_url)
    with trainer_lock(database, 1) as first:
        with other.write() as db:
            held = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1"
            assert db.execute(sqlalchemy.text(held)).scalar_one()
        assert not first.still_ours()
        with trainer_lock(other, 1) as second:
            assert second
    other.close()
