"""What a member may give as their own: ID-card numbers, payout accounts. Pure."""

import re
import unicodedata
from hashlib import sha256
from typing import Final

from msgspec import Struct

from engine.runtime.vault.refused import VaultRefused

_LONGEST_IDCARD: Final = 40
_LONGEST_NAME: Final = 60
_BASE58: Final = "[1-9A-HJ-NP-Za-km-z]"
_BASE58_DIGITS: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_ADDRESS_BYTES: Final = 25
_CHECK_BYTES: Final = 4
_BECH32: Final = "[ac-hj-np-z02-9]"

_CARD_NUMBER: Final = re.compile(r"[0-9]{8,30}")
#: USDT addresses by network: how they look, and whether case is part of them.
_ADDRESSES: Final = {
    "trc20": re.compile(f"T{_BASE58}{{33}}"),
    "erc20": re.compile("0x[0-9a-fA-F]{40}"),
    "omni": re.compile(f"[13]{_BASE58}{{25,34}}|bc1{_BECH32}{{11,71}}"),
}
NETWORKS: Final = tuple(_ADDRESSES)


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
        # In these two ways of writing, case carries nothing; in base 58 it does.
        plain = self.address.startswith(("0x", "bc1"))
        return "address", self.address.lower() if plain else self.address


def idcard(number: str) -> str | VaultRefused:
    """The number as it is kept: 1 to 40 printable characters, some of them letters or digits."""
    trimmed = number.strip()
    sane = 0 < len(trimmed) <= _LONGEST_IDCARD and trimmed.isprintable()
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
        if not (0 < len(name) <= _LONGEST_NAME and name.isprintable() and same_name(name)):
            return VaultRefused("payout_account_invalid", field)
    return BankCard(digits, **names)


def wallet(address: str, network: str) -> Wallet | VaultRefused:
    """The wallet as it is kept; its address looks like one of its network and has no slip in it."""
    form = _ADDRESSES.get(network.strip().lower())
    if form is None:
        return VaultRefused("wallet_type_unknown", "network")
    trimmed = address.strip()
    # Bech32 may be written in capitals, never in both.
    if trimmed.isupper() and trimmed.startswith("BC1"):
        trimmed = trimmed.lower()
    if not form.fullmatch(trimmed) or not _is_whole(trimmed):
        return VaultRefused("payout_account_invalid", "address")
    return Wallet(trimmed, network.strip().lower())


def _is_whole(address: str) -> bool:
    """Whether a base-58 address has its checksum: money sent to one mistyped is lost for good.

    The first four bytes of the double SHA-256 of the others (Bitcoin's Base58Check, TRON's too).
    """
    if address.startswith(("0x", "bc1")):
        return True
    number = 0
    for digit in address:
        number = number * len(_BASE58_DIGITS) + _BASE58_DIGITS.index(digit)
    if number.bit_length() > 8 * _ADDRESS_BYTES:
        return False
    address_bytes = number.to_bytes(_ADDRESS_BYTES, "big")
    body, check = address_bytes[:-_CHECK_BYTES], address_bytes[-_CHECK_BYTES:]
    return sha256(sha256(body).digest()).digest().startswith(check)


def same_name(name: str) -> str:
    """What is equal for two ways of writing one person's name."""
    return _tidy(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()))


def _tidy(name: str) -> str:
    return " ".join(name.split())
