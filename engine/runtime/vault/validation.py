"""Validates and normalises payout accounts, and masks private data. Pure.

At most half of the characters of a masked value are shown.

Money sent to a mistyped USDT address is lost permanently, so every checksum is verified:
Base58Check (Bitcoin and TRON), Bech32 and Bech32m (BIP 173 and 350), and the capitals of an
Ethereum address (ERC-55, which an address in lower or upper case alone does without).

base58-bech32 is the package of the btclib developers. Of the older ones, bech32 1.2 lacks Bech32m,
and bech32m 1.0 imports ByteString, which Python 3.17 removes.
"""

import re
import unicodedata
from typing import Final

from base58_bech32.base58 import b58decode_check
from base58_bech32.bech32 import BECH32_1_CONST, BECH32_M_CONST, bech32_decode
from Crypto.Hash import keccak
from msgspec import Struct

from engine.refusals import Refusal

_BASE58: Final = "[123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz]"
_BASE58_PAYLOAD_BYTES: Final = 21
_BECH32: Final = "[qpzry9x8gf2tvdw0s3jn54khce6mua7l]"
#: The address formats of each network.
_FORMS: Final = {
    "trc20": re.compile(f"T{_BASE58}{{33}}"),
    "erc20": re.compile("0x[0-9a-fA-F]{40}"),
    # Bitcoin's existing witness programs: version 0 in two lengths, version 1 in one.
    "omni": re.compile(
        f"[13]{_BASE58}{{25,34}}|bc1q{_BECH32}{{38}}|bc1[qp]{_BECH32}{{58}}",
    ),
}
NETWORKS: Final = tuple(_FORMS)
_MAX_NAME_LENGTH: Final = 60
_CARD_NUMBER: Final = re.compile(r"[0-9]{8,30}")
HIDDEN: Final = "****"
_HEAD: Final = 3
_TAIL: Final = 4


class VaultRefused(Struct, frozen=True):
    """Why a call of the vault changed nothing except a counter of attempts.

    `field` names the invalid argument, if there is one.
    """

    reason: Refusal
    field: str = ""


def is_valid_address(address: str, network: str) -> bool:
    """Whether an address has a format of this network of `NETWORKS`, and its checksum is right."""
    if not _FORMS[network].fullmatch(address):
        return False
    if address.startswith("0x"):
        return _has_erc55(address.removeprefix("0x"))
    try:
        if address.startswith("bc1"):
            is_first_version = address.startswith("bc1q")
            bech32_decode(address, m=BECH32_1_CONST if is_first_version else BECH32_M_CONST)
        else:
            b58decode_check(address, out_size=_BASE58_PAYLOAD_BYTES)
    except ValueError:
        return False
    return True


def same_address(address: str) -> str:
    """Returns a form that is equal for equal addresses. Only in Base58 is case significant."""
    return address.lower() if address.startswith(("0x", "bc1")) else address


def _has_erc55(digits: str) -> bool:
    """Whether a letter is upper case exactly where the digest's hexadecimal digit is 8 or more."""
    lower = digits.lower()
    if digits in {lower, digits.upper()}:
        return True
    digest = keccak.new(digest_bits=256, data=lower.encode()).hexdigest()
    return all(
        letter.isdigit() or letter.isupper() == (by in "89abcdef")
        for letter, by in zip(digits, digest, strict=False)
    )


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


def bank_card(number: str, holder: str, bank: str) -> BankCard | VaultRefused:
    """Returns the card to store. Its number has 8 to 30 digits and may contain blanks."""
    digits = "".join(unicodedata.normalize("NFKC", number).split())
    if not _CARD_NUMBER.fullmatch(digits):
        return VaultRefused(Refusal.PAYOUT_ACCOUNT_INVALID, "number")
    names = {"holder": _tidy(holder), "bank": _tidy(bank)}
    for field, name in names.items():
        if not (0 < len(name) <= _MAX_NAME_LENGTH and name.isprintable() and same_name(name)):
            return VaultRefused(Refusal.PAYOUT_ACCOUNT_INVALID, field)
    return BankCard(digits, **names)


def wallet(address: str, network: str) -> Wallet | VaultRefused:
    """Returns the wallet to store. Its address has the network's format and a valid checksum."""
    network_id = network.strip().lower()
    if network_id not in NETWORKS:
        return VaultRefused(Refusal.WALLET_TYPE_UNKNOWN, "network")
    trimmed = address.strip()
    # Bech32 may be upper case or lower case, but not mixed.
    if trimmed.isupper() and trimmed.startswith("BC1"):
        trimmed = trimmed.lower()
    if not is_valid_address(trimmed, network_id):
        return VaultRefused(Refusal.PAYOUT_ACCOUNT_INVALID, "address")
    return Wallet(trimmed, network_id)


def same_name(name: str) -> str:
    """Returns a form that is equal for two spellings of one person's name."""
    return _tidy(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()))


def _tidy(name: str) -> str:
    return " ".join(name.split())


def mask_name(name: str) -> str:
    """Returns the first three characters, four stars, then part of the end; less of a short name.

    At most half of the non-blank characters are shown, and none of a name of one character.
    """
    shown = _half(name)
    head = min(_HEAD, shown)
    return f"{name[:head]}{HIDDEN}{_end(name, min(_TAIL, shown - head))}"


def mask_number(number: str) -> str:
    """Returns four stars and the last four characters, or the second half of fewer than eight."""
    return f"{HIDDEN}{_end(number, min(_TAIL, _half(number)))}"


def _half(text: str) -> int:
    return sum(not each.isspace() for each in text) // 2


def _end(text: str, length: int) -> str:
    return text[-length:] if length else ""
