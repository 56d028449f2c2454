"""Sessions end when they are revoked, and need a new login for money after 30 idle minutes."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from psycopg import Connection
from psycopg.rows import TupleRow

from engine.refusals import Refusal
from engine.runtime.vault.sessions import IDLE_US, WRITTEN_EVERY_US, Sessions
from tests.runtime.vaults import Keeper

MINUTE_US = 60 * 1_000_000


def active_at(keeper: Keeper) -> int:
    ((found,),) = keeper.sql("SELECT active_at FROM vault.sessions")
    assert isinstance(found, int)
    return found


def use(sessions: Sessions, token: str) -> None:
    if sessions.mark_active(token):
        sessions.write_activity(token)


@pytest.fixture
def token(keeper: Keeper) -> str:
    return keeper.sessions.open(keeper.join())


def test_money_moves_until_thirty_minutes_have_passed_idle(keeper: Keeper, token: str) -> None:
    keeper.clock.now += IDLE_US - 1
    assert keeper.sessions.is_recently_active(token)
    keeper.clock.now += 1
    assert not keeper.sessions.is_recently_active(token)


def test_using_a_session_keeps_it_fresh(keeper: Keeper, token: str) -> None:
    for _ in range(5):
        keeper.clock.now += IDLE_US - 1
        use(keeper.sessions, token)
    assert keeper.sessions.is_recently_active(token)


def test_a_stale_session_still_opens_but_no_use_makes_it_fresh(keeper: Keeper, token: str) -> None:
    keeper.clock.now += IDLE_US
    use(keeper.sessions, token)
    assert not keeper.sessions.is_recently_active(token)
    assert keeper.sessions.recognise(token) == 10001
    use(keeper.restarted(), token)
    assert not keeper.sessions.is_recently_active(token)
    assert keeper.sessions.is_recently_active(keeper.sessions.open(10001))


def test_activity_is_written_once_a_minute(keeper: Keeper, token: str) -> None:
    opened = keeper.clock.now
    keeper.clock.now += WRITTEN_EVERY_US - 1
    assert not keeper.sessions.mark_active(token)
    keeper.clock.now += 1
    assert [keeper.sessions.mark_active(token) for _ in range(3)] == [True, False, False]
    assert active_at(keeper) == opened
    keeper.sessions.write_activity(token)
    assert active_at(keeper) == opened + WRITTEN_EVERY_US


def test_a_restart_knows_of_activity_but_for_the_last_minute(keeper: Keeper, token: str) -> None:
    for _ in range(40):
        keeper.clock.now += MINUTE_US
        use(keeper.sessions, token)
    keeper.clock.now += IDLE_US - MINUTE_US
    restarted = keeper.restarted()
    restarted.load(token)
    assert restarted.is_recently_active(token)


def test_an_unknown_token_is_not_fresh(keeper: Keeper) -> None:
    unknown = "x" * 43
    keeper.sessions.load(unknown)
    assert not keeper.sessions.is_recently_active(unknown)
    assert not keeper.sessions.mark_active(unknown)
    assert not keeper.sessions.is_recently_active("never looked up")


def test_signing_out_ends_one_session(keeper: Keeper, token: str) -> None:
    other = keeper.sessions.open(10001)
    keeper.sessions.revoke(token)
    keeper.sessions.load(token)
    assert keeper.sessions.recognise(token) is Refusal.TOKEN_REVOKED
    assert keeper.sessions.recognise(other) == 10001


def test_staff_end_all_of_a_players_sessions_and_no_others(keeper: Keeper, token: str) -> None:
    own = (token, keeper.sessions.open(10001))
    another = keeper.sessions.open(keeper.join("member2"))
    keeper.sessions.revoke_all(10001)
    assert [keeper.sessions.recognise(each) for each in (*own, another)] == [None, None, 10002]
    keeper.sessions.load(another)
    assert keeper.sessions.recognise(another) == 10002
    for each in own:
        keeper.sessions.load(each)
        assert keeper.sessions.recognise(each) is Refusal.TOKEN_REVOKED
    assert keeper.sessions.recognise(keeper.sessions.open(10001)) == 10001


def test_a_session_read_while_it_is_being_revoked_is_not_cached(
    keeper: Keeper, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, connect = keeper.restarted(), keeper.pool.connection

    @contextmanager
    def slow() -> Iterator[Connection[TupleRow]]:
        with connect() as connection:
            yield connection
        # The row was read; before it is cached, the session is revoked.
        monkeypatch.setattr(keeper.pool, "connection", connect)
        reader.revoke_all(10001)

    monkeypatch.setattr(keeper.pool, "connection", slow)
    reader.load(token)
    assert reader.recognise(token) is Refusal.TOKEN_REVOKED


def test_printing_sessions_shows_no_token(keeper: Keeper, token: str) -> None:
    assert token not in repr(keeper.sessions)
