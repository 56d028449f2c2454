"""Every reason for which a request is refused.

A name says what is wrong, its subject first. Their order here is their precedence: if
several conditions are violated, the first one listed here is the answer.
"""

from enum import StrEnum
from typing import Final


class Refusal(StrEnum):
    """A closed list; the messages in every language are keyed by these names."""

    # The server cannot answer now. Never stored.
    ENGINE_BUSY = "engine_busy"
    UNAVAILABLE = "unavailable"
    OUTCOME_UNKNOWN = "outcome_unknown"
    DEADLINE_PASSED = "deadline_passed"
    INTERNAL_ERROR = "internal_error"
    # The call is malformed or not allowed yet, and does not become a command.
    RATE_LIMITED = "rate_limited"
    CROSS_SITE = "cross_site"
    URL_TOO_LONG = "url_too_long"
    HEADERS_TOO_LARGE = "headers_too_large"
    BODY_TOO_SLOW = "body_too_slow"
    BODY_TOO_LARGE = "body_too_large"
    REQUEST_MALFORMED = "request_malformed"
    ROUTE_UNKNOWN = "route_unknown"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    KEY_MALFORMED = "key_malformed"
    TOKEN_UNKNOWN = "token_unknown"  # noqa: S105 - a name
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 - a name
    TOKEN_EXPIRED = "token_expired"  # noqa: S105 - a name
    STEP_UP_NEEDED = "step_up_needed"
    CREDENTIALS_WRONG = "credentials_wrong"
    SESSION_UNKNOWN = "session_unknown"
    # Registering.
    USERNAME_INVALID = "username_invalid"
    PASSWORD_INVALID = "password_invalid"  # noqa: S105 - a name
    GROUP_UNKNOWN = "group_unknown"
    INVITER_UNKNOWN = "inviter_unknown"
    USERNAME_TAKEN = "username_taken"
    # What the vault refuses: identity, payout accounts, codes.
    ALREADY_MEMBER = "already_member"
    PASSWORD_WRONG = "password_wrong"  # noqa: S105 - a name
    PASSWORD_UNCHANGED = "password_unchanged"  # noqa: S105 - a name
    IDCARD_INVALID = "idcard_invalid"
    IDCARD_ALREADY_SET = "idcard_already_set"
    PAYOUT_ACCOUNT_INVALID = "payout_account_invalid"
    WALLET_TYPE_UNKNOWN = "wallet_type_unknown"
    HOLDER_MISMATCH = "holder_mismatch"
    SECURITY_CODE_INVALID = "security_code_invalid"
    SECURITY_CODE_WEAK = "security_code_weak"
    SECURITY_CODE_UNCHANGED = "security_code_unchanged"
    SECURITY_CODE_ALREADY_SET = "security_code_already_set"
    # Staff, and the payment gateway.
    STAFF_UNKNOWN = "staff_unknown"
    RECEIVING_ADDRESS_INVALID = "receiving_address_invalid"
    PASS_REVOKED = "pass_revoked"  # noqa: S105 - a name
    PASS_EXPIRED = "pass_expired"  # noqa: S105 - a name
    ROLE_MISSING = "role_missing"
    SIGNATURE_WRONG = "signature_wrong"
    MESSAGE_EXPIRED = "message_expired"
    MESSAGE_REPEATED = "message_repeated"
    # The idempotency key was used for another command.
    KEY_REUSED = "key_reused"
    # The player.
    PLAYER_UNKNOWN = "player_unknown"
    MUST_REGISTER = "must_register"
    EXCLUDED = "excluded"
    ACCOUNT_CLOSED = "account_closed"
    MUTED = "muted"
    # Bets.
    PRODUCT_DISCONTINUED = "product_discontinued"
    GAMING_CLOSED = "gaming_closed"
    PLAN_UNKNOWN = "plan_unknown"
    PLAY_TYPE_UNKNOWN = "play_type_unknown"
    ROUND_UNKNOWN = "round_unknown"
    ROUND_NOT_CURRENT = "round_not_current"
    ROUND_CLOSED = "round_closed"
    STAKE_NOT_WHOLE = "stake_not_whole"
    STAKE_TOO_SMALL = "stake_too_small"
    STAKE_TOO_LARGE = "stake_too_large"
    LOSS_LIMIT_REACHED = "loss_limit_reached"
    # Withdrawals, and for lack of money bets too.
    BASE_INFO_MISSING = "base_info_missing"
    PAYOUT_ACCOUNT_MISSING = "payout_account_missing"
    SECURITY_CODE_MISSING = "security_code_missing"
    WITHDRAWAL_AMOUNT_MISSING = "withdrawal_amount_missing"
    AMOUNT_INVALID = "amount_invalid"
    WITHDRAWAL_TOO_SMALL = "withdrawal_too_small"
    SECURITY_CODE_LOCKED = "security_code_locked"
    SECURITY_CODE_WRONG = "security_code_wrong"
    PAYOUT_COOLING = "payout_cooling"
    QUOTA_RESERVED = "quota_reserved"
    TURNOVER_UNMET = "turnover_unmet"
    ASSETS_INSUFFICIENT = "assets_insufficient"
    FUNDS_INSUFFICIENT = "funds_insufficient"
    WITHDRAWAL_FUNDS_INSUFFICIENT = "withdrawal_funds_insufficient"
    # Bets again: what is checked last.
    EXPOSURE_EXCEEDED = "exposure_exceeded"
    BET_UNKNOWN = "bet_unknown"
    NOTHING_TO_RECALL = "nothing_to_recall"
    # Withdrawals that staff decide.
    WITHDRAWAL_UNKNOWN = "withdrawal_unknown"
    WITHDRAWAL_NOT_APPROVED = "withdrawal_not_approved"
    PAYER_APPROVED = "payer_approved"
    # Members who gave the same identity.
    IDENTITY_UNCLEAR = "identity_unclear"
    IDENTITY_UNKNOWN = "identity_unknown"
    # Deposits.
    CHANNEL_UNKNOWN = "channel_unknown"
    DEPOSITS_PENDING = "deposits_pending"
    DEPOSIT_LIMIT_REACHED = "deposit_limit_reached"
    DEPOSIT_UNKNOWN = "deposit_unknown"
    REFERENCE_USED = "reference_used"
    AMOUNT_MISMATCH = "amount_mismatch"
    # Gifts, reservations and corrections.
    BONUS_NOT_DUE = "bonus_not_due"
    QUOTA_UNAVAILABLE = "quota_unavailable"
    CORRECTION_UNKNOWN = "correction_unknown"
    ADJUSTMENT_UNKNOWN = "adjustment_unknown"
    GIFT_UNKNOWN = "gift_unknown"
    BOOKING_UNKNOWN = "booking_unknown"
    # Player protection.
    LIMIT_UNKNOWN = "limit_unknown"
    PERIOD_INVALID = "period_invalid"
    PERIOD_SHORTENED = "period_shortened"
    INTERVAL_INVALID = "interval_invalid"
    # Staff reset a security code that is not set.
    SECURITY_CODE_UNSET = "security_code_unset"
    # Staff erase a member whose account has or awaits money.
    ACCOUNT_NOT_EMPTY = "account_not_empty"
    # The log's entries.
    FACT_UNKNOWN = "fact_unknown"
    FACT_UNSEALED = "fact_unsealed"
    # The chat of the rooms.
    WORDS_INVALID = "words_invalid"
    CHAT_MESSAGE_UNKNOWN = "chat_message_unknown"
    # Proposals and approvals that need two members of staff.
    SECOND_PERSON_NEEDED = "second_person_needed"
    PERSON_UNKNOWN = "person_unknown"
    PROPOSAL_UNKNOWN = "proposal_unknown"
    PROPOSAL_OPEN = "proposal_open"
    VOID_UNKNOWN = "void_unknown"
    MANAGER_NEEDED = "manager_needed"
    FINGERPRINT_USED = "fingerprint_used"
    SWITCH_UNKNOWN = "switch_unknown"
    TERMS_INVALID = "terms_invalid"
    # News, announcements, banners and messages.
    CONTENT_UNKNOWN = "content_unknown"
    CONTENT_INVALID = "content_invalid"
    ARTICLE_UNKNOWN = "article_unknown"
    MESSAGE_UNKNOWN = "message_unknown"
    # The scheduler's steps, when repeated or too early.
    DAY_NOT_OPEN = "day_not_open"
    ROUND_OWED = "round_owed"
    ROUND_NOT_DUE = "round_not_due"
    ROUND_DRAWABLE = "round_drawable"
    VOID_TOO_EARLY = "void_too_early"
    SECRET_WRONG = "secret_wrong"  # noqa: S105 - a name


#: Answers that are never stored: the same command may succeed later, or under another key.
NEVER_STORED: Final = frozenset(
    {
        Refusal.ENGINE_BUSY,
        Refusal.UNAVAILABLE,
        Refusal.OUTCOME_UNKNOWN,
        Refusal.DEADLINE_PASSED,
        Refusal.INTERNAL_ERROR,
        Refusal.KEY_REUSED,
    }
)
