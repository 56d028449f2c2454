"""What keeps the rooms true when something went past them, or somebody reads too slowly."""

import asyncio
import json
from collections.abc import Sequence
from typing import NoReturn

import psycopg
import pytest

from api.balances import Balances
from api.chat_rooms import Lines
from api.listeners import QUEUE_BYTES, Listener, Listeners
from api.live import Hub
from api.names import Names
from api.pages import Page, Pages
from api.texts import texts_for
from engine.facts import Recorded
from engine.players.money_facts import DepositApproved
from engine.runtime.log import FactLog, datastore
from projections.accounts.queries import Account
from tests.api.staffing import office
from tests.api.support import House, Player, new_key


def log_of(house: House) -> list[Recorded]:
    store = datastore(house.conninfos.app)
    try:
        return FactLog(store).page(0, 100_000)
    finally:
        store.close()


async def _nobody(_: int) -> Account | None:
    await asyncio.sleep(0)
    return None


def hub_behind(house: House, facts: Sequence[Recorded]) -> Hub:
    """A hub that knew nothing and then was handed only these facts."""

    async def handed() -> Hub:
        services = house.services
        names = Names(services.vault.nicknames)
        hub = Hub(names, Balances(_nobody), house.clock)
        received: list[Page] = []
        loop = asyncio.get_running_loop()
        lines = Lines(names, services.vault.words)
        pages = Pages(services.pool, names, lines, lambda _: False, received.append, loop, 0)
        await asyncio.to_thread(pages.on_page, facts)
        await asyncio.sleep(0)
        hub.receive(*received)
        return hub

    return asyncio.run(handed())


def test_a_hub_that_missed_pages_shows_the_same_rooms(house: House, player: Player) -> None:
    bet = player.bet("big", 10)["data"]["id"]
    house.catch_up()
    hub = hub_behind(house, log_of(house)[-1:])
    texts = texts_for("en")
    assert hub.position == house.services.hub.position
    assert hub.heart(1, texts, None) == house.services.hub.heart(1, texts, None)
    assert bet.encode() in hub.heart(1, texts, None)


def test_a_reader_who_is_too_slow_is_cut_off() -> None:
    listener = Listener(1, 7, texts_for("en"))
    listener.send(b"x" * QUEUE_BYTES)
    assert not listener.ended
    listener.send(b"x")
    assert listener.ended


def test_a_stream_that_comes_while_the_house_closes_ends_at_once() -> None:
    listeners = Listeners()
    listeners.close()
    listener = Listener(1, 0, texts_for("en"))
    listeners.add(listener)
    assert listener.ended


def deposit(version: int) -> Recorded:
    fact = DepositApproved("d", "bank", 500, "")
    return Recorded(version, "player-7", version, 0, "", "", fact)


def test_a_balance_follows_the_facts_and_never_goes_back() -> None:
    balances = Balances(_nobody)
    balances.learn(7, 3, 1000, 0)
    balances.apply(7, deposit(4))
    balances.apply(7, deposit(4))
    balances.learn(7, 3, 1, 1)
    held = balances.at_hand(7)
    assert held is not None
    assert (held.available, held.version) == (1500, 4)


def test_a_balance_that_missed_a_fact_is_read_again() -> None:
    balances = Balances(_nobody)
    balances.learn(7, 3, 1000, 0)
    balances.apply(7, deposit(5))
    assert balances.at_hand(7) is None


def test_a_balance_read_while_a_fact_passed_is_read_again() -> None:
    rows = [2, 3]

    async def read() -> int:
        balances: Balances

        async def load(player: int) -> Account:
            version = rows.pop(0)
            if version == 2:
                balances.apply(player, deposit(3))
            await asyncio.sleep(0)
            return Account(player, version * 100, 0, 0, 0, version, version, False, 1, 0)

        balances = Balances(load)
        found = await balances.fetch(7)
        assert found is not None
        return found.available

    assert asyncio.run(read()) == 300


def test_a_hub_that_missed_pages_knows_what_was_said_and_not_of_whom_was_erased(
    house: House, player: Player
) -> None:
    erased = house.register()
    body = {"plan_id": 6, "game_id": 1}
    for who, words in ((player, "kept"), (player, "foul"), (erased, "erased")):
        number = who.call("Lottery/say", {**body, "words": words}, new_key())["data"]["id"]
        house.catch_up()
        if words == "foul":
            office(house, "chatRemove", id=number, reason="abuse")
    house.services.vault.erase(erased.id)
    house.catch_up()
    heart = json.loads(hub_behind(house, log_of(house)[-1:]).heart(6, texts_for("en"), None))
    assert [message["words"] for message in heart["chat"]] == ["kept"]
    assert len(heart["chat_removed"]) == 1


def test_words_that_could_not_be_read_come_with_the_next_page(
    house: House, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that was away for a moment leaves no hole in the chat."""

    def away(*_: object) -> NoReturn:
        raise psycopg.OperationalError

    body = {"plan_id": 5, "game_id": 1, "words": "never lost"}
    with monkeypatch.context() as broken:
        broken.setattr(Lines, "__call__", away)
        player.call("Lottery/say", body, new_key())
        house.catch_up()
        assert house.call("Lottery/heart", body)["data"]["chat"] == []
    player.bet()
    house.catch_up()
    (message,) = house.call("Lottery/heart", body)["data"]["chat"]
    assert message["words"] == "never lost"
