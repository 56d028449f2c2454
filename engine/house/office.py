"""What holds for the house: switches, terms, receiving accounts; its staff, checks of its program.

Stream: `house`. What they publish stands in it too: see `contents.py`.

- Terms, receiving accounts and the odds table take two managers: the terms say from which sum on
  money takes two people, and a receiving account is where all deposits go.
- A proposal is open until another manager agrees or rejects it, its proposer changes or withdraws
  it, or its proposer stops being a manager: see `proposals.py`. A new odds table holds from the
  next day on.
- One person turns a switch: closing must not wait, and no member's money hangs on it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from engine.answers import Refused
from engine.catalogue import GAMES, PLANS
from engine.house import bookings, contents, staff, voids
from engine.house.bookings import Bookings
from engine.house.commands import (
    DecideProposal,
    FoundHouse,
    ProposeOdds,
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
    ODDS,
    RECEIVING,
    TERMS,
    BookingFact,
    HouseFounded,
    OddsProposed,
    OddsSet,
    OfficeFact,
    ProgramChecked,
    ProposalFact,
    ProposalRejected,
    ReceivingAccountsProposed,
    ReceivingAccountsSet,
    RolesSet,
    StaffFact,
    StaffRemoved,
    SwitchTurned,
    TermsProposed,
    TermsSet,
    VoidFact,
    proposal_id,
)
from engine.house.proposals import Said, heard, unless_by
from engine.house.roles import actor_of
from engine.house.staff import Staff
from engine.house.voids import Voids
from engine.odds import TABLES, OddsFrom, day_after, next_odds, with_odds
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS, MOST_PERMILLE, MOST_WAIT_US, ReceivingAccounts, Terms

MOST_LEVELS = 100
PRODUCT = "product"
ALL = "all"
SCOPES = frozenset(
    {PRODUCT, ALL, *(f"game-{game}" for game in GAMES), *(f"plan-{plan}" for plan in PLANS)}
)


ValueT = TypeVar("ValueT")


class Office(Struct, frozen=True):
    """`closed` are the scopes in which no bets are taken; `odds` the tables that staff set."""

    version: int = 0
    founded: HouseFounded | None = None
    terms: Terms = DEFAULT_TERMS
    accounts: ReceivingAccounts = ReceivingAccounts()
    said_terms: Said[Terms] | None = None
    said_accounts: Said[ReceivingAccounts] | None = None
    said_odds: Said[str] | None = None
    odds: tuple[OddsFrom, ...] = ()
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
        case _ if isinstance(fact, ProposalFact | TermsSet | ReceivingAccountsSet | OddsSet):
            return _with_proposal(replace(office, version=version), fact)
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


def _with_proposal(
    office: Office, fact: ProposalFact | TermsSet | ReceivingAccountsSet | OddsSet
) -> Office:
    """`office` counts the fact already."""
    said: Said[Any] | None = None
    match fact:
        case TermsProposed(terms=terms, by=by):
            if terms != office.terms:
                said = Said(terms, by, proposal_id(TERMS, office.version))
            return replace(office, said_terms=said)
        case TermsSet(terms=terms):
            return replace(office, terms=terms, said_terms=None)
        case ReceivingAccountsProposed(accounts=accounts, by=by):
            if accounts != office.accounts:
                said = Said(accounts, by, proposal_id(RECEIVING, office.version))
            return replace(office, said_accounts=said)
        case ReceivingAccountsSet(accounts=accounts):
            return replace(office, accounts=accounts, said_accounts=None)
        case OddsProposed(table=table, by=by):
            if table != next_odds(office.odds):
                said = Said(table, by, proposal_id(ODDS, office.version))
            return replace(office, said_odds=said)
        case OddsSet(table=table, from_day=day):
            return replace(office, odds=with_odds(office.odds, day, table), said_odds=None)
        case ProposalRejected(proposal=proposal):
            return replace(
                office,
                said_terms=_unless(office.said_terms, proposal),
                said_accounts=_unless(office.said_accounts, proposal),
                said_odds=_unless(office.said_odds, proposal),
            )
        case _ as never:
            assert_never(never)


def _unless(said: Said[ValueT] | None, proposal: str) -> Said[ValueT] | None:
    return None if said is None or said.id == proposal else said


def _with_staff(office: Office, fact: StaffFact) -> Office:
    people = staff.evolve(office.staff, fact)
    office = replace(office, staff=people)
    if not isinstance(fact, RolesSet | StaffRemoved) or fact.name in people.managers():
        return office
    by = actor_of(fact.name)
    return replace(
        office,
        said_terms=unless_by(office.said_terms, by),
        said_accounts=unless_by(office.said_accounts, by),
        said_odds=unless_by(office.said_odds, by),
        voids=voids.without(office.voids, by),
    )


def decide(
    command: SettingCommand | StaffCommand | ContentCommand, office: Office, now: int, day: str
) -> Sequence[OfficeFact] | Refused:
    """What a change leads to; one that changes nothing yields no facts.

    `day` (yyyy-mm-dd) is the calendar day of `now`, where the house is.
    """
    match command:
        case _ if isinstance(command, SettingCommand):
            return _decide_setting(command, office, day)
        case _ if isinstance(command, StaffCommand):
            return staff.decide(command, office.staff, now)
        case PublishContent() | WithdrawContent():
            published = contents.decide(command, office.contents)
            return published if isinstance(published, Refused) else [*published]
        case _ as never:
            assert_never(never)


def _decide_setting(
    command: SettingCommand, office: Office, day: str
) -> Sequence[OfficeFact] | Refused:
    match command:
        case TurnSwitch(scope=scope, closed=closed, by=by):
            if scope not in SCOPES:
                return Refused(Refusal.SWITCH_UNKNOWN, "scope")
            return [] if (scope in office.closed) == closed else [SwitchTurned(scope, closed, by)]
        case SetTerms(terms=terms, by=by):
            wrong = _unsound(terms)
            if wrong:
                return Refused(Refusal.TERMS_INVALID, wrong)
            says, holds = Said(terms, by), office.terms
            return heard(TERMS, says, office.said_terms, holds, TermsProposed, TermsSet)
        case SetReceivingAccounts(accounts=accounts, by=by):
            facts = (ReceivingAccountsProposed, ReceivingAccountsSet)
            said = office.said_accounts
            return heard(RECEIVING, Said(accounts, by), said, office.accounts, *facts)
        case ProposeOdds(table=table, by=by):
            if table not in TABLES:
                return Refused(Refusal.TERMS_INVALID, "table")
            holds_last, agreed = next_odds(office.odds), partial(_odds_set, day)
            said_odds = office.said_odds
            return heard(ODDS, Said(table, by), said_odds, holds_last, OddsProposed, agreed)
        case DecideProposal():
            return _decide_proposal(command, office, day)
        case _ as never:
            assert_never(never)


def _odds_set(day: str, table: str, by: str) -> OddsSet:
    return OddsSet(table, day_after(day), by)


def _decide_proposal(
    command: DecideProposal, office: Office, day: str
) -> Sequence[OfficeFact] | Refused:
    """Reject an open proposal, or agree to a colleague's."""
    waiting = (office.said_terms, office.said_accounts, office.said_odds)
    found = next((each for each in waiting if each and each.id == command.proposal), None)
    if found is None:
        return Refused(Refusal.PROPOSAL_UNKNOWN, "id")
    if not command.approve:
        return [ProposalRejected(found.id, command.by)]
    if found.by == command.by:
        return Refused(Refusal.SECOND_PERSON_NEEDED)
    again: SettingCommand
    if isinstance(found.value, Terms):
        again = SetTerms(found.value, command.by)
    elif isinstance(found.value, ReceivingAccounts):
        again = SetReceivingAccounts(found.value, command.by)
    else:
        again = ProposeOdds(found.value, command.by)
    return _decide_setting(again, office, day)


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
