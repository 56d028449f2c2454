"""The living rooms: round states, bets, winners and the open streams, moved on by each page.

Used from the event loop alone. Everything here can be thrown away: `Start` brings it back from
the read models.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, assert_never

from msgspec import Raw

from api import rooms
from api.balances import Balance, Balances
from api.chat_rooms import ChatRoom, Line
from api.listeners import Listener, Listeners, event
from api.names import Names
from api.pages import Page
from api.rooms import Draw, GameLive, Posted, Room
from api.start import Start
from api.texts import TRANSLATED, Texts
from api.wire import encode, masked
from engine.catalogue import GAMES, PLANS
from engine.facts import Recorded, player_of
from engine.house.facts import SwitchTurned
from engine.house.office import ALL, PRODUCT
from engine.players.chat_facts import ChatRemoved, ChatSaid
from engine.players.facts import BetPlaced, BetRecalled, PlayerFact
from engine.rounds.facts import RoundClosed, RoundDrawn, RoundOpened, RoundSettled, RoundVoided
from projections.feed.queries import FeedBet, Winner

_NO_MONEY: Final = b"null"


class Hub:
    """All rooms and everybody who listens. `clock` gives microseconds since 1970."""

    def __init__(self, names: Names, balances: Balances, clock: Callable[[], int]) -> None:
        self.position = 0
        self.games = {game: GameLive() for game in GAMES}
        self._closed: frozenset[str] = frozenset()
        self.listeners = Listeners()
        self._rooms = {plan: Room(plan) for plan in PLANS}
        self.chats = {plan: ChatRoom() for plan in PLANS}
        self._names = names
        self._balances = balances
        self._clock = clock
        self._winners: tuple[Winner, ...] = ()
        self._notices: dict[str, list[Raw]] = {}
        self._reached = asyncio.Event()

    def begin(self, start: Start) -> None:
        """Take up what the read models hold, whatever was known before."""
        self.position = start.position
        self.games.update(start.games)
        self._closed = start.closed
        self._balances.forget()
        self._notices.clear()
        for plan, room in self._rooms.items():
            room.clear()
            for bet in start.bets.get(plan, ()):
                self._post(room, bet)
            room.recalled = dict.fromkeys(start.recalled.get(plan, ()))
        for plan, chat in self.chats.items():
            chat.begin([it for it in start.said if it.plan == plan], start.lines)
        self._winners = start.winners

    def receive(self, page: Page) -> None:
        """Move on behind a page of facts, and tell everybody whom it concerns."""
        if page.start is not None:
            self._begin_again(page.start)
            return
        touched: dict[int, int] = {}
        if page.winners is not None:
            self._winners = page.winners
            self._notices.clear()
        for recorded in page.facts:
            if recorded.position > self.position:
                self.position = recorded.position
                self._apply(recorded, touched, page.lines.get(recorded.position))
        for player, position in touched.items():
            self._tell_balance(player, position)
        for player, orders in page.results:
            self.listeners.tell_result(player, orders, self.position)
        self._wake()

    def _begin_again(self, start: Start) -> None:
        """Pages have passed us by: start anew, and tell everybody the whole state."""
        self.begin(start)
        self._tell_everybody(self.position)
        self._wake()

    def _tell_everybody(self, position: int) -> None:
        for plan in self._rooms:
            for listener in self.listeners.in_room(plan):
                self.tell_heart(listener, position)

    def _wake(self) -> None:
        reached, self._reached = self._reached, asyncio.Event()
        reached.set()

    async def reach(self, position: int, within_s: float) -> None:
        """Wait until the read models hold this position of the log, or the time is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self.position < position:
                    await self._reached.wait()

    def sells(self) -> bool:
        """Whether some game's round is on sale."""
        now = self._clock()
        return any(live.sells(now) for live in self.games.values())

    def heart(self, plan: int, texts: Texts, balance: Balance | None) -> bytes:
        """A heartbeat's data for a room."""
        money = _NO_MONEY if balance is None else balance.wire()
        issue = self.games[PLANS[plan].game].issue(self._clock())
        part, chat, closed = (
            self._part(plan, texts),
            self.chats[plan].encoded(),
            self.is_closed(plan),
        )
        return rooms.heart(part, chat, issue, money, closed=closed)

    def is_closed(self, plan: int) -> bool:
        """Whether staff closed this hall, or something that it is part of."""
        wide = {PRODUCT, ALL, f"game-{PLANS[plan].game}", f"plan-{plan}"}
        return bool(self._closed & wide)

    def missed(self, plan: int, texts: Texts, after: int) -> list[bytes]:
        """The room's bets of the running round and its chat behind a position, as events."""
        events = [
            (one.bet.position, event("bet", one.bet.position, one.wire(texts)))
            for one in self._rooms[plan].bets
            if one.bet.position > after
        ]
        return [content for _, content in sorted(events + self.chats[plan].missed(after))]

    def last_draw(self, game: int, texts: Texts) -> Raw | None:
        """The game's newest draw."""
        draw = self.games[game].draw
        return None if draw is None else Raw(encode(rooms.draw_message(draw, texts)))

    def _part(self, plan: int, texts: Texts) -> bytes:
        room = self._rooms[plan]
        found = room.part.get(texts.name)
        if found is not None:
            return found
        last = self.last_draw(PLANS[plan].game, texts)
        return room.encoded(texts, last, self._winner_notices(texts))

    def _winner_notices(self, texts: Texts) -> list[Raw]:
        found = self._notices.get(texts.name)
        if found is None:
            notices = (rooms.winner_notice(one, self._names, texts) for one in self._winners)
            found = self._notices[texts.name] = [Raw(encode(notice)) for notice in notices]
        return found

    def _apply(self, recorded: Recorded, touched: dict[int, int], line: Line | None) -> None:
        fact = recorded.fact
        if isinstance(fact, PlayerFact):
            player = player_of(recorded.stream)
            self._balances.apply(player, recorded)
            if self.listeners.watches(player):
                touched[player] = recorded.position
        match fact:
            case BetPlaced():
                self._placed(fact, recorded)
            case BetRecalled():
                self._recalled(fact, recorded.position)
            case RoundDrawn():
                self._drawn(fact, recorded)
            case RoundOpened() | RoundClosed() | RoundSettled() | RoundVoided():
                self._moved(fact, recorded.position)
            case ChatSaid(plan=plan) if line is not None:
                self.chats[plan].add(line)
                self.listeners.tell_room(plan, "chat", recorded.position, lambda _: line.encoded)
            case ChatRemoved(message=message, plan=plan):
                self._silence(plan, [message], recorded.position)
            case SwitchTurned(scope=scope, closed=closed):
                self._closed = self._closed | {scope} if closed else self._closed - {scope}
                self._tell_everybody(recorded.position)
            case _:
                pass

    def _moved(
        self, fact: RoundOpened | RoundClosed | RoundSettled | RoundVoided, position: int
    ) -> None:
        """A round's state has changed: everybody in the game's rooms gets a fresh heart."""
        live = self.games[fact.game]
        match fact:
            case RoundOpened():
                self.games[fact.game] = GameLive(fact, draw=live.draw, settled=live.settled)
                for plan in _PLANS_OF[fact.game]:
                    self._rooms[plan].clear()
            case RoundClosed():
                live.closed = True
            case RoundSettled(issue=issue):
                live.settled = (issue, position)
                for room in self._rooms.values():
                    # Its winners are shown in every game's rooms.
                    room.part.clear()
            case RoundVoided():
                pass
            case _ as never:
                assert_never(never)
        for plan in _PLANS_OF[fact.game]:
            self._rooms[plan].part.clear()
            for listener in self.listeners.in_room(plan):
                self.tell_heart(listener, position)

    def _placed(self, placed: BetPlaced, recorded: Recorded) -> None:
        live = self.games[placed.game]
        if live.opened is None or placed.issue != live.opened.issue:
            return
        player = player_of(recorded.stream)
        bot = recorded.actor.startswith(BOT_ACTOR)
        bet = FeedBet(
            placed.bet,
            player,
            placed.game,
            placed.plan,
            placed.issue,
            placed.kind,
            placed.stake_minor,
            bot,
            recorded.at,
            recorded.position,
        )
        posted = self._post(self._rooms[placed.plan], bet)
        self.listeners.tell_room(placed.plan, "bet", recorded.position, posted.wire)

    def _post(self, room: Room, bet: FeedBet) -> Posted:
        posted = Posted(bet, masked(self._names(bet.player)))
        room.bets.append(posted)
        room.part.clear()
        self.games[bet.game].plans[bet.bet] = bet.plan
        return posted

    def _recalled(self, recalled: BetRecalled, position: int) -> None:
        plan = self.games[recalled.game].plans.pop(recalled.bet, None)
        if plan is None:
            return
        room = self._rooms[plan]
        room.recalled[recalled.bet] = None
        room.part.clear()
        message = Raw(encode(rooms.RecallMessage((recalled.bet,))))
        self.listeners.tell_room(plan, "recall", position, lambda _: message)

    def forget_words(self, player: int) -> None:
        """A member was erased: nothing that they said is shown any more."""
        for plan, chat in self.chats.items():
            said = chat.said_by(player)
            if said:
                self._silence(plan, said, self.position)

    def _silence(self, plan: int, ids: list[str], position: int) -> None:
        message = Raw(encode(self.chats[plan].remove(ids, position)))
        self.listeners.tell_room(plan, "chat_removed", position, lambda _: message)

    def _drawn(self, drawn: RoundDrawn, recorded: Recorded) -> None:
        draw = Draw(drawn.issue, drawn.digits, drawn.total, recorded.at)
        self.games[drawn.game].draw = draw
        messages = {
            name: Raw(encode(rooms.draw_message(draw, texts))) for name, texts in TRANSLATED.items()
        }
        for plan in _PLANS_OF[drawn.game]:
            self._rooms[plan].part.clear()
            self.listeners.tell_room(
                plan, "draw", recorded.position, lambda texts: messages[texts.name]
            )

    def tell_heart(self, listener: Listener, position: int) -> None:
        """Send one listener the whole state of their room."""
        balance = self._balances.at_hand(listener.player) if listener.player else None
        data = self.heart(listener.plan, listener.texts, balance)
        listener.send(event("heart", position, data))

    def _tell_balance(self, player: int, position: int) -> None:
        balance = self._balances.at_hand(player)
        if balance is not None:
            self.listeners.tell_player(player, event("balance", position, balance.wire()))


_PLANS_OF: Final = {
    game: tuple(plan.id for plan in PLANS.values() if plan.game == game) for game in GAMES
}
BOT_ACTOR: Final = "bot-"
"""How the actors begin that place the demo bots' bets."""
