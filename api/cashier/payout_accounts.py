"""Where members are paid: /api/user/payInfo and setPayInfo. What is shown is masked."""

import asyncio
from typing import Final

from msgspec import Struct

from api.account.player_sync import (
    SyncedPlayer,
    refused_by_vault,
    require_member,
    sync_player,
    sync_player_locked,
)
from api.http.command_submission import run_once
from api.http.endpoint_refusals import COMMAND_REFUSALS
from api.http.endpoints import ApiRequest, Auth, Endpoint, RequestContext, SessionUse
from api.http.envelope import CallRefused, CallResult
from api.http.field_types import At, CardNumber, PayoutType
from api.http.wire import later_seconds
from engine.cashier.commands import BANK_CARD, WALLET
from engine.refusals import Refusal
from engine.runtime.vault import BankCard, VaultRefused, Wallet
from engine.runtime.vault.validation import bank_card, wallet

SET_PAY_INFO: Final = "/api/user/setPayInfo"
_MAX_INPUT_LENGTH: Final = 200
_FIELDS: Final = {
    "number": "acc",
    "address": "acc",
    "holder": "acc_name",
    "network": "acc_name",
    "bank": "acc_bank",
}


class PayInfoRequest(ApiRequest):
    """`type` is 0 for the bank card and 1 for the wallet."""

    type: PayoutType = BANK_CARD


class SetPayInfoRequest(ApiRequest):
    """A card's number, holder and bank, or for type 1 a wallet's address and its type.

    The wallet's type is trc20, erc20 or omni. `mark` is the member's own note and is not kept.
    """

    acc: CardNumber
    acc_name: str
    acc_bank: str = ""
    mark: str | None = None
    type: PayoutType = BANK_CARD


class PayAccount(Struct, frozen=True):
    """A payout account: `acc` ends as the number or address does, `acc_name` is a masked holder.

    Of a wallet `acc_name` is the wallet type. Empty where none is stored; `usable_at` is the
    second from which a withdrawal to it may be asked for.
    """

    type: PayoutType
    acc: str
    acc_name: str
    acc_bank: str
    usable_at: At
    is_set: bool


async def pay_info(ctx: RequestContext[PayInfoRequest]) -> CallResult:
    """The member's own card or wallet."""
    method = _method(ctx.body.type)
    return CallResult(pay_account(await sync_player(ctx.services, ctx.player), method))


def pay_account(member: SyncedPlayer, method: int) -> PayAccount:
    """The member's account of this method as they see it."""
    shown = member.payout(method)
    if shown is None:
        return PayAccount(method, "", "", "", 0, is_set=False)
    usable_at = later_seconds(member.usable_at(method))
    return PayAccount(method, shown.number, shown.name, shown.bank, usable_at, is_set=True)


async def set_pay_info(ctx: RequestContext[SetPayInfoRequest]) -> CallResult:
    """Pay to this account from now on, and answer with it, masked.

    Withdrawals to it wait for the cooling time, from `usable_at` on they may be asked for. The
    first card's holder becomes the member's name, which later cards must bear.
    """
    body = ctx.body
    request_fields = {"type": body.type, "acc": str(body.acc)}
    request_fields |= {"acc_name": body.acc_name, "acc_bank": body.acc_bank}
    return await run_once(ctx, SET_PAY_INFO, request_fields, lambda _: _save(ctx))


async def _save(ctx: RequestContext[SetPayInfoRequest]) -> CallResult:
    services, player = ctx.services, ctx.player
    await require_member(services, player)
    method = _method(ctx.body.type)
    account = _account(ctx.body, method)
    if isinstance(account, VaultRefused):
        raise refused_by_vault(account, _FIELDS)
    saved = await asyncio.to_thread(services.vault.save_payout_account, player, account)
    if isinstance(saved, VaultRefused):
        raise refused_by_vault(saved, _FIELDS)
    return CallResult(pay_account(await sync_player_locked(services, player), method), "added")


def _account(body: SetPayInfoRequest, method: int) -> BankCard | Wallet | VaultRefused:
    typed = {"number": str(body.acc), "holder": body.acc_name, "bank": body.acc_bank}
    for field, words in typed.items():
        if len(words) > _MAX_INPUT_LENGTH:
            return VaultRefused("payout_account_invalid", field)
    if method == WALLET:
        return wallet(typed["number"], body.acc_name)
    return bank_card(**typed)


def _method(kind: int) -> int:
    if kind not in {BANK_CARD, WALLET}:
        raise CallRefused(Refusal.PAYOUT_ACCOUNT_INVALID, "type")
    return kind


CALLS: Final = (
    Endpoint(
        "/api/user/payInfo",
        PayInfoRequest,
        PayAccount,
        pay_info,
        "The caller's bank card or wallet, masked",
        auth=Auth.PLAYER,
        refusals=(*COMMAND_REFUSALS, Refusal.PAYOUT_ACCOUNT_INVALID),
    ),
    Endpoint(
        SET_PAY_INFO,
        SetPayInfoRequest,
        PayAccount,
        set_pay_info,
        "Be paid to this bank card or wallet from now on",
        auth=Auth.PLAYER,
        idempotent=True,
        use=SessionUse.MONEY,
        refusals=(
            Refusal.PAYOUT_ACCOUNT_INVALID,
            Refusal.WALLET_TYPE_UNKNOWN,
            Refusal.HOLDER_MISMATCH,
            Refusal.MUST_REGISTER,
        ),
    ),
)
