"""Validates USDT addresses: their format and their checksums. Pure.

Money sent to a mistyped address is lost permanently, so every checksum is verified: Base58Check
(Bitcoin and TRON), Bech32 and Bech32m (BIP 173 and 350), and the capitals of an Ethereum address
(ERC-55, which an address in lower case alone does without).

base58-bech32 is the package of the btclib developers. Of the older ones, bech32 1.2 lacks Bech32m,
and bech32m 1.0 imports ByteString, which Python 3.17 removes.
"""

import re
from typing import Final

from base58_bech32.base58 import b58decode_check
from base58_bech32.bech32 import BECH32_1_CONST, BECH32_M_CONST, bech32_decode
from Crypto.Hash import keccak

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
