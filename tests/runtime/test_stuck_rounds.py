"""Records, keys or database from an older copy: rounds open again, and stakes are returned."""

import itertools
import shutil
from pathlib import Path

import pytest

from engine.answers import Done, Refused
from engine.bets.facts import BetVoided
from engine.catalogue import GAMES
from engine.fairness.witness_state import Signed
from engine.house.facts import DayOpened, RoundsCarried, SegmentLeft
from engine.refusals import Refusal
from engine.rounds.facts import RoundClosed, RoundDrawn, RoundOpened, StakesReturned, VoidRuled
from engine.rounds.state import Phase, Round
from engine.runtime.witness.witness_store import FILE
from engine.staff.void_proposals import DecideVoid, ProposeVoid
from tests.runtime.audit import audit
from tests.runtime.house import PLAYER, EngineHarness, driven
from tests.runtime.test_recovery import release

HALF_AN_HOUR_S = 30 * 60


def journal(house: EngineHarness) -> Path:
    """The file of the house's witness."""
    return house._keys / "witness" / FILE


async def with_a_bet(house: EngineHarness) -> Round:
    """A player bets on the open round of game 1, and the round closes."""
    await house.join()
    await house.submit("bet", house.bet())
    sale = house.sale()
    house.clock.now = sale.closes_at
    await house.tick()
    return house.sale()


async def agreed_void(house: EngineHarness, sale: Round) -> None:
    """Ann proposes to void the round, and Ben agrees."""
    propose = ProposeVoid("void-1", 1, sale.issue, "the journal was lost", "staff:ann")
    assert isinstance(await house.submit("propose", propose, "staff:ann"), Done)
    agree = DecideVoid("void-1", True, "staff:ben")
    assert isinstance(await house.submit("agree", agree, "staff:ben"), Done)


async def sells_within_a_minute(house: EngineHarness) -> None:
    """Check that every game has an open round before a minute has passed."""
    for _ in range(60):
        if all(house.sale(game).sells_at(house.clock.now) for game in GAMES):
            return
        house.clock.forward(1)
        await house.tick()
    raise AssertionError({game: house.sale(game).phase for game in GAMES})


@driven
async def test_an_emptied_journal_costs_one_round_and_no_sales(house: EngineHarness) -> None:
    async with house:
        sale = await with_a_bet(house)
        await house.crash()
        journal(house).unlink()
        house.clock.now = sale.opened.draws_at
        await house.start()
        await sells_within_a_minute(house)
        assert house.sale().opened.day != sale.opened.day
        causes = {fact.game: fact.cause for fact in house.facts_of(SegmentLeft)}
        assert causes == dict.fromkeys(GAMES, "witness_unknowing") | {1: "day_unknown"}
        assert sale.issue in {
            issue for fact in house.facts_of(RoundsCarried) for issue in fact.issues
        }
        await agreed_void(house, sale)
        await house.tick()
        assert not house.facts_of(VoidRuled), "the witness may still answer"
        house.clock.now = sale.closes_at + HALF_AN_HOUR_S * 1_000_000
        await house.tick()
        (ruled,) = house.facts_of(VoidRuled)
        assert (ruled.issue, ruled.status) == (sale.issue, "unattested")
        assert (ruled.proposed_by, ruled.agreed_by) == ("staff:ann", "staff:ben")
        assert [fact.count for fact in house.facts_of(StakesReturned)] == [1]
        assert len(house.facts_of(BetVoided)) == 1
        assert house.engine.state.players[PLAYER].available == 100_000
        assert any("voided, unattested" in note for note in audit(house.facts()))


@driven
async def test_a_carried_round_is_loaded_after_a_restart_on_another_day(
    house: EngineHarness,
) -> None:
    async with house:
        sale = await with_a_bet(house)
        await house.crash()
        journal(house).unlink()
        house.clock.forward(86_400)
        await house.start()
        await sells_within_a_minute(house)
        await house.crash()
        await house.start()
        assert house.engine.state.rounds[1, sale.issue].phase == Phase.CLOSED
        await agreed_void(house, sale)
        await house.tick()
        voided = house.engine.state.rounds[1, sale.issue]
        assert voided.finished
        assert voided.awaits_statement, "its witness may still find its records"
        assert [fact.issue for fact in house.facts_of(StakesReturned)] == [sale.issue]


@driven
async def test_a_round_that_can_be_drawn_is_drawn_though_two_agreed_to_void_it(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        sale = await with_a_bet(house)
        house.clock.now = sale.opened.draws_at
        with monkeypatch.context() as away:

            def unreachable(*_: object) -> tuple[bytes, bytes]:
                raise OSError

            away.setattr(house.engine._context.witness, "release", unreachable)
            await house.tick()
            await agreed_void(house, sale)
            await house.tick()
        house.clock.now = sale.closes_at + HALF_AN_HOUR_S * 1_000_000
        await house.tick()
        assert sale.issue in {fact.issue for fact in house.facts_of(RoundDrawn)}
        assert house.facts_of(VoidRuled) == []


@driven
async def test_a_released_round_without_the_operators_link_is_a_breach(
    house: EngineHarness,
) -> None:
    async with house:
        sale = await with_a_bet(house)
        house.clock.now = sale.opened.draws_at
        witness = house.engine._context.witness
        release(house)
        assert witness.status("1", sale.opened.day).last == sale.opened.index
        with house.engine._store.transaction(commit=True) as cursor:
            cursor.execute("DELETE FROM vault.chains WHERE game = 1")
        await house.crash()
        await house.start()
        await sells_within_a_minute(house)
        await agreed_void(house, sale)
        await house.tick()
        (ruled,) = house.facts_of(VoidRuled)
        assert (ruled.status, ruled.answer) == ("breach", "round_released")
        assert any("voided, breach" in note for note in audit(house.facts()))
        assert [fact.issue for fact in house.facts_of(StakesReturned)] == [sale.issue]


@driven
async def test_a_round_whose_link_was_lost_before_its_release_is_attested(
    house: EngineHarness,
) -> None:
    async with house:
        sale = await with_a_bet(house)
        house.clock.now = sale.opened.draws_at
        with house.engine._store.transaction(commit=True) as cursor:
            cursor.execute("DELETE FROM vault.chains WHERE game = 1")
        await house.crash()
        await house.start()
        await sells_within_a_minute(house)
        await agreed_void(house, sale)
        await house.tick()
        assert [fact.status for fact in house.facts_of(VoidRuled)] == ["attested"]
        assert any("voided, attested" in note for note in audit(house.facts()))


@driven
async def test_one_person_voids_nothing(house: EngineHarness) -> None:
    async with house:
        sale = await with_a_bet(house)
        propose = ProposeVoid("void-1", 1, sale.issue, "why not", "staff:ann")
        early = await house.submit("early", propose, "staff:ann")
        assert early == Refused(Refusal.ROUND_NOT_DUE, "issue")
        await house.crash()
        journal(house).unlink()
        house.clock.now = sale.opened.draws_at
        await house.start()
        assert isinstance(await house.submit("propose", propose, "staff:ann"), Done)
        own = await house.submit("agree", DecideVoid("void-1", True, "staff:ann"), "staff:ann")
        assert own == Refused(Refusal.SECOND_PERSON_NEEDED)
        house.clock.forward(2 * HALF_AN_HOUR_S)
        await house.tick()
        assert house.facts_of(VoidRuled) == []


@driven
async def test_a_journal_from_an_older_copy_is_left_for_a_new_segment(house: EngineHarness) -> None:
    async with house:
        older = journal(house).read_bytes()
        for _ in range(3):
            house.clock.now = house.sale().opened.draws_at
            await house.tick()
        await house.crash()
        journal(house).write_bytes(older)
        await house.start()
        await sells_within_a_minute(house)
        house.clock.now = house.sale().opened.draws_at
        await house.tick()
        assert {fact.cause for fact in house.facts_of(SegmentLeft)} == {"witness_behind"}
        assert house.facts_of(DayOpened)[-1].segment > 0
        assert await drawn_everywhere(house)


async def drawn_everywhere(house: EngineHarness) -> bool:
    """Whether the rounds that are open now are drawn when they are due."""
    issues = {game: house.sale(game).issue for game in GAMES}
    house.clock.now = max(house.sale(game).opened.draws_at for game in GAMES)
    await house.tick()
    drawn = {(fact.game, fact.issue) for fact in house.facts_of(RoundDrawn)}
    return set(issues.items()) <= drawn


@driven
async def test_a_standby_reads_the_files_again_when_it_takes_the_lead(
    house: EngineHarness, tmp_path: Path
) -> None:
    async with house:
        older = journal(house).read_bytes()
        standby = house.engine._read_keys(house.schedule, "card-21.04.02")[1].witness
        standby.status("1", house.sale().opened.day)
        house.clock.now = house.sale().opened.draws_at
        await house.tick()
        day = house.sale().opened.day
        assert standby.status("1", day).last > 0
        shutil.copy(journal(house), tmp_path / "newer")
        journal(house).write_bytes(older)
        assert standby.status("1", day).last == 0


@driven
async def test_a_round_closes_before_the_next_one_opens_however_slow_the_witness_is(
    house: EngineHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house:
        sale = house.sale()
        house.clock.now = sale.opened.draws_at
        await house.tick()
        second = house.sale()
        house.clock.now = second.opened.closes_at
        await house.tick()
        house.clock.now = second.opened.draws_at
        waits = [1, 9]  # the second one lasts until the next round's sale has ended

        def slow(request: Signed, _: object) -> tuple[bytes, bytes]:
            if b'"game":"1"' in request.content and waits:
                house.clock.forward(waits.pop(0))
            raise OSError

        with monkeypatch.context() as away:
            away.setattr(house.engine._context.witness, "release", slow)
            await house.tick()
            await house.tick()
        order = [
            (type(fact).__name__, fact.index)
            for each in house.facts()
            if isinstance(fact := each.fact, RoundOpened | RoundClosed) and fact.game == 1
        ]
        opened = [index for name, index in order if name == "RoundOpened"]
        assert opened == [1, 2, 3, 4]
        for before, after in itertools.pairwise(opened):
            assert order.index(("RoundClosed", before)) < order.index(("RoundOpened", after))
