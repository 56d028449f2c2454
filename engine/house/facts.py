"""What can have happened to the house. Streams: `game-<game>`, `receipts` and `house`."""

from typing import Final

from msgspec import Struct

from engine.house.content_facts import ContentFact
from engine.house.modes import Mode
from engine.house.roles import Role
from engine.schedule import Schedule
from engine.terms import ReceivingAccounts, Terms

#: What managers propose for the whole house; part of a proposal's id.
TERMS: Final = "terms"
RECEIVING: Final = "receiving"
ODDS: Final = "odds"


class DayOpened(Struct, frozen=True):
    """Both parties committed to their chains before the first sale of a day or segment.

    `day` is `yyyy-mm-dd`, with `/n` for a later segment of the same day; rounds count from
    `first` to `rounds`. Round i stands at place `i - shift` of the schedule: a segment with
    longer rounds than the one before must not use an index, or a public number, twice.
    """

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
    """Rounds that passed while the house was away; the secrets of the last derive the others."""

    game: int
    day: str
    first: int
    last: int
    operator_secret: str
    witness_secret: str


class SegmentLeft(Struct, frozen=True, gc=False):
    """No further round is sold in this day or segment; the next round opens a new segment.

    `cause` says what differs: the witness's reason for declining, or one of
    `engine.house.day_decisions.Cause`.
    """

    game: int
    day: str
    cause: str


class RoundsCarried(Struct, frozen=True):
    """These rounds were neither drawn nor voided when the next day or segment opened."""

    game: int
    day: str
    issues: tuple[str, ...]


class VoidProposed(Struct, frozen=True):
    """`by` would void this round, which has not been drawn; an older proposal is void."""

    proposal: str
    game: int
    issue: str
    reason: str
    by: str


class VoidAgreed(Struct, frozen=True):
    """A second manager agreed: the round is voided as soon as it is certain that it must be."""

    proposal: str
    game: int
    issue: str
    by: str


class VoidDropped(Struct, frozen=True):
    """`by` dropped the proposal to void this round."""

    proposal: str
    game: int
    issue: str
    by: str


class BookingProposed(Struct, frozen=True, gc=False):
    """A booking of the house's own money that a second person has to agree to.

    `kind` and `channel` name the accounts (engine/chart.py). An amount above zero came in over the
    channel, below zero it went out. `reference` is the keyed hash of the payment's text, empty
    for what went out. `again`: it is another payment although its reference was credited before.
    """

    booking: str
    kind: str
    channel: str
    amount_minor: int
    reference: str
    again: bool
    by: str
    reference_commitment: str


class Booked(Struct, frozen=True, gc=False):
    """Money moved between the account of `channel` and the account of `kind`."""

    booking: str
    kind: str
    channel: str
    amount_minor: int
    by: str
    reference_commitment: str


class BookingDropped(Struct, frozen=True, gc=False):
    """A proposed booking is not made."""

    booking: str
    by: str


class ReceiptsSigned(Struct, frozen=True, gc=False):
    """The head of the tree over one batch's receipts, signed; its bets stand just before it.

    `size` counts the `BetPlaced` facts between the previous `ReceiptsSigned` and this one.
    """

    size: int
    head: str
    signature: str


class HouseFounded(Struct, frozen=True):
    """What kind of house this log belongs to: the first fact of a new log.

    `house` is a random id; `mode` is `demo` (play money) or `real` (real money), and never changes.
    Older logs have the fact behind others: its mode is what their facts showed.
    """

    house: str
    mode: Mode


class SwitchTurned(Struct, frozen=True, gc=False):
    """Staff closed or opened `scope`: product, all, game-<game> or plan-<plan>."""

    scope: str
    closed: bool
    by: str


class TermsProposed(Struct, frozen=True):
    """`by` proposes all of the house's figures, in place of their own earlier proposal.

    Where they are so already, nothing is proposed any more.
    """

    terms: Terms
    by: str


class TermsSet(Struct, frozen=True):
    """The house's figures from now on, whole: `by` agreed to what another had proposed."""

    terms: Terms
    by: str


class ReceivingAccountsProposed(Struct, frozen=True):
    """`by` says where members are to send deposits, as `TermsProposed` says it of figures."""

    accounts: ReceivingAccounts
    by: str


class ReceivingAccountsSet(Struct, frozen=True):
    """Where members are to send deposits from now on: `by` agreed to what another had proposed."""

    accounts: ReceivingAccounts
    by: str


class OddsProposed(Struct, frozen=True):
    """`by` proposes that the house sells at this odds table."""

    table: str
    by: str


class OddsSet(Struct, frozen=True):
    """The house sells at this odds table from the day `from_day` (yyyy-mm-dd) on.

    `by` agreed to what another had proposed. A day that is open keeps its table.
    """

    table: str
    from_day: str
    by: str


class ProposalRejected(Struct, frozen=True):
    """`by` dropped the open proposal of terms, receiving accounts or odds with this id."""

    proposal: str
    by: str


class RolesProposed(Struct, frozen=True):
    """`by` would give the person of this name these roles, whole; an older proposal is void."""

    proposal: str
    name: str
    roles: tuple[Role, ...]
    by: str


class RolesSet(Struct, frozen=True):
    """The person of this name has these roles from now on, whole.

    Two people agreed on it, or the machine's secret set them alone: `agreed_by` is empty then.
    """

    name: str
    roles: tuple[Role, ...]
    proposal: str
    proposed_by: str
    agreed_by: str


class RolesRejected(Struct, frozen=True):
    """`by` dropped the roles proposed for the person of this name."""

    proposal: str
    name: str
    by: str


class StaffRemoved(Struct, frozen=True):
    """The person of this name has no role any more."""

    name: str
    by: str


class PassProposed(Struct, frozen=True):
    """`by` says that the pass of the person of this name has this fingerprint."""

    name: str
    fingerprint: str
    by: str


class PassIssued(Struct, frozen=True):
    """The pass with this fingerprint is the person's, in place of any other, before `until`.

    `fingerprint` is a SHA-256 in hex, `until` in microseconds since 1970. Two said so, or the
    machine's secret alone: `agreed_by` is empty then.
    """

    name: str
    fingerprint: str
    until: int
    proposed_by: str
    agreed_by: str


class PassEnded(Struct, frozen=True):
    """The person's pass serves no more, and none that was said of them waits."""

    name: str
    by: str


class ProgramChecked(Struct, frozen=True):
    """Every file that runs was hashed: at the start, each day, or when staff asked.

    `digest` is the SHA-256 over the list of `files` hashes, `engine` the part of it that days
    record as their program. `changed` names files that are not as they were at the start, as far
    as there is room; the program is intact while it is empty.
    """

    digest: str
    engine: str
    files: int
    changed: tuple[str, ...]
    by: str


RoleFact = RolesProposed | RolesSet | RolesRejected | StaffRemoved
PassFact = PassProposed | PassIssued | PassEnded
StaffFact = RoleFact | PassFact
ProposalFact = TermsProposed | ReceivingAccountsProposed | OddsProposed | ProposalRejected
SettingFact = SwitchTurned | TermsSet | ReceivingAccountsSet | OddsSet
VoidFact = VoidProposed | VoidAgreed | VoidDropped
BookingFact = BookingProposed | Booked | BookingDropped
OfficeFact = (
    HouseFounded | SettingFact | ProposalFact | StaffFact | ContentFact | VoidFact | BookingFact
)
DayFact = DayOpened | RoundsSkipped | SegmentLeft | RoundsCarried
HouseFact = DayFact | ReceiptsSigned | OfficeFact | ProgramChecked


def proposal_id(kind: str, version: int) -> str:
    """The id of the proposal that is recorded at this version of the house's stream."""
    return f"{kind}-{version}"
