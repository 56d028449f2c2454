"""The living rooms: round states, bets, winners and the open streams, moved on by each page.

Used from the event loop alone. Everything here can be thrown away: `Start` brings it back from
the read models. What happens in a room is told in the order of the log, and what concerns one
player behind it, so that the ids of a stream's events never go back.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, assert_never

import psycopg
from msgspec import Raw
from psycopg_pool import PoolTimeout

from api import rooms
from api.balances import Balances
from api.chat_rooms import ChatRoom, Line
from api.happenings import drawn, placed, recalled, resumed, won
from api.journal import ROUNDS_HELD, Happened
from api.listeners import Listener, Listeners, event
from api.names import Names
from api.pages import Page, RoundKey, Settled
from api.results import Results
from api.rooms import Draw, GameLive, Posted, Room
from api.sale import Sale
from api.start import Start, held_from
from api.texts import Texts
from api.wire import encode, masked
from engine.catalogue import GAMES, PLANS
from engine.facts import Recorded, player_of
from engine.house.facts import OddsSet, SwitchTurned
from engine.players.chat_facts import ChatRemoved, ChatSaid
from engine.players.facts import BetPlaced, BetRecalled, PlayerFact
from engine.rounds.facts import (
    RoundClosed,
    RoundDrawn,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    StakesReturned,
)
from engine.runtime import supervision
from projections.feed.queries import FeedBet, FeedRecall, Winner

_NOTHING: Final = b"null"


class Hub:
    """All rooms and everybody who listens. `clock` gives microseconds since 1970."""

    def __init__(
        self, names: Names, balances: Balances, results: Results, clock: Callable[[], int]
    ) -> None:
        self.position = 0
        self.games = {game: GameLive() for game in GAMES}
        self.sale = Sale()
        self.listeners = Listeners()
        self._rooms = {plan: Room(plan) for plan in PLANS}
        self.chats = {plan: ChatRoom() for plan in PLANS}
        self._names = names
        self._balances = balances
        self._results = results
        self._clock = clock
        self._winners: tuple[Winner, ...] = ()
        self._notices: dict[str, list[Raw]] = {}
        self._reached = asyncio.Event()
        self._catching_up: set[asyncio.Task[None]] = set()

    def begin(self, start: Start) -> None:
        """Take up what the read models hold, whatever was known before."""
        self.position = start.position
        self.games.update(start.games)
        self.sale = start.sale
        self._balances.forget()
        self._results.forget()
        self._notices.clear()
        for plan, room in self._rooms.items():
            self._begin_room(room, start, start.bets.get(plan, ()), start.recalled.get(plan, ()))
        for plan, chat in self.chats.items():
            chat.begin([it for it in start.said if it.plan == plan], start.lines)
        self._winners = start.winners

    def _begin_room(
        self, room: Room, start: Start, bets: Sequence[FeedBet], recalls: Sequence[FeedRecall]
    ) -> None:
        room.clear()
        live = self.games[PLANS[room.plan].game]
        issue = live.opened.issue if live.opened is not None else ""
        posted = [Posted(bet, masked(self._names(bet.player))) for bet in bets]
        room.bets.extend(one for one in posted if one.bet.issue == issue)
        live.plans.update({one.bet.bet: room.plan for one in room.bets})
        room.recalled = {recall.bet: None for recall in recalls if recall.issue == issue}
        game = PLANS[room.plan].game
        happened = [
            *(placed(one) for one in posted),
            *(recalled(recall.bet, recall.position) for recall in recalls),
            *(drawn(draw) for draw in start.draws[game]),
        ]
        room.journal.begin(held_from(start, game, bets), happened)

    def receive(self, page: Page) -> None:
        """Move on behind a page of facts, and tell everybody whom it concerns."""
        if page.start is not None:
            self._begin_again(page.start)
            return
        touched: set[int] = set()
        results = dict(page.results)
        if page.winners is not None:
            self._winners = page.winners
            self._notices.clear()
        for recorded in page.facts:
            if recorded.position > self.position:
                self.position = recorded.position
                line = page.lines.get(recorded.position)
                self._apply(recorded, touched, results, line)
        for settled in results.values():
            self._tell_results(settled)
        for player in touched:
            self._tell_balance(player)
        self._wake()

    def _begin_again(self, start: Start) -> None:
        """Pages have passed us by: start anew. Streams that can go on do, the others come back."""
        before = self.position
        self.begin(start)
        for plan, room in self._rooms.items():
            missed = room.journal.behind(before)
            for listener in self.listeners.in_room(plan):
                if missed is None:
                    listener.end()
                    continue
                self._tell_missed(listener, missed, before)
                self._tell_once_known(listener)
        self._wake()

    def welcome(self, listener: Listener, after: int | None) -> None:
        """Let a listener in, behind what they missed since the position `after`, if that is held.

        The first event says which: `resumed`, and then the room's bets, recalls and draws and the
        player's results behind that position, in the order of the log; or else `heart`, which
        begins anew: its lists stand for everything. Either way a heart with the state as it is
        now comes before anything newer.
        """
        self.listeners.add(listener)
        missed = None
        if after is not None and after <= self.position:
            missed = self._rooms[listener.plan].journal.behind(after)
        if after is not None and missed is not None:
            listener.send(resumed(after))
            self._tell_missed(listener, missed, after)
        self.tell_heart(listener, self.position)

    def _tell_missed(self, listener: Listener, missed: Sequence[Happened], after: int) -> None:
        """With what was said in the room, and the player's own results."""
        own = won(self._results.at_hand(listener.player) or ())
        told = [one for one in own if after < one.position <= self.position]
        events = [(one.position, one.event(listener.texts)) for one in [*missed, *told]]
        for _, content in sorted(events + self.chats[listener.plan].missed(after)):
            listener.send(content)

    async def know(self, player: int) -> None:
        """Have what is this player's at hand for a heart."""
        if self._balances.at_hand(player) is None:
            await self._balances.fetch(player)
        if self._results.at_hand(player) is None:
            await self._results.fetch(player)

    def follows(self, player: int) -> bool:
        """Whether a player must be told how their rounds come out; for any thread."""
        return self._results.follows(player) or self.listeners.watches(player)

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

    def heart(self, plan: int, texts: Texts, player: int) -> bytes:
        """A heartbeat's data for a room and who looks at it, who is known or 0."""
        game = PLANS[plan].game
        balance = self._balances.at_hand(player)
        result = self._results.newest(player, game)
        return rooms.heart(
            self._part(plan, texts),
            self.chats[plan].encoded(),
            self.games[game].issue(self._clock()),
            _NOTHING if balance is None else balance.wire(),
            _NOTHING if result is None else result.encoded,
            closed=self.sale.is_closed(plan),
        )

    def last_draw(self, game: int, texts: Texts) -> Raw:
        """The game's newest draw, or `rooms.NO_DRAW`."""
        draw = self.games[game].draw
        return Raw(encode(rooms.NO_DRAW if draw is None else rooms.draw_message(draw, texts)))

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

    def _apply(
        self,
        recorded: Recorded,
        touched: set[int],
        results: dict[RoundKey, Settled],
        line: Line | None,
    ) -> None:
        fact = recorded.fact
        if isinstance(fact, PlayerFact):
            player = player_of(recorded.stream)
            self._balances.apply(player, recorded)
            if self.listeners.watches(player):
                touched.add(player)
        match fact:
            case BetPlaced():
                self._placed(fact, recorded)
            case BetRecalled():
                self._recalled(fact, recorded.position)
            case RoundDrawn():
                self._drawn(fact, recorded)
            case RoundOpened() | RoundClosed() | RoundSettled() | RoundVoided() | StakesReturned():
                self._tell_results(results.pop((fact.game, fact.issue), ()))
                self._moved(fact, recorded.position)
            case ChatSaid(plan=plan) if line is not None:
                self.chats[plan].add(line)
                self.listeners.tell_room(plan, "chat", recorded.position, lambda _: line.encoded)
            case ChatRemoved(message=message, plan=plan):
                self._silence(plan, [message], recorded.position)
            case OddsSet():
                self.sale.apply(fact)
            case SwitchTurned():
                self.sale.apply(fact)
                self._tell_everybody(recorded.position)
            case _:
                pass

    def _moved(
        self,
        fact: RoundOpened | RoundClosed | RoundSettled | RoundVoided | StakesReturned,
        position: int,
    ) -> None:
        """A round's state has changed: everybody in the game's rooms gets a fresh heart."""
        live = self.games[fact.game]
        match fact:
            case RoundOpened():
                if live.opened is not None and fact.draws_at <= live.opened.draws_at:
                    return  # the read models were ahead at the start
                openings = (*live.openings, position)[-ROUNDS_HELD:]
                self.games[fact.game] = GameLive(fact, draw=live.draw, openings=openings)
                for plan in _PLANS_OF[fact.game]:
                    self._rooms[plan].clear()
                    if len(openings) == ROUNDS_HELD:
                        self._rooms[plan].journal.forget(openings[0])
            case RoundClosed(issue=issue):
                live.closed |= live.opened is not None and live.opened.issue == issue
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
            for listener in self.listeners.in_room(plan):
                self.tell_heart(listener, position)

    def _placed(self, fact: BetPlaced, recorded: Recorded) -> None:
        live = self.games[fact.game]
        if live.opened is None or fact.issue != live.opened.issue or fact.bet in live.plans:
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
        posted = Posted(bet, masked(self._names(player)))
        live.plans[bet.bet] = bet.plan
        room = self._rooms[bet.plan]
        room.bets.append(posted)
        room.part.clear()
        self._happened(room, placed(posted))

    def _recalled(self, fact: BetRecalled, position: int) -> None:
        plan = self.games[fact.game].plans.get(fact.bet)
        if plan is None or fact.bet in self._rooms[plan].recalled:
            return
        room = self._rooms[plan]
        room.recalled[fact.bet] = None
        room.part.clear()
        self._happened(room, recalled(fact.bet, position))

    def forget_words(self, player: int) -> None:
        """A member was erased: nothing that they said is shown any more."""
        for plan, chat in self.chats.items():
            said = chat.said_by(player)
            if said:
                self._silence(plan, said, self.position)

    def _silence(self, plan: int, ids: list[str], position: int) -> None:
        message = Raw(encode(self.chats[plan].remove(ids, position)))
        self.listeners.tell_room(plan, "chat_removed", position, lambda _: message)

    def _drawn(self, fact: RoundDrawn, recorded: Recorded) -> None:
        known = self.games[fact.game].draw
        if known is not None and recorded.position <= known.position:
            return
        draw = Draw(fact.issue, fact.digits, fact.total, recorded.at, recorded.position)
        self.games[fact.game].draw = draw
        happened = drawn(draw)
        for plan in _PLANS_OF[fact.game]:
            self._rooms[plan].part.clear()
            self._happened(self._rooms[plan], happened)

    def _happened(self, room: Room, happened: Happened) -> None:
        room.journal.add(happened)
        self.listeners.tell_room(room.plan, happened.name, happened.position, happened.encoded)

    def tell_heart(self, listener: Listener, position: int) -> None:
        """Send one listener the whole state of their room."""
        data = self.heart(listener.plan, listener.texts, listener.player)
        listener.send(event("heart", position, data))

    def _tell_results(self, settled: Settled) -> None:
        for player, orders in settled:
            result = self._results.learn(player, orders, self.position)
            if result is not None:
                content = event("win", self.position, result.encoded)
                self.listeners.tell_player(player, content)

    def _tell_balance(self, player: int) -> None:
        balance = self._balances.at_hand(player)
        if balance is not None:
            content = event("balance", self.position, balance.wire())
            self.listeners.tell_player(player, content)
            return
        for listener in self.listeners.of(player):
            self._tell_once_known(listener)

    def _tell_once_known(self, listener: Listener) -> None:
        """Send a listener a heart, as soon as what is theirs has been read."""
        telling = supervision.owned(self._know_and_tell(listener))
        self._catching_up.add(telling)
        telling.add_done_callback(self._catching_up.discard)

    async def _know_and_tell(self, listener: Listener) -> None:
        try:
            if listener.player:
                await self.know(listener.player)
        except (psycopg.OperationalError, PoolTimeout):
            listener.end()  # they come back by themselves, and to a database that is there again
        self.tell_heart(listener, self.position)


_PLANS_OF: Final = {
    game: tuple(plan.id for plan in PLANS.values() if plan.game == game) for game in GAMES
}
BOT_ACTOR: Final = "bot-"
"""How the actors begin that place the demo bots' bets."""
