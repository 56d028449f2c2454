"""The commands on the house: the scheduler's on a game's day, the staff's on the settings.

Two come from neither: an engine records the house's id, a server the program that it runs.
"""

from msgspec import Struct

from engine.fairness.records import DayRecord
from engine.house.bookings import BookingCommand
from engine.house.facts import Mode
from engine.house.published_content import ContentCommand
from engine.staff.staff import StaffCommand
from engine.staff.void_proposals import VoidCommand
from engine.terms import ReceivingAccounts, Terms


class OpenDay(Struct, frozen=True, tag="open-day"):
    """Publish both commitments, signed by both parties, before the first sale."""

    game: int
    record: DayRecord
    odds_table: str
    operator_signature: str
    witness_signature: str


class SkipRounds(Struct, frozen=True, tag="skip-rounds"):
    """Rounds up to `last` passed unsold; their links are revealed."""

    game: int
    last: int
    operator_secret: str
    witness_secret: str


class FoundHouse(Struct, frozen=True, tag="found-house"):
    """Record the house's random id and its mode, as a new log's first command.

    An older log without this fact gets it when an engine next leads.
    """

    house: str
    mode: Mode


class LeaveSegment(Struct, frozen=True, tag="leave-segment"):
    """Stop selling rounds in the game's open day or segment, for this cause."""

    game: int
    day: str
    cause: str


class TurnSwitch(Struct, frozen=True, array_like=True, tag="switch"):
    """Close or open `scope`: product, all, game-<game> or plan-<plan>; running rounds finish."""

    scope: str
    closed: bool
    by: str


class SetTerms(Struct, frozen=True, array_like=True, tag="terms"):
    """Propose all of the house's terms; they apply once another manager agrees."""

    terms: Terms
    by: str


class SetReceivingAccounts(Struct, frozen=True, array_like=True, tag="receiving-accounts"):
    """Propose the accounts for members' deposits; they apply once another manager agrees."""

    accounts: ReceivingAccounts
    by: str


class ProposeOdds(Struct, frozen=True, array_like=True, tag="odds"):
    """Propose the odds table from the next day on; it applies once another manager agrees."""

    table: str
    by: str


class DecideProposal(Struct, frozen=True, array_like=True, tag="setting-decision"):
    """Agree to proposed terms, receiving accounts or odds by the proposal's id, or reject them."""

    proposal: str
    approve: bool
    by: str


class RecordProgram(Struct, frozen=True, array_like=True, tag="record-program"):
    """Record the result of a check of the program's files."""

    digest: str
    engine: str
    files: int
    changed: tuple[str, ...]
    by: str


SettingCommand = TurnSwitch | SetTerms | SetReceivingAccounts | ProposeOdds | DecideProposal
OfficeCommand = SettingCommand | StaffCommand | ContentCommand | VoidCommand | BookingCommand
DayCommand = OpenDay | SkipRounds | LeaveSegment
HouseCommand = DayCommand | OfficeCommand | RecordProgram | FoundHouse
