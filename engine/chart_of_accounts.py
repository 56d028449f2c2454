"""The chart of accounts: the house's own accounts, by their names in the ledger.

`world:<channel>` is the house's money outside: in the bank, in the wallet, at the payment gateway.
The ledger counts the house's assets as negative, its liabilities and income as positive. So a
deposit of 100 leaves `world:bank` at -100: 100 are in the bank.
"""

from typing import Final

from engine.cashier.facts import DUPLICATE_DEPOSIT

TAKINGS: Final = "house:takings"
PROMOTIONS: Final = "house:promotions"
FEES: Final = "house:fees"
CAPITAL: Final = "house:capital"
RETURNED_PAYOUTS: Final = "house:returned_payouts"
CHARGEBACKS: Final = "house:chargebacks"
ADJUSTMENTS: Final = "house:adjustments"

#: The channels in which the house has money.
CASH_CHANNELS: Final = frozenset({"bank", "usdt", "online"})
#: The kinds of a correction of a member's balance, and their contra accounts. That of a deposit
#: which was entered twice is the account of its channel, where the nonexistent one was booked.
CORRECTIONS: Final = {
    DUPLICATE_DEPOSIT: "",
    "returned_payout": RETURNED_PAYOUTS,
    "chargeback": CHARGEBACKS,
    "goodwill": ADJUSTMENTS,
}
#: The kinds of a booking between the house's own accounts, and their contra accounts.
BOOKINGS: Final = {
    "fee": FEES,
    "capital": CAPITAL,
    "returned_payout": RETURNED_PAYOUTS,
    "chargeback": CHARGEBACKS,
    "adjustment": ADJUSTMENTS,
}
#: Every account of the books: its name, its type and its title. `player:*` is one part of all
#: members' balances.
CHART: Final = (
    ("world:bank", "asset", "Cash at bank"),
    ("world:usdt", "asset", "USDT wallet"),
    ("world:online", "asset", "Payment gateway"),
    ("world:demo", "asset", "Play money"),
    ("player:available", "liability", "Members' balances"),
    ("player:staked", "liability", "Stakes of open bets"),
    ("player:withdrawing", "liability", "Withdrawals not paid yet"),
    ("player:bonus", "liability", "Members' bonus money"),
    (RETURNED_PAYOUTS, "liability", "Returned payouts not credited yet"),
    (CAPITAL, "equity", "Capital"),
    (TAKINGS, "income", "Stakes less payouts"),
    (PROMOTIONS, "expense", "Promotions"),
    (FEES, "expense", "Fees"),
    (CHARGEBACKS, "expense", "Chargebacks"),
    (ADJUSTMENTS, "expense", "Adjustments"),
)
#: Account types with a debit balance: the ledger's negative is shown as positive.
DEBIT: Final = frozenset({"asset", "expense"})


def cash(channel: str) -> str:
    """The account of the house's money in a channel."""
    return f"world:{channel}"


def contra_account(kind: str, channel: str) -> str:
    """The contra account of a correction of this kind."""
    return cash(channel) if kind == DUPLICATE_DEPOSIT else CORRECTIONS[kind]
