"""Withdrawals: what may be withdrawn, /api/user/withdrawInfo, and a request, withdrawAction.

A request is checked in three steps:

1. The checks of the specification, in their order: base info, account, code, amount.
2. The security code. An attempt is consumed before the code is verified. Neither a wrong code nor a
   lock is stored under the idempotency key, because the code is a step-up authentication and not
   part of the command.
3. The engine's decision, stored under the key for as long as answers are kept. A repetition gets
   that answer, whatever code it has, and consumes no attempt.
"""

from hashlib import sha256
from typing import Final

from msgspec import Struct

from api.account.player_sync import PlayerRecord, Players, refused_by_vault
from api.cashier.payout_accounts import PayAccount, pay_account
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import Amount, At, Code, Level, Money, PayoutType, Version
from api.http.load_limits import HashPool
from api.http.refusals import CallRefused
from api.http.wire import NotMoneyError, TooMuchError, later_seconds, money, typed_minor_units
from api.services import Services
from engine.answers import MoneyAnswered, Refused
from engine.cashier.commands import BANK_CARD, WALLET, RequestWithdrawal
from engine.cashier.payment_state import Payment
from engine.facts import player_stream
from engine.players.commands import MEMBER
from engine.refusals import Refusal
from engine.runtime.port import EnginePort
from engine.runtime.vault import Vault

WITHDRAW_ACTION: Final = "/api/user/withdrawAction"
_ABOVE_ANY_BALANCE: Final = 10**17
_MAX_TYPE: Final = 1 << 31
_MAX_INPUT_LENGTH: Final = 64
_CODE_FIELD: Final = {"code": "securityCode"}
# A refusal's order in the enumeration is its precedence; those of the code are in the middle.
_ORDER: Final = {refusal: place for place, refusal in enumerate(Refusal)}
_CODE_PRECEDENCE: Final = _ORDER[Refusal.SECURITY_CODE_LOCKED]


class Turnover(Struct, frozen=True):
    """`due`, in u, must still be turned over before a withdrawal; `done` is the lifetime total."""

    due: Money
    done: Money


class Bonus(Struct, frozen=True):
    """Bonus money; it can be released once `due` is turned over, and not before `usable_at`."""

    money: Money
    due: Money
    usable_at: At


class Quota(Struct, frozen=True):
    """A reserved level: withdrawals are closed until `due` is turned over, or until `until`."""

    level: Level
    until: At
    due: Money


class PendingWithdrawal(Struct, frozen=True):
    """An unfinished withdrawal: `status` is requested, endorsed or approved."""

    id: str
    type: PayoutType
    quantity: Money
    status: str


class WithdrawInfo(Struct, frozen=True):
    """What may be withdrawn, to which accounts, and the progress of what is required first.

    `usercrud`: base info is complete. Times are seconds since 1970, rounded up to the end of the
    wait. A player is `leaving` if they are excluded or closed, or if sales were discontinued. They
    may withdraw everything immediately: below the minimum, and with turnover due or a level
    reserved.
    """

    money: Money
    score: Money
    withdrawing: Money
    pay_list: tuple[PayAccount, PayAccount]
    minimum: Money
    usercrud: bool
    code_is_set: bool
    code_locked: bool
    cooling_until: At
    turnover: Turnover
    bonus: Bonus
    quota: Quota | None
    leaving: bool
    withdrawals: tuple[PendingWithdrawal, ...]
    version: Version


@call(
    "/api/user/withdrawInfo",
    "Withdrawal limits, payout accounts and open requirements",
    auth=Auth.PLAYER,
    refusals=(Refusal.MUST_REGISTER,),
)
async def withdraw_info(request: CallRequest, players: Players) -> CallResult[WithdrawInfo]:
    """Returns what the withdrawal page shows before a request."""
    member = await players.load(request.player)
    if member.view.group != MEMBER:
        raise CallRefused(Refusal.MUST_REGISTER)
    return CallResult(_info(member))


def _info(member: PlayerRecord) -> WithdrawInfo:
    player, profile = member.view, member.profile
    cards = (pay_account(member, BANK_CARD), pay_account(member, WALLET))
    return WithdrawInfo(
        money(player.available_minor),
        money(player.bonus_minor),
        money(player.withdrawing_minor),
        cards,
        money(player.min_withdrawal_minor),
        profile.base_info_complete,
        profile.code_is_set,
        profile.code_locked,
        max(card.usable_at for card in cards),
        Turnover(money(player.due_minor), money(player.turnover_minor)),
        Bonus(
            money(player.bonus_minor),
            money(player.bonus_due_minor),
            later_seconds(player.bonus_from),
        ),
        _quota(member),
        player.leaving,
        tuple(_pending(each) for each in player.withdrawals),
        player.version,
    )


def _quota(member: PlayerRecord) -> Quota | None:
    quota = member.view.quota
    if quota is None:
        return None
    level, until, due = quota
    return Quota(level, later_seconds(until), money(due))


def _pending(withdrawal: Payment) -> PendingWithdrawal:
    endorsed = "endorsed" if withdrawal.endorsed_by else "requested"
    status = "approved" if withdrawal.approved else endorsed
    return PendingWithdrawal(
        withdrawal.id, withdrawal.method, money(withdrawal.amount_minor), status
    )


class WithdrawRequest(ApiRequest):
    """`money` u to the account of this `type`: 0 the bank card, 1 the wallet."""

    type: PayoutType = BANK_CARD
    money: Amount = None
    securityCode: Code | None = None  # noqa: N815 - the specification's name

    def __post_init__(self) -> None:
        """Parse the amount: one amount may be written in several ways."""
        self.money = _parsed(self.money)


class Withdrawal(Struct, frozen=True):
    """A requested withdrawal; `money` is the caller's available balance after it."""

    id: str
    type: PayoutType
    quantity: Money
    status: str
    money: Money
    score: Money
    withdrawing: Money
    balance_version: Version


@call(
    WITHDRAW_ACTION,
    "Request a withdrawal, confirmed by the security code",
    auth=Auth.PLAYER,
    idempotent=True,
    use=SessionUse.MONEY,
    once=("type", "money"),
    refusals=(
        Refusal.SECURITY_CODE_INVALID,
        Refusal.MUST_REGISTER,
        Refusal.BASE_INFO_MISSING,
        Refusal.PAYOUT_ACCOUNT_MISSING,
        Refusal.SECURITY_CODE_MISSING,
        Refusal.WITHDRAWAL_AMOUNT_MISSING,
        Refusal.AMOUNT_INVALID,
        Refusal.WITHDRAWAL_TOO_SMALL,
        Refusal.SECURITY_CODE_LOCKED,
        Refusal.SECURITY_CODE_WRONG,
        Refusal.PAYOUT_COOLING,
        Refusal.QUOTA_RESERVED,
        Refusal.TURNOVER_UNMET,
        Refusal.WITHDRAWAL_FUNDS_INSUFFICIENT,
    ),
)
async def withdraw(
    player: int, key: str, data: WithdrawRequest, services: Services
) -> CallResult[Withdrawal]:
    """Request a withdrawal, once per idempotency key. Returns the withdrawal and the new balance.

    The money is debited immediately and waits for staff, who pay or return it. The caller cannot
    cancel the request. The security code is the last check before those of the money.
    """
    actor = player_stream(player)
    amount: _RequestedAmount = data.money
    command = RequestWithdrawal(
        player,
        f"withdrawal-{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}",
        data.type if abs(data.type) < _MAX_TYPE else -1,
        amount.minor,
    )
    try:
        if await services.engine.stored_answer(actor, key, command) is None:
            member = await services.players.require_member(player)
            await _check(services.engine, member, command, amount.if_too_small)
            await _confirm(services.vault, services.hash_pool, player, data.securityCode)
        reply = await services.commands.submit_under(player, key, command)
    except CallRefused as refused:
        if refused.refused.refusal is Refusal.WITHDRAWAL_TOO_SMALL:
            minimum = (await services.engine.house()).terms.least_withdrawal_minor
            refused.text_values["least"] = minimum
        raise
    answer = reply.answer
    assert isinstance(answer, MoneyAnswered)
    services.balances.put(player, answer.version, answer.available_minor, answer.bonus_minor)
    return CallResult(_withdrawal(command, answer), "submitted")


async def _check(
    engine: EnginePort, member: PlayerRecord, command: RequestWithdrawal, if_too_small: Refusal
) -> None:
    """Raise the refusals that come before the code; the engine raises the others on submission.

    `if_too_small` replaces the engine's refusal of an amount that is too small.
    """
    refusals = [] if member.profile.code_is_set else [Refused(Refusal.SECURITY_CODE_MISSING)]
    dry_run_answer = await engine.dry_run(command)
    if isinstance(dry_run_answer, Refused):
        refusals.append(dry_run_answer)
    first = min(refusals, key=lambda each: _ORDER[each.refusal], default=None)
    if first is not None and first.refusal is Refusal.WITHDRAWAL_TOO_SMALL:
        raise CallRefused(if_too_small, first.field)
    if first is not None and _ORDER[first.refusal] < _CODE_PRECEDENCE:
        raise CallRefused(first.refusal, first.field)


async def _confirm(vault: Vault, hash_pool: HashPool, player: int, code: str | int | None) -> None:
    typed = "" if code is None else str(code)
    if len(typed) > _MAX_INPUT_LENGTH:
        raise CallRefused(Refusal.SECURITY_CODE_INVALID, "securityCode")
    refused = await hash_pool(lambda: vault.verify_code(player, typed))
    if refused is not None:
        raise refused_by_vault(refused, _CODE_FIELD)


class _RequestedAmount(Struct, frozen=True):
    """An amount in minor units, and the refusal if the engine finds it too small."""

    minor: int
    if_too_small: Refusal


def _parsed(typed: object) -> _RequestedAmount:
    """Returns the amount; 0, which the engine refuses in its order, for an invalid one."""
    if typed in (None, ""):
        return _RequestedAmount(0, Refusal.WITHDRAWAL_AMOUNT_MISSING)
    try:
        return _RequestedAmount(typed_minor_units(typed), Refusal.WITHDRAWAL_TOO_SMALL)
    except TooMuchError:
        minor = 0 if str(typed).strip().startswith("-") else _ABOVE_ANY_BALANCE
        return _RequestedAmount(minor, Refusal.WITHDRAWAL_TOO_SMALL)
    except NotMoneyError:
        return _RequestedAmount(0, Refusal.AMOUNT_INVALID)


def _withdrawal(command: RequestWithdrawal, answer: MoneyAnswered) -> Withdrawal:
    return Withdrawal(
        command.withdrawal,
        command.method,
        money(command.amount_minor),
        "requested",
        money(answer.available_minor),
        money(answer.bonus_minor),
        money(answer.withdrawing_minor),
        answer.version,
    )
