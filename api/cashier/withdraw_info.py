"""What a player may withdraw, and what is required first: /api/user/withdrawInfo."""

from msgspec import Struct

from api.account.player_sync import SyncedPlayer
from api.cashier.payout_accounts import PayAccount, pay_account
from api.http.call_request import Auth, CallRequest
from api.http.calls import call
from api.http.endpoint_refusals import COMMAND_REFUSALS
from api.http.envelope import CallResult
from api.http.field_types import At, Level, Money, PayoutType, Version
from api.http.refusals import CallRefused
from api.http.wire import later_seconds, money
from api.services import Services
from engine.cashier.commands import BANK_CARD, WALLET
from engine.cashier.payment_state import Payment
from engine.players.commands import MEMBER
from engine.refusals import Refusal


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
    refusals=(Refusal.MUST_REGISTER, *COMMAND_REFUSALS),
)
async def withdraw_info(request: CallRequest, services: Services) -> CallResult[WithdrawInfo]:
    """Returns what the withdrawal page shows before a request."""
    member = await services.players.sync(request.player)
    if member.view.group != MEMBER:
        raise CallRefused(Refusal.MUST_REGISTER)
    return CallResult(_info(member))


def _info(member: SyncedPlayer) -> WithdrawInfo:
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


def _quota(member: SyncedPlayer) -> Quota | None:
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
