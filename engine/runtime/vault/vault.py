"""The vault, composed of its parts."""

from engine.runtime.vault.key_lifecycle import KeyLifecycle
from engine.runtime.vault.message_reads import MessageReads
from engine.runtime.vault.password_login import PasswordLogin
from engine.runtime.vault.payout_accounts import PayoutAccounts
from engine.runtime.vault.private_fields import PrivateFields
from engine.runtime.vault.private_texts import PrivateTexts
from engine.runtime.vault.profiles import Profiles
from engine.runtime.vault.registration import Registration
from engine.runtime.vault.security_codes import SecurityCodes


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
