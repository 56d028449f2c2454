"""The vault's refusals."""

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
    """The call changed nothing except a counter of attempts.

    `reason` is the name of a refusal of `engine.refusals`. `field` names the invalid argument, if
    there is one.
    """

    reason: Reason
    field: str = ""
