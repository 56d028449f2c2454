"""The chart of accounts: the house's own accounts, by their names in the ledger.

`world:<channel>` is the money that the house holds outside: in the bank, in the wallet, at the
payment gateway. The ledger counts what the house holds as negative and what it owes or earned as
positive. So a deposit of 100 leaves `world:bank` at -100: 100 are in the bank.
"""

from typing import Final

from engine.players.money_facts import DOUBLE_ENTRY

TAKINGS: Final = "house:takings"
PROMOTIONS: Final = "house:promotions"
RETURNED_PAYOUTS: Final = "house:returned_payouts"
CHARGEBACKS: Final = "house:chargebacks"
ADJUSTMENTS: Final = "house:adjustments"

#: Where money can be: what a double entry was entered over.
CASH_CHANNELS: Final = frozenset({"bank", "usdt", "online"})
#: What a correction of a member's balance is for, and its contra account. A double entry's is the
#: account of its channel, where the deposit was booked that never came.
CORRECTIONS: Final = {
    DOUBLE_ENTRY: "",
    "returned_payout": RETURNED_PAYOUTS,
    "chargeback": CHARGEBACKS,
    "goodwill": ADJUSTMENTS,
}


def cash(channel: str) -> str:
    """The account of the money that the house holds over a channel."""
    return f"world:{channel}"


def contra_account(kind: str, channel: str) -> str:
    """The account that a correction of this kind is booked against."""
    return cash(channel) if kind == DOUBLE_ENTRY else CORRECTIONS[kind]
