"""Members' personal data, outside the facts: who they are, what they are paid to, their secrets.

A fact holds a commitment to a name, an account or a text, keyed with a key that is kept here;
erasing a member destroys the keys and leaves the facts whole. Every call of `Vault` may block.
"""

from engine.runtime.vault.enrolment import RegistrationRefused, RegistrationRequest
from engine.runtime.vault.keys import KEY_BYTES, KeysLostError, VaultKeys, master_file
from engine.runtime.vault.members import PlayerIdentity
from engine.runtime.vault.payout_accounts import Saved
from engine.runtime.vault.profiles import ProfileState, ShownPayout
from engine.runtime.vault.refused import VaultRefused
from engine.runtime.vault.rules import BankCard, Wallet
from engine.runtime.vault.signing_in import FAILURE_WINDOW_US
from engine.runtime.vault.vault import Vault
from engine.runtime.vault.words import MAX_TEXT_LENGTH, clean_text

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
