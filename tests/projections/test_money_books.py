"""Whatever the engine decides, the read models say the same: properties over random histories."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection
from psycopg.rows import tuple_row

from engine.facts import RecordedFact
from engine.ledger import postings
from engine.players.state import Player
from engine.runtime.postgres import Conninfos
from engine.schedule import calendar_day
from projections.accounts import queries as accounts
from projections.accounts.model import AccountProjection
from projections.contents import queries as published
from projections.contents.model import ContentProjection
from projections.rebuild import rebuild
from projections.requests import queries as requests
from projections.standings import queries as standings
from projections.standings import staff
from projections.standings.model import ProfileProjection
from tests.projections.ruled import WHO, WISHES, Ruled
from tests.projections.support import ALWAYS, ZONE, ProjectionHarness, contents

PARTS = ("available", "staked", "withdrawing", "bonus")
MODELS = (AccountProjection(ZONE), ProfileProjection(), ContentProjection())

wish = st.tuples(
    st.sampled_from(WISHES), st.sampled_from(WHO), st.integers(min_value=1, max_value=9_000)
)


@given(
    wishes=st.lists(wish, min_size=30, max_size=200),
    page_size=st.integers(min_value=5, max_value=80),
)
@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_read_models_say_what_the_engine_knows(
    house: ProjectionHarness, wishes: list[tuple[str, int, int]], page_size: int
) -> None:
    ruled = Ruled()
    for each in wishes:
        ruled.wishes(each)
    facts = ruled.history.facts
    house.runner.install()
    with house.views.transaction(force_rollback=True):
        apply(house.views, facts, page_size)
        for player in ruled.world.players.values():
            assert_money_agrees(house.views, player)
            assert_standing_agrees(house.views, player, ruled.history.at)
            assert_requests_agree(house.views, player)
            assert_statement_reconciles(house.views, player, ruled.history.at)
        assert_house_agrees(house.views, ruled)
        assert_contents_agree(house.views, ruled)
        assert_liability_is_the_ledgers(house.views, ruled)
        along_the_way = contents(house.views.cursor(), MODELS)
    with house.views.transaction(force_rollback=True):
        apply(house.views, facts, len(facts))
        assert contents(house.views.cursor(), MODELS) == along_the_way


def test_a_rebuild_from_the_log_changes_nothing(
    house: ProjectionHarness, stored: Conninfos
) -> None:
    ruled = Ruled(house.history)
    for number, what in enumerate(WISHES * 3):
        ruled.wishes((what, WHO[number % len(WHO)], 1 + number * 1_259 % 9_000))
        if number % 20 == 0:
            house.catch_up()
    for appointed in (12, 28):
        ruled.wishes(("roles", 1, appointed))  # a manager each, by the machine
    ruled.wishes(("roles", 1, 5))  # and nobody decides
    for number in range(20):
        ruled.wishes(("pass", 1, number))
    before = contents(house.catch_up().cursor(), MODELS)

    assert rebuild(stored.app, MODELS, lambda _: None)

    assert [table for table, rows in before.items() if not rows] == []
    assert contents(house.views.cursor(), MODELS) == before


def apply(views: Connection, facts: Sequence[RecordedFact], page_size: int) -> None:
    with views.cursor(row_factory=tuple_row, binary=True) as cursor:
        for start in range(0, len(facts), page_size):
            for model in MODELS:
                model.apply(cursor, facts[start : start + page_size])


def assert_money_agrees(views: Connection, player: Player) -> None:
    found = accounts.account(views, player.id)
    assert found is not None
    for name in (*PARTS, "version", "group", "bot"):
        assert getattr(found, name) == getattr(player, name), name


def assert_standing_agrees(views: Connection, player: Player, now: int) -> None:
    found = standings.profile(views, player.id)
    assert found is not None
    money, mine = player.payments, player.profile
    assert (found.due, found.turnover, found.bonus_due, found.bonus_from) == (
        money.due_minor, money.turnover_minor, money.bonus_due_minor, money.bonus_from,
    )  # fmt: skip
    for name in ("base_info", "code_usable_at", "time_out_until", "excluded_until", "closed"):
        assert getattr(found, name) == getattr(mine, name), name
    assert found.reality_check_minutes == mine.reality_check_minutes
    assert (found.quota_level, found.quota_until) == (mine.quota or (0, 0))
    payouts = {each.method: (each.account, each.usable_at, each.paid) for each in mine.payouts}
    bank = (found.bank_account, found.bank_usable_at, found.bank_paid)
    wallet = (found.wallet_account, found.wallet_usable_at, found.wallet_paid)
    assert (bank, wallet) == tuple(payouts.get(method, ("", None, False)) for method in (0, 1))
    limits = {(it.subject, it.span): it for it in standings.limits(views, player.id)}
    assert len(limits) == len(mine.limits)
    for limit in mine.limits:
        told = limits[limit.subject, limit.span]
        assert (told.amount, told.from_at, told.before) == (
            limit.amount_minor, limit.from_at, limit.before_minor,
        )  # fmt: skip
    assert_flows_agree(views, player, calendar_day(ZONE, now))


def assert_flows_agree(views: Connection, player: Player, day: str) -> None:
    found, mine = standings.period_totals(views, player.id, day), player.period_totals.on(day)
    for sums, expected in ((found.deposited, mine.deposited), (found.net, mine.net)):
        assert (sums.day, sums.week, sums.month) == expected
    assert found.turnover.day == mine.turnover


def assert_requests_agree(views: Connection, player: Player) -> None:
    opened = requests.of_player(views, player.id, open_only=True).items
    told = {(it.kind, it.id, it.amount, it.endorsed_by, it.status == "approved") for it in opened}
    money = player.payments
    assert told == {
        *(("deposit", it.id, it.amount_minor, it.endorsed_by, False) for it in money.deposits),
        *(
            ("withdrawal", it.id, it.amount_minor, it.endorsed_by, it.approved)
            for it in money.withdrawals
        ),
        *(("gift", it.id, it.amount_minor, "", False) for it in money.gifts),
        *(("adjustment", it.id, it.amount_minor, "", False) for it in money.adjustments),
        *((it.kind, it.id, 0, "", False) for it in player.profile.changes),
    }


def assert_statement_reconciles(views: Connection, player: Player, now: int) -> None:
    entries = accounts.statement(views, player.id, *ALWAYS).items
    available = 0
    for entry in reversed(entries):
        assert entry.before == available
        available = entry.after
        notice = entry.type == 0 and entry.status != 1
        assert entry.moved == (0 if notice else entry.amount)
    assert available == player.available
    assert sum(entry.moved for entry in entries) == player.available + player.bonus
    assert len({entry.id for entry in entries}) == len(entries)
    unpaid = sum(it.amount for it in entries if (it.type, it.status) == (1, 0))
    assert -unpaid == player.withdrawing
    pending = sum(it.amount for it in entries if (it.type, it.status) == (0, 0))
    assert pending == sum(it.amount_minor for it in player.payments.deposits)
    day = calendar_day(ZONE, now)
    profit = accounts.profits(views, player.id, [day])[day]
    assert profit == player.period_totals.on(day).net[0]


def assert_house_agrees(views: Connection, ruled: Ruled) -> None:
    found, office = standings.house_settings(views), ruled.world.house
    assert (found.terms, found.receiving) == (office.terms, office.accounts)
    for proposed, said in (
        (found.terms_proposed, office.proposed_terms),
        (found.receiving_proposed, office.proposed_accounts),
        (found.odds_proposed, office.proposed_odds),
    ):
        shown = proposed and (proposed.value, proposed.by, proposed.id)
        assert shown == (said and (said.value, said.by, said.id))
    assert found.odds == office.odds
    assert {it.scope for it in found.switches if it.closed} == office.closed
    people = {it.name: set(it.roles) for it in staff.people(views)}
    assert people == office.staff.roles
    proposals = {it.name: (it.id, it.roles) for it in staff.proposals(views)}
    held = office.staff.proposals.items()
    assert proposals == {name: (it.id, it.roles) for name, it in held}
    passes = office.staff.passes
    given = {it.fingerprint: (it.name, it.until) for it in staff.passes(views).values()}
    assert given == {each: (it.name, it.until) for each, it in passes.active.items()}
    waiting = {it.name: (it.fingerprint, it.proposed_by) for it in staff.pass_proposals(views)}
    assert waiting == {name: (it.fingerprint, it.by) for name, it in passes.proposed.items()}


def assert_contents_agree(views: Connection, ruled: Ruled) -> None:
    told = published.every(views).items
    mine = ruled.world.house.contents.items()
    assert {(it.id, it.kind, it.digest, it.shown) for it in told if not it.player} == {
        (name, it.kind, it.digest, it.shown) for name, it in mine
    }
    assert {(it.player, it.id) for it in told if it.player and it.shown} == {
        (it.id, name) for it in ruled.world.players.values() for name in it.profile.messages
    }
    everybodys = published.shown(views, ["message"])
    newest_first = [it.id for it in told if it.shown and it.kind == "message" and not it.player]
    assert [it.id for it in everybodys] == newest_first


def assert_liability_is_the_ledgers(views: Connection, ruled: Ruled) -> None:
    bots = {f"player-{player.id}" for player in ruled.world.players.values() if player.bot}
    sums: Counter[tuple[str, bool]] = Counter()
    for it in ruled.history.facts:
        for posting in postings(it):
            name = posting.account
            kind = name.rpartition(":")[2] if name.startswith("player:") else name
            sums[kind, it.stream in bots] += posting.amount_minor
    owed = accounts.liability(views)
    for group in (owed.members, owed.bots):
        assert [group.balances, group.stakes, group.withdrawals, group.bonus] == [
            sums[part, group.bots] for part in PARTS
        ]
        assert group.takings == sums["house:takings", group.bots]
        assert group.promotions == sums["house:promotions", group.bots]
    for total in accounts.trial_balance(views):
        if not total.account.startswith("player:"):
            assert total.balance == sums[total.account, total.bots]
