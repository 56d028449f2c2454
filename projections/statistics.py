"""The statistics of the draws: actual payouts against those the odds give, digits and sums drawn.

The bets of a round share its draw, so a variance is added up round by round: of one kind, from what
all its bets pay together; of several kinds, from what they pay at each sum. Everything is an exact
integer. The read model of bets owns the tables: a settled round is summed up from its rows.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct
from psycopg import Connection, Cursor

from engine.catalogue import DRAWS, DRAWS_PER_SUM, KINDS, SUMS_OF
from engine.facts import RecordedFact, player_of
from engine.players.facts import PlayerRegistered
from engine.rounds.facts import RoundDrawn, RoundSettled
from projections.pagination import fetch_rows
from projections.runner.projection import columns, execute_rows, filter_kinds, insert, unnest_select

#: Whose bets: of the players, or of the house's demo bots.
MEMBERS, BOTS = "members", "bots"
BOOKS: Final = (MEMBERS, BOTS)
#: In place of the kind and the odds table: all bets of a game.
ALL_BETS: Final = ""
PLACES: Final = 3
_SUM: Final = 0  # in place of a digit's place, 1 to 3

TABLES: Final = ("statistics_bots", "statistics_returns", "statistics_draws")
SCHEMA: Final = """
CREATE TABLE statistics_bots (player bigint PRIMARY KEY);
CREATE TABLE statistics_returns (
    game bigint,
    odds_table text COLLATE "C",
    kind text COLLATE "C",
    book text COLLATE "C",
    bets bigint NOT NULL,
    stake bigint NOT NULL,
    payout bigint NOT NULL,
    expected numeric NOT NULL,
    variance numeric NOT NULL,
    PRIMARY KEY (game, odds_table, kind, book)
);
CREATE TABLE statistics_draws (
    game bigint,
    place bigint,
    value bigint,
    draws bigint NOT NULL,
    PRIMARY KEY (game, place, value)
);
"""
_SAVE_BOTS = insert("statistics_bots", "player")
# A recalled or voided bet has no sum (-1). Its round may be voided only before it is drawn.
_SETTLED = (
    f"WITH ended AS ({unnest_select('game, issue')})"
    " SELECT bets.game, bets.issue, odds_table, kind, bot.player IS NOT NULL, count(*),"
    " sum(stake)::bigint, sum(payout)::bigint, sum(stake * odds / 1000)::bigint"
    " FROM ended JOIN bets ON bets.game = ended.game AND bets.issue = ended.issue"
    " LEFT JOIN statistics_bots AS bot ON bot.player = bets.player"
    " WHERE total >= 0 GROUP BY 1, 2, 3, 4, 5"
)
_SAVE_RETURNS = (
    f"WITH found AS ({unnest_select('game, odds_table, kind, book, bets, stake, payout')},"
    " unnest(%s)::numeric AS expected, unnest(%s)::numeric AS variance)"
    " INSERT INTO statistics_returns AS known SELECT * FROM found"
    " ON CONFLICT (game, odds_table, kind, book) DO UPDATE SET"
    " bets = known.bets + excluded.bets, stake = known.stake + excluded.stake,"
    " payout = known.payout + excluded.payout, expected = known.expected + excluded.expected,"
    " variance = known.variance + excluded.variance"
)
_SAVE_DRAWS = insert(
    "statistics_draws",
    "game, place, value, draws",
    then="ON CONFLICT (game, place, value)"
    " DO UPDATE SET draws = statistics_draws.draws + excluded.draws",
)
_KINDS: Final = frozenset({PlayerRegistered, RoundDrawn, RoundSettled})
_WAYS: Final = {kind: sum(DRAWS_PER_SUM[total] for total in SUMS_OF[kind]) for kind in KINDS}
_WHOLE: Final = len(DRAWS)

_Key = tuple[int, str, str, str]


class SettledSums(Struct, gc=False):
    """Sums over settled bets, in minor units.

    `expected` are the payouts that the odds give on average, in thousandths; `variance` is theirs,
    in millionths of the square.
    """

    bets: int = 0
    stake: int = 0
    payout: int = 0
    expected: int = 0
    variance: int = 0

    def add(self, other: "SettledSums") -> None:
        """Add the bets of other rounds: their draws are independent."""
        self.bets += other.bets
        self.stake += other.stake
        self.payout += other.payout
        self.expected += other.expected
        self.variance += other.variance


class _Book:
    """All settled bets of a book in a round, and what they pay at each sum."""

    def __init__(self) -> None:
        self.bets = self.stake = self.payout = 0
        self._paying = [0 for _ in DRAWS_PER_SUM]

    def add(self, kind: str, sums: SettledSums, possible: int) -> None:
        self.bets += sums.bets
        self.stake += sums.stake
        self.payout += sums.payout
        for total in SUMS_OF[kind]:
            self._paying[total] += possible

    def sums(self) -> SettledSums:
        ways = tuple(zip(DRAWS_PER_SUM, self._paying, strict=True))
        expected = sum(draws * paid for draws, paid in ways)
        squares = sum(draws * paid * paid for draws, paid in ways)
        variance = _WHOLE * squares - expected * expected
        return SettledSums(self.bets, self.stake, self.payout, expected, variance)


def apply(cursor: Cursor[Any], page: Sequence[RecordedFact]) -> None:
    """Apply a page; the rows of its bets must be up to date."""
    bots: list[tuple[int]] = []
    ended: list[tuple[int, str]] = []
    drawn: Counter[tuple[int, int, int]] = Counter()
    for it in filter_kinds(page, _KINDS):
        match it.fact:
            case PlayerRegistered(bot=True):
                bots.append((player_of(it.stream),))
            case RoundDrawn(game=game, digits=digits, total=total):
                drawn.update((game, place, digit) for place, digit in enumerate(digits, start=1))
                drawn[game, _SUM, total] += 1
            case RoundSettled(game=game, issue=issue):
                ended.append((game, issue))
            case _:
                pass
    execute_rows(cursor, _SAVE_BOTS, "i", bots)
    execute_rows(cursor, _SAVE_DRAWS, "iiii", [(*key, draws) for key, draws in drawn.items()])
    if ended:
        rows = cursor.execute(_SETTLED, columns("it", ended), prepare=True).fetchall()
        execute_rows(cursor, _SAVE_RETURNS, "itttiiitt", list(_returns(rows)))


def _returns(rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yields the rows to add, from one row a round, odds table, kind and book."""
    found: defaultdict[_Key, SettledSums] = defaultdict(SettledSums)
    rounds: defaultdict[tuple[int, str, str], _Book] = defaultdict(_Book)
    for game, issue, table, kind, is_bot, bets, stake, payout, possible in rows:
        book, ways = BOTS if is_bot else MEMBERS, _WAYS[kind]
        variance = ways * (_WHOLE - ways) * possible * possible
        sums = SettledSums(bets, stake, payout, ways * possible, variance)
        found[game, table, kind, book].add(sums)
        rounds[game, issue, book].add(kind, sums, possible)
    for (game, _, book), of_round in rounds.items():
        found[game, ALL_BETS, ALL_BETS, book].add(of_round.sums())
    for key, it in found.items():
        yield (*key, it.bets, it.stake, it.payout, str(it.expected), str(it.variance))


_RETURNS = (
    "SELECT game, odds_table, kind, book, bets, stake, payout, expected, variance"
    " FROM views.statistics_returns"
)
_DRAWS = "SELECT game, place, value, draws FROM views.statistics_draws"


class ReturnKey(Struct, frozen=True, gc=False):
    """What was bet on in a game, and in which book; `ALL_BETS` in place of table and kind."""

    game: int
    odds_table: str
    kind: str
    book: str


class DrawCounts(Struct):
    """How often each digit was drawn in each place, and each sum."""

    places: tuple[list[int], ...]
    sums: list[int]

    @property
    def draws(self) -> int:
        """The number of draws."""
        return sum(self.sums)


def no_draws() -> DrawCounts:
    """Returns the counts before the first draw."""
    return DrawCounts(
        tuple([0 for _ in range(10)] for _ in range(PLACES)), [0 for _ in DRAWS_PER_SUM]
    )


def returns(connection: Connection[Any]) -> dict[ReturnKey, SettledSums]:
    """Returns the sums of all settled bets of every game."""
    return {
        ReturnKey(game, table, kind, book): SettledSums(
            bets, stake, payout, int(expected), int(variance)
        )
        for game, table, kind, book, bets, stake, payout, expected, variance in fetch_rows(
            connection, _RETURNS, ()
        )
    }


def draw_counts(connection: Connection[Any]) -> dict[int, DrawCounts]:
    """Returns what was drawn, by game; only games with draws."""
    found: defaultdict[int, DrawCounts] = defaultdict(no_draws)
    for game, place, value, draws in fetch_rows(connection, _DRAWS, ()):
        counts = found[game]
        (counts.sums if place == _SUM else counts.places[place - 1])[value] = draws
    return dict(found)
