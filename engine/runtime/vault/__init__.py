"""Members' personal data, outside the facts: who they are, what they are paid to, their secrets.

A fact holds a commitment to a name, an account or a text, keyed with a key that is kept here;
erasing a member destroys the keys and leaves the facts whole. Every call of `Vault` may block.
"""

from engine.runtime.vault.enrolment import Application, NotEnrolled
from engine.runtime.vault.keys import KEY_BYTES, KeysLostError, VaultKeys, master_file
from engine.runtime.vault.members import Member
from engine.runtime.vault.payout_accounts import Saved
from engine.runtime.vault.profiles import ProfileState, ShownPayout
from engine.runtime.vault.refused import VaultRefused
from engine.runtime.vault.rules import BankCard, Wallet
from engine.runtime.vault.signing_in import FAILURES_WITHIN_US
from engine.runtime.vault.vault import Vault
from engine.runtime.vault.words import MOST_WORDS, clean_words

__all__ = (
    "FAILURES_WITHIN_US",
    "KEY_BYTES",
    "MOST_WORDS",
    "Application",
    "BankCard",
    "KeysLostError",
    "Member",
    "NotEnrolled",
    "ProfileState",
    "Saved",
    "ShownPayout",
    "Vault",
    "VaultKeys",
    "VaultRefused",
    "Wallet",
    "clean_words",
    "master_file",
)
