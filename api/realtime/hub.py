"""Live state of all rooms: rounds, bets, winners and open streams, updated by each page of facts.

Used from the event loop only. Nothing here is durable: `HubSnapshot` restores it from the read
models. Room events are sent in log order, and a player's own events after them, so that the ids
of a stream's events never decrease.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, assert_never

import psycopg
from msgspec import Raw
from psycopg_pool import PoolTimeout

from api.http.localization import Translations
from api.http.wire import encode, event, mask_name
from api.realtime import rooms
from api.realtime.chat_rooms import ChatRoom, RenderedMessage
from api.realtime.hub_feed import (
    EnrichedPage,
    HubSnapshot,
    RoundKey,
    SaleSettings,
    Settled,
    replay_start,
)
from api.realtime.player_caches import BalanceCache, ResultCache
from api.realtime.rooms import (
    MAX_ROUNDS_KEPT,
    Draw,
    GameState,
    Room,
    RoomBet,
    RoomEvent,
    drawn,
    placed,
    recalled,
    resumed,
    won,
)
from api.realtime.subscribers import Subscriber, Subscribers
from engine.bets.facts import BetPlaced, BetRecalled
from engine.catalogue import GAMES, PLANS
from engine.chat.facts import ChatRemoved, ChatSaid
from engine.facts import RecordedFact, player_of
from engine.house.facts import OddsSet, SwitchTurned
from engine.players.facts import PlayerFact
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
)
from engine.runtime import supervision
from engine.runtime.vault.player_directory import NicknameCache
from projections.bets import FeedBet, FeedRecall
from projections.winners import Winner

_NULL: Final = b"null"
WATCHED_US: Final = 10 * 1_000_000
"""For this long after a call that read the rooms, more calls are expected."""


class Hub:
    """All rooms and their subscribers. `clock` gives microseconds since 1970."""

    def __init__(
        self,
        names: NicknameCache,
        balances: BalanceCache,
        results: ResultCache,
        clock: Callable[[], int],
    ) -> None:
        self.position = 0
        self.games = {game: GameState() for game in GAMES}
        self.sale = SaleSettings()
        self.subscribers = Subscribers()
        self._rooms = {plan: Room(plan) for plan in PLANS}
        self.chats = {plan: ChatRoom() for plan in PLANS}
        self._names = names
        self._balances = balances
        self._results = results
        self._clock = clock
        self._winners: tuple[Winner, ...] = ()
        self._notices: dict[str, list[Raw]] = {}
        self._reached = asyncio.Event()
        self._pending_sends: set[asyncio.Task[None]] = set()
        self._last_used = 0

    def load(self, snapshot: HubSnapshot) -> None:
        """Replace the whole state with a snapshot of the read models."""
        self.position = snapshot.position
        self.games.update(snapshot.games)
        self.sale = snapshot.sale
        self._balances.evict_all()
        self._results.evict_all()
        self._notices.clear()
        for plan, room in self._rooms.items():
            self._load_room(
                room, snapshot, snapshot.bets.get(plan, ()), snapshot.recalled.get(plan, ())
            )
        for plan, chat in self.chats.items():
            chat.load([it for it in snapshot.messages if it.plan == plan], snapshot.lines)
        self._winners = snapshot.winners

    def _load_room(
        self,
        room: Room,
        snapshot: HubSnapshot,
        bets: Sequence[FeedBet],
        recalls: Sequence[FeedRecall],
    ) -> None:
        room.clear()
        state = self.games[PLANS[room.plan].game]
        issue = state.opened.issue if state.opened is not None else ""
        room_bets = [RoomBet(bet, mask_name(self._names(bet.player))) for bet in bets]
        room.bets.extend(one for one in room_bets if one.bet.issue == issue)
        state.plans.update({one.bet.bet: room.plan for one in room.bets})
        room.recalled = {recall.bet: None for recall in recalls if recall.issue == issue}
        game = PLANS[room.plan].game
        events = [
            *(placed(one) for one in room_bets),
            *(recalled(recall.bet, recall.position) for recall in recalls),
            *(drawn(draw) for draw in snapshot.draws[game]),
        ]
        room.replay_buffer.load(replay_start(snapshot, game, bets), events)

    def apply_page(self, page: EnrichedPage) -> None:
        """Apply a page of facts and send the resulting events to the subscribers."""
        if page.snapshot is not None:
            self._reload(page.snapshot)
            return
        touched: set[int] = set()
        results = dict(page.results)
        if page.winners is not None:
            self._winners = page.winners
            self._notices.clear()
        for recorded in page.facts:
            if recorded.position > self.position:
                self.position = recorded.position
                rendered = page.messages.get(recorded.position)
                self._apply(recorded, touched, results, rendered)
        for settled in results.values():
            self._send_results(settled)
        for player in touched:
            self._send_balance(player)
        self._wake()

    def _reload(self, snapshot: HubSnapshot) -> None:
        """Reload after missed pages. Streams that cannot be resumed end, and clients reconnect."""
        before = self.position
        self.load(snapshot)
        for plan, room in self._rooms.items():
            missed = room.replay_buffer.after(before)
            for subscriber in self.subscribers.in_room(plan):
                if missed is None:
                    subscriber.end()
                    continue
                self._send_missed(subscriber, missed, before)
                self._send_heartbeat_once_loaded(subscriber)
        self._wake()

    def attach(self, subscriber: Subscriber, after: int | None) -> None:
        """Add a subscriber, and replay what they missed since the position `after` if buffered.

        If it is buffered, the first event is `resumed`. The room's bets, recalls, draws and chat
        and the player's results after that position follow, in log order. Otherwise the first event
        is `heart`, whose lists replace all that the client has. In both cases a heart with the
        current state comes before anything newer.
        """
        self.subscribers.add(subscriber)
        missed = None
        if after is not None and after <= self.position:
            missed = self._rooms[subscriber.plan].replay_buffer.after(after)
        if after is not None and missed is not None:
            subscriber.send(resumed(after))
            self._send_missed(subscriber, missed, after)
        self.send_heartbeat(subscriber, self.position)

    def _send_missed(self, subscriber: Subscriber, missed: Sequence[RoomEvent], after: int) -> None:
        """Send missed room events, merged with the room's chat and the player's own results."""
        own = won(self._results.get_cached(subscriber.player) or ())
        unseen = [one for one in own if after < one.position <= self.position]
        events = [(one.position, one.event(subscriber.texts)) for one in [*missed, *unseen]]
        for _, content in sorted(events + self.chats[subscriber.plan].missed(after)):
            subscriber.send(content)

    async def load_player(self, player: int) -> None:
        """Load this player's balance and results into the caches, for a heart."""
        if self._balances.get_cached(player) is None:
            await self._balances.fetch(player)
        if self._results.get_cached(player) is None:
            await self._results.fetch(player)

    def follows(self, player: int) -> bool:
        """Whether a player's round results must be sent to them; callable from any thread."""
        return self._results.follows(player) or self.subscribers.has_stream(player)

    def _send_to_all(self, position: int) -> None:
        for plan in self._rooms:
            for subscriber in self.subscribers.in_room(plan):
                self.send_heartbeat(subscriber, position)

    def _wake(self) -> None:
        reached, self._reached = self._reached, asyncio.Event()
        reached.set()

    async def wait_for(self, position: int, timeout_s: float) -> None:
        """Wait until the read models include this log position, or until the timeout."""
        self._last_used = self._clock()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self.position < position:
                    await self._reached.wait()

    def is_watched(self) -> bool:
        """Whether players use this process: has streams, or was read lately; from any thread."""
        return self._clock() - self._last_used < WATCHED_US or self.subscribers.number > 0

    def is_open(self) -> bool:
        """Whether some game's round is on sale."""
        now = self._clock()
        return any(state.is_open(now) for state in self.games.values())

    def heart(self, plan: int, texts: Translations, player: int) -> bytes:
        """Returns a heartbeat's data for a room and a player; `player` is 0 without a session."""
        now = self._last_used = self._clock()
        game = PLANS[plan].game
        balance = self._balances.get_cached(player)
        result = self._results.newest(player, game)
        return rooms.heart(
            self._part(plan, texts),
            self.chats[plan].encoded(),
            self.games[game].issue(now),
            _NULL if balance is None else balance.wire(),
            _NULL if result is None else result.encoded,
            closed=self.sale.is_closed(plan),
        )

    def last_draw(self, game: int, texts: Translations) -> Raw:
        """Returns the game's newest draw, or `rooms.NO_DRAW`."""
        draw = self.games[game].draw
        return Raw(encode(rooms.NO_DRAW if draw is None else rooms.draw_message(draw, texts)))

    def _part(self, plan: int, texts: Translations) -> bytes:
        room = self._rooms[plan]
        found = room.part.get(texts.name)
        if found is not None:
            return found
        last = self.last_draw(PLANS[plan].game, texts)
        return room.encoded(texts, last, self._winner_notices(texts))

    def _winner_notices(self, texts: Translations) -> list[Raw]:
        found = self._notices.get(texts.name)
        if found is None:
            notices = (rooms.winner_notice(one, self._names, texts) for one in self._winners)
            found = self._notices[texts.name] = [Raw(encode(notice)) for notice in notices]
        return found

    def _apply(
        self,
        recorded: RecordedFact,
        touched: set[int],
        results: dict[RoundKey, Settled],
        rendered: RenderedMessage | None,
    ) -> None:
        fact = recorded.fact
        if isinstance(fact, PlayerFact):
            player = player_of(recorded.stream)
            self._balances.apply(player, recorded)
            if self.subscribers.has_stream(player):
                touched.add(player)
        match fact:
            case BetPlaced():
                self._placed(fact, recorded)
            case BetRecalled():
                self._recalled(fact, recorded.position)
            case RoundDrawn():
                self._drawn(fact, recorded)
            case RoundOpened() | RoundClosed() | RoundSettled() | RoundVoided() | StakesReturned():
                self._send_results(results.pop((fact.game, fact.issue), ()))
                self._round_changed(fact, recorded.position)
            case ChatSaid(plan=plan) if rendered is not None:
                self.chats[plan].add(rendered)
                self.subscribers.send_to_room(
                    plan, "chat", recorded.position, lambda _: rendered.encoded
                )
            case ChatRemoved(message=message, plan=plan):
                self._remove_messages(plan, [message], recorded.position)
            case OddsSet():
                self.sale.apply(fact)
            case SwitchTurned():
                self.sale.apply(fact)
                self._send_to_all(recorded.position)
            case _:
                pass

    def _round_changed(
        self,
        fact: RoundOpened | RoundClosed | RoundSettled | RoundVoided | StakesReturned,
        position: int,
    ) -> None:
        """Apply a round's change of state, and send a heart to all clients in the game's rooms."""
        state = self.games[fact.game]
        match fact:
            case RoundOpened():
                if state.opened is not None and fact.draws_at <= state.opened.draws_at:
                    return  # the read models were ahead at the start
                openings = (*state.openings, position)[-MAX_ROUNDS_KEPT:]
                self.games[fact.game] = GameState(fact, draw=state.draw, openings=openings)
                for plan in _PLANS_OF[fact.game]:
                    self._rooms[plan].clear()
                    if len(openings) == MAX_ROUNDS_KEPT:
                        self._rooms[plan].replay_buffer.evict(openings[0])
            case RoundClosed(issue=issue):
                state.closed |= state.opened is not None and state.opened.issue == issue
            case RoundSettled():
                for room in self._rooms.values():
                    # Its winners are shown in every game's rooms.
                    room.part.clear()
            case RoundVoided() | StakesReturned():
                pass
            case _ as never:
                assert_never(never)
        for plan in _PLANS_OF[fact.game]:
            self._rooms[plan].part.clear()
            for subscriber in self.subscribers.in_room(plan):
                self.send_heartbeat(subscriber, position)

    def _placed(self, fact: BetPlaced, recorded: RecordedFact) -> None:
        state = self.games[fact.game]
        if state.opened is None or fact.issue != state.opened.issue or fact.bet in state.plans:
            return
        player = player_of(recorded.stream)
        bot = recorded.actor.startswith(BOT_ACTOR)
        bet = FeedBet(
            fact.bet,
            player,
            fact.game,
            fact.plan,
            fact.issue,
            fact.kind,
            fact.stake_minor,
            bot,
            recorded.at,
            recorded.position,
        )
        room_bet = RoomBet(bet, mask_name(self._names(player)))
        state.plans[bet.bet] = bet.plan
        room = self._rooms[bet.plan]
        room.bets.append(room_bet)
        room.part.clear()
        self._publish(room, placed(room_bet))

    def _recalled(self, fact: BetRecalled, position: int) -> None:
        plan = self.games[fact.game].plans.get(fact.bet)
        if plan is None or fact.bet in self._rooms[plan].recalled:
            return
        room = self._rooms[plan]
        room.recalled[fact.bet] = None
        room.part.clear()
        self._publish(room, recalled(fact.bet, position))

    def remove_messages_of(self, player: int) -> None:
        """Remove all messages of an erased player."""
        for plan, chat in self.chats.items():
            ids = chat.ids_by(player)
            if ids:
                self._remove_messages(plan, ids, self.position)

    def _remove_messages(self, plan: int, ids: list[str], position: int) -> None:
        message = Raw(encode(self.chats[plan].remove(ids, position)))
        self.subscribers.send_to_room(plan, "chat_removed", position, lambda _: message)

    def _drawn(self, fact: RoundDrawn, recorded: RecordedFact) -> None:
        previous = self.games[fact.game].draw
        if previous is not None and recorded.position <= previous.position:
            return
        draw = Draw(fact.issue, fact.digits, fact.total, recorded.at, recorded.position)
        self.games[fact.game].draw = draw
        room_event = drawn(draw)
        for plan in _PLANS_OF[fact.game]:
            self._rooms[plan].part.clear()
            self._publish(self._rooms[plan], room_event)

    def _publish(self, room: Room, room_event: RoomEvent) -> None:
        room.replay_buffer.add(room_event)
        self.subscribers.send_to_room(
            room.plan, room_event.name, room_event.position, room_event.encoded
        )

    def send_heartbeat(self, subscriber: Subscriber, position: int) -> None:
        """Send one subscriber the whole state of their room."""
        data = self.heart(subscriber.plan, subscriber.texts, subscriber.player)
        subscriber.send(event("heart", position, data))

    def _send_results(self, settled: Settled) -> None:
        for player, orders in settled:
            result = self._results.put(player, orders, self.position)
            if result is not None:
                content = event("win", self.position, result.encoded)
                self.subscribers.send_to_player(player, content)

    def _send_balance(self, player: int) -> None:
        balance = self._balances.get_cached(player)
        if balance is not None:
            content = event("balance", self.position, balance.wire())
            self.subscribers.send_to_player(player, content)
            return
        for subscriber in self.subscribers.of(player):
            self._send_heartbeat_once_loaded(subscriber)

    def _send_heartbeat_once_loaded(self, subscriber: Subscriber) -> None:
        """Send a subscriber a heart, as soon as their balance and results are loaded."""
        task = supervision.owned(self._load_and_send(subscriber))
        self._pending_sends.add(task)
        task.add_done_callback(self._pending_sends.discard)

    async def _load_and_send(self, subscriber: Subscriber) -> None:
        try:
            if subscriber.player:
                await self.load_player(subscriber.player)
        except (psycopg.OperationalError, PoolTimeout):
            subscriber.end()  # the client reconnects by itself, once the database is available
        self.send_heartbeat(subscriber, self.position)


_PLANS_OF: Final = {
    game: tuple(plan.id for plan in PLANS.values() if plan.game == game) for game in GAMES
}
BOT_ACTOR: Final = "bot-"
"""Prefix of the actors that place the demo bots' bets."""
