"""What holds for the house: switches, terms, receiving accounts; its staff, checks of its program.

Stream: `house`. What they publish stands in it too: see `contents.py`.

- Figures and receiving accounts hold once two people have said the same of them: the figures say
  from which sum on money takes two people, and an account is where everybody's deposits go.
- What one has said waits until somebody says otherwise, or says what holds already, or until who
  said it is no manager any more.
- One person turns a switch: closing must not wait, and no member's money hangs on it.
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from engine.answers import Refused
from engine.catalogue import GAMES, PLANS
from engine.house import bookings, contents, staff, voids
from engine.house.bookings import Bookings
from engine.house.commands import (
    FoundHouse,
    RecordProgram,
    SetReceivingAccounts,
    SetTerms,
    SettingCommand,
    StaffCommand,
    TurnSwitch,
)
from engine.house.content_commands import ContentCommand, PublishContent, WithdrawContent
from engine.house.content_facts import ContentPublished, ContentWithdrawn
from engine.house.contents import Contents
from engine.house.facts import (
    BookingFact,
    HouseFounded,
    OfficeFact,
    ProgramChecked,
    ReceivingAccountsProposed,
    ReceivingAccountsSet,
    RolesSet,
    StaffFact,
    StaffRemoved,
    SwitchTurned,
    TermsProposed,
    TermsSet,
    VoidFact,
)
from engine.house.roles import actor_of
from engine.house.staff import Staff
from engine.house.voids import Voids
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS, MOST_PERMILLE, MOST_WAIT_US, ReceivingAccounts, Terms

MOST_LEVELS = 100
PRODUCT = "product"
ALL = "all"
SCOPES = frozenset(
    {PRODUCT, ALL, *(f"game-{game}" for game in GAMES), *(f"plan-{plan}" for plan in PLANS)}
)


ValueT = TypeVar("ValueT")
FactT = TypeVar("FactT")


class Said(Struct, Generic[ValueT], frozen=True):
    """What `by` would have hold, and nobody else yet."""

    value: ValueT
    by: str


class Office(Struct, frozen=True):
    """`closed` are the scopes in which no bets are taken."""

    version: int = 0
    founded: HouseFounded | None = None
    terms: Terms = DEFAULT_TERMS
    accounts: ReceivingAccounts = ReceivingAccounts()
    said_terms: Said[Terms] | None = None
    said_accounts: Said[ReceivingAccounts] | None = None
    closed: frozenset[str] = frozenset()
    staff: Staff = Staff()
    contents: Contents = field(default_factory=dict)
    voids: Voids = field(default_factory=dict)
    bookings: Bookings = field(default_factory=dict)

    @property
    def discontinued(self) -> bool:
        """Whether nothing is sold any more, anywhere."""
        return PRODUCT in self.closed

    def shut(self, game: int, plan: int) -> Refusal | None:
        """Why no bets are taken here, if none are."""
        if not self.closed:
            return None
        if self.discontinued:
            return Refusal.PRODUCT_DISCONTINUED
        here = {ALL, f"game-{game}", f"plan-{plan}"}
        return Refusal.GAMING_CLOSED if here & self.closed else None


def evolve(office: Office, fact: OfficeFact | ProgramChecked) -> Office:
    """The office after a fact; refuses nothing."""
    version = office.version + 1
    match fact:
        case HouseFounded():
            return replace(office, version=version, founded=fact)
        case SwitchTurned(scope=scope, closed=closed):
            scopes = office.closed | {scope} if closed else office.closed - {scope}
            return replace(office, version=version, closed=scopes)
        case TermsProposed(terms=terms, by=by):
            said = None if terms == office.terms else Said(terms, by)
            return replace(office, version=version, said_terms=said)
        case TermsSet(terms=terms):
            return replace(office, version=version, terms=terms, said_terms=None)
        case ReceivingAccountsProposed(accounts=accounts, by=by):
            named = None if accounts == office.accounts else Said(accounts, by)
            return replace(office, version=version, said_accounts=named)
        case ReceivingAccountsSet(accounts=accounts):
            return replace(office, version=version, accounts=accounts, said_accounts=None)
        case _ if isinstance(fact, StaffFact):
            return _with_staff(replace(office, version=version), fact)
        case ContentPublished() | ContentWithdrawn():
            shown = contents.evolve(office.contents, fact)
            return replace(office, version=version, contents=shown)
        case _ if isinstance(fact, VoidFact):
            return replace(office, version=version, voids=voids.evolve(office.voids, fact))
        case _ if isinstance(fact, BookingFact):
            waiting = bookings.evolve(office.bookings, fact)
            return replace(office, version=version, bookings=waiting)
        case ProgramChecked():
            return replace(office, version=version)
        case _ as never:
            assert_never(never)


def _with_staff(office: Office, fact: StaffFact) -> Office:
    people = staff.evolve(office.staff, fact)
    office = replace(office, staff=people)
    if not isinstance(fact, RolesSet | StaffRemoved) or fact.name in people.managers():
        return office
    by = actor_of(fact.name)
    return replace(
        office,
        said_terms=_unless_by(office.said_terms, by),
        said_accounts=_unless_by(office.said_accounts, by),
        voids=voids.without(office.voids, by),
    )


def _unless_by(said: Said[ValueT] | None, by: str) -> Said[ValueT] | None:
    return None if said is None or said.by == by else said


def decide(
    command: SettingCommand | StaffCommand | ContentCommand, office: Office, now: int
) -> Sequence[OfficeFact] | Refused:
    """What a change leads to; one that changes nothing yields no facts."""
    match command:
        case TurnSwitch(scope=scope, closed=closed, by=by):
            if scope not in SCOPES:
                return Refused(Refusal.SWITCH_UNKNOWN, "scope")
            return [] if (scope in office.closed) == closed else [SwitchTurned(scope, closed, by)]
        case SetTerms(terms=terms, by=by):
            wrong = _unsound(terms)
            if wrong:
                return Refused(Refusal.TERMS_INVALID, wrong)
            says = Said(terms, by)
            return _heard(says, office.said_terms, office.terms, TermsProposed, TermsSet)
        case SetReceivingAccounts(accounts=accounts, by=by):
            facts = (ReceivingAccountsProposed, ReceivingAccountsSet)
            return _heard(Said(accounts, by), office.said_accounts, office.accounts, *facts)
        case _ if isinstance(command, StaffCommand):
            return staff.decide(command, office.staff, now)
        case PublishContent() | WithdrawContent():
            published = contents.decide(command, office.contents)
            return published if isinstance(published, Refused) else [*published]
        case _ as never:
            assert_never(never)


def _heard(
    says: Said[ValueT],
    before: Said[ValueT] | None,
    holds: ValueT,
    proposed: Callable[[ValueT, str], FactT],
    agreed: Callable[[ValueT, str], FactT],
) -> list[FactT]:
    """A proposal, or what holds now that two have said it; nothing where one says it again."""
    if says.value != (before.value if before else holds):
        return [proposed(says.value, says.by)]
    if before is None or before.by == says.by:
        return []
    return [agreed(says.value, says.by)]


def found(command: FoundHouse, office: Office) -> list[HouseFounded]:
    """The house's mode, once: a founded house keeps the mode that it has."""
    return [] if office.founded else [HouseFounded(command.house, command.mode)]


def program_checked(command: RecordProgram) -> ProgramChecked:
    """What a check found is written down each time, for that there was one is what auditors ask."""
    return ProgramChecked(
        command.digest, command.engine, command.files, command.changed, command.by
    )


def _unsound(terms: Terms) -> str:
    """The first figure outside its bounds, or the levels unless they rise from zero; or empty."""
    sums = ("four_eyes_minor", "least_withdrawal_minor", "overnight_most_minor")
    waits = ("cooling_us", "raise_wait_us", "bonus_wait_us", "quota_us")
    most = dict.fromkeys(waits, MOST_WAIT_US) | {"overnight_permille": MOST_PERMILLE}
    bounds = [*((name, None) for name in sums), *most.items()]
    for name, highest in bounds:
        value = getattr(terms, name)
        if value < 0 or (highest is not None and value > highest):
            return name
    if terms.largest_deposit_minor < 1:
        return "largest_deposit_minor"
    levels = terms.levels_minor
    rise = levels[:1] == (0,) and list(levels) == sorted(set(levels))
    return "" if rise and len(levels) <= MOST_LEVELS else "levels_minor"
