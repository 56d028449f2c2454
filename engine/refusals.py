"""Everything the house may answer instead of doing it.

Named by the broken condition, subject first. Their order here is their precedence: where several
conditions are broken, the first one named here is the answer.
"""

from enum import StrEnum
from typing import Final


class Refusal(StrEnum):
    """A closed list; messages in every language hang on these names."""

    # The house itself cannot answer now. Never remembered.
    ENGINE_BUSY = "engine_busy"
    UNAVAILABLE = "unavailable"
    OUTCOME_UNKNOWN = "outcome_unknown"
    DEADLINE_PASSED = "deadline_passed"
    INTERNAL_ERROR = "internal_error"
    # The call cannot be understood or is not allowed yet. Never remembered.
    RATE_LIMITED = "rate_limited"
    BODY_TOO_LARGE = "body_too_large"
    REQUEST_MALFORMED = "request_malformed"
    ROUTE_UNKNOWN = "route_unknown"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    KEY_MALFORMED = "key_malformed"
    TOKEN_UNKNOWN = "token_unknown"  # noqa: S105 - a name
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 - a name
    TOKEN_EXPIRED = "token_expired"  # noqa: S105 - a name
    CREDENTIALS_WRONG = "credentials_wrong"
    # Registering.
    USERNAME_INVALID = "username_invalid"
    PASSWORD_INVALID = "password_invalid"  # noqa: S105 - a name
    GROUP_UNKNOWN = "group_unknown"
    INVITER_UNKNOWN = "inviter_unknown"
    USERNAME_TAKEN = "username_taken"
    # The command's id was used for another command.
    KEY_REUSED = "key_reused"
    # The player.
    PLAYER_UNKNOWN = "player_unknown"
    MUST_REGISTER = "must_register"
    # Placing and recalling.
    PRODUCT_DISCONTINUED = "product_discontinued"
    PLAN_UNKNOWN = "plan_unknown"
    PLAY_TYPE_UNKNOWN = "play_type_unknown"
    ROUND_UNKNOWN = "round_unknown"
    ROUND_NOT_CURRENT = "round_not_current"
    ROUND_CLOSED = "round_closed"
    STAKE_NOT_WHOLE = "stake_not_whole"
    STAKE_TOO_SMALL = "stake_too_small"
    STAKE_TOO_LARGE = "stake_too_large"
    FUNDS_INSUFFICIENT = "funds_insufficient"
    EXPOSURE_EXCEEDED = "exposure_exceeded"
    BET_UNKNOWN = "bet_unknown"
    NOTHING_TO_RECALL = "nothing_to_recall"
    # Deposits.
    AMOUNT_INVALID = "amount_invalid"
    CHANNEL_UNKNOWN = "channel_unknown"
    # The house's own steps, when they come twice or too early.
    DAY_NOT_OPEN = "day_not_open"
    ROUND_OWED = "round_owed"
    ROUND_NOT_DUE = "round_not_due"
    SECRET_WRONG = "secret_wrong"  # noqa: S105 - a name


#: Answers that are forgotten at once: the same command may succeed when it is sent again.
NEVER_REMEMBERED: Final = frozenset(
    {
        Refusal.ENGINE_BUSY,
        Refusal.UNAVAILABLE,
        Refusal.OUTCOME_UNKNOWN,
        Refusal.DEADLINE_PASSED,
        Refusal.INTERNAL_ERROR,
        Refusal.KEY_REUSED,
    }
)
