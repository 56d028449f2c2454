"""Addresses for USDT: how they look, and that nothing in one is mistyped. Pure.

Money sent to a mistyped address is lost for good, so every way of writing that carries a
checksum has it looked at: Base58Check (Bitcoin's, TRON's too), Bech32 and Bech32m (BIP 173 and
350) and the capitals of an Ethereum address (ERC-55, which one in lower case alone does without).
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

#: The ways of writing an address that a network has.
_FORMS: Final = {
    "trc20": re.compile(f"T{_BASE58}{{33}}"),
    "erc20": re.compile("0x[0-9a-fA-F]{40}"),
    # Of Bitcoin's witness programs, those that exist: version 0 in two lengths, version 1 in one.
    "omni": re.compile(
        f"[13]{_BASE58}{{25,34}}|bc1q{_BECH32}{{38}}|bc1[qp]{_BECH32}{{58}}",
    ),
}
NETWORKS: Final = tuple(_FORMS)


def is_valid_address(address: str, network: str) -> bool:
    """Whether an address looks like one of this network of `NETWORKS` and has no slip in it."""
    if not _FORMS[network].fullmatch(address):
        return False
    if address.startswith("0x"):
        return _has_erc55(address.removeprefix("0x"))
    if address.startswith("bc1"):
        return _has_bech32(address.removeprefix("bc1"))
    return _has_base58check(address)


def same_address(address: str) -> str:
    """What is equal for two ways of writing one address: in base 58, case is part of it."""
    return address.lower() if address.startswith(("0x", "bc1")) else address


def _has_base58check(address: str) -> bool:
    """The last four bytes are the first of the double SHA-256 of the others."""
    number = 0
    for digit in address:
        number = number * len(_BASE58_DIGITS) + _BASE58_DIGITS.index(digit)
    if number.bit_length() > 8 * _BASE58_BYTES:
        return False
    address_bytes = number.to_bytes(_BASE58_BYTES, "big")
    body, check = address_bytes[:-_CHECK_BYTES], address_bytes[-_CHECK_BYTES:]
    return sha256(sha256(body).digest()).digest().startswith(check)


def _has_bech32(digits: str) -> bool:
    """The remainder of the whole by BIP 173's polynomial; the first digit is the version."""
    prefix = [3, 3, 0, 2, 3]  # "bc": the high bits of both letters, a nought, the low bits
    values = [_BECH32_DIGITS.index(digit) for digit in digits]
    remainder = 1
    for value in prefix + values:
        top = remainder >> 25
        remainder = (remainder & 0x1FFFFFF) << 5 ^ value
        for place, generator in enumerate(_BECH32_GENERATOR):
            remainder ^= generator if top >> place & 1 else 0
    return remainder == (_BECH32M_END if values[0] else _BECH32_END)


def _has_erc55(digits: str) -> bool:
    """A letter is a capital where the digest's hexadecimal digit is eight or more."""
    lower = digits.lower()
    if digits in {lower, digits.upper()}:
        return True
    digest = keccak.new(digest_bits=256, data=lower.encode()).hexdigest()
    return all(
        letter.isdigit() or letter.isupper() == (by in "89abcdef")
        for letter, by in zip(digits, digest, strict=False)
    )
