"""The books always balance: properties of the accounts over random histories."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection
from psycopg.rows import tuple_row

from engine.bets.facts import BetPlaced
from engine.facts import RecordedFact
from engine.ledger import postings
from projections import accounts, statements
from projections.accounts import AccountProjection
from tests.projections.history import History, bet
from tests.projections.support import ALWAYS, ZONE, ProjectionHarness

PLAYERS = (1, 2, 3)
BOT = 3

step = st.tuples(
    st.sampled_from(("deposit", "bet", "bet", "recall", "void", "win", "lose", "wait")),
    st.sampled_from(PLAYERS),
    st.integers(min_value=1, max_value=5_000),
)


class Player:
    """A player's state while the test generates a history that the engine would accept."""

    def __init__(self) -> None:
        self.available = 0
        self.open: list[BetPlaced] = []


def history_of(steps: Sequence[tuple[str, int, int]]) -> list[RecordedFact]:
    """A history from these steps, without those that the engine would refuse."""
    history = History()
    history.joins(1, 2)
    history.joins(BOT, bot=True)
    players: defaultdict[int, Player] = defaultdict(Player)
    for number, (what, who, amount) in enumerate(steps):
        _append_step(history, players[who], (what, who, amount), number)
    return history.facts


def _append_step(history: History, player: Player, step: tuple[str, int, int], number: int) -> None:
    what, who, amount = step
    if what == "deposit":
        history.deposits(who, amount)
        player.available += amount
    elif what == "wait":
        history.later(amount * 60)
    elif what == "bet" and player.available >= amount:
        player.open.append(bet(number, amount))
        history.bets(who, player.open[-1])
        player.available -= amount
    elif what in {"recall", "void", "win", "lose"} and player.open:
        player.available += _end_bet(history, who, player.open.pop(amount % len(player.open)), what)


def _end_bet(history: History, who: int, placed: BetPlaced, how: str) -> int:
    if how == "recall":
        history.recalls(who, placed)
        return placed.stake_minor
    if how == "void":
        history.voids(who, placed)
        return placed.stake_minor
    payout = placed.stake_minor * 198 // 100 if how == "win" else 0
    history.settles(who, placed, 19 if how == "win" else 3, payout)
    return payout


@given(steps=st.lists(step, max_size=60), page_size=st.integers(min_value=1, max_value=70))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_balances_are_the_sums_of_postings_and_statements_are_continuous(
    house: ProjectionHarness, steps: list[tuple[str, int, int]], page_size: int
) -> None:
    facts = history_of(steps)
    house.runner.install()
    with house.views.transaction(force_rollback=True):
        for start in range(0, len(facts), page_size):
            page = facts[start : start + page_size]
            with house.views.cursor(row_factory=tuple_row, binary=True) as cursor:
                AccountProjection(ZONE).apply(cursor, page)
            assert_books_balance(house.views)
        assert_balances_are_sums_of_postings(house.views, facts)
        for player in PLAYERS:
            assert_statement_is_continuous(house.views, player)


def assert_books_balance(views: Connection) -> None:
    totals = accounts.trial_balance(views)
    assert sum(it.balance for it in totals if it.bots) == 0
    assert sum(it.balance for it in totals if not it.bots) == 0


def assert_balances_are_sums_of_postings(views: Connection, facts: Sequence[RecordedFact]) -> None:
    sums: Counter[str] = Counter()
    for posting in (posting for recorded in facts for posting in postings(recorded)):
        sums[posting.account] += posting.amount_minor
    for player in PLAYERS:
        found = accounts.account(views, player)
        assert found is not None
        for part in ("available", "staked", "withdrawing", "bonus"):
            assert getattr(found, part) == sums[f"player:{player}:{part}"]
    house = Counter[str]()
    for total in accounts.trial_balance(views):
        house[total.account] += total.balance
    for account in ("house:takings", "world:bank"):
        assert house[account] == sums[account]


def assert_statement_is_continuous(views: Connection, player: int) -> None:
    entries = statements.statement(views, player, *ALWAYS).items
    balance = 0
    for entry in reversed(entries):
        assert entry.before == balance
        balance = entry.before + entry.amount - entry.bonus
        assert entry.after == balance
    found = accounts.account(views, player)
    assert found is not None
    assert found.available == balance
