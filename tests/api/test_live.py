"""How rooms stay correct after missed pages and with slow readers."""

import asyncio
import json
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import NoReturn, cast

import psycopg
import pytest
from psycopg import Connection, OperationalError
from psycopg.rows import TupleRow

from api.http.db_pool import Pool
from api.http.localization import translations_for
from api.realtime.chat_rooms import MessageRenderer
from api.realtime.hub import WATCHED_US, Hub
from api.realtime.hub_feed import EnrichedPage, PageEnricher
from api.realtime.player_caches import BalanceCache, ResultCache
from api.realtime.subscribers import QUEUE_BYTES, Subscriber, Subscribers
from engine.cashier.facts import DepositApproved
from engine.chat.facts import ChatSaid
from engine.facts import RecordedFact
from engine.rounds.facts import RoundSettled
from engine.runtime.log.fact_log import FactLog, datastore
from engine.runtime.vault.player_directory import NicknameCache
from projections.accounts import Account
from projections.bets import BetRow
from tests.api.staffing import office
from tests.api.support import ApiServer, Player, new_key


def log_of(house: ApiServer) -> list[RecordedFact]:
    store = datastore(house.conninfos.app)
    try:
        return FactLog(store).page(0, 100_000)
    finally:
        store.close()


async def _no_account(_: int) -> Account | None:
    await asyncio.sleep(0)
    return None


async def _no_rounds(_: int) -> Sequence[Sequence[BetRow]]:
    await asyncio.sleep(0)
    return ()


def hub_after(
    house: ApiServer, *pages: Sequence[RecordedFact], listener: Subscriber | None = None
) -> Hub:
    """A new hub that receives only these pages of facts.

    The listener subscribes after the first page.
    """

    async def handed() -> Hub:
        services = house.services
        names = NicknameCache(services.vault.nicknames)
        hub = Hub(names, BalanceCache(_no_account), ResultCache(_no_rounds), house.clock)
        loop = asyncio.get_running_loop()
        lines = MessageRenderer(names, services.vault.texts)
        prepared = PageEnricher(
            services.pool, names, lines, lambda _: False, hub.apply_page, loop, 0
        )
        for facts in pages:
            await asyncio.to_thread(prepared.on_page, facts)
            await asyncio.sleep(0)
            if listener is not None and not hub.subscribers.has_stream(listener.player):
                hub.attach(listener, None)
        await asyncio.gather(*hub._pending_sends)
        return hub

    return asyncio.run(handed())


def names_of(listener: Subscriber) -> list[str]:
    """The names of the events queued for a listener."""
    return re.findall(r"^event: (\w+)$", b"".join(listener._waiting).decode(), re.MULTILINE)


def test_a_hub_is_watched_while_it_has_streams_and_shortly_after_each_call(
    house: ApiServer,
) -> None:
    now = house.clock()
    names, texts = NicknameCache(house.services.vault.nicknames), translations_for("en")
    hub = Hub(names, BalanceCache(_no_account), ResultCache(_no_rounds), lambda: now)
    assert not hub.is_watched()

    hub.heart(1, texts, 0)
    assert hub.is_watched()
    now += WATCHED_US
    assert not hub.is_watched()
    asyncio.run(hub.wait_for(0, 1.0))
    assert hub.is_watched()

    listener = Subscriber(1, 7, texts)
    hub.attach(listener, None)
    now += WATCHED_US
    assert hub.is_watched()
    hub.subscribers.remove(listener)
    assert not hub.is_watched()


def test_a_hub_that_missed_pages_shows_the_same_rooms(house: ApiServer, player: Player) -> None:
    bet = player.bet("big", 10)["data"]["id"]
    house.catch_up()
    hub = hub_after(house, log_of(house)[-1:])
    texts = translations_for("en")
    assert hub.position == house.services.hub.position
    assert hub.heart(1, texts, 0) == house.services.hub.heart(1, texts, 0)
    assert bet.encode() in hub.heart(1, texts, 0)


def test_pages_that_passed_by_are_sent_to_subscribers(house: ApiServer, player: Player) -> None:
    start = log_of(house)
    bets = [player.bet("big", 10)["data"]["id"] for _ in range(3)]
    house.catch_up()
    listener = Subscriber(1, 7, translations_for("en"))
    hub_after(house, start, log_of(house)[-1:], listener=listener)
    assert names_of(listener) == ["heart", "bet", "bet", "bet", "heart"]
    assert all(f'"id":"{bet}"'.encode() in b"".join(listener._waiting) for bet in bets)


def test_facts_that_the_read_models_were_ahead_by_are_sent_once(
    house: ApiServer, player: Player
) -> None:
    """The start is read shortly after its page, so it already contains the pages that follow."""
    before = log_of(house)
    bet = player.bet("big", 10)["data"]["id"]
    house.draw_round()
    later = player.bet("odd", 10)["data"]["id"]
    house.catch_up()
    whole = log_of(house)
    texts, listener = translations_for("en"), Subscriber(1, 7, translations_for("en"))
    hub = hub_after(house, before[-1:], whole[len(before) :], listener=listener)
    assert names_of(listener) == ["heart"]
    assert hub.heart(1, texts, 0) == house.services.hub.heart(1, texts, 0)
    heart = hub.heart(1, texts, 0)
    assert (heart.count(later.encode()), heart.count(bet.encode())) == (1, 0)


class Away:
    """A pool whose database is unavailable for the first `times` connections."""

    def __init__(self, pool: Pool, times: int) -> None:
        self._pool = pool
        self._times = times

    def connection(self) -> AbstractContextManager[Connection[TupleRow]]:
        self._times -= 1
        if self._times >= 0:
            raise OperationalError("away")
        return self._pool.connection()


def pages_sent(
    house: ApiServer, pages: Sequence[Sequence[RecordedFact]], position: int, *, fails: bool = False
) -> list[EnrichedPage]:
    """Returns the enriched pages when the database is unavailable for the first query.

    With `fails` the database is available, and the first page raises.
    """

    async def enriched() -> list[EnrichedPage]:
        received: list[EnrichedPage] = []
        away = cast("Pool", Away(house.services.pool, 0 if fails else 1))
        loop = asyncio.get_running_loop()
        vault = house.services.vault
        names = NicknameCache(vault.nicknames)
        lines = MessageRenderer(names, vault.texts)
        prepared = PageEnricher(away, names, lines, lambda _: True, received.append, loop, position)
        for facts in pages:
            with suppress(OSError) if fails else nullcontext():
                await asyncio.to_thread(prepared.on_page, facts)
        await asyncio.sleep(0)
        return received

    return asyncio.run(enriched())


def test_a_gap_that_could_not_be_filled_is_filled_with_the_next_page(
    house: ApiServer, player: Player
) -> None:
    player.bet("big", 10)
    house.catch_up()
    log = log_of(house)
    (page,) = pages_sent(house, [log[-2:-1], log[-1:]], 0)
    assert page.snapshot is not None
    assert page.snapshot.position >= log[-1].position


def test_a_page_that_failed_is_made_up_for_with_the_next(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For example without a free file descriptor: until a restart, rooms would lack its bets."""
    player.bet("big", 10)
    house.catch_up()
    log, read = log_of(house), NicknameCache.ensure_loaded
    faults = [OSError(24, "too many open files")]

    def failing(names: NicknameCache, players: Sequence[int]) -> None:
        if faults:
            raise faults.pop()
        read(names, players)

    monkeypatch.setattr(NicknameCache, "ensure_loaded", failing)
    (page,) = pages_sent(house, [log[:-1], log[-1:]], 0, fails=True)
    assert page.snapshot is not None
    assert page.snapshot.position >= log[-1].position


def test_results_that_could_not_be_looked_up_come_with_the_next_page(
    house: ApiServer, player: Player
) -> None:
    issue = house.issue
    player.bet("big", 10)
    house.draw_round()
    player.bet("big", 10)
    house.catch_up()
    log = [it for it in log_of(house) if not isinstance(it.fact, ChatSaid)]
    place = next(at for at, it in enumerate(log) if it.fact == settled_in(log, issue))
    first, second = pages_sent(house, [log[: place + 1], log[place + 1 :]], 0)
    assert (first.winners, first.results) == (None, {})
    assert second.winners is not None
    orders = dict(second.results[1, issue])[player.id]
    assert [order.stake for order in orders] == [1_000]


@pytest.mark.parametrize("position", [0, -1])
def test_what_could_not_be_looked_up_comes_although_nothing_more_happens(
    house: ApiServer, player: Player, position: int
) -> None:
    """After the day's last round nothing may happen for hours."""
    issue = house.issue
    player.bet("big", 10)
    house.draw_round()
    house.catch_up()
    log = [it for it in log_of(house) if not isinstance(it.fact, ChatSaid)]
    place = next(at for at, it in enumerate(log) if it.fact == settled_in(log, issue))
    *_, made_up = pages_sent(house, [log[: place + 1], ()], position)
    if position:  # the first page was not the next one, so a snapshot replaces it
        assert made_up.snapshot is not None
        return
    orders = dict(made_up.results[1, issue])[player.id]
    assert [order.stake for order in orders] == [1_000]


def settled_in(log: Sequence[RecordedFact], issue: str) -> RoundSettled:
    return next(
        it.fact
        for it in log
        if isinstance(it.fact, RoundSettled) and (it.fact.game, it.fact.issue) == (1, issue)
    )


def test_a_reader_who_is_too_slow_is_cut_off() -> None:
    listener = Subscriber(1, 7, translations_for("en"))
    listener.send(b"x" * QUEUE_BYTES)
    assert not listener.ended.is_set()
    listener.send(b"x")
    assert listener.ended.is_set()


def test_a_stream_that_comes_while_the_house_closes_ends_at_once() -> None:
    listeners = Subscribers()
    listeners.close()
    listener = Subscriber(1, 0, translations_for("en"))
    listeners.add(listener)
    assert listener.ended.is_set()


def deposit(version: int) -> RecordedFact:
    fact = DepositApproved("d", "bank", 500, "")
    return RecordedFact(version, "player-7", version, 0, "", "", fact)


def test_a_balance_follows_the_facts_and_never_goes_back() -> None:
    balances = BalanceCache(_no_account)
    balances.put(7, 3, 1000, 0)
    balances.apply(7, deposit(4))
    balances.apply(7, deposit(4))
    balances.put(7, 3, 1, 1)
    cached = balances.get_cached(7)
    assert cached is not None
    assert (cached.available, cached.version) == (1500, 4)


def test_a_balance_that_missed_a_fact_is_read_again() -> None:
    balances = BalanceCache(_no_account)
    balances.put(7, 3, 1000, 0)
    balances.apply(7, deposit(5))
    assert balances.get_cached(7) is None


def test_a_balance_read_while_a_fact_passed_is_read_again() -> None:
    rows = [2, 3]

    async def read() -> int:
        balances: BalanceCache

        async def load(player: int) -> Account:
            version = rows.pop(0)
            if version == 2:
                balances.apply(player, deposit(3))
            await asyncio.sleep(0)
            return Account(player, version * 100, 0, 0, 0, version, version, False, 1)

        balances = BalanceCache(load)
        found = await balances.fetch(7)
        assert found is not None
        return found.available

    assert asyncio.run(read()) == 300


def test_a_hub_that_missed_pages_shows_messages_but_none_of_erased_players(
    house: ApiServer, player: Player
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
    heart = json.loads(hub_after(house, log_of(house)[-1:]).heart(6, translations_for("en"), 0))
    assert [message["words"] for message in heart["chat"]] == ["kept"]
    assert len(heart["chat_removed"]) == 1


def test_words_that_could_not_be_read_come_with_the_next_page(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that was briefly unavailable leaves no gap in the chat."""

    def away(*_: object) -> NoReturn:
        raise psycopg.OperationalError

    body = {"plan_id": 5, "game_id": 1, "words": "never lost"}
    with monkeypatch.context() as broken:
        broken.setattr(MessageRenderer, "__call__", away)
        player.call("Lottery/say", body, new_key())
        house.catch_up()
        assert house.call("Lottery/heart", body)["data"]["chat"] == []
    player.bet()
    house.catch_up()
    (message,) = house.call("Lottery/heart", body)["data"]["chat"]
    assert message["words"] == "never lost"
