"""Validates and normalises ID-card numbers and payout accounts. Pure."""

import re
import unicodedata
from typing import Final

from msgspec import Struct

from engine.runtime.vault.refusal import VaultRefused
from engine.runtime.vault.usdt_addresses import NETWORKS, is_valid_address, same_address

_MAX_IDCARD_LENGTH: Final = 40
_MAX_NAME_LENGTH: Final = 60

_CARD_NUMBER: Final = re.compile(r"[0-9]{8,30}")


class BankCard(Struct, frozen=True, tag="bank_card"):
    """A bank card; `number` contains digits only."""

    number: str
    holder: str
    bank: str

    def __repr__(self) -> str:
        """Without the content."""
        return "BankCard(withheld)"

    @property
    def owned(self) -> tuple[str, str]:
        """The field that should be unique to a player, and its normalised value."""
        return "number", self.number


class Wallet(Struct, frozen=True, tag="wallet"):
    """An address for USDT on a network of `NETWORKS`."""

    address: str
    network: str

    def __repr__(self) -> str:
        """Without the content."""
        return "Wallet(withheld)"

    @property
    def owned(self) -> tuple[str, str]:
        """The field that should be unique to a player, and its normalised value."""
        return "address", same_address(self.address)


def idcard(number: str) -> str | VaultRefused:
    """Returns the number to store: 1 to 40 printable characters, with a letter or digit."""
    trimmed = number.strip()
    sane = 0 < len(trimmed) <= _MAX_IDCARD_LENGTH and trimmed.isprintable()
    return trimmed if sane and same_idcard(trimmed) else VaultRefused("idcard_invalid", "idcard")


def same_idcard(number: str) -> str:
    """Returns a form that is equal for equal numbers: letters and digits, in upper case."""
    folded = unicodedata.normalize("NFKC", number).upper()
    return "".join(each for each in folded if each.isalnum())


def bank_card(number: str, holder: str, bank: str) -> BankCard | VaultRefused:
    """Returns the card to store. Its number has 8 to 30 digits and may contain blanks."""
    digits = "".join(unicodedata.normalize("NFKC", number).split())
    if not _CARD_NUMBER.fullmatch(digits):
        return VaultRefused("payout_account_invalid", "number")
    names = {"holder": _tidy(holder), "bank": _tidy(bank)}
    for field, name in names.items():
        if not (0 < len(name) <= _MAX_NAME_LENGTH and name.isprintable() and same_name(name)):
            return VaultRefused("payout_account_invalid", field)
    return BankCard(digits, **names)


def wallet(address: str, network: str) -> Wallet | VaultRefused:
    """Returns the wallet to store. Its address has the network's format and a valid checksum."""
    network_id = network.strip().lower()
    if network_id not in NETWORKS:
        return VaultRefused("wallet_type_unknown", "network")
    trimmed = address.strip()
    # Bech32 may be upper case or lower case, but not mixed.
    if trimmed.isupper() and trimmed.startswith("BC1"):
        trimmed = trimmed.lower()
    if not is_valid_address(trimmed, network_id):
        return VaultRefused("payout_account_invalid", "address")
    return Wallet(trimmed, network_id)


def same_name(name: str) -> str:
    """Returns a form that is equal for two spellings of one person's name."""
    return _tidy(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()))


def _tidy(name: str) -> str:
    return " ".join(name.split())
