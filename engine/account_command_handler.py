"""From a command about a player's money, standing or words to its facts and its answer."""

from collections.abc import Sequence
from typing import Any, Final, assert_never

from engine.answers import (
    Answer,
    ChatAnswered,
    MoneyAnswered,
    PlayerAccepted,
    Refused,
    StandingChanged,
)
from engine.cashier import adjustments, bonuses, deposits, withdrawals
from engine.cashier.approvals import approved_alone, reference_credited
from engine.cashier.commands import (
    AgreeDeposit,
    ApproveDeposit,
    ConfirmDeposit,
    DecideAdjustment,
    DecideDeposit,
    DecideGift,
    DecideWithdrawal,
    EnterDeposit,
    GrantGift,
    GrantOvernight,
    MoneyCommand,
    PayWithdrawal,
    ProposeAdjustment,
    ProposeCorrection,
    ReleaseBonus,
    RequestDeposit,
    RequestWithdrawal,
)
from engine.cashier.facts import (
    AdjustmentApproved,
    AdjustmentProposed,
    AdjustmentRejected,
    BonusReleased,
    CorrectionApproved,
    CorrectionProposed,
    DepositApproved,
    DepositEndorsed,
    DepositRejected,
    DepositRequested,
    GiftGranted,
    GiftProposed,
    GiftRejected,
    RepeatEndorsed,
    WithdrawalApproved,
    WithdrawalEndorsed,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
)
from engine.cashier.payment_state import REFUSED, REPLACED, overnight_gift_id
from engine.cashier.quotas import release_quota, reserve_quota
from engine.chat import decisions as chat_decisions
from engine.chat.commands import ChatCommand
from engine.engine_state import Overlay
from engine.players import account_changes, identities, messages, profile_decisions
from engine.players.facts import PlayerFact
from engine.players.profile_commands import (
    AccountChangeCommand,
    IdentityCommand,
    MessageCommand,
    ProfileCommand,
    ReleaseQuota,
    ReserveQuota,
)
from engine.players.profile_facts import LimitSet, PasswordReset, PayoutAccountSet, SecurityCodeSet
from engine.players.state import Player
from engine.refusals import Refusal

Facts = Sequence[PlayerFact] | Refused


def decide_account_command(
    command: MoneyCommand | ProfileCommand | ChatCommand, overlay: Overlay
) -> Answer:
    """Decide one command and apply what it leads to; a refusal changes nothing."""
    player = overlay.player(command.player)
    facts: Facts
    if player.profile.erased:
        facts = Refused(Refusal.PLAYER_UNKNOWN, "player")
    elif isinstance(command, ProfileCommand):
        facts = _profile(command, player, overlay)
    elif isinstance(command, ChatCommand):
        facts = chat_decisions.decide(command, player, overlay.now)
    else:
        facts = _money(command, player, overlay)
    if isinstance(facts, Refused):
        return facts
    if isinstance(command, MoneyCommand):
        alone = approved_alone(command, player, facts)
        if alone is not None:
            overlay.add_desk_fact(alone)
        credited = reference_credited(command, player, facts)
        if credited is not None:
            overlay.add_reference_fact(credited)
    for fact in facts:
        overlay.add_player_fact(player, fact)
    if isinstance(command, ProfileCommand):
        return StandingChanged(player.version, _effective_from(facts, overlay.now))
    if isinstance(command, ChatCommand):
        return ChatAnswered(player.version, overlay.now, player.chat.muted_until)
    answer = _answer(command, player, facts)
    if isinstance(command, ApproveDeposit) and answer.status == "approved":
        # Clients and remembered answers know this one by its first form.
        return PlayerAccepted(player.id, player.version, player.available, player.bonus)
    return answer


def _money(command: MoneyCommand, player: Player, overlay: Overlay) -> Facts:
    terms, now, day = overlay.house.terms, overlay.now, overlay.day
    discontinued = overlay.house.discontinued
    reference = getattr(command, "reference", "")
    used = bool(reference) and overlay.reference(reference).version > 0
    alone = overlay.desk.alone_minor(getattr(command, "by", ""), player.id, now)
    match command:
        case RequestDeposit():
            return deposits.request(command, player, terms, now, day, discontinued=discontinued)
        case ApproveDeposit() | EnterDeposit():
            return deposits.enter(command, player, terms, now, day, alone_minor=alone, used=used)
        case DecideDeposit() | AgreeDeposit():
            return deposits.decide(command, player, terms, now, day, alone_minor=alone, used=used)
        case ConfirmDeposit():
            return deposits.confirm(command, player, terms, now, day)
        case RequestWithdrawal():
            return withdrawals.request(command, player, terms, now, discontinued=discontinued)
        case DecideWithdrawal():
            return withdrawals.decide(command, player, terms, alone_minor=alone)
        case PayWithdrawal():
            return withdrawals.pay(command, player)
        case GrantGift():
            return bonuses.grant(command, player, terms, now, alone_minor=alone)
        case DecideGift() | GrantOvernight() | ReleaseBonus():
            return _bonus(command, player, overlay)
        case ProposeAdjustment() | ProposeCorrection():
            return adjustments.propose(command, player, terms)
        case DecideAdjustment():
            return adjustments.decide(command, player)
        case _ as never:
            assert_never(never)


def _bonus(
    command: DecideGift | GrantOvernight | ReleaseBonus, player: Player, overlay: Overlay
) -> Facts:
    terms, now = overlay.house.terms, overlay.now
    match command:
        case DecideGift():
            return bonuses.decide_gift(command, player, terms, now)
        case GrantOvernight():
            return bonuses.grant_overnight(command, player, terms, now, overlay.day)
        case ReleaseBonus():
            return bonuses.release(command, player, now)


def _profile(command: ProfileCommand, player: Player, overlay: Overlay) -> Facts:
    terms, now = overlay.house.terms, overlay.now
    match command:
        case ReserveQuota():
            return reserve_quota(command, player, terms, now)
        case ReleaseQuota():
            return release_quota(command, player)
        case _ if isinstance(command, MessageCommand):
            return messages.decide(command, player)
        case _ if isinstance(command, IdentityCommand):
            return identities.decide(command, player, overlay.player(command.other), now)
        case _ if isinstance(command, AccountChangeCommand):
            return account_changes.decide(command, player, terms, now)
        case _:
            return profile_decisions.decide(command, player, terms, now)


def _effective_from(facts: Sequence[PlayerFact], now: int) -> int:
    for fact in facts:
        if isinstance(fact, LimitSet):
            return fact.from_at
        if isinstance(fact, PayoutAccountSet | SecurityCodeSet | PasswordReset):
            return fact.usable_at
    return now


_STATUS: Final[dict[type[Any], str]] = {
    DepositRequested: "requested",
    DepositEndorsed: "endorsed",
    RepeatEndorsed: "endorsed",
    DepositApproved: "approved",
    DepositRejected: "rejected",
    WithdrawalRequested: "requested",
    WithdrawalEndorsed: "endorsed",
    WithdrawalApproved: "approved",
    WithdrawalPaid: "paid",
    WithdrawalRejected: "rejected",
    GiftProposed: "requested",
    GiftRejected: "rejected",
    GiftGranted: "approved",
    BonusReleased: "approved",
    AdjustmentProposed: "requested",
    AdjustmentApproved: "approved",
    CorrectionProposed: "requested",
    CorrectionApproved: "approved",
    AdjustmentRejected: "rejected",
}


def _answer(command: MoneyCommand, player: Player, facts: Sequence[PlayerFact]) -> MoneyAnswered:
    last = facts[-1] if facts else None
    status = _STATUS[type(last)] if last else "unchanged"
    if isinstance(last, DepositRejected) and last.cause not in {REFUSED, REPLACED}:
        status = "returned"
    return MoneyAnswered(
        _id(command),
        status,
        getattr(last, "amount_minor", 0),
        player.version,
        player.available,
        player.bonus,
        player.withdrawing,
    )


def _id(command: MoneyCommand) -> str:
    match command:
        case (
            RequestDeposit()
            | ApproveDeposit()
            | DecideDeposit()
            | EnterDeposit()
            | AgreeDeposit()
            | ConfirmDeposit()
        ):
            return command.deposit
        case RequestWithdrawal() | DecideWithdrawal() | PayWithdrawal():
            return command.withdrawal
        case GrantGift() | DecideGift():
            return command.gift
        case GrantOvernight(day=day):
            return overnight_gift_id(day)
        case ReleaseBonus():
            return ""
        case ProposeAdjustment() | ProposeCorrection() | DecideAdjustment():
            return command.adjustment
        case _ as never:
            assert_never(never)
