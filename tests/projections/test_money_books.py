"""Properties over random histories: the read models equal the state that the engine decided."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection
from psycopg.rows import tuple_row

from engine.facts import RecordedFact
from engine.ledger import postings
from engine.lifecycle import ADJUSTMENT, GIFT
from engine.players.commands import ACCOUNT_CHANGES
from engine.players.state import Player
from engine.runtime.postgres.embedded_postgres import Conninfos
from engine.schedule import calendar_day
from projections import accounts, approvals, content, house_settings, profiles, staff, statements
from projections.accounts import AccountProjection
from projections.content import ContentProjection
from projections.profiles import ProfileProjection
from projections.runner.rebuild import rebuild
from tests.projections.ruled import STEPS, WHO, Ruled
from tests.projections.support import ALWAYS, ZONE, ProjectionHarness, contents

PARTS = ("available", "staked", "withdrawing", "bonus")
MODELS = (AccountProjection(ZONE), ProfileProjection(), ContentProjection())
step = st.tuples(
    st.sampled_from(STEPS), st.sampled_from(WHO), st.integers(min_value=1, max_value=9_000)
)


@given(
    steps=st.lists(step, min_size=30, max_size=200),
    page_size=st.integers(min_value=5, max_value=80),
)
@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_read_models_equal_the_engine_state(
    house: ProjectionHarness, steps: list[tuple[str, int, int]], page_size: int
) -> None:
    ruled = Ruled()
    for each in steps:
        ruled.perform(each)
    facts = ruled.history.facts
    house.runner.install()
    with house.views.transaction(force_rollback=True):
        apply(house.views, facts, page_size)
        for player in ruled.state.players.values():
            assert_money_agrees(house.views, player)
            assert_profile_agrees(house.views, player, ruled.history.at)
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
    for number, what in enumerate(STEPS * 3):
        ruled.perform((what, WHO[number % len(WHO)], 1 + number * 1_259 % 9_000))
        if number % 20 == 0:
            house.catch_up()
    for appointed in (12, 28):
        ruled.perform(("roles", 1, appointed))  # a manager each, by the machine
    ruled.perform(("roles", 1, 5))  # stays undecided
    for number in range(20):
        ruled.perform(("pass", 1, number))
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


def assert_profile_agrees(views: Connection, player: Player, now: int) -> None:
    found = profiles.profile(views, player.id)
    assert found is not None
    money, profile = player.payments, player.profile
    assert (found.due, found.turnover, found.bonus_due, found.bonus_from) == (
        money.due_minor, money.turnover_minor, money.bonus_due_minor, money.bonus_from,
    )  # fmt: skip
    for name in set(found.__struct_fields__) & set(profile.__struct_fields__):
        assert getattr(found, name) == getattr(profile, name), name
    assert (found.quota_level, found.quota_until) == (profile.quota or (0, 0))
    payouts = {each.method: (each.account, each.usable_at, each.paid) for each in profile.payouts}
    bank = (found.bank_account, found.bank_usable_at, found.bank_paid)
    wallet = (found.wallet_account, found.wallet_usable_at, found.wallet_paid)
    assert (bank, wallet) == tuple(payouts.get(method, ("", None, False)) for method in (0, 1))
    limits = {(it.subject, it.span): it for it in profiles.limits(views, player.id)}
    assert len(limits) == len(profile.limits)
    for limit in profile.limits:
        row = limits[limit.subject, limit.span]
        assert (row.amount, row.from_at, row.before) == (
            limit.amount_minor, limit.from_at, limit.before_minor,
        )  # fmt: skip
    assert_flows_agree(views, player, calendar_day(ZONE, now))


def assert_flows_agree(views: Connection, player: Player, day: str) -> None:
    found, totals = profiles.period_totals(views, player.id, day), player.period_totals.on(day)
    for sums, expected in ((found.deposited, totals.deposited), (found.net, totals.net)):
        assert (sums.day, sums.week, sums.month) == expected
    assert found.turnover.day == totals.turnover


def assert_requests_agree(views: Connection, player: Player) -> None:
    """The open rows equal the writer's open payments in every field that both have."""
    opened = approvals.of_player(views, player.id, open_only=True)
    proposed = (ADJUSTMENT, GIFT)
    rows = {
        (
            *(it.kind, it.id, it.status, it.amount, it.channel, max(it.method, 0), it.account),
            *(it.requested_by if it.kind in proposed else "", it.endorsed_by, it.decided_by),
            *(it.reason_commitment, it.reference_commitment),
        )
        for it in opened
        if it.kind not in ACCOUNT_CHANGES
    }
    assert rows == {
        (
            *(it.kind, it.id, it.status, it.amount_minor, it.channel, it.method, it.account),
            *(it.requested_by, it.endorsed_by, it.decided_by),
            *(it.reason_commitment, it.reference_commitment),
        )
        for it in player.payments.open
    }
    changes = {(it.kind, it.id, it.requested_by) for it in opened if it.kind in ACCOUNT_CHANGES}
    assert changes == {(it.kind, it.id, it.by) for it in player.profile.changes}


def assert_statement_reconciles(views: Connection, player: Player, now: int) -> None:
    entries = statements.statement(views, player.id, *ALWAYS).items
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
    assert pending == sum(it.amount_minor for it in player.payments.of("deposit"))
    day = calendar_day(ZONE, now)
    profit = accounts.profits(views, player.id, [day])[day]
    assert profit == player.period_totals.on(day).net[0]


def assert_house_agrees(views: Connection, ruled: Ruled) -> None:
    found, house = house_settings.current_settings(views), ruled.state.house
    assert (found.terms, found.receiving) == (house.terms, house.accounts)
    for proposed, pending in (
        (found.terms_proposed, house.proposed_terms),
        (found.receiving_proposed, house.proposed_accounts),
        (found.odds_proposed, house.proposed_odds),
    ):
        shown = proposed and (proposed.value, proposed.by, proposed.id)
        assert shown == (pending and (pending.value, pending.by, pending.id))
    assert found.odds == house.odds
    assert {it.scope for it in found.switches if it.closed} == house.closed
    people = {it.name: set(it.roles) for it in staff.people(views)}
    assert people == house.staff.roles
    proposals = {it.name: (it.id, it.roles) for it in staff.proposals(views)}
    role_proposals = house.staff.proposals.items()
    assert proposals == {name: (it.id, it.roles) for name, it in role_proposals}
    passes = house.staff.passes
    given = {it.fingerprint: (it.name, it.until) for it in staff.passes(views).values()}
    assert given == {each: (it.name, it.until) for each, it in passes.active.items()}
    waiting = {it.name: (it.fingerprint, it.proposed_by) for it in staff.pass_proposals(views)}
    assert waiting == {name: (it.fingerprint, it.by) for name, it in passes.proposed.items()}


def assert_contents_agree(views: Connection, ruled: Ruled) -> None:
    rows = content.all_content(views).items
    contents_ = ruled.state.house.contents.items()
    assert {(it.id, it.kind, it.digest, it.shown) for it in rows if not it.player} == {
        (name, it.kind, it.digest, it.shown) for name, it in contents_
    }
    assert {(it.player, it.id) for it in rows if it.player and it.shown} == {
        (it.id, name) for it in ruled.state.players.values() for name in it.profile.messages
    }
    for_all_players = content.shown(views, ["message"])
    newest_first = [it.id for it in rows if it.shown and it.kind == "message" and not it.player]
    assert [it.id for it in for_all_players] == newest_first


def assert_liability_is_the_ledgers(views: Connection, ruled: Ruled) -> None:
    bots = {f"player-{player.id}" for player in ruled.state.players.values() if player.bot}
    sums: Counter[tuple[str, bool]] = Counter()
    for it in ruled.history.facts:
        for posting in postings(it):
            name = posting.account
            kind = name.rpartition(":")[2] if name.startswith("player:") else name
            sums[kind, it.stream in bots] += posting.amount_minor
    for total in accounts.trial_balance(views):
        assert total.balance == sums[total.account.removeprefix("player:"), total.bots]
