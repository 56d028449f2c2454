"""The vault as a whole."""

from engine.runtime.vault.enrolment import Registration
from engine.runtime.vault.identity import PrivateFields
from engine.runtime.vault.keeping import KeyLifecycle
from engine.runtime.vault.payout_accounts import PayoutAccounts
from engine.runtime.vault.profiles import Profiles
from engine.runtime.vault.reading import MessageReads
from engine.runtime.vault.security_codes import SecurityCodes
from engine.runtime.vault.signing_in import PasswordLogin
from engine.runtime.vault.words import PrivateTexts


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
    """Everything about members that facts do not hold; see the modules for what each part does."""
