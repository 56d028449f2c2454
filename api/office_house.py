"""What staff set for the house or one member: switches, terms, where deposits are sent to."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from api.calls import Asked, Auth, Call, StaffAsking
from api.commanding import answered
from api.envelope import CallRefused, Done
from api.members import looking
from api.office_desk import (
    EVERYBODY,
    amount_of,
    kept,
    key_of,
    member_of,
    note,
)
from api.office_odds import OddsProposing, OddsShown, SettingDecisionAsking, odds_shown
from api.units import At, GivenMoney, Money, Permille, PlayerId, PlayerName, Seconds, Words
from api.wire import SECOND_US, money, seconds
from engine.house import roles
from engine.house.commands import (
    DecideProposal,
    ProposeOdds,
    SetReceivingAccounts,
    SetTerms,
    SettingCommand,
    TurnSwitch,
)
from engine.players.standing_commands import SwitchPlayer
from engine.refusals import Refusal
from engine.runtime.vault import MOST_WORDS, clean_words
from engine.runtime.vault.addresses import is_whole
from engine.schedule import calendar_day
from engine.terms import MOST_PERMILLE, MOST_WAIT_US, ReceivingAccounts, Terms
from projections.standings import queries as standings
from projections.standings.queries import House, Proposed


class SwitchAsking(StaffAsking):
    """`scope` is product, all, game-<game> or plan-<plan>; running rounds finish."""

    scope: str
    closed: bool


class MemberSwitchAsking(StaffAsking):
    """`player` is a user name or a player id; withdrawals stay open to them."""

    player: PlayerName
    closed: bool
    reason: Words


class TermsAsking(StaffAsking):
    """What is to change: money in u, times in seconds, shares in thousandths."""

    four_eyes: GivenMoney | None = None
    cooling_s: Seconds | None = None
    raise_wait_s: Seconds | None = None
    least_withdrawal: GivenMoney | None = None
    largest_deposit: GivenMoney | None = None
    overnight: bool | None = None
    overnight_permille: Permille | None = None
    overnight_most: GivenMoney | None = None
    bonus_wait_s: Seconds | None = None
    quota_s: Seconds | None = None
    levels: list[GivenMoney] | None = None


class ReceivingAsking(StaffAsking):
    """What is to change of where members send deposits; empty words take an account away.

    `usdt` is a TRC20 address; one with a slip in it is refused.
    """

    usdt: str | None = None
    bank: str | None = None
    number: str | None = None
    holder: str | None = None


class SwitchShown(Struct, frozen=True):
    """A switch that was ever turned, since when and by whom; `at` in seconds since 1970."""

    scope: str
    closed: bool
    at: At
    by: str


class TermsShown(Struct, frozen=True):
    """The house's figures: money in u, times in seconds, shares in thousandths."""

    four_eyes: Money
    cooling_s: Seconds
    raise_wait_s: Seconds
    least_withdrawal: Money
    largest_deposit: Money
    overnight: bool
    overnight_permille: Permille
    overnight_most: Money
    bonus_wait_s: Seconds
    quota_s: Seconds
    levels: tuple[Money, ...]


class ReceivingShown(Struct, frozen=True):
    """Where members send deposits to; empty where there is no such account."""

    usdt: str
    bank: str
    number: str
    holder: str


class TermsProposed(Struct, frozen=True):
    """Figures that `by` has proposed, whole; another agrees by the `id`."""

    id: str
    terms: TermsShown
    at: At
    by: str


class ReceivingProposed(Struct, frozen=True):
    """Accounts that `by` has proposed, whole; another agrees by the `id`."""

    id: str
    receiving: ReceivingShown
    at: At
    by: str


class SettingsShown(Struct, frozen=True):
    """All that staff set, each by who agreed to it last; the house's defaults are by nobody.

    `*_proposed` is what one has said and nobody else yet; null where nothing waits.
    """

    terms: TermsShown
    terms_by: str
    terms_proposed: TermsProposed | None
    receiving: ReceivingShown
    receiving_by: str
    receiving_proposed: ReceivingProposed | None
    odds: OddsShown
    switches: tuple[SwitchShown, ...]


class Switched(Struct, frozen=True):
    """The member whose gaming is closed now, or open."""

    player: PlayerId
    closed: bool


async def show(asked: Asked[StaffAsking]) -> Done:
    """What staff have set."""
    return Done(_shown(asked, await _house(asked)))


async def turn_switch(asked: Asked[SwitchAsking]) -> Done:
    """Close or open the product, all gaming, one game or one hall."""
    actor = asked.staff
    return await _set(asked, actor, TurnSwitch(asked.body.scope, asked.body.closed, actor))


async def set_terms(asked: Asked[TermsAsking]) -> Done:
    """Say what some of the house's figures are to be; the others stay as they are.

    They hold once another manager has agreed, by the proposal's id or by saying the same.
    """
    actor, changes = asked.staff, _terms(asked.body)

    async def change() -> Done:
        changed = replace(looking(asked.services).office.terms, **changes)
        return await _set(asked, actor, SetTerms(changed, actor))

    return await _once(asked, changes, change)


async def set_receiving(asked: Asked[ReceivingAsking]) -> Done:
    """Say where members are to send deposits to, which takes two as the house's figures do."""
    actor, body = asked.staff, asked.body
    given = {name: getattr(body, name) for name in ("usdt", "bank", "number", "holder")}
    words = {name: clean_words(value) for name, value in given.items() if value is not None}
    for name, value in words.items():
        if len(value) > MOST_WORDS:
            raise CallRefused(Refusal.REQUEST_MALFORMED, name)
    if (usdt := words.get("usdt")) and not is_whole(usdt, "trc20"):
        raise CallRefused(Refusal.RECEIVING_ADDRESS_INVALID, "usdt")

    async def change() -> Done:
        changed = replace(looking(asked.services).office.accounts, **words)
        return await _set(asked, actor, SetReceivingAccounts(changed, actor))

    return await _once(asked, words, change)


async def propose_odds(asked: Asked[OddsProposing]) -> Done:
    """Propose the odds table of the next day and those after it; another has to agree."""
    return await _set(asked, asked.staff, ProposeOdds(asked.body.table, asked.staff))


async def decide_setting(asked: Asked[SettingDecisionAsking]) -> Done:
    """Agree to terms, receiving accounts or odds that a colleague proposed, or reject them."""
    body, actor = asked.body, asked.staff
    return await _set(asked, actor, DecideProposal(body.id, body.approve, actor))


async def switch_member(asked: Asked[MemberSwitchAsking]) -> Done:
    """Close one member's gaming, or open it again."""
    body, actor, key = asked.body, asked.staff, key_of(asked)
    player = (await member_of(asked, body.player)).player
    place = f"player-{player}/{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    reason = await kept(asked, place, body.reason, player, "reason")
    command = SwitchPlayer(player, body.closed, actor, reason)
    reply = await answered(asked.services, actor, key, command)
    note(asked, player, reply.position)
    return Done(Switched(player, body.closed), "set")


async def _once(
    asked: Asked[Any], changes: dict[str, Any], work: Callable[[], Awaitable[Done]]
) -> Done:
    """A change of some figures, which a repetition under its key does not do to newer ones."""
    key, path = f"{asked.staff}/{key_of(asked)}", type(asked.body).__name__
    asks = {**changes, "": sorted(changes)}
    return await asked.services.once(EVERYBODY, path, key, asks, work)


async def _house(asked: Asked[Any]) -> House:
    return await asked.services.read_own(EVERYBODY, standings.house)


async def _set(asked: Asked[Any], actor: str, command: SettingCommand) -> Done:
    reply = await answered(asked.services, actor, key_of(asked), command)
    note(asked, EVERYBODY, reply.position)
    return Done(_shown(asked, await _house(asked)), "set")


def _terms(body: TermsAsking) -> dict[str, Any]:
    """The fields that are to change, as the engine counts them."""
    sums = ("four_eyes", "least_withdrawal", "largest_deposit", "overnight_most")
    changes: dict[str, Any] = {
        f"{name}_minor": amount_of(getattr(body, name), name)
        for name in sums
        if getattr(body, name) is not None
    }
    for name in ("cooling", "raise_wait", "bonus_wait", "quota"):
        waited = getattr(body, f"{name}_s")
        if waited is not None:
            changes[f"{name}_us"] = _within(waited * SECOND_US, MOST_WAIT_US, f"{name}_s")
    if body.overnight is not None:
        changes["overnight"] = body.overnight
    if body.overnight_permille is not None:
        field = "overnight_permille"
        changes[field] = _within(body.overnight_permille, MOST_PERMILLE, field)
    if body.levels is not None:
        changes["levels_minor"] = tuple(amount_of(level, "levels") for level in body.levels)
    return changes


def _within(value: int, most: int, field: str) -> int:
    if not 0 <= value <= most:
        raise CallRefused(Refusal.TERMS_INVALID, field)
    return value


def _shown(asked: Asked[Any], house: House) -> SettingsShown:
    settings = asked.services.settings
    today = calendar_day(settings.timezone, asked.services.clock())
    switches = (SwitchShown(it.scope, it.closed, seconds(it.at), it.by) for it in house.switches)
    return SettingsShown(
        _terms_shown(house.terms),
        house.terms_by,
        _terms_proposed(house.terms_proposed),
        receiving_shown(house.receiving),
        house.receiving_by,
        _receiving_proposed(house.receiving_proposed),
        odds_shown(house, today, settings.odds_table),
        tuple(switches),
    )


def _terms_proposed(it: Proposed[Terms] | None) -> TermsProposed | None:
    if it is None:
        return None
    return TermsProposed(it.id, _terms_shown(it.value), seconds(it.at), it.by)


def _receiving_proposed(it: Proposed[ReceivingAccounts] | None) -> ReceivingProposed | None:
    if it is None:
        return None
    return ReceivingProposed(it.id, receiving_shown(it.value), seconds(it.at), it.by)


def _terms_shown(terms: Terms) -> TermsShown:
    return TermsShown(
        money(terms.four_eyes_minor),
        seconds(terms.cooling_us),
        seconds(terms.raise_wait_us),
        money(terms.least_withdrawal_minor),
        money(terms.largest_deposit_minor),
        terms.overnight,
        terms.overnight_permille,
        money(terms.overnight_most_minor),
        seconds(terms.bonus_wait_us),
        seconds(terms.quota_us),
        tuple(money(level) for level in terms.levels_minor),
    )


def receiving_shown(accounts: ReceivingAccounts) -> ReceivingShown:
    """The house's accounts as they go over the wire."""
    return ReceivingShown(accounts.usdt, accounts.bank, accounts.number, accounts.holder)


CALLS: Final[tuple[Call[Any], ...]] = (
    Call(
        "/api/office/settings",
        StaffAsking,
        SettingsShown,
        show,
        "What is set (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS_SHOWN,
    ),
    Call(
        "/api/office/switch",
        SwitchAsking,
        SettingsShown,
        turn_switch,
        "Close or open gaming (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS,
        keyed=True,
        refusals=(Refusal.SWITCH_UNKNOWN,),
    ),
    Call(
        "/api/office/terms",
        TermsAsking,
        SettingsShown,
        set_terms,
        "Say what the house's figures are to be (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS,
        keyed=True,
        refusals=(Refusal.AMOUNT_INVALID, Refusal.TERMS_INVALID, Refusal.PROPOSAL_OPEN),
    ),
    Call(
        "/api/office/receivingAccounts",
        ReceivingAsking,
        SettingsShown,
        set_receiving,
        "Change where deposits are sent (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS,
        keyed=True,
        refusals=(Refusal.RECEIVING_ADDRESS_INVALID, Refusal.PROPOSAL_OPEN),
    ),
    Call(
        "/api/office/odds",
        OddsProposing,
        SettingsShown,
        propose_odds,
        "Propose the odds table of the days to come (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS,
        keyed=True,
        refusals=(Refusal.TERMS_INVALID, Refusal.PROPOSAL_OPEN),
    ),
    Call(
        "/api/office/settingDecision",
        SettingDecisionAsking,
        SettingsShown,
        decide_setting,
        "Agree to proposed terms, accounts or odds, or reject them (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS,
        keyed=True,
        refusals=(Refusal.PROPOSAL_UNKNOWN, Refusal.SECOND_PERSON_NEEDED, Refusal.TERMS_INVALID),
    ),
    Call(
        "/api/office/memberSwitch",
        MemberSwitchAsking,
        Switched,
        switch_member,
        "Close or open one member's gaming (staff)",
        auth=Auth.STAFF,
        roles=roles.MEMBERS,
        keyed=True,
        refusals=(Refusal.PLAYER_UNKNOWN,),
    ),
)
