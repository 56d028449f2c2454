"""Players' personal data, outside the facts: identities, payout accounts and secrets.

A fact contains a keyed commitment to a name, an account or a text; its key is stored here. Erasing
a player destroys the keys and leaves the facts unchanged. Every call of `Vault` may block.
"""

from engine.runtime.vault.key_lifecycle import KeyLifecycle
from engine.runtime.vault.password_login import FAILURE_WINDOW_US, PasswordLogin
from engine.runtime.vault.payout_accounts import PayoutAccounts, Saved
from engine.runtime.vault.player_directory import PlayerIdentity
from engine.runtime.vault.private_fields import PrivateFields
from engine.runtime.vault.private_texts import (
    MAX_TEXT_LENGTH,
    MessageReads,
    PrivateTexts,
    clean_text,
)
from engine.runtime.vault.profiles import Profiles, ProfileState, ShownPayout
from engine.runtime.vault.registration import Registration, RegistrationRefused, RegistrationRequest
from engine.runtime.vault.security_codes import SecurityCodes
from engine.runtime.vault.validation import BankCard, VaultRefused, Wallet
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


class Vault(
    Registration,
    PasswordLogin,
    PrivateFields,
    PayoutAccounts,
    SecurityCodes,
    Profiles,
    PrivateTexts,
    MessageReads,
    KeyLifecycle,
):
    """Everything about players that is not in facts. Each base class is one part."""
