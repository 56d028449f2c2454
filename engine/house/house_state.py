"""The house's state: switches, terms, receiving accounts, staff, content and program checks.

Stream: `house`. Published content is in it too: see `published_content.py`.

- Terms, receiving accounts and the odds table take two managers: the terms set the sum above which
  money takes two people, and a receiving account is where all deposits go.
- A proposal is open until another manager agrees or rejects it, its proposer changes or withdraws
  it, or its proposer stops being a manager. A new odds table applies from the next day on.
- One proposal of a kind is open at most: a colleague's is agreed to or rejected, never replaced.
  Its proposer may change it, which gives it another id.
- The id of a proposal is its kind and its version in the house's stream: see `facts.proposal_id`.
  A manager agrees by the id, or by proposing the same.
- One person turns a switch: closing must not wait, and it moves no member's money.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Generic, TypeVar, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from engine.answers import Refused
from engine.catalogue import GAMES, PLANS
from engine.house import bookings, published_content
from engine.house.bookings import BookingFact, Bookings
from engine.house.commands import (
    DecideProposal,
    FoundHouse,
    ProposeOdds,
    RecordProgram,
    SetReceivingAccounts,
    SetTerms,
    SettingCommand,
    TurnSwitch,
)
from engine.house.facts import (
    ODDS,
    RECEIVING,
    TERMS,
    HouseFounded,
    OddsProposed,
    OddsSet,
    OfficeFact,
    ProgramChecked,
    ProposalFact,
    ProposalRejected,
    ReceivingAccountsProposed,
    ReceivingAccountsSet,
    SwitchTurned,
    TermsProposed,
    TermsSet,
    proposal_id,
)
from engine.house.published_content import (
    ContentCommand,
    ContentPublished,
    ContentWithdrawn,
    PublishContent,
    PublishedContent,
    WithdrawContent,
)
from engine.odds import TABLES, OddsFrom, day_after, next_odds, with_odds
from engine.refusals import Refusal
from engine.staff import staff, void_proposals
from engine.staff.roles import actor_of
from engine.staff.staff import RolesSet, Staff, StaffCommand, StaffFact, StaffRemoved
from engine.staff.void_proposals import VoidFact, Voids
from engine.terms import DEFAULT_TERMS, MAX_PERMILLE, MAX_WAIT_US, ReceivingAccounts, Terms

ValueT = TypeVar("ValueT")
FactT = TypeVar("FactT")
MAX_LEVELS = 100
PRODUCT = "product"
ALL = "all"


class PendingProposal(Struct, Generic[ValueT], frozen=True):
    """What `by` proposes, not yet agreed to by another."""

    value: ValueT
    by: str
    id: str = ""


def propose_or_confirm(
    kind: str,
    proposal: PendingProposal[ValueT],
    pending: PendingProposal[ValueT] | None,
    current: ValueT,
    proposed: Callable[[ValueT, str], FactT],
    agreed: Callable[[ValueT, str], FactT],
) -> list[FactT] | Refused:
    """Propose, or agree if a colleague proposed the same; a repetition yields no facts."""
    if pending is None:
        return [] if proposal.value == current else [proposed(proposal.value, proposal.by)]
    if pending.by == proposal.by:
        return [] if proposal.value == pending.value else [proposed(proposal.value, proposal.by)]
    if proposal.value != pending.value:
        return Refused(Refusal.PROPOSAL_OPEN, kind)
    return [agreed(proposal.value, proposal.by)]


def drop_if_proposed_by(
    pending: PendingProposal[ValueT] | None, by: str
) -> PendingProposal[ValueT] | None:
    """The proposal, None if this person made it."""
    return None if pending is None or pending.by == by else pending


SCOPES = frozenset(
    {PRODUCT, ALL, *(f"game-{game}" for game in GAMES), *(f"plan-{plan}" for plan in PLANS)}
)


class HouseState(Struct, frozen=True):
    """`closed` are the scopes that accept no bets; `odds` the tables that staff set."""

    version: int = 0
    founded: HouseFounded | None = None
    terms: Terms = DEFAULT_TERMS
    accounts: ReceivingAccounts = ReceivingAccounts()
    proposed_terms: PendingProposal[Terms] | None = None
    proposed_accounts: PendingProposal[ReceivingAccounts] | None = None
    proposed_odds: PendingProposal[str] | None = None
    odds: tuple[OddsFrom, ...] = ()
    closed: frozenset[str] = frozenset()
    staff: Staff = Staff()
    contents: PublishedContent = field(default_factory=dict)
    voids: Voids = field(default_factory=dict)
    bookings: Bookings = field(default_factory=dict)

    @property
    def discontinued(self) -> bool:
        """Whether the whole product is closed, so that no game sells anything."""
        return PRODUCT in self.closed

    def closed_reason(self, game: int, plan: int) -> Refusal | None:
        """Why this hall accepts no bets, None if it does."""
        if not self.closed:
            return None
        if self.discontinued:
            return Refusal.PRODUCT_DISCONTINUED
        scopes = {ALL, f"game-{game}", f"plan-{plan}"}
        return Refusal.GAMING_CLOSED if scopes & self.closed else None


def evolve(house: HouseState, fact: OfficeFact | ProgramChecked) -> HouseState:
    """The house's state after a fact; never refuses."""
    version = house.version + 1
    match fact:
        case HouseFounded():
            return replace(house, version=version, founded=fact)
        case SwitchTurned(scope=scope, closed=closed):
            scopes = house.closed | {scope} if closed else house.closed - {scope}
            return replace(house, version=version, closed=scopes)
        case _ if isinstance(fact, ProposalFact | TermsSet | ReceivingAccountsSet | OddsSet):
            return _with_proposal(replace(house, version=version), fact)
        case _ if isinstance(fact, StaffFact):
            return _with_staff(replace(house, version=version), fact)
        case ContentPublished() | ContentWithdrawn():
            shown = published_content.evolve(house.contents, fact)
            return replace(house, version=version, contents=shown)
        case _ if isinstance(fact, VoidFact):
            return replace(house, version=version, voids=void_proposals.evolve(house.voids, fact))
        case _ if isinstance(fact, BookingFact):
            waiting = bookings.evolve(house.bookings, fact)
            return replace(house, version=version, bookings=waiting)
        case ProgramChecked():
            return replace(house, version=version)
        case _ as never:
            assert_never(never)


def _with_proposal(
    house: HouseState, fact: ProposalFact | TermsSet | ReceivingAccountsSet | OddsSet
) -> HouseState:
    """The house's proposals after a fact; `house.version` already counts the fact."""
    pending: PendingProposal[Any] | None = None
    match fact:
        case TermsProposed(terms=terms, by=by):
            if terms != house.terms:
                pending = PendingProposal(terms, by, proposal_id(TERMS, house.version))
            return replace(house, proposed_terms=pending)
        case TermsSet(terms=terms):
            return replace(house, terms=terms, proposed_terms=None)
        case ReceivingAccountsProposed(accounts=accounts, by=by):
            if accounts != house.accounts:
                pending = PendingProposal(accounts, by, proposal_id(RECEIVING, house.version))
            return replace(house, proposed_accounts=pending)
        case ReceivingAccountsSet(accounts=accounts):
            return replace(house, accounts=accounts, proposed_accounts=None)
        case OddsProposed(table=table, by=by):
            if table != next_odds(house.odds):
                pending = PendingProposal(table, by, proposal_id(ODDS, house.version))
            return replace(house, proposed_odds=pending)
        case OddsSet(table=table, from_day=day):
            return replace(house, odds=with_odds(house.odds, day, table), proposed_odds=None)
        case ProposalRejected(proposal=proposal):
            return replace(
                house,
                proposed_terms=_drop_if_id(house.proposed_terms, proposal),
                proposed_accounts=_drop_if_id(house.proposed_accounts, proposal),
                proposed_odds=_drop_if_id(house.proposed_odds, proposal),
            )
        case _ as never:
            assert_never(never)


def _drop_if_id(
    pending: PendingProposal[ValueT] | None, proposal: str
) -> PendingProposal[ValueT] | None:
    return None if pending is None or pending.id == proposal else pending


def _with_staff(house: HouseState, fact: StaffFact) -> HouseState:
    people = staff.evolve(house.staff, fact)
    house = replace(house, staff=people)
    if not isinstance(fact, RolesSet | StaffRemoved) or fact.name in people.managers():
        return house
    by = actor_of(fact.name)
    return replace(
        house,
        proposed_terms=drop_if_proposed_by(house.proposed_terms, by),
        proposed_accounts=drop_if_proposed_by(house.proposed_accounts, by),
        proposed_odds=drop_if_proposed_by(house.proposed_odds, by),
        voids=void_proposals.without_proposals_by(house.voids, by),
    )


def decide(
    command: SettingCommand | StaffCommand | ContentCommand, house: HouseState, now: int, day: str
) -> Sequence[OfficeFact] | Refused:
    """Returns the facts of a change; one that changes nothing yields no facts.

    `day` (yyyy-mm-dd) is the calendar day of `now` in the house's time zone.
    """
    match command:
        case _ if isinstance(command, SettingCommand):
            return _decide_setting(command, house, day)
        case _ if isinstance(command, StaffCommand):
            return staff.decide(command, house.staff, now)
        case PublishContent() | WithdrawContent():
            published = published_content.decide(command, house.contents)
            return published if isinstance(published, Refused) else [*published]
        case _ as never:
            assert_never(never)


def _decide_setting(
    command: SettingCommand, house: HouseState, day: str
) -> Sequence[OfficeFact] | Refused:
    match command:
        case TurnSwitch(scope=scope, closed=closed, by=by):
            if scope not in SCOPES:
                return Refused(Refusal.SWITCH_UNKNOWN, "scope")
            return [] if (scope in house.closed) == closed else [SwitchTurned(scope, closed, by)]
        case SetTerms(terms=terms, by=by):
            wrong = _invalid_field(terms)
            if wrong:
                return Refused(Refusal.TERMS_INVALID, wrong)
            proposal, current = PendingProposal(terms, by), house.terms
            return propose_or_confirm(
                TERMS, proposal, house.proposed_terms, current, TermsProposed, TermsSet
            )
        case SetReceivingAccounts(accounts=accounts, by=by):
            facts = (ReceivingAccountsProposed, ReceivingAccountsSet)
            pending = house.proposed_accounts
            return propose_or_confirm(
                RECEIVING, PendingProposal(accounts, by), pending, house.accounts, *facts
            )
        case ProposeOdds(table=table, by=by):
            if table not in TABLES:
                return Refused(Refusal.TERMS_INVALID, "table")
            current_table, agreed = next_odds(house.odds), partial(_odds_set, day)
            pending_odds = house.proposed_odds
            return propose_or_confirm(
                ODDS, PendingProposal(table, by), pending_odds, current_table, OddsProposed, agreed
            )
        case DecideProposal():
            return _decide_proposal(command, house, day)
        case _ as never:
            assert_never(never)


def _odds_set(day: str, table: str, by: str) -> OddsSet:
    return OddsSet(table, day_after(day), by)


def _decide_proposal(
    command: DecideProposal, house: HouseState, day: str
) -> Sequence[OfficeFact] | Refused:
    """Reject an open proposal, or agree to a colleague's."""
    waiting = (house.proposed_terms, house.proposed_accounts, house.proposed_odds)
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
    return _decide_setting(again, house, day)


def found_house(command: FoundHouse, house: HouseState) -> list[HouseFounded]:
    """Set the house's mode, only once: a founded house keeps its mode."""
    return [] if house.founded else [HouseFounded(command.house, command.mode)]


def program_checked(command: RecordProgram) -> ProgramChecked:
    """Every check is recorded, also one without findings: auditors need proof that it ran."""
    return ProgramChecked(
        command.digest, command.engine, command.files, command.changed, command.by
    )


def _invalid_field(terms: Terms) -> str:
    """The first term outside its bounds, `levels_minor` unless they rise from zero, else empty."""
    sums = ("four_eyes_minor", "least_withdrawal_minor", "overnight_most_minor")
    waits = ("cooling_us", "raise_wait_us", "bonus_wait_us", "quota_us")
    maximums = dict.fromkeys(waits, MAX_WAIT_US) | {"overnight_permille": MAX_PERMILLE}
    bounds = [*((name, None) for name in sums), *maximums.items()]
    for name, highest in bounds:
        value = getattr(terms, name)
        if value < 0 or (highest is not None and value > highest):
            return name
    if terms.largest_deposit_minor < 1:
        return "largest_deposit_minor"
    levels = terms.levels_minor
    rise = levels[:1] == (0,) and list(levels) == sorted(set(levels))
    return "" if rise and len(levels) <= MAX_LEVELS else "levels_minor"
