"""Resuming a room's stream: nothing is missing, repeated or out of order."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from engine.runtime.postgres.embedded_postgres import Conninfos
from tests.api.streaming import Events, data_of, following, ids_of, through
from tests.api.support import DEADLINE_S, ApiServer, Player, new_key
from tests.ports import reserved_port


def placed(player: Player, count: int) -> list[str]:
    """Place this many bets and return their ids."""
    return [player.bet("big", 10)["data"]["id"] for _ in range(count)]


def next_bets(stream: Events, count: int) -> list[str]:
    """The ids of the next `count` bet events, whether a heartbeat comes first or later."""
    return [bet for _ in range(count) for bet in ids_of(through(stream, "bet"), "bet")]


def recall(player: Player, bet: str) -> None:
    about = {"issue": player.house.issue, "game_id": 1, "orderNo": bet}
    assert player.call("Lottery/recall", about, new_key())["code"] == 1


def test_the_ids_of_a_stream_never_go_back(house: ApiServer) -> None:
    """Otherwise a client that is cut off between two events receives some of them again."""
    player = house.register()
    house.next_round()
    with following(house, player) as stream:
        bets = placed(player, 5)
        house.draw_round()
        events = through(stream, "win")
    positions = [event.id for event in events]
    assert positions == sorted(positions)
    assert ids_of(events, "bet") == bets
    assert "balance" in {event.name for event in events}


def test_all_missed_events_are_sent_once_and_in_log_order(house: ApiServer) -> None:
    """Events across the end of the round: bets, recalls, draw and result."""
    player = house.register()
    house.next_round()
    with following(house, player) as stream:
        last = through(stream, "heart")[-1].id
    issue, bets = house.issue, placed(player, 3)
    recall(player, bets[1])
    house.draw_round()
    later = placed(player, 2)
    house.catch_up()
    with following(house, player, last=last) as stream:
        events = through(stream, "heart")
    assert [event.name for event in events] == (
        ["resumed", "bet", "bet", "bet", "recall", "draw", "win", "bet", "bet", "heart"]
    )
    assert ids_of(events, "bet") == bets + later
    assert data_of(events, "recall") == [{"ids": [bets[1]]}]
    assert data_of(events, "draw")[0]["issue_code"] == data_of(events, "win")[0]["issue"] == issue
    assert data_of(events, "win")[0]["stake"] == 20
    positions = [event.id for event in events]
    assert positions == sorted(positions)
    assert positions[0] == last


def test_every_event_may_be_the_last_before_a_cut(house: ApiServer) -> None:
    player = house.register()
    house.next_round()
    with following(house, player) as stream:
        bets = placed(player, 3)
        house.draw_round()
        events = through(stream, "win")
    for place in range(len(events)):
        before = events[: place + 1]
        with following(house, player, last=before[-1].id) as stream:
            after = through(stream, "heart")
        assert ids_of(before, "bet") + ids_of(after, "bet") == bets
        assert len(data_of(before, "draw") + data_of(after, "draw")) == 1
        assert len(data_of(before, "win") + data_of(after, "win")) == 1


def test_a_client_that_missed_more_than_the_buffer_starts_again(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first heartbeat replaces the whole state."""
    player = house.register()
    house.next_round()
    last = house.services.hub.position
    monkeypatch.setattr("api.realtime.rooms.MAX_EVENTS_KEPT", 3)
    bets = placed(player, 5)
    house.catch_up()
    with following(house, player, last=last) as stream:
        heart = next(stream)
        later = placed(player, 1)
        after = through(stream, "bet")
    assert heart.name == "heart"
    assert [bet["id"] for bet in heart.data["message"]][-5:] == bets
    assert ids_of(after, "bet") == later


@pytest.mark.parametrize("last", [10**12, "9" * 5_000, "-1", "1.5", "nonsense"])
def test_a_reader_with_an_unknown_position_begins_again(
    house: ApiServer, player: Player, last: object
) -> None:
    with following(house, player, last=last) as stream:
        heart = next(stream)
        bets = placed(player, 1)
        assert (heart.name, ids_of(through(stream, "bet"), "bet")) == ("heart", bets)


def test_a_reader_ahead_of_this_process_gets_nothing_twice(
    house: ApiServer, player: Player
) -> None:
    """Another process sent the client a bet that this process's read models do not have yet."""
    limiter = house.services.stream_limiter
    with psycopg.connect(house.conninfos.app) as holding, ThreadPoolExecutor(1) as reader:
        house.wait_until(lambda: not limiter._in_all)
        holding.execute("LOCK TABLE views.positions IN EXCLUSIVE MODE")
        placed(player, 2)
        ahead = end_of_log(house)
        assert house.services.hub.position < ahead
        coming = reader.submit(first_and_next_bet, house, ahead)
        house.wait_until(lambda: bool(limiter._in_all))
        holding.rollback()
        house.catch_up()
        house.wait_until(lambda: bool(list(house.services.hub.subscribers.in_room(1))))
        later = placed(player, 1)
        first, bets = coming.result(DEADLINE_S)
    assert (first, bets) == ("resumed", later)


def end_of_log(house: ApiServer) -> int:
    with psycopg.connect(house.conninfos.app) as connection:
        row = connection.execute("SELECT max(notification_id) FROM log.facts").fetchone()
    assert row is not None
    return int(row[0])


def first_and_next_bet(house: ApiServer, last: int) -> tuple[str, list[str]]:
    with following(house, last=last) as stream:
        first = next(stream)
        return first.name, ids_of(through(stream, "bet"), "bet")


def test_streams_resume_after_a_server_restart(database: Conninfos, tmp_path: Path) -> None:
    """The server restarts: events sent before it, and events not sent to any client."""
    port = reserved_port()
    with ApiServer(database, tmp_path, port) as house:
        player = house.register()
        with following(house, player) as stream:
            last = through(stream, "heart")[-1].id
        bets = placed(player, 3)
        recall(player, bets[0])
        house.draw_round()
        later = placed(player, 2)
        recall(player, later[0])
    again = ApiServer(database, tmp_path, port)
    again.clock.now = house.clock.now  # it draws the second round as it opens
    with again, following(again, player, last=last) as stream:
        events = through(stream, "heart")
    first, second = ["bet"] * 3, ["bet"] * 2
    assert [event.name for event in events] == (
        ["resumed", *first, "recall", "draw", "win", *second, "recall", "draw", "win", "heart"]
    )
    assert ids_of(events, "bet") == bets + later
    assert data_of(events, "recall") == [{"ids": [bets[0]]}, {"ids": [later[0]]}]
    assert [win["stake"] for win in data_of(events, "win")] == [20, 10]


def test_streams_resume_after_the_engine_loses_and_regains_its_lease(house: ApiServer) -> None:
    """Within one process, open streams stay connected and new ones continue as well."""
    player = house.register()
    house.next_round()
    with following(house, player) as stream:
        last = through(stream, "heart")[-1].id
        bets = placed(player, 2)
        led = house.engine.reader
        with psycopg.connect(house.conninfos.owner) as another:
            another.execute("UPDATE log.lease SET epoch = epoch + 1, renewed_at = '-infinity'")
        house.wait_until(lambda: house.engine.reader not in {led, None})
        bets += placed(player, 2)
        with following(house, player, last=last) as back:
            assert next_bets(back, len(bets)) == bets
        assert next_bets(stream, len(bets)) == bets
