"""Examples of stored facts about players' money, profiles and chat, and about staff settings."""

from msgspec import Struct

from engine.cashier import commands as money_commands
from engine.cashier import facts as money_facts
from engine.cashier.facts import ApprovedAlone, ReferenceCredited
from engine.chat import commands as chat_commands
from engine.chat import facts as chat_facts
from engine.house.bookings import Book, Booked, BookingDropped, BookingProposed, DecideBooking
from engine.house.commands import (
    DecideProposal,
    ProposeOdds,
    SetReceivingAccounts,
    SetTerms,
    TurnSwitch,
)
from engine.house.facts import (
    HouseFounded,
    Mode,
    OddsProposed,
    OddsSet,
    ProgramChecked,
    ProposalRejected,
    ReceivingAccountsProposed,
    ReceivingAccountsSet,
    SwitchTurned,
    TermsProposed,
    TermsSet,
)
from engine.house.published_content import (
    ContentPublished,
    ContentWithdrawn,
    PublishContent,
    WithdrawContent,
)
from engine.players import commands, facts
from engine.staff.passes import EndPass, IssuePass, PassEnded, PassIssued, PassProposed
from engine.staff.roles import Role
from engine.staff.staff import (
    DecideRoles,
    ProposeRoles,
    RemoveStaff,
    RolesProposed,
    RolesRejected,
    RolesSet,
    StaffRemoved,
)
from engine.staff.void_proposals import (
    DecideVoid,
    ProposeVoid,
    VoidAgreed,
    VoidDropped,
    VoidProposed,
)
from engine.terms import ReceivingAccounts, Terms

_AT = 1_795_226_400_000_000
_HASH, _OTHER = "1" * 64, "2" * 64
_STAFF = "staff:alice"
_TERMS = Terms(1, 2, 3, 4, 5, True, 6, 7, 8, 9, (0, 10, 11))
_RECEIVING = ReceivingAccounts("TXyz", "A bank", "0123", "The house")

FACTS: dict[str, list[Struct]] = {
    "deposit-requested.1": [money_facts.DepositRequested("deposit-9", "online", 1_234_567, _HASH)],
    "deposit-endorsed.1": [money_facts.DepositEndorsed("deposit-9", _STAFF)],
    "deposit-approved.1": [
        money_facts.DepositApproved("deposit-9", "usdt", 1_234_567, "2" * 64),
    ],
    "deposit-rejected.1": [
        money_facts.DepositRejected("deposit-9", "bank", 1_234_567, "limit", ""),
        money_facts.DepositRejected("deposit-9", "bank", 1_234_567, "refused", _HASH),
    ],
    "withdrawal-requested.1": [money_facts.WithdrawalRequested("w-1", 0, "account-1", 10_000)],
    "withdrawal-endorsed.1": [money_facts.WithdrawalEndorsed("w-1", _STAFF)],
    "withdrawal-approved.1": [money_facts.WithdrawalApproved("w-1", _STAFF)],
    "withdrawal-paid.1": [money_facts.WithdrawalPaid("w-1", "bank", "account-1", 10_000, _HASH)],
    "withdrawal-rejected.1": [money_facts.WithdrawalRejected("w-1", 10_000, _HASH)],
    "turnover-counted.1": [money_facts.TurnoverCounted(4, "20261121007", 20_000, 200)],
    "gift-proposed.1": [money_facts.GiftProposed("gift-2", 500_001, _STAFF, _HASH)],
    "gift-rejected.1": [money_facts.GiftRejected("gift-2", "staff:bob")],
    "gift-granted.1": [
        money_facts.GiftGranted("overnight-2026-11-20", "overnight", 88, 176, _AT, "")
    ],
    "bonus-released.1": [money_facts.BonusReleased(88)],
    "adjustment-proposed.1": [money_facts.AdjustmentProposed("a-1", -500, _STAFF, _HASH)],
    "adjustment-approved.1": [money_facts.AdjustmentApproved("a-1", -500, "staff:bob")],
    "correction-proposed.1": [
        money_facts.CorrectionProposed("a-2", "double_entry", "bank", -500, _STAFF, _HASH),
    ],
    "correction-approved.1": [
        money_facts.CorrectionApproved("a-2", "double_entry", "bank", -500, "staff:bob"),
    ],
    "adjustment-rejected.1": [money_facts.AdjustmentRejected("a-1", "staff:bob")],
    "member-joined.1": [facts.MemberJoined(10_007, _HASH)],
    "base-info-completed.1": [facts.BaseInfoCompleted()],
    "payout-account-set.1": [facts.PayoutAccountSet(1, "account-2", _HASH, _AT)],
    "security-code-set.1": [facts.SecurityCodeSet(_AT)],
    "quota-reserved.1": [facts.QuotaReserved(2, _AT)],
    "quota-released.1": [facts.QuotaReleased()],
    "limit-set.1": [
        facts.LimitSet("deposit", "week", 10_000, _AT, None),
        facts.LimitSet("loss", "month", None, _AT, 10_000),
    ],
    "time-out-taken.1": [facts.TimeOutTaken(_AT)],
    "self-excluded.1": [facts.SelfExcluded(_AT), facts.SelfExcluded(None)],
    "reality-check-set.1": [facts.RealityCheckSet(60)],
    "player-switched.1": [facts.PlayerSwitched(True, _STAFF, _HASH)],
    "payout-shown.1": [facts.PayoutShown("withdrawal-1", "account-2", _STAFF)],
    "security-code-lifted.1": [facts.SecurityCodeLifted(_STAFF, _HASH)],
    "identity-shared.1": [
        facts.IdentityShared(10_007, "idcard"),
        facts.IdentityShared(10_007, "payout"),
    ],
    "exclusion-carried.1": [
        facts.ExclusionCarried(10_007, _AT),
        facts.ExclusionCarried(10_007, None),
    ],
    "identity-decided.1": [
        facts.IdentityDecided(10_007, False, 0, _STAFF, _HASH),
        facts.IdentityDecided(10_007, True, _AT, _STAFF, _HASH),
    ],
    "account-change-proposed.1": [
        facts.AccountChangeProposed("change-1", "password_reset", _STAFF, _HASH),
        facts.AccountChangeProposed("change-2", "erasure", _STAFF, _HASH),
    ],
    "account-change-rejected.1": [
        facts.AccountChangeRejected("change-2", "erasure", "staff:bob"),
    ],
    "password-reset.1": [facts.PasswordReset("change-1", "staff:bob", _STAFF, _AT)],
    "member-erased.1": [facts.MemberErased("change-2", "staff:bob", _STAFF)],
    "chat-said.1": [chat_facts.ChatSaid("chat-1", 36, _HASH)],
    "chat-removed.1": [chat_facts.ChatRemoved("chat-1", 36, _STAFF, _OTHER)],
    "chat-muted.1": [
        chat_facts.ChatMuted(_AT, _STAFF, _HASH),
        chat_facts.ChatMuted(None, _STAFF, _HASH),
    ],
    "chat-unmuted.1": [chat_facts.ChatUnmuted(_STAFF, _HASH)],
    "house-founded.1": [
        HouseFounded("5a" * 16, Mode.DEMO),
        HouseFounded("a5" * 16, Mode.REAL),
    ],
    "switch-turned.1": [SwitchTurned("game-4", True, _STAFF)],
    "terms-proposed.1": [TermsProposed(_TERMS, _STAFF)],
    "terms-set.1": [TermsSet(_TERMS, _STAFF)],
    "receiving-accounts-proposed.1": [ReceivingAccountsProposed(_RECEIVING, _STAFF)],
    "receiving-accounts-set.1": [ReceivingAccountsSet(_RECEIVING, _STAFF)],
    "odds-proposed.1": [OddsProposed("balanced", _STAFF)],
    "odds-set.1": [OddsSet("balanced", "2026-11-22", _STAFF)],
    "proposal-rejected.1": [ProposalRejected("odds-7", _STAFF)],
    "roles-proposed.1": [RolesProposed("roles-1", "ben", tuple(Role), _STAFF)],
    "roles-set.1": [
        RolesSet("ben", (Role.CASHIER, Role.MANAGER), "roles-1", _STAFF, "staff:cleo"),
        RolesSet("ben", (Role.MANAGER,), "roles-2", "machine", ""),
    ],
    "booking-proposed.1": [
        BookingProposed("booking-1", "capital", "bank", 900_000, _OTHER, False, _STAFF, _HASH)
    ],
    "booked.1": [Booked("booking-2", "fee", "bank", -250, _STAFF, _HASH)],
    "booking-dropped.1": [BookingDropped("booking-1", "staff:bob")],
    "void-proposed.1": [
        VoidProposed("void-1", 4, "20261121007", "the tail was lost with the disk", _STAFF)
    ],
    "void-agreed.1": [VoidAgreed("void-1", 4, "20261121007", "staff:cleo")],
    "void-dropped.1": [VoidDropped("void-1", 4, "20261121007", "staff:cleo")],
    "roles-rejected.1": [RolesRejected("roles-1", "ben", _STAFF)],
    "staff-removed.1": [StaffRemoved("ben", _STAFF)],
    "pass-proposed.1": [PassProposed("ben", _HASH, _STAFF)],
    "pass-issued.1": [
        PassIssued("ben", _HASH, _AT, _STAFF, "staff:cleo"),
        PassIssued("ben", _OTHER, _AT, "machine", ""),
    ],
    "pass-ended.1": [PassEnded("ben", _STAFF)],
    "content-published.1": [ContentPublished("article-1", "article", _HASH, _STAFF)],
    "content-withdrawn.1": [ContentWithdrawn("article-1", _STAFF)],
    "message-sent.1": [facts.MessageSent("message-1", _HASH, _STAFF)],
    "message-withdrawn.1": [facts.MessageWithdrawn("message-1", _STAFF)],
    "repeat-endorsed.1": [money_facts.RepeatEndorsed("deposit-9", _STAFF)],
    "reference-credited.1": [ReferenceCredited(_HASH, "bank", "deposit-9", 10_042, _STAFF)],
    "approved-alone.1": [ApprovedAlone("deposit", "deposit-9", 10_042, 500_000, _STAFF)],
    "program-checked.1": [
        ProgramChecked(_HASH, _OTHER, 321, (), "start"),
        ProgramChecked(_OTHER, _OTHER, 320, ("engine/odds.py",), _STAFF),
    ],
}

_P = 10_001
COMMANDS: dict[str, list[Struct]] = {
    "deposit-request": [money_commands.RequestDeposit(_P, "deposit-9", "usdt", 1_234, _HASH)],
    "deposit": [
        money_commands.ApproveDeposit(_P, "deposit-9", "bank", 1_234_567, _OTHER, _STAFF),
    ],
    "deposit-decision": [money_commands.DecideDeposit(_P, "deposit-9", True, _STAFF, "")],
    "deposit-entry": [
        money_commands.EnterDeposit(_P, "d-1", "bank", 1_234, _HASH, _STAFF, _OTHER, False),
    ],
    "deposit-agreement": [money_commands.AgreeDeposit(_P, "d-1", _STAFF, _OTHER, True)],
    "deposit-confirmation": [money_commands.ConfirmDeposit(_P, "deposit-9", 1_234)],
    "withdrawal": [money_commands.RequestWithdrawal(_P, "w-1", 1, 10_000)],
    "withdrawal-decision": [money_commands.DecideWithdrawal(_P, "w-1", False, _STAFF, _HASH)],
    "withdrawal-payment": [money_commands.PayWithdrawal(_P, "w-1", _STAFF, _HASH)],
    "gift": [money_commands.GrantGift(_P, "gift-1", 500, _STAFF, _HASH)],
    "overnight": [money_commands.GrantOvernight(_P, "2026-11-20")],
    "bonus-release": [money_commands.ReleaseBonus(_P)],
    "gift-decision": [money_commands.DecideGift(_P, "gift-2", True, _STAFF)],
    "adjustment": [money_commands.ProposeAdjustment(_P, "a-1", -500, _STAFF, _HASH)],
    "correction": [
        money_commands.ProposeCorrection(_P, "a-2", "goodwill", "", -500, _STAFF, _HASH),
    ],
    "adjustment-decision": [money_commands.DecideAdjustment(_P, "a-1", True, _STAFF)],
    "join": [commands.JoinAsMember(_P, 10_007, _HASH)],
    "base-info": [commands.CompleteBaseInfo(_P)],
    "payout-account": [commands.SetPayoutAccount(_P, 0, "account-1", _HASH)],
    "security-code": [commands.SetSecurityCode(_P)],
    "quota": [commands.ReserveQuota(_P)],
    "quota-release": [commands.ReleaseQuota(_P)],
    "limit": [
        commands.SetLimit(_P, "deposit", "day", 10_000),
        commands.SetLimit(_P, "loss", "week", None),
    ],
    "time-out": [commands.TakeTimeOut(_P, _AT)],
    "exclusion": [
        commands.ExcludeSelf(_P, _AT),
        commands.ExcludeSelf(_P, None),
    ],
    "reality-check": [commands.SetRealityCheck(_P, 60)],
    "player-switch": [commands.SwitchPlayer(_P, True, _STAFF, _HASH)],
    "payout-view": [commands.ShowPayout(_P, "withdrawal-1", _STAFF)],
    "security-code-lift": [commands.LiftSecurityCode(_P, _STAFF, _HASH)],
    "shared-identity": [commands.NoteSharedIdentity(_P, 10_007, "payout")],
    "identity-decision": [
        commands.DecideIdentity(_P, 10_007, True, _STAFF, _HASH),
        commands.DecideIdentity(_P, 10_007, False, _STAFF, _HASH),
    ],
    "account-change": [
        commands.ProposeAccountChange(_P, "change-1", "password_reset", _STAFF, _HASH),
        commands.ProposeAccountChange(_P, "change-2", "erasure", _STAFF, _HASH),
    ],
    "account-change-decision": [
        commands.DecideAccountChange(_P, "change-1", True, _STAFF),
        commands.DecideAccountChange(_P, "change-2", False, _STAFF),
    ],
    "chat-say": [chat_commands.SayInChat(_P, 36, "chat-1", _HASH)],
    "chat-removal": [chat_commands.RemoveFromChat(_P, "chat-1", _STAFF, _HASH)],
    "mute": [
        chat_commands.MutePlayer(_P, 3_600_000_000, _STAFF, _HASH),
        chat_commands.MutePlayer(_P, None, _STAFF, _HASH),
    ],
    "unmute": [chat_commands.UnmutePlayer(_P, _STAFF, _HASH)],
    "switch": [TurnSwitch("all", True, _STAFF)],
    "terms": [SetTerms(_TERMS, _STAFF)],
    "receiving-accounts": [SetReceivingAccounts(_RECEIVING, _STAFF)],
    "odds": [ProposeOdds("balanced", _STAFF)],
    "setting-decision": [DecideProposal("odds-7", True, _STAFF)],
    "roles": [ProposeRoles("roles-1", "ben", (Role.SUPPORT, Role.EDITOR), _STAFF)],
    "roles-decision": [DecideRoles("roles-1", True, _STAFF)],
    "booking": [Book("booking-1", "capital", "bank", 900_000, _STAFF, _HASH, _OTHER, False)],
    "booking-decision": [DecideBooking("booking-1", True, "staff:bob", _OTHER)],
    "void": [ProposeVoid("void-1", 4, "20261121007", "the tail was lost with the disk", _STAFF)],
    "void-decision": [DecideVoid("void-1", True, _STAFF)],
    "staff-removal": [RemoveStaff("ben", _STAFF)],
    "pass": [IssuePass("ben", _HASH, _STAFF)],
    "pass-end": [EndPass("ben", _STAFF)],
    "content": [
        PublishContent("article-1", "article", _HASH, True, _STAFF),
        PublishContent("banner-1", "banner", _OTHER, False, _STAFF),
    ],
    "content-withdrawal": [WithdrawContent("article-1", _STAFF)],
    "message": [commands.SendMessage(_P, "message-1", _HASH, _STAFF)],
    "message-withdrawal": [commands.WithdrawMessage(_P, "message-1", _STAFF)],
}
