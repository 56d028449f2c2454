"""What the hub begins with, from the read models as they stand at one moment."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from psycopg import Connection
from psycopg.rows import dict_row

from api.chat_rooms import LINES_KEPT, Line, Lines
from api.journal import ROUNDS_HELD
from api.names import Names
from api.rooms import BETS_KEPT, Draw, GameLive
from api.sale import Sale
from engine.catalogue import GAMES
from engine.rounds.facts import RoundOpened
from projections.draws import queries as draws
from projections.draws.records import Round
from projections.feed import queries as feed
from projections.feed.queries import FeedBet, FeedRecall, Said, Winner
from projections.positions import read_positions
from projections.standings import queries as standings
from projections.standings.queries import House

WINNERS_SHOWN: Final = 20
_DRAWS_HELD: Final = ROUNDS_HELD + 1
_READ: Final = frozenset({"bets", "draws", "feed"})
# What is read in several queries belongs together only if nothing is applied between them.
_AT_ONE_MOMENT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class Start(Struct, frozen=True):
    """What the read models hold when the hub begins, at `position`.

    The bets and recalls by hall and the draws by game, oldest first, are those behind the position
    `held_from` of the game, or the newest `BETS_KEPT` bets of a hall. `sale` is
    what staff have set; `said` is the halls' chat, and `lines` what
    of it is shown, by positions.
    """

    position: int
    games: dict[int, GameLive]
    held_from: dict[int, int]
    bets: dict[int, list[FeedBet]]
    recalled: dict[int, list[FeedRecall]]
    draws: dict[int, list[Draw]]
    winners: tuple[Winner, ...]
    sale: Sale
    said: tuple[Said, ...]
    lines: dict[int, Line] = {}


def read_start(connection: Connection[Any], position: int) -> Start:
    """The rooms as the read models have them, which is at `position` or later.

    Call it first in a transaction: all of it is of one moment.
    """
    connection.execute(_AT_ONE_MOMENT)
    start = Start(
        max(position, _position(connection)),
        {game: GameLive() for game in GAMES},
        {},
        {},
        {},
        {},
        feed.winners(connection, WINNERS_SHOWN),
        _sale(standings.house(connection)),
        feed.chat(connection, LINES_KEPT),
    )
    for game, live in start.games.items():
        _read_game(connection, game, live, start)
    return start


def _sale(house: House) -> Sale:
    return Sale(frozenset(it.scope for it in house.switches if it.closed), house.odds)


def looked_up(start: Start, names: Names, lines: Lines) -> Start:
    """The same with everybody's name at hand, and with the words of the chat; it blocks."""
    names.read(_players_in(start))
    return replace(start, lines=lines(start.said))


def _players_in(start: Start) -> Iterable[int]:
    """Everybody whose name the rooms show, but for those who spoke."""
    yield from (bet.player for bets in start.bets.values() for bet in bets)
    yield from (winner.player for winner in start.winners)


def _position(connection: Connection[Any]) -> int:
    """Where the slowest of the models stands that the rooms are read from."""
    with connection.cursor(row_factory=dict_row) as cursor:
        positions = read_positions(cursor)
    return min((at for key, at in positions.items() if key.split(".")[0] in _READ), default=0)


def _read_game(connection: Connection[Any], game: int, live: GameLive, start: Start) -> None:
    rounds = draws.opened_last(connection, game, ROUNDS_HELD)
    drawn = draws.drawn(connection, game, limit=_DRAWS_HELD).items
    held_from = rounds[-1].opened_position if rounds else start.position
    found = [draw for draw in map(draw_of, reversed(drawn)) if draw is not None]
    live.draw = found[-1] if found else None
    start.held_from[game] = held_from
    start.draws[game] = [draw for draw in found if draw.position > held_from]
    live.openings = tuple(each.opened_position for each in reversed(rounds))
    if rounds:
        _take_newest(live, rounds[0])
        issues = [each.issue for each in rounds]
        start.bets.update(feed.live(connection, game, issues, BETS_KEPT))
        start.recalled.update(feed.recalled(connection, game, issues))


def _take_newest(live: GameLive, newest: Round) -> None:
    live.opened = RoundOpened(
        newest.game,
        newest.day,
        newest.index,
        newest.issue,
        newest.opens_at,
        newest.closes_at,
        newest.draws_at,
        newest.odds_table,
    )
    live.closed = newest.phase != "open"


def held_from(start: Start, game: int, bets: Sequence[FeedBet]) -> int:
    """The position behind which a hall with these bets has all that happened in it."""
    earlier = bets[0].position if len(bets) >= BETS_KEPT else 0
    return max(start.held_from[game], earlier)


def draw_of(drawn: Round | None) -> Draw | None:
    """A drawn round's draw; None for any other."""
    if drawn is None or drawn.digits is None:
        return None
    return Draw(drawn.issue, drawn.digits, drawn.total, drawn.drawn_at, drawn.drawn_position)
