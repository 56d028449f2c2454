"""What a room shows, in wire form: the same bytes for all clients in it.

A room is a plan (a hall of one game). Its bets are those of the game's newest round.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from msgspec import Raw, Struct, field

from api.http.field_types import At, AtMs, Digit, Flag, Money, Position, Seconds, Total
from api.http.localization import TRANSLATED, Translations
from api.http.wire import encode, event, mask_name, money, seconds
from engine.catalogue import labels
from engine.rounds.facts import RoundOpened
from projections.bets import FeedBet
from projections.winners import Winner

MAX_EVENTS_KEPT: Final = 600
"""Twice the bets that a room keeps, so that they fit together with their recalls and draws."""
MAX_ROUNDS_KEPT: Final = 4
"""Enough to cover a restart of the server, even where rounds take ten seconds."""


class RoomEvent(Struct, frozen=True, gc=False):
    """An event of the room, its log position, and its data by language."""

    position: int
    name: str
    encoded: Callable[[Translations], Raw]

    def event(self, texts: Translations) -> bytes:
        """Returns the server-sent event in this language."""
        return event(self.name, self.position, self.encoded(texts))


class ReplayBuffer:
    """The newest events of one room, oldest first."""

    def __init__(self) -> None:
        self._events: deque[RoomEvent] = deque()
        self._replay_start = 0

    def load(self, replay_start: int, events: Iterable[RoomEvent]) -> None:
        """Replace the content with these events, which are all those after `replay_start`."""
        self._events = deque(sorted(events, key=lambda happened: happened.position))
        self._replay_start = replay_start
        self._trim()

    def add(self, room_event: RoomEvent) -> None:
        """Append an event."""
        self._events.append(room_event)
        self._trim()

    def evict(self, until: int) -> None:
        """Drop all events up to this position."""
        while self._events and self._events[0].position <= until:
            self._events.popleft()
        self._replay_start = max(self._replay_start, until)

    def after(self, position: int) -> list[RoomEvent] | None:
        """Returns the events after a position; None if some of them are no longer buffered."""
        if position < self._replay_start:
            return None
        return [one for one in self._events if one.position > position]

    def _trim(self) -> None:
        while len(self._events) > MAX_EVENTS_KEPT:
            self._replay_start = self._events.popleft().position


MAX_BETS_KEPT: Final = 300
BETS_SHOWN: Final = 100
RECALLS_SHOWN: Final = 100
SHOWN_AFTER_DRAW_US: Final = 30 * 1_000_000
_SECOND_US: Final = 1_000_000
_MILLISECOND_US: Final = 1_000


class DrawMessage(Struct, frozen=True, gc=False):
    """A draw; `base` are the two halves its sum falls into.

    Before a game's first draw a heartbeat has one with an empty `issue_code` and zeros.
    """

    issue_code: str
    site_1: Digit
    site_2: Digit
    site_3: Digit
    code: Total
    base: tuple[str, str]
    createtime: At


class BetMessage(Struct, frozen=True, gc=False):
    """A player's bet; `after_quantity` is the stake here, never another player's balance."""

    id: str
    nickname: str
    issue: str
    play_method: str
    play_type: str
    quantity: Money
    after_quantity: Money
    bot: bool
    createtime: At


class RecallMessage(Struct, frozen=True, gc=False):
    """Ids of recalled bets."""

    ids: tuple[str, ...]


class WinnerNotice(Struct, frozen=True, gc=False):
    """A player who won more in a round than they staked."""

    nickname: str
    game_name: str
    profit: Money
    issue: str


class RoundMessage(Struct, frozen=True, gc=False):
    """The current round. `openTime1` is whole seconds to the close, the others ms.

    Between two business days `issue` is empty, `whether_close` 1 and every time but `now` zero.
    """

    issue: str
    openTime1: Seconds  # noqa: N815 - the specification's name
    whether_close: Flag
    closes_at: AtMs
    draws_at: AtMs
    now: AtMs


class _RoomPart(Struct, frozen=True, gc=False):
    last_issue: Raw
    hit_notice: list[Raw]
    message: list[Raw]
    recalled: list[str]


class RoomBet(Struct, gc=False):
    """A bet in a room; `encoded` caches its wire form per language."""

    bet: FeedBet
    nickname: str
    encoded: dict[str, Raw] = field(default_factory=dict)

    def wire(self, texts: Translations) -> Raw:
        """Returns the message, the same bytes every time."""
        found = self.encoded.get(texts.name)
        if found is None:
            bet, stake = self.bet, money(self.bet.stake)
            message = BetMessage(
                bet.bet,
                self.nickname,
                bet.issue,
                texts.kind(bet.kind),
                bet.kind,
                stake,
                stake,
                bet.bot,
                seconds(bet.at),
            )
            found = self.encoded[texts.name] = Raw(encode(message))
        return found


class Draw(Struct, frozen=True, gc=False):
    """A round's draw, recorded at `at` (microseconds) and at this log position."""

    issue: str
    digits: tuple[int, int, int]
    total: int
    at: int
    position: int

    @property
    def code(self) -> str:
        """The digits and their sum, as lists show them: "5 8 2 15"."""
        return " ".join(map(str, (*self.digits, self.total)))


class GameState(Struct, gc=False):
    """A game's newest round, its last draw, and the hall of each bet of that round.

    `openings` are the log positions at which the kept rounds were opened, oldest first.
    """

    opened: RoundOpened | None = None
    closed: bool = False
    draw: Draw | None = None
    plans: dict[str, int] = field(default_factory=dict)
    openings: tuple[int, ...] = ()

    @property
    def date(self) -> str:
        """The day (yyyy-mm-dd) of the newest round; empty before the first."""
        return "" if self.opened is None else self.opened.day.partition("/")[0]

    def is_open(self, now: int) -> bool:
        """Whether bets are accepted at this time, according to the facts applied so far."""
        return self.opened is not None and not self.closed and now < self.opened.closes_at

    def issue(self, now: int) -> RoundMessage:
        """The current round, or between two business days a message without one."""
        opened = self.opened
        if opened is None or now >= opened.draws_at + SHOWN_AFTER_DRAW_US:
            return RoundMessage("", 0, 1, 0, 0, now // _MILLISECOND_US)
        left = max(0, opened.closes_at - now) // _SECOND_US
        closed = self.closed or now >= opened.closes_at
        return RoundMessage(
            opened.issue,
            left,
            int(closed),
            opened.closes_at // _MILLISECOND_US,
            opened.draws_at // _MILLISECOND_US,
            now // _MILLISECOND_US,
        )


class Room(Struct, gc=False):
    """One hall: the bets of the running round, newest last, and the ids that were recalled.

    The replay buffer is not cleared with the round: it continues across rounds.
    """

    plan: int
    bets: deque[RoomBet] = field(default_factory=lambda: deque(maxlen=MAX_BETS_KEPT))
    recalled: dict[str, None] = field(default_factory=dict)
    replay_buffer: ReplayBuffer = field(default_factory=ReplayBuffer)
    part: dict[str, bytes] = field(default_factory=dict)

    def clear(self) -> None:
        """Start a new round, without bets."""
        self.bets.clear()
        self.recalled.clear()
        self.part.clear()

    def shown(self) -> list[RoomBet]:
        """Returns the newest bets that were not recalled."""
        not_recalled = [room_bet for room_bet in self.bets if room_bet.bet.bet not in self.recalled]
        return not_recalled[-BETS_SHOWN:]

    def encoded(self, texts: Translations, last: Raw, winners: list[Raw]) -> bytes:
        """Returns the part common to all clients as the inside of a JSON object.

        It is encoded once per change and language.
        """
        found = self.part.get(texts.name)
        if found is None:
            part = _RoomPart(
                last,
                winners,
                [room_bet.wire(texts) for room_bet in self.shown()],
                list(self.recalled)[-RECALLS_SHOWN:],
            )
            found = self.part[texts.name] = encode(part)[1:-1]
        return found


NO_DRAW: Final = DrawMessage("", 0, 0, 0, 0, ("", ""), 0)


def draw_message(draw: Draw, texts: Translations) -> DrawMessage:
    """Returns a draw's wire form, labelled in the caller's language."""
    size, parity = labels(draw.total)
    base = (texts.kind(size), texts.kind(parity))
    return DrawMessage(draw.issue, *draw.digits, draw.total, base, seconds(draw.at))


def winner_notice(winner: Winner, name: Callable[[int], str], texts: Translations) -> WinnerNotice:
    """Returns a winner's wire form, with a masked name."""
    nickname = mask_name(name(winner.player))
    return WinnerNotice(nickname, texts.games[winner.game], money(winner.profit), winner.issue)


def heart(
    part: bytes,
    chat: bytes,
    issue: RoundMessage,
    balance: bytes,
    win: bytes,
    *,
    closed: bool,
) -> bytes:
    """Returns a heartbeat's data: the room's parts, the current round and the caller's own parts.

    `closed` means that staff closed the room.
    """
    status = b"0" if closed or not issue.issue else b"1"
    return b"".join(
        (
            b"{",
            part,
            b",",
            chat,
            b',"issue":',
            encode(issue),
            b',"game_status":',
            status,
            b',"user_quantity":',
            balance,
            b',"win":',
            win,
            b"}",
        )
    )


class Result(Protocol):
    """A player's settled round, encoded."""

    @property
    def position(self) -> int:
        """The log position of the settlement."""

    @property
    def encoded(self) -> bytes:
        """The data of the event."""


class Resumed(Struct, frozen=True, gc=False):
    """The stream continues after this log position, with nothing missing."""

    after: Position


def resumed(after: int) -> bytes:
    """Returns the first event of a stream that replays all that its client missed."""
    return event("resumed", after, encode(Resumed(after)))


def placed(room_bet: RoomBet) -> RoomEvent:
    """A player has placed a bet."""
    return RoomEvent(room_bet.bet.position, "bet", room_bet.wire)


def recalled(bet: str, position: int) -> RoomEvent:
    """A player has recalled a bet."""
    message = Raw(encode(RecallMessage((bet,))))
    return RoomEvent(position, "recall", lambda _: message)


def drawn(draw: Draw) -> RoomEvent:
    """The game's round has been drawn."""
    messages = {name: Raw(encode(draw_message(draw, texts))) for name, texts in TRANSLATED.items()}
    return RoomEvent(draw.position, "draw", lambda texts: messages[texts.name])


def won(results: Iterable[Result]) -> list[RoomEvent]:
    """A player's rounds have been settled; only that player receives these events."""
    return [_won(result) for result in results]


def _won(result: Result) -> RoomEvent:
    encoded = Raw(result.encoded)
    return RoomEvent(result.position, "win", lambda _: encoded)
