"""What holds for the house: switches, terms, receiving accounts; its staff, checks of its program.

Stream: `house`. What they publish stands in it too: see `contents.py`.
"""

from collections.abc import Sequence
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from engine.answers import Refused
from engine.catalogue import GAMES, PLANS
from engine.house import contents, staff
from engine.house.commands import (
    OfficeCommand,
    RecordProgram,
    SetReceivingAccounts,
    SetTerms,
    StaffCommand,
    TurnSwitch,
)
from engine.house.content_commands import PublishContent, WithdrawContent
from engine.house.content_facts import ContentPublished, ContentWithdrawn
from engine.house.contents import Contents
from engine.house.facts import (
    OfficeFact,
    ProgramChecked,
    ReceivingAccountsSet,
    StaffFact,
    SwitchTurned,
    TermsSet,
)
from engine.house.staff import Staff
from engine.refusals import Refusal
from engine.terms import DEFAULT_TERMS, ReceivingAccounts, Terms

PRODUCT = "product"
ALL = "all"
SCOPES = frozenset(
    {PRODUCT, ALL, *(f"game-{game}" for game in GAMES), *(f"plan-{plan}" for plan in PLANS)}
)


class Office(Struct, frozen=True):
    """`closed` are the scopes in which no bets are taken."""

    version: int = 0
    terms: Terms = DEFAULT_TERMS
    accounts: ReceivingAccounts = ReceivingAccounts()
    closed: frozenset[str] = frozenset()
    staff: Staff = Staff()
    contents: Contents = field(default_factory=dict)

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
        case SwitchTurned(scope=scope, closed=closed):
            scopes = office.closed | {scope} if closed else office.closed - {scope}
            return replace(office, version=version, closed=scopes)
        case TermsSet(terms=terms):
            return replace(office, version=version, terms=terms)
        case ReceivingAccountsSet(accounts=accounts):
            return replace(office, version=version, accounts=accounts)
        case _ if isinstance(fact, StaffFact):
            return replace(office, version=version, staff=staff.evolve(office.staff, fact))
        case ContentPublished() | ContentWithdrawn():
            shown = contents.evolve(office.contents, fact)
            return replace(office, version=version, contents=shown)
        case ProgramChecked():
            return replace(office, version=version)
        case _ as never:
            assert_never(never)


def decide(command: OfficeCommand, office: Office, now: int) -> Sequence[OfficeFact] | Refused:
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
            return [] if terms == office.terms else [TermsSet(terms, by)]
        case SetReceivingAccounts(accounts=accounts, by=by):
            same = accounts == office.accounts
            return [] if same else [ReceivingAccountsSet(accounts, by)]
        case _ if isinstance(command, StaffCommand):
            return staff.decide(command, office.staff, now)
        case PublishContent() | WithdrawContent():
            published = contents.decide(command, office.contents)
            return published if isinstance(published, Refused) else [*published]
        case _ as never:
            assert_never(never)


def program_checked(command: RecordProgram) -> ProgramChecked:
    """What a check found is written down each time, for that there was one is what auditors ask."""
    return ProgramChecked(
        command.digest, command.engine, command.files, command.changed, command.by
    )


def _unsound(terms: Terms) -> str:
    """The first figure below zero, or the levels unless they begin at zero and rise; or nothing."""
    figures = (
        "four_eyes_minor",
        "cooling_us",
        "raise_wait_us",
        "least_withdrawal_minor",
        "overnight_permille",
        "overnight_most_minor",
        "bonus_wait_us",
        "quota_us",
    )
    below = next((name for name in figures if getattr(terms, name) < 0), "")
    if below or terms.largest_deposit_minor < 1:
        return below or "largest_deposit_minor"
    levels = terms.levels_minor
    rise = levels[:1] == (0,) and list(levels) == sorted(set(levels))
    return "" if rise else "levels_minor"
