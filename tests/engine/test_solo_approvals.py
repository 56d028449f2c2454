"""The limit of approvals by one person, summed over a day per staff member and per player."""

from engine.answers import Answer, MoneyAnswered, PlayerAccepted, Refused
from engine.cashier.commands import (
    ApproveDeposit,
    DecideDeposit,
    DecideGift,
    DecideWithdrawal,
    GrantGift,
    MoneyCommand,
    PayWithdrawal,
    RequestDeposit,
    RequestWithdrawal,
)
from engine.command_handler import decide_account_command
from engine.engine_state import EngineState, Overlay
from engine.money import units
from engine.players.commands import (
    CompleteBaseInfo,
    ProfileCommand,
    SetPayoutAccount,
    SetSecurityCode,
    SwitchPlayer,
)
from engine.refusals import Refusal
from engine.terms import DAY_US
from tests.engine.given import DURING_SALE, member

ANN, BEN = "staff:ann", "staff:ben"
MEMBERS = range(1, 8)


class House:
    """A house with a few players and a time that the test sets."""

    def __init__(self) -> None:
        self.state = EngineState(players={each: member(player=each) for each in MEMBERS})
        self.now = DURING_SALE
        self._ids = 0

    def submit(self, command: MoneyCommand | ProfileCommand) -> Answer:
        overlay = Overlay(self.state, self.now)
        answer = decide_account_command(command, overlay)
        overlay.merge()
        return answer

    def status(self, command: MoneyCommand) -> str:
        answer = self.submit(command)
        if isinstance(answer, Refused):
            return answer.refusal
        assert isinstance(answer, MoneyAnswered | PlayerAccepted)
        return "approved" if isinstance(answer, PlayerAccepted) else answer.status

    def id(self) -> str:
        self._ids += 1
        return f"id-{self._ids}"

    def enters(self, by: str, amount_u: float, player: int, channel: str = "bank") -> str:
        amount = round(amount_u * 100)
        return self.status(ApproveDeposit(player, self.id(), channel, amount, "", by))

    def gives(self, by: str, amount_u: int, player: int) -> str:
        return self.status(GrantGift(player, self.id(), units(amount_u), by, ""))

    def decides_gift(self, by: str, player: int) -> str:
        """A second person decides on the gift that was proposed last."""
        return self.status(DecideGift(player, f"id-{self._ids}", approve=True, by=by))

    def announced(self, player: int, amount_u: int) -> str:
        number = self.id()
        self.submit(RequestDeposit(player, number, "bank", units(amount_u), ""))
        return number

    def agrees(self, by: str, player: int, number: str) -> str:
        return self.status(DecideDeposit(player, number, approve=True, by=by))

    def withdrawal(self, player: int, amount_u: int) -> str:
        self.submit(CompleteBaseInfo(player))
        self.submit(SetPayoutAccount(player, 0, f"card-{player}", ""))
        self.submit(SetSecurityCode(player))
        self.submit(SwitchPlayer(player, closed=True, by=ANN, reason_commitment=""))
        self.now += DAY_US
        number = self.id()
        assert self.status(RequestWithdrawal(player, number, 0, units(amount_u))) == "requested"
        return number


def test_five_deposits_by_one_person_are_not_five_times_the_threshold() -> None:
    house = House()
    assert house.enters(ANN, 5_000, 1) == "approved"
    assert [house.enters(ANN, 5_000, player) for player in (2, 3, 4, 5)] == ["endorsed"] * 4


def test_exactly_the_threshold_in_sum_is_for_one_person_and_a_cent_more_for_two() -> None:
    house = House()
    assert house.enters(ANN, 3_000, 1) == "approved"
    assert house.enters(ANN, 2_000, 2) == "approved"
    assert house.enters(ANN, 0.01, 3) == "endorsed"


def test_another_person_has_a_sum_of_their_own() -> None:
    house = House()
    house.enters(ANN, 5_000, 1)
    assert house.enters(BEN, 5_000, 2) == "approved"


def test_a_member_has_a_sum_across_all_approvers() -> None:
    """Two people who take turns alone do not count as two who agree."""
    house = House()
    assert house.enters(ANN, 3_000, 1) == "approved"
    assert house.enters(BEN, 2_000, 1) == "approved"
    assert house.enters(BEN, 1, 1) == "endorsed"
    assert house.enters(BEN, 1, 2) == "approved"


def test_what_was_approved_a_day_ago_counts_no_more() -> None:
    house = House()
    house.enters(ANN, 5_000, 1)
    house.now += DAY_US - 1
    assert house.enters(ANN, 1, 2) == "endorsed"
    house.now += 1
    assert house.enters(ANN, 5_000, 3) == "approved"


def test_what_two_agreed_to_counts_for_neither() -> None:
    house = House()
    number = house.announced(1, 9_000)
    assert [house.agrees(by, 1, number) for by in (ANN, BEN)] == ["endorsed", "approved"]
    assert house.enters(ANN, 5_000, 2) == "approved"
    assert house.enters(BEN, 5_000, 3) == "approved"


def test_announced_deposits_count_with_those_that_staff_enter() -> None:
    house = House()
    first, second = house.announced(1, 4_000), house.announced(2, 2_000)
    assert house.agrees(ANN, 1, first) == "approved"
    assert house.agrees(ANN, 2, second) == "endorsed"
    assert house.agrees(ANN, 2, second) == Refusal.SECOND_PERSON_NEEDED
    assert house.agrees(BEN, 2, second) == "approved"


def test_withdrawals_and_gifts_count_with_deposits() -> None:
    house = House()
    house.enters(BEN, 4_000, 1)
    number = house.withdrawal(1, 4_000)
    assert house.gives(ANN, 1_000, 2) == "approved"
    assert house.status(DecideWithdrawal(1, number, approve=True, by=ANN)) == "approved"
    assert house.enters(ANN, 1, 3) == "endorsed"
    assert house.status(PayWithdrawal(1, number, BEN, "")) == "paid"


def test_a_gift_above_the_sum_is_not_one_persons_to_give() -> None:
    house = House()
    house.enters(ANN, 4_000, 1)
    assert house.gives(ANN, 1_000, 2) == "approved"
    assert house.gives(ANN, 1, 3) == "requested"
    assert house.decides_gift(ANN, 3) == Refusal.SECOND_PERSON_NEEDED
    assert house.decides_gift(BEN, 3) == "approved"
    assert house.enters(BEN, 5_000, 4) == "approved"


def test_a_withdrawal_above_the_sum_takes_a_second_person() -> None:
    house = House()
    house.enters(BEN, 4_000, 1)
    number = house.withdrawal(1, 4_000)
    house.enters(ANN, 1_001, 2)
    decision = DecideWithdrawal(1, number, approve=True, by=ANN)
    assert house.status(decision) == "endorsed"
    assert house.status(decision) == Refusal.SECOND_PERSON_NEEDED
    assert house.status(DecideWithdrawal(1, number, approve=True, by=BEN)) == "approved"


def test_play_money_does_not_count() -> None:
    house = House()
    house.enters(ANN, 9_000, 1, channel="demo")
    assert house.enters(ANN, 5_000, 2) == "approved"
