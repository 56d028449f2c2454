"""Decisions on a member's protection: limits, breaks, exclusion, reality checks. Pure.

The security code, payout accounts, and what staff do about them are here too: they protect a
member's money.
"""

from typing import assert_never

from engine.answers import Refused
from engine.cashier.commands import BANK_CARD, WALLET
from engine.lifecycle import WITHDRAWAL
from engine.players.commands import (
    MEMBER,
    SPANS,
    SUBJECTS,
    CompleteBaseInfo,
    ExcludeSelf,
    JoinAsMember,
    LiftSecurityCode,
    ProtectionCommand,
    SetLimit,
    SetPayoutAccount,
    SetRealityCheck,
    SetSecurityCode,
    ShowPayout,
    SwitchPlayer,
    TakeTimeOut,
)
from engine.players.facts import (
    BaseInfoCompleted,
    LimitSet,
    MemberJoined,
    PayoutAccountSet,
    PayoutShown,
    PlayerSwitched,
    ProfileFact,
    RealityCheckSet,
    SecurityCodeLifted,
    SecurityCodeSet,
    SelfExcluded,
    TimeOutTaken,
)
from engine.players.profile import FOR_GOOD
from engine.players.state import Player
from engine.refusals import Refusal
from engine.terms import DAY_US, Terms

MAX_TIME_OUT_US = 42 * DAY_US
MIN_EXCLUSION_US = 180 * DAY_US
MAX_EXCLUSION_US = 5 * 366 * DAY_US
MAX_REALITY_CHECK_MINUTES = 240
Decided = list[ProfileFact] | Refused


def decide_protection(
    command: ProtectionCommand, player: Player, terms: Terms, now: int
) -> Decided:
    """Returns the facts about a member's identity, payout accounts and protection.

    A stricter protection takes effect immediately, a looser one after a delay (RTS 12, GLI-19
    A.3.7, A.3.8). What a player or staff set to its present value yields no facts, but for limits,
    breaks, exclusions and reality checks: a request for protection is recorded even if repeated.
    """
    if not player.registered:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    if player.group != MEMBER and not isinstance(command, JoinAsMember | SwitchPlayer):
        return Refused(Refusal.MUST_REGISTER)
    match command:
        case JoinAsMember(inviter=inviter, name_commitment=name):
            return [] if player.group == MEMBER else [MemberJoined(inviter, name)]
        case CompleteBaseInfo():
            return [] if player.profile.base_info else [BaseInfoCompleted()]
        case SetPayoutAccount():
            return _payout_account(command, player, terms, now)
        case SetSecurityCode():
            return [SecurityCodeSet(now + terms.cooling_us)]
        case SetLimit():
            return _limit(command, player, terms, now)
        case TakeTimeOut(until=until):
            return _time_out(until, player, now)
        case ExcludeSelf(until=until):
            return _exclusion(until, player, now)
        case SetRealityCheck(minutes=minutes):
            if not 0 <= minutes <= MAX_REALITY_CHECK_MINUTES:
                return Refused(Refusal.INTERVAL_INVALID, "minutes")
            return [RealityCheckSet(minutes)]
        case SwitchPlayer() | ShowPayout() | LiftSecurityCode():
            return _by_staff(command, player)
        case _ as never:
            assert_never(never)


def _by_staff(command: SwitchPlayer | ShowPayout | LiftSecurityCode, player: Player) -> Decided:
    if isinstance(command, SwitchPlayer):
        switched = PlayerSwitched(command.closed, command.by, command.reason_commitment)
        return [] if command.closed == player.profile.closed else [switched]
    if isinstance(command, LiftSecurityCode):
        lifted = SecurityCodeLifted(command.by, command.reason_commitment)
        return [] if player.profile.code_usable_at is None else [lifted]
    withdrawal = player.payments.find(WITHDRAWAL, command.withdrawal)
    if withdrawal is None:
        return Refused(Refusal.WITHDRAWAL_UNKNOWN, "withdrawal")
    return [PayoutShown(withdrawal.id, withdrawal.account, command.by)]


def _payout_account(command: SetPayoutAccount, player: Player, terms: Terms, now: int) -> Decided:
    if command.method not in {BANK_CARD, WALLET}:
        return Refused(Refusal.PAYOUT_ACCOUNT_INVALID, "type")
    current = player.profile.payout(command.method)
    if current is not None and current.account == command.account:
        return []
    usable_at = now + terms.cooling_us
    return [PayoutAccountSet(command.method, command.account, command.commitment, usable_at)]


def _limit(command: SetLimit, player: Player, terms: Terms, now: int) -> Decided:
    if command.subject not in SUBJECTS or command.span not in SPANS:
        return Refused(Refusal.LIMIT_UNKNOWN, "span")
    amount = command.amount_minor
    if amount is not None and not 0 <= amount <= terms.largest_deposit_minor:
        return Refused(Refusal.AMOUNT_INVALID, "amount")
    current = player.profile.limit(command.subject, command.span)
    before = current.at(now) if current else None
    lowers = amount is not None and (before is None or amount <= before)
    from_at = now if lowers or before == amount else now + terms.raise_wait_us
    return [LimitSet(command.subject, command.span, amount, from_at, before)]


def _time_out(until: int, player: Player, now: int) -> Decided:
    if not now < until <= now + MAX_TIME_OUT_US:
        return Refused(Refusal.PERIOD_INVALID, "until")
    if until < player.profile.time_out_until:
        return Refused(Refusal.PERIOD_SHORTENED, "until")
    return [TimeOutTaken(until)]


def _exclusion(until: int | None, player: Player, now: int) -> Decided:
    earliest, latest = now + MIN_EXCLUSION_US, now + MAX_EXCLUSION_US
    if until is not None and not earliest <= until <= latest:
        return Refused(Refusal.PERIOD_INVALID, "until")
    if (FOR_GOOD if until is None else until) < player.profile.excluded_until:
        return Refused(Refusal.PERIOD_SHORTENED, "until")
    return [SelfExcluded(until)]
