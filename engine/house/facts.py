"""Facts about the house. Streams: `game-<game>`, `receipts` and `house`."""

from enum import StrEnum
from typing import ClassVar, Final

from msgspec import Struct

from engine.house.bookings import BookingFact
from engine.house.published_content import ContentFact
from engine.schedule import Schedule
from engine.staff.staff import StaffFact
from engine.staff.void_proposals import VoidFact
from engine.terms import ReceivingAccounts, Terms

#: The kinds of proposals for the whole house; part of a proposal's id.
TERMS: Final = "terms"
RECEIVING: Final = "receiving"
ODDS: Final = "odds"


class Mode(StrEnum):
    """Whether a house plays for play money or for real money; facts store these values."""

    DEMO = "demo"
    REAL = "real"


class DayOpened(Struct, frozen=True):
    """Both parties committed to their chains before the first sale of a day or segment.

    `day` is `yyyy-mm-dd`, with `/n` for a later segment of the same day; rounds count from `first`
    to `rounds`. Round i is at place `i - shift` of the schedule: a segment with longer rounds than
    the previous one must not use an index, or a public number, twice.
    """

    topic: ClassVar = "day-opened.1"
    game: int
    day: str
    date: str
    segment: int
    first: int
    rounds: int
    shift: int
    schedule: Schedule
    odds_table: str
    odds_hash: str
    rules_hash: str
    program_hash: str
    beacon: str
    operator_commitment: str
    witness_commitment: str
    operator_key: str
    witness_key: str
    operator_signature: str
    witness_signature: str


class RoundsSkipped(Struct, frozen=True, gc=False):
    """Rounds that passed while the server was down; all their links derive from the last one's."""

    topic: ClassVar = "rounds-skipped.1"
    game: int
    day: str
    first: int
    last: int
    operator_secret: str
    witness_secret: str


class SegmentLeft(Struct, frozen=True, gc=False):
    """No further round is sold in this day or segment; the next round opens a new segment.

    `cause` is the reason: the witness's reason for declining, or one of
    `engine.house.game_day.Cause`.
    """

    topic: ClassVar = "segment-left.1"
    game: int
    day: str
    cause: str


class RoundsCarried(Struct, frozen=True):
    """These rounds were neither drawn nor voided when the next day or segment opened."""

    topic: ClassVar = "rounds-carried.1"
    game: int
    day: str
    issues: tuple[str, ...]


class ReceiptsSigned(Struct, frozen=True, gc=False):
    """The signed head of the tree over one batch's receipts; its bets directly precede it.

    `size` counts the `BetPlaced` facts between the previous `ReceiptsSigned` and this one.
    """

    topic: ClassVar = "receipts-signed.1"
    size: int
    head: str
    signature: str


class HouseFounded(Struct, frozen=True):
    """The kind of house that this log belongs to: the first fact of a new log.

    `house` is a random id; `mode` is `demo` (play money) or `real` (real money), and never changes.
    Older logs have this fact after others; its mode then follows from those.
    """

    topic: ClassVar = "house-founded.1"
    house: str
    mode: Mode


class SwitchTurned(Struct, frozen=True, gc=False):
    """Staff closed or opened `scope`: product, all, game-<game> or plan-<plan>."""

    topic: ClassVar = "switch-turned.1"
    scope: str
    closed: bool
    by: str


class TermsProposed(Struct, frozen=True):
    """`by` proposes all of the house's terms, in place of their own earlier proposal.

    If these terms already apply, the fact withdraws the open proposal.
    """

    topic: ClassVar = "terms-proposed.1"
    terms: Terms
    by: str


class TermsSet(Struct, frozen=True):
    """All of the house's terms from now on: `by` agreed to another manager's proposal."""

    topic: ClassVar = "terms-set.1"
    terms: Terms
    by: str


class ReceivingAccountsProposed(Struct, frozen=True):
    """`by` proposes the accounts for members' deposits, in the way of `TermsProposed`."""

    topic: ClassVar = "receiving-accounts-proposed.1"
    accounts: ReceivingAccounts
    by: str


class ReceivingAccountsSet(Struct, frozen=True):
    """The accounts for members' deposits from now on: `by` agreed to another manager's proposal."""

    topic: ClassVar = "receiving-accounts-set.1"
    accounts: ReceivingAccounts
    by: str


class OddsProposed(Struct, frozen=True):
    """`by` proposes the odds table that the house sells at."""

    topic: ClassVar = "odds-proposed.1"
    table: str
    by: str


class OddsSet(Struct, frozen=True):
    """The house sells at this odds table from the day `from_day` (yyyy-mm-dd) on.

    `by` agreed to another manager's proposal. A day that is open keeps its table.
    """

    topic: ClassVar = "odds-set.1"
    table: str
    from_day: str
    by: str


class ProposalRejected(Struct, frozen=True):
    """`by` dropped the open proposal of terms, receiving accounts or odds with this id."""

    topic: ClassVar = "proposal-rejected.1"
    proposal: str
    by: str


class ProgramChecked(Struct, frozen=True):
    """Every running program file was hashed: at the start, each day, or on request of staff.

    `digest` is the SHA-256 over the list of `files` hashes, `engine` the part of it that days
    record as their program. `changed` names files that differ from the start, as far as there is
    room; the program is intact while it is empty.
    """

    topic: ClassVar = "program-checked.1"
    digest: str
    engine: str
    files: int
    changed: tuple[str, ...]
    by: str


ProposalFact = TermsProposed | ReceivingAccountsProposed | OddsProposed | ProposalRejected
SettingFact = SwitchTurned | TermsSet | ReceivingAccountsSet | OddsSet
OfficeFact = (
    HouseFounded | SettingFact | ProposalFact | StaffFact | ContentFact | VoidFact | BookingFact
)
DayFact = DayOpened | RoundsSkipped | SegmentLeft | RoundsCarried
HouseFact = DayFact | ReceiptsSigned | OfficeFact | ProgramChecked


def proposal_id(kind: str, version: int) -> str:
    """The id of the proposal that is recorded at this version of the house's stream."""
    return f"{kind}-{version}"
