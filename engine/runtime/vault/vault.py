"""The vault as a whole."""

from engine.runtime.vault.enrolment import Enrolment
from engine.runtime.vault.identity import Identity
from engine.runtime.vault.keeping import Keeping
from engine.runtime.vault.payout_accounts import PayoutAccounts
from engine.runtime.vault.profiles import Profiles
from engine.runtime.vault.reading import Reading
from engine.runtime.vault.security_codes import SecurityCodes
from engine.runtime.vault.signing_in import SigningIn
from engine.runtime.vault.words import Words


class Vault(
    Enrolment,
    SigningIn,
    Identity,
    PayoutAccounts,
    SecurityCodes,
    Profiles,
    Words,
    Reading,
    Keeping,
):
    """Everything about members that facts do not hold; see the modules for what each part does."""
