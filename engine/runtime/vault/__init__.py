"""Players' personal data, outside the facts: identities, payout accounts and secrets.

A fact contains a keyed commitment to a name, an account or a text; its key is stored here. Erasing
a player destroys the keys and leaves the facts unchanged. Every call of `Vault` may block.
"""

from engine.runtime.vault.password_login import FAILURE_WINDOW_US
from engine.runtime.vault.payout_accounts import Saved
from engine.runtime.vault.player_directory import PlayerIdentity
from engine.runtime.vault.private_texts import MAX_TEXT_LENGTH, clean_text
from engine.runtime.vault.profiles import ProfileState, ShownPayout
from engine.runtime.vault.refusal import VaultRefused
from engine.runtime.vault.registration import RegistrationRefused, RegistrationRequest
from engine.runtime.vault.validation import BankCard, Wallet
from engine.runtime.vault.vault import Vault
from engine.runtime.vault.vault_keys import KEY_BYTES, KeysLostError, VaultKeys, master_file

__all__ = (
    "FAILURE_WINDOW_US",
    "KEY_BYTES",
    "MAX_TEXT_LENGTH",
    "BankCard",
    "KeysLostError",
    "PlayerIdentity",
    "ProfileState",
    "RegistrationRefused",
    "RegistrationRequest",
    "Saved",
    "ShownPayout",
    "Vault",
    "VaultKeys",
    "VaultRefused",
    "Wallet",
    "clean_text",
    "master_file",
)
