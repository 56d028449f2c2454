"""Input validation of bank cards and wallets, and what is masked."""

import pytest

from engine.refusals import Refusal
from engine.runtime.vault import BankCard, VaultRefused, Wallet, validation
from engine.runtime.vault.security_codes import is_weak
from engine.runtime.vault.validation import NETWORKS

TRC20 = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
ERC20 = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
OMNI = "1NTMakcgVwQpMdGxRQnFKyb3G1FAJysSfz"
BECH32 = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"  # BIP 173's
BECH32_SCRIPT = "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3"
BECH32M = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"  # BIP 350's
#: The examples of ERC-55, without those in a single case.
ERC55 = (
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
)


def test_a_card_number_may_be_typed_with_blanks_or_in_wide_digits() -> None:
    card = BankCard("6222020012345678", "Jane Doe", "ICBC")
    for number in ("6222 0200 1234 5678", " 6222020012345678\n", "\uff16222020012345678"):
        assert validation.bank_card(number, "  Jane   Doe ", "ICBC ") == card


@pytest.mark.parametrize("number", ["", "1234567", "1" * 31, "1234-5678", "12345678x", "-12345678"])
def test_a_card_number_has_eight_to_thirty_digits(number: str) -> None:
    refused = VaultRefused(Refusal.PAYOUT_ACCOUNT_INVALID, "number")
    assert validation.bank_card(number, "Jane Doe", "ICBC") == refused


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "Jane\x07", "\u3000"])
def test_a_card_has_a_holder_and_a_bank(name: str) -> None:
    for holder, bank, field in ((name, "ICBC", "holder"), ("Jane Doe", name, "bank")):
        refused = VaultRefused(Refusal.PAYOUT_ACCOUNT_INVALID, field)
        assert validation.bank_card("12345678", holder, bank) == refused


@pytest.mark.parametrize(
    ("address", "network"),
    [
        (TRC20, "trc20"),
        (ERC20, "erc20"),
        (ERC20.lower(), "erc20"),
        *((address, "erc20") for address in ERC55),
        (OMNI, "omni"),
        (BECH32, "omni"),
        (BECH32_SCRIPT, "omni"),
        (BECH32M, "omni"),
    ],
)
def test_a_wallet_has_an_address_of_its_network(address: str, network: str) -> None:
    assert validation.wallet(f" {address} ", network.upper()) == Wallet(address, network)
    for other in NETWORKS:
        if other != network:
            refused = VaultRefused(Refusal.PAYOUT_ACCOUNT_INVALID, "address")
            assert validation.wallet(address, other) == refused


@pytest.mark.parametrize(
    ("address", "network"),
    [
        (TRC20[:-1], "trc20"),
        (TRC20 + "1", "trc20"),
        (TRC20.replace("a", "0", 1), "trc20"),
        ("t" + TRC20[1:], "trc20"),
        (ERC20[:-1] + "g", "erc20"),
        (ERC20[2:], "erc20"),
        (ERC20[:-1] + "8", "erc20"),
        (ERC20[:5] + ERC20[6] + ERC20[5] + ERC20[7:], "erc20"),
        *((address.swapcase().replace("X", "x"), "erc20") for address in ERC55),
        (BECH32[:-1] + "5", "omni"),
        (BECH32[:8] + BECH32[9] + BECH32[8] + BECH32[10:], "omni"),
        (BECH32 + "q", "omni"),
        (BECH32M[:-1] + "1", "omni"),
        # The checksum of the other Bech32 version (BIP 350).
        ("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", "omni"),
        ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", "omni"),
        (OMNI.replace("k", "l", 1), "omni"),
        (BECH32.replace("q", "Q", 1), "omni"),
        (TRC20[:-1] + "9", "trc20"),
        (TRC20[:5] + TRC20[6] + TRC20[5] + TRC20[7:], "trc20"),
        (OMNI[:-1] + "g", "omni"),
        (OMNI + "zz", "omni"),
        ("1" + OMNI, "omni"),
        ("", "omni"),
    ],
)
def test_a_mistyped_address_is_refused(address: str, network: str) -> None:
    refused = VaultRefused(Refusal.PAYOUT_ACCOUNT_INVALID, "address")
    assert validation.wallet(address, network) == refused


@pytest.mark.parametrize("network", ["", "trc-20", "bep20"])
def test_other_networks_are_unknown(network: str) -> None:
    assert validation.wallet(TRC20, network) == VaultRefused(Refusal.WALLET_TYPE_UNKNOWN, "network")


def test_bech32_in_capitals_is_the_same_address() -> None:
    assert validation.wallet(BECH32.upper(), "omni") == Wallet(BECH32, "omni")


def test_two_ways_of_writing_a_name_are_one_name() -> None:
    names = ("Jane Doe", "JANE  DOE", " jane doe", "\uff2aane Doe")
    assert {validation.same_name(name) for name in names} == {"jane doe"}
    assert validation.same_name("Strauß") == validation.same_name("STRAUSS")
    assert validation.same_name("José") == validation.same_name("Jose\u0301")
    assert validation.same_name("Jane Dow") != validation.same_name("Jane Doe")


@pytest.mark.parametrize(
    "code",
    [
        *("000000", "111111", "123456", "654321", "890123", "246802", "121212", "123123"),
        *("112233", "123321", "111112", "121122", "147258", "159753", "520131", "909090"),
    ],
)
def test_commonly_guessed_codes_are_weak(code: str) -> None:
    assert is_weak(code)


def test_few_codes_are_weak() -> None:
    sample = [f"{code:06d}" for code in range(0, 1_000_000, 31)]
    assert 0 < sum(is_weak(code) for code in sample) < len(sample) / 100
    assert not [code for code in ("839201", "274915", "604173", "112358"[::-1]) if is_weak(code)]
