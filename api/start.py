"""What the hub begins with, from the read models as they stand before the runner moves on."""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from psycopg import Connection

from api.chat_rooms import LINES_KEPT, Line, Lines
from api.names import Names
from api.rooms import Draw, GameLive
from engine.catalogue import GAMES
from engine.rounds.facts import RoundOpened
from projections.draws import queries as draws
from projections.draws.records import Round
from projections.feed import queries as feed
from projections.feed.queries import FeedBet, Said, Winner
from projections.standings import queries as standings

WINNERS_SHOWN: Final = 20


class Start(Struct, frozen=True):
    """What the read models hold when the hub begins, at `position`.

    `closed` are the scopes that staff closed, as `engine.house.office` names them; `said` is the
    halls' chat, and `lines` what of it is shown, by positions.
    """

    position: int
    games: dict[int, GameLive]
    bets: dict[int, list[FeedBet]]
    recalled: dict[int, list[str]]
    winners: tuple[Winner, ...]
    closed: frozenset[str]
    said: tuple[Said, ...]
    lines: dict[int, Line] = {}


def read_start(connection: Connection[Any], position: int) -> Start:
    """The rooms as of the read models' `position`."""
    games = {game: _game(connection, game) for game in GAMES}
    bets: dict[int, list[FeedBet]] = {}
    recalled: dict[int, list[str]] = {}
    for game, live in games.items():
        if live.opened is not None:
            bets |= feed.live(connection, game, live.opened.issue)
            recalled |= feed.recalled(connection, game, live.opened.issue)
    return Start(
        position,
        games,
        bets,
        recalled,
        feed.winners(connection, WINNERS_SHOWN),
        frozenset(it.scope for it in standings.house(connection).switches if it.closed),
        feed.chat(connection, LINES_KEPT),
    )


def looked_up(start: Start, names: Names, lines: Lines) -> Start:
    """The same with everybody's name at hand, and with the words of the chat; it blocks."""
    names.read(_players_in(start))
    return replace(start, lines=lines(start.said))


def _players_in(start: Start) -> Iterable[int]:
    """Everybody whose name the rooms show, but for those who spoke."""
    yield from (bet.player for bets in start.bets.values() for bet in bets)
    yield from (winner.player for winner in start.winners)


def _game(connection: Connection[Any], game: int) -> GameLive:
    current, latest = draws.current(connection, game), draws.latest(connection, game)
    live = GameLive(draw=draw_of(latest))
    if current is not None:
        live.opened = RoundOpened(
            game,
            current.day,
            current.index,
            current.issue,
            current.opens_at,
            current.closes_at,
            current.draws_at,
            current.odds_table,
        )
        live.closed = current.phase != "open"
    return live


def draw_of(drawn: Round | None) -> Draw | None:
    """A drawn round's draw; None for any other."""
    if drawn is None or drawn.digits is None:
        return None
    return Draw(drawn.issue, drawn.digits, drawn.total, drawn.drawn_at)
