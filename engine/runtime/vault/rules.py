"""What a member may give as their own: ID-card numbers, payout accounts. Pure."""

import re
import unicodedata
from typing import Final

from msgspec import Struct

from engine.runtime.vault.addresses import NETWORKS, is_valid_address, same_address
from engine.runtime.vault.refused import VaultRefused

_MAX_IDCARD_LENGTH: Final = 40
_MAX_NAME_LENGTH: Final = 60

_CARD_NUMBER: Final = re.compile(r"[0-9]{8,30}")


class BankCard(Struct, frozen=True, tag="bank_card"):
    """A bank card; `number` is digits alone."""

    number: str
    holder: str
    bank: str

    def __repr__(self) -> str:
        """Without what it says."""
        return "BankCard(withheld)"

    @property
    def owned(self) -> tuple[str, str]:
        """The field that may be one member's only, and what is equal in it."""
        return "number", self.number


class Wallet(Struct, frozen=True, tag="wallet"):
    """An address for USDT on a network of `NETWORKS`."""

    address: str
    network: str

    def __repr__(self) -> str:
        """Without what it says."""
        return "Wallet(withheld)"

    @property
    def owned(self) -> tuple[str, str]:
        """The field that may be one member's only, and what is equal in it."""
        return "address", same_address(self.address)


def idcard(number: str) -> str | VaultRefused:
    """The number as it is kept: 1 to 40 printable characters, some of them letters or digits."""
    trimmed = number.strip()
    sane = 0 < len(trimmed) <= _MAX_IDCARD_LENGTH and trimmed.isprintable()
    return trimmed if sane and same_idcard(trimmed) else VaultRefused("idcard_invalid", "idcard")


def same_idcard(number: str) -> str:
    """What is equal for two ways of writing one number: letters and digits, in capitals."""
    folded = unicodedata.normalize("NFKC", number).upper()
    return "".join(each for each in folded if each.isalnum())


def bank_card(number: str, holder: str, bank: str) -> BankCard | VaultRefused:
    """The card as it is kept; its number has 8 to 30 digits and may be typed with blanks."""
    digits = "".join(unicodedata.normalize("NFKC", number).split())
    if not _CARD_NUMBER.fullmatch(digits):
        return VaultRefused("payout_account_invalid", "number")
    names = {"holder": _tidy(holder), "bank": _tidy(bank)}
    for field, name in names.items():
        if not (0 < len(name) <= _MAX_NAME_LENGTH and name.isprintable() and same_name(name)):
            return VaultRefused("payout_account_invalid", field)
    return BankCard(digits, **names)


def wallet(address: str, network: str) -> Wallet | VaultRefused:
    """The wallet as it is kept; its address looks like one of its network and has no slip in it."""
    network_id = network.strip().lower()
    if network_id not in NETWORKS:
        return VaultRefused("wallet_type_unknown", "network")
    trimmed = address.strip()
    # Bech32 may be written in capitals, never in both.
    if trimmed.isupper() and trimmed.startswith("BC1"):
        trimmed = trimmed.lower()
    if not is_valid_address(trimmed, network_id):
        return VaultRefused("payout_account_invalid", "address")
    return Wallet(trimmed, network_id)


def same_name(name: str) -> str:
    """What is equal for two ways of writing one person's name."""
    return _tidy(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()))


def _tidy(name: str) -> str:
    return " ".join(name.split())
