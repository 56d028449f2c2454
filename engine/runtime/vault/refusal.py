"""What the vault answers instead of doing it."""

from typing import Literal, TypeAlias

from msgspec import Struct

Reason: TypeAlias = Literal[
    "username_taken",
    "password_invalid",
    "password_wrong",
    "password_unchanged",
    "already_member",
    "idcard_invalid",
    "idcard_already_set",
    "payout_account_invalid",
    "wallet_type_unknown",
    "holder_mismatch",
    "security_code_invalid",
    "security_code_weak",
    "security_code_unchanged",
    "security_code_missing",
    "security_code_already_set",
    "security_code_wrong",
    "security_code_locked",
]


class VaultRefused(Struct, frozen=True):
    """Nothing changed, but that a try was counted; `field` names the argument to blame, if one is.

    `reason` is the name of a refusal of `engine.refusals`.
    """

    reason: Reason
    field: str = ""
