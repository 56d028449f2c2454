"""The player's payout accounts, masked: /api/user/payInfo and setPayInfo."""

import asyncio
from typing import Final

from msgspec import Struct

from api.account.player_sync import (
    PlayerRecord,
    Players,
    refused_by_vault,
)
from api.http.call_request import ApiRequest, Auth, CallRequest, SessionUse
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import At, CardNumber, PayoutType
from api.http.refusals import CallRefused
from api.http.wire import later_seconds
from engine.cashier.commands import BANK_CARD, WALLET
from engine.refusals import Refusal
from engine.runtime.vault import BankCard, Vault, VaultRefused, Wallet
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

    The wallet's type is trc20, erc20 or omni. `mark` is the player's own note and is not stored.
    """

    acc: CardNumber
    acc_name: str
    acc_bank: str = ""
    mark: str | None = None
    type: PayoutType = BANK_CARD


class PayAccount(Struct, frozen=True):
    """A payout account: `acc` shows the end of a card's number, or both ends of an address.

    `acc_name` is a card's masked holder, or the type of a wallet. Fields are empty if no account is
    stored. From `usable_at` (seconds) on, a withdrawal to it may be requested.
    """

    type: PayoutType
    acc: str
    acc_name: str
    acc_bank: str
    usable_at: At
    is_set: bool


@call(
    "/api/user/payInfo",
    "The caller's bank card or wallet, masked",
    auth=Auth.PLAYER,
    refusals=(Refusal.PAYOUT_ACCOUNT_INVALID,),
)
async def pay_info(
    request: CallRequest, data: PayInfoRequest, players: Players
) -> CallResult[PayAccount]:
    """Returns the caller's card or wallet, masked."""
    method = _method(data.type)
    return CallResult(pay_account(await players.load(request.player), method))


def pay_account(member: PlayerRecord, method: int) -> PayAccount:
    """Returns the wire form of the player's account of this method."""
    shown = member.payout(method)
    if shown is None:
        return PayAccount(method, "", "", "", 0, is_set=False)
    usable_at = later_seconds(member.usable_at(method))
    return PayAccount(method, shown.number, shown.name, shown.bank, usable_at, is_set=True)


@call(
    SET_PAY_INFO,
    "Set the bank card or wallet for payouts",
    auth=Auth.PLAYER,
    idempotent=True,
    use=SessionUse.MONEY,
    once=("type", "acc", "acc_name", "acc_bank"),
    refusals=(
        Refusal.PAYOUT_ACCOUNT_INVALID,
        Refusal.WALLET_TYPE_UNKNOWN,
        Refusal.HOLDER_MISMATCH,
        Refusal.MUST_REGISTER,
    ),
)
async def set_pay_info(
    player: int, data: SetPayInfoRequest, vault: Vault, players: Players
) -> CallResult[PayAccount]:
    """Set the account for later payouts, and return it masked.

    Withdrawals to it wait for the cooling time: they may be requested from `usable_at` on. The
    holder of the first card becomes the player's name, and later cards must have the same holder.
    """
    await players.require_member(player)
    method = _method(data.type)
    account = _account(data, method)
    if isinstance(account, VaultRefused):
        raise refused_by_vault(account, _FIELDS)
    saved = await asyncio.to_thread(vault.save_payout_account, player, account)
    if isinstance(saved, VaultRefused):
        raise refused_by_vault(saved, _FIELDS)
    return CallResult(pay_account(await players.sync_locked(player), method), "added")


def _account(body: SetPayInfoRequest, method: int) -> BankCard | Wallet | VaultRefused:
    typed = {"number": str(body.acc), "holder": body.acc_name, "bank": body.acc_bank}
    for field, words in typed.items():
        if len(words) > _MAX_INPUT_LENGTH:
            return VaultRefused(Refusal.PAYOUT_ACCOUNT_INVALID, field)
    if method == WALLET:
        return wallet(typed["number"], body.acc_name)
    return bank_card(**typed)


def _method(kind: int) -> int:
    if kind not in {BANK_CARD, WALLET}:
        raise CallRefused(Refusal.PAYOUT_ACCOUNT_INVALID, "type")
    return kind
