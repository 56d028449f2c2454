"""The sandbox takes real decisions, and the published strategies keep their word."""

from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import strategies
from engine.answers import Answer, BetAccepted, BetsRecalled, Refused
from engine.bets.commands import PlaceBet, RecallBets
from engine.bets.facts import BetSettled
from engine.cashier.commands import DecideWithdrawal, PayWithdrawal, RequestWithdrawal
from engine.cashier.facts import DepositApproved, WithdrawalPaid
from engine.engine_state import EngineState
from engine.facts import TOPICS, encode, player_stream
from engine.fairness.verify import Check
from engine.house.commands import LeaveSegment
from engine.house.facts import DayOpened, ReceiptsSigned
from engine.ledger import postings
from engine.money import units
from engine.players.commands import MEMBER, RegisterPlayer
from engine.refusals import Refusal
from engine.rounds.commands import CloseRound, DrawRound, OpenRound
from engine.rounds.facts import RoundClosed, RoundDrawn, RoundOpened, RoundSettled
from engine.rounds.state import Round
from engine.runtime.writer.startup import recover
from engine.sandbox import DAY_START, SHORT_DAYS, Sandbox, Step
from engine.schedule import SECOND_US
from engine.strategies import sample_house
from engine.terms import DAY_US
from tests.instruments.simulator.fakes import MemoryLog

EVERY_KIND = ("big", "small", "odd", "even", "13")


def a_house(seed: int = 0, **options: Any) -> Sandbox:
    """A house with one member, who has 100u of play money."""
    house = Sandbox(seed, **{"games": (1,), **options})
    house.submit(RegisterPlayer(1, MEMBER, None, "", gift_minor=units(100)))
    return house


def bet(house: Sandbox, kind: str = "big", stake_minor: int = units(10)) -> Answer:
    return house.submit(PlaceBet(1, 1, 1, house.newest(1).issue, kind, stake_minor))


def draws(house: Sandbox) -> str:
    """Plays the newest round to its end; returns its issue."""
    sale = house.newest(1)
    house.advance_to(sale.opened.draws_at)
    return sale.issue


def closed(house: Sandbox) -> Sandbox:
    """The house with a round whose draw is due and not taken."""
    house.advance_to(house.newest(1).closes_at)
    house._now = house.newest(1).opened.draws_at
    return house


def facts_of(house: Sandbox, kind: type[Any]) -> list[Any]:
    return [each.fact for each in house.log if isinstance(each.fact, kind)]


def test_a_bet_is_placed_drawn_and_settled_and_the_ledger_sums_to_zero() -> None:
    house = a_house()
    assert isinstance(bet(house), BetAccepted)
    assert house.player(1).staked == units(10)
    draws(house)
    (settled,) = facts_of(house, BetSettled)
    balances = house.balances()
    assert sum(balances.values()) == 0
    assert balances["player:1:available"] == units(90) + settled.payout_minor
    assert balances["player:1:staked"] == house.player(1).staked == 0


def test_every_fact_s_postings_sum_to_zero_and_versions_count_each_stream() -> None:
    house = a_house()
    bet(house)
    draws(house)
    assert [signed.size for signed in facts_of(house, ReceiptsSigned)] == [1]
    versions: dict[str, int] = {}
    for position, each in enumerate(house.log, start=1):
        assert sum(leg.amount_minor for leg in postings(each)) == 0
        versions[each.stream] = versions.get(each.stream, 0) + 1
        assert (each.position, each.version) == (position, versions[each.stream])
    assert [each.at for each in house.log] == sorted(each.at for each in house.log)


def test_a_draw_verifies_with_all_its_bets_and_a_recalled_one_is_not_among_them() -> None:
    house = a_house()
    accepted = [bet(house, kind) for kind in EVERY_KIND]
    assert isinstance(accepted[1], BetAccepted)
    recall = RecallBets(1, 1, house.newest(1).issue, accepted[1].bet)
    assert isinstance(house.submit(recall), BetsRecalled)
    proof = house.proof(1, draws(house))
    assert len(proof.bets) == len(EVERY_KIND) - 1
    assert proof.failed() == []


def test_a_changed_digit_key_or_payout_does_not_verify() -> None:
    house = a_house()
    bet(house)
    proof = house.proof(1, draws(house))
    first, second, third = proof.published.digits
    other_digits = replace(proof.published, digits=((first + 5) % 10, second, third))
    assert Check.DIGITS in replace(proof, published=other_digits).failed()
    other_key = replace(proof, witness_key=proof.operator_key)
    assert Check.DAY_SIGNED_BY_WITNESS in other_key.failed()
    own_bet = replace(proof.bets[0], paid_minor=proof.bets[0].paid_minor + 1)
    assert replace(proof, bets=(own_bet,)).failed() == [Check.PAYOUT]


def test_the_same_seed_gives_the_same_log_and_another_seed_other_draws() -> None:
    def digits(seed: int) -> list[tuple[int, int, int]]:
        house = a_house(seed, schedule=SHORT_DAYS)
        house.advance_to(house.now + DAY_US)
        return [drawn.digits for drawn in facts_of(house, RoundDrawn)]

    def log(seed: int) -> Any:
        house = a_house(seed)
        bet(house)
        draws(house)
        return house.log

    assert log(3) == log(3)
    assert digits(3) == digits(3)
    assert len(digits(3)) == SHORT_DAYS.rounds
    assert digits(3) != digits(4)


REFUSED: list[tuple[Any, Refusal]] = [
    (PlaceBet(1, 1, 1, "20261121001", "big", units(101)), Refusal.FUNDS_INSUFFICIENT),
    (PlaceBet(9, 1, 1, "20261121001", "big", units(1)), Refusal.PLAYER_UNKNOWN),
    (RecallBets(1, 1, "20261121001", "no-such-bet"), Refusal.BET_UNKNOWN),
    (RequestWithdrawal(1, "withdrawal", 0, units(100)), Refusal.BASE_INFO_MISSING),
    (CloseRound(1, "20261121001"), Refusal.ROUND_NOT_DUE),
    (DrawRound(1, "20261121001", "00" * 32, "00" * 32, "00" * 64), Refusal.ROUND_NOT_DUE),
]


@pytest.mark.parametrize(("command", "refusal"), REFUSED)
def test_a_refused_command_leaves_the_log_and_the_state_unchanged(
    command: Any, refusal: Refusal
) -> None:
    house, undisturbed = a_house(), a_house()
    for each in (house, undisturbed):
        bet(each)
    answer = house.submit(command)
    assert isinstance(answer, Refused)
    assert answer.refusal == refusal
    assert (house.log, house.state) == (undisturbed.log, undisturbed.state)
    for each in (house, undisturbed):
        bet(each)
        draws(each)
    assert house.log == undisturbed.log


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (OpenRound(9, 1, DAY_START, DAY_START + 1, DAY_START + 2), KeyError),
        (DrawRound(1, "20261121001", "no hex", "", ""), ValueError),
    ],
)
def test_a_command_that_no_caller_sends_raises_and_changes_nothing(
    command: Any, error: type[Exception]
) -> None:
    house, undisturbed = closed(a_house()), closed(a_house())
    with pytest.raises(error):
        house.submit(command)
    assert (house.log, house.state) == (undisturbed.log, undisturbed.state)


def test_a_draw_needs_both_true_secrets() -> None:
    house = closed(a_house())
    true = house.drawing(1, house.newest(1).issue)
    for name in ("operator_secret", "witness_secret", "witness_signature"):
        value = getattr(true, name)
        false = replace(true, **{name: f"{value[:-1]}{int(value[-1], 16) ^ 1:x}"})
        answer = house.submit(false)
        assert isinstance(answer, Refused)
        assert answer.refusal == Refusal.SECRET_WRONG
    house.submit(true)
    assert len(facts_of(house, RoundDrawn)) == 1


def test_a_round_that_is_on_sale_has_no_drawing_and_no_proof() -> None:
    house = a_house()
    with pytest.raises(ValueError, match="is not closed"):
        house.drawing(1, house.newest(1).issue)
    with pytest.raises(KeyError):
        house.proof(1, house.newest(1).issue)


def test_the_clock_never_goes_back() -> None:
    house = a_house()
    with pytest.raises(ValueError, match="is before"):
        house.advance_to(house.now - 1)
    assert house.now == DAY_START


def test_each_day_opens_and_each_of_its_rounds_is_drawn_and_settled() -> None:
    house = Sandbox(schedule=SHORT_DAYS)
    house.advance_to(DAY_START + 2 * DAY_US)
    assert [day.day for day in facts_of(house, DayOpened) if day.game == 4] == [
        "2026-11-21", "2026-11-22", "2026-11-23"
    ]  # fmt: skip
    opened, settled = facts_of(house, RoundOpened), facts_of(house, RoundSettled)
    assert len(settled) == 2 * SHORT_DAYS.rounds * 4
    for each in opened[:-4]:
        assert house.proof(each.game, each.issue).failed() == []


@pytest.mark.parametrize("late_us", [1, 10 * 60 * SECOND_US, 15 * 60 * SECOND_US])
def test_a_house_that_starts_late_in_a_day_opens_a_segment(late_us: int) -> None:
    house = a_house(now=DAY_START + late_us, schedule=SHORT_DAYS)
    bet(house)
    issue = draws(house)
    assert issue == ("20261121001" if late_us == 1 else "20261121002")
    (day,) = facts_of(house, DayOpened)
    assert day.segment == (late_us != 1)
    assert house.proof(1, issue).failed() == []


def test_between_the_close_and_the_draw_no_round_is_on_sale_until_the_next_one() -> None:
    late = SHORT_DAYS.round_us - SHORT_DAYS.close_us
    house = Sandbox(now=DAY_START + late, schedule=SHORT_DAYS, games=(1,))
    with pytest.raises(KeyError):
        house.newest(1)
    house.advance_to(DAY_START + SHORT_DAYS.round_us)
    assert house.newest(1).issue == "20261121002"


@pytest.mark.parametrize("game", [1, 2])
def test_a_left_segment_finishes_its_round_and_the_next_round_is_in_a_new_one(game: int) -> None:
    """Also game 2's, which is on sale for longer, so that the house takes steps meanwhile."""
    house = Sandbox(games=(1, 2))
    house.submit(LeaveSegment(game, "2026-11-21", "chain_lost"))
    for day in ("2026-11-21", "2026-11-21/1"):
        sale = house.newest(game)
        assert sale.opened.day == day
        house.advance_to(sale.opened.draws_at)
        assert house.proof(game, sale.issue).failed() == []


def test_each_step_is_taken_at_the_time_at_which_it_is_due() -> None:
    house = a_house()
    opened = house.newest(1).opened
    house.advance_to(opened.draws_at + 1)
    taken = {type(each.fact): each.at for each in house.log if each.stream.endswith(opened.issue)}
    assert taken == {
        RoundOpened: opened.opens_at,
        RoundClosed: opened.closes_at,
        RoundDrawn: opened.draws_at,
        RoundSettled: opened.draws_at,
    }


def test_a_replay_of_the_log_leads_to_the_state() -> None:
    house = sample_house()
    for kind in EVERY_KIND:
        bet(house, kind)
    draws(house)
    bet(house)
    log = MemoryLog()
    for each in house.log:
        log.facts.append(each)
        log.states.append((TOPICS[type(each.fact)], encode(each.fact)))
        log._streams.setdefault(each.stream, []).append(each)
    replayed, players = recover(log), [*house.state.players]
    replayed.load_players(players, log.streams([player_stream(each) for each in players]))
    for name in EngineState.__struct_fields__:
        assert _open_parts(getattr(replayed, name)) == _open_parts(getattr(house.state, name))


def _open_parts(part: Any) -> Any:
    """The part without finished rounds' sums of bets, which a recovery leaves out."""
    if not isinstance(part, dict):
        return part
    return {
        key: each.phase if isinstance(each, Round) and each.finished else each
        for key, each in part.items()
    }


def test_a_withdrawal_is_requested_approved_and_paid() -> None:
    house = sample_house()
    house.play(
        (
            RequestWithdrawal(1, "withdrawal-1", 0, units(150)),
            DecideWithdrawal(1, "withdrawal-1", approve=True, by="ann"),
            PayWithdrawal(1, "withdrawal-1", "ben", ""),
        )
    )
    assert house.player(1).available == units(50)
    assert house.balances()["world:bank"] == units(150)


# The published strategies.


@given(strategies.sequences())
def test_any_sequence_keeps_the_ledger_at_zero_and_no_player_s_account_negative(
    steps: list[Step],
) -> None:
    house = sample_house()
    house.play(steps)
    balances = house.balances()
    assert sum(balances.values()) == 0
    assert min(value for name, value in balances.items() if name.startswith("player:")) >= 0
    for number in strategies.PLAYERS:
        player = house.player(number)
        for part in ("available", "bonus", "staked", "withdrawing"):
            assert getattr(player, part) == balances.get(f"player:{number}:{part}", 0)
        assert player.staked == sum(each.stake_minor for each in player.bets.values())


@given(st.data())
def test_a_valid_bet_is_accepted_and_an_invalid_one_or_deposit_refused(data: st.DataObject) -> None:
    house = sample_house()
    assert isinstance(house.submit(data.draw(strategies.valid_bets(house))), BetAccepted)
    assert isinstance(house.submit(data.draw(strategies.invalid_bets(house))), Refused)
    assert isinstance(house.submit(data.draw(strategies.invalid_deposits())), Refused)
    assert not isinstance(house.submit(data.draw(strategies.valid_deposits())), Refused)


@given(st.data())
def test_commands_and_recalls_are_made_for_the_state_of_the_house(data: st.DataObject) -> None:
    house = sample_house()
    for _ in range(3):
        house.submit(data.draw(strategies.commands(house)))
        recall = data.draw(strategies.recalls(house))
        assert recall.issue == house.newest(1).issue
        assert recall.bet in {None, "unknown", *house.player(recall.player).bets}
        house.submit(recall)


@pytest.mark.parametrize(
    ("kind", "steps"),
    [(DepositApproved, 1), (BetSettled, 2), (WithdrawalPaid, 3)],  # a bet and a pause settle it
)
def test_a_sequence_reaches_the_end_of_each_process_and_shrinks_to_what_it_takes(
    kind: type[Any], steps: int
) -> None:
    def reaches(sequence: list[Step]) -> bool:
        house = sample_house()
        house.play(sequence)
        return bool(facts_of(house, kind))

    phases = [Phase.generate, Phase.shrink]
    found = find(strategies.sequences(), reaches, settings=settings(phases=phases))
    assert len(found) == steps, found
