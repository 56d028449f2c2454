"""The house's steps with a game's day, which come from the conductor, and what staff change."""

from msgspec import Struct

from engine.content.published_content import ContentCommand
from engine.fairness.records import DayRecord
from engine.house.bookings import BookingCommand
from engine.house.modes import Mode
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
    """Record the house's random id and its mode; the log's first command."""

    house: str
    mode: Mode


class LeaveSegment(Struct, frozen=True, tag="leave-segment"):
    """Sell no further round in the game's open day or segment, for this cause."""

    game: int
    day: str
    cause: str


class TurnSwitch(Struct, frozen=True, array_like=True, tag="switch"):
    """Close or open `scope`: product, all, game-<game> or plan-<plan>; running rounds finish."""

    scope: str
    closed: bool
    by: str


class SetTerms(Struct, frozen=True, array_like=True, tag="terms"):
    """What the house's figures are to be, whole, once another says the same."""

    terms: Terms
    by: str


class SetReceivingAccounts(Struct, frozen=True, array_like=True, tag="receiving-accounts"):
    """Where members are to send deposits, once another says the same."""

    accounts: ReceivingAccounts
    by: str


class ProposeOdds(Struct, frozen=True, array_like=True, tag="odds"):
    """Sell at this odds table from the next day on, once another agrees."""

    table: str
    by: str


class DecideProposal(Struct, frozen=True, array_like=True, tag="setting-decision"):
    """Agree to proposed terms, receiving accounts or odds by the proposal's id, or reject them."""

    proposal: str
    approve: bool
    by: str


class RecordProgram(Struct, frozen=True, tag="record-program"):
    """Write down what a check of the program's files has found."""

    digest: str
    engine: str
    files: int
    changed: tuple[str, ...]
    by: str


SettingCommand = TurnSwitch | SetTerms | SetReceivingAccounts | ProposeOdds | DecideProposal
OfficeCommand = SettingCommand | StaffCommand | ContentCommand | VoidCommand | BookingCommand
DayCommand = OpenDay | SkipRounds | LeaveSegment
HouseCommand = DayCommand | OfficeCommand | RecordProgram | FoundHouse
