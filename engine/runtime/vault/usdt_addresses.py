"""Validates USDT addresses: format and checksum. Pure.

Money sent to a mistyped address is lost permanently, so every format's checksum is verified:
Base58Check (Bitcoin and TRON), Bech32 and Bech32m (BIP 173 and 350), and the mixed case of an
Ethereum address (ERC-55; an all-lower-case address has no checksum).
"""

import re
from hashlib import sha256
from typing import Final

from Crypto.Hash import keccak

_BASE58_DIGITS: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BASE58: Final = f"[{_BASE58_DIGITS}]"
_BASE58_BYTES: Final = 25
_CHECK_BYTES: Final = 4

_BECH32_DIGITS: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32: Final = f"[{_BECH32_DIGITS}]"
_BECH32_GENERATOR: Final = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_BECH32_END: Final = 1
_BECH32M_END: Final = 0x2BC830A3

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


def is_valid_address(address: str, network: str) -> bool:
    """Whether an address has this network's format and a valid checksum; see `NETWORKS`."""
    if not _FORMS[network].fullmatch(address):
        return False
    if address.startswith("0x"):
        return _has_erc55(address.removeprefix("0x"))
    if address.startswith("bc1"):
        return _has_bech32(address.removeprefix("bc1"))
    return _has_base58check(address)


def same_address(address: str) -> str:
    """Returns a form that is equal for equal addresses. Only in Base58 is case significant."""
    return address.lower() if address.startswith(("0x", "bc1")) else address


def _has_base58check(address: str) -> bool:
    """Whether the last four bytes are the first four of the double SHA-256 of the others."""
    number = 0
    for digit in address:
        number = number * len(_BASE58_DIGITS) + _BASE58_DIGITS.index(digit)
    if number.bit_length() > 8 * _BASE58_BYTES:
        return False
    address_bytes = number.to_bytes(_BASE58_BYTES, "big")
    body, check = address_bytes[:-_CHECK_BYTES], address_bytes[-_CHECK_BYTES:]
    return sha256(sha256(body).digest()).digest().startswith(check)


def _has_bech32(digits: str) -> bool:
    """Whether the remainder by BIP 173's polynomial is right for the version, the first digit."""
    prefix = [3, 3, 0, 2, 3]  # "bc": the high bits of both letters, a zero, the low bits
    values = [_BECH32_DIGITS.index(digit) for digit in digits]
    remainder = 1
    for value in prefix + values:
        top = remainder >> 25
        remainder = (remainder & 0x1FFFFFF) << 5 ^ value
        for place, generator in enumerate(_BECH32_GENERATOR):
            remainder ^= generator if top >> place & 1 else 0
    return remainder == (_BECH32M_END if values[0] else _BECH32_END)


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
