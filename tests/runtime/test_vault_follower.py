"""A process notices when another one ends a player's sessions, renames or erases a player."""

from collections.abc import Iterator
from queue import Queue
from threading import Thread

import psycopg
import pytest

from engine.runtime.vault import PlayerIdentity, RegistrationRequest
from engine.runtime.vault.vault_follower import VaultFollower
from tests.journeys.program import until
from tests.runtime.vaults import PASSWORD, Keeper

_DEADLINE_S = 20
Changes = Queue[tuple[int, bool] | None]
"""Players with whether they were erased; None where some may have been missed."""


@pytest.fixture
def changes(keeper: Keeper) -> Iterator[Changes]:
    """What another process is notified of."""
    found: Changes = Queue()
    follower = VaultFollower(
        keeper.conninfos.app,
        lambda player, erased: found.put((player, erased)),
        lambda: found.put(None),
    )
    thread = Thread(target=follower.run)
    thread.start()
    until(lambda: bool(_sessions(keeper)))
    yield found
    follower.close()
    thread.join(_DEADLINE_S)
    assert not thread.is_alive()


def _sessions(keeper: Keeper) -> list[int]:
    """The database sessions that follow the vault."""
    query = "SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN vault' AND state = 'idle'"
    return [pid for (pid,) in keeper.sql(f"{query} AND datname = current_database()")]


def test_the_end_of_a_session_is_noticed(keeper: Keeper, changes: Changes) -> None:
    player = keeper.join()
    first, second = keeper.sessions.open(player), keeper.sessions.open(player)
    assert changes.empty()
    keeper.sessions.revoke(first)
    assert changes.get(timeout=_DEADLINE_S) == (player, False)
    keeper.sessions.revoke(first)
    keeper.sessions.revoke_all(player)
    assert changes.get(timeout=_DEADLINE_S) == (player, False)
    assert changes.empty()
    assert second != first


def test_another_process_no_longer_recognises_an_ended_session(
    keeper: Keeper, changes: Changes
) -> None:
    player = keeper.join()
    token = keeper.sessions.open(player)
    other = keeper.restarted()
    other.load(token)
    assert other.recognise(token) == player
    keeper.sessions.revoke(token)
    assert changes.get(timeout=_DEADLINE_S) == (player, False)
    other.evict(player)
    other.load(token)
    assert other.recognise(token) != player


def test_a_new_name_and_an_erasure_are_noticed(keeper: Keeper, changes: Changes) -> None:
    visitor = RegistrationRequest("visitor1795226700", PASSWORD, 2, None, "guest's")
    guest = keeper.vault.register(visitor)
    assert isinstance(guest, PlayerIdentity)
    request = RegistrationRequest("member7", PASSWORD, 1, None, None)
    keeper.vault.upgrade_guest(guest.player, request)
    assert changes.get(timeout=_DEADLINE_S) == (guest.player, False)
    keeper.vault.erase(guest.player, excluded=False)
    assert changes.get(timeout=_DEADLINE_S) == (guest.player, True)


def test_changes_may_have_been_missed_while_the_connection_was_lost(
    keeper: Keeper, changes: Changes
) -> None:
    (lost,) = _sessions(keeper)
    with psycopg.connect(keeper.conninfos.app, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s)", (lost,))
    assert changes.get(timeout=_DEADLINE_S) is None
    player = keeper.join()
    keeper.sessions.revoke(keeper.sessions.open(player))
    assert changes.get(timeout=_DEADLINE_S) == (player, False)
