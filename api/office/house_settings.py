"""Settings by staff, for the house or one player: switches, terms, receiving accounts, odds."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from api.http.call_request import CallRequest, StaffRequest
from api.http.calls import staff_command, staff_query
from api.http.commands import Commands
from api.http.db_pool import ReadModels
from api.http.envelope import CallResult
from api.http.field_types import (
    At,
    Money,
    MoneyInput,
    Permille,
    PlayerId,
    PlayerName,
    Seconds,
    Words,
)
from api.http.refusals import CallRefused
from api.http.wire import SECOND_US, money, seconds
from api.office.common import (
    ALL_STAFF,
    amount_of,
    commitment_to,
    member_of,
    record_position,
)
from api.office.odds import OddsProposalRequest, OddsView, SettingDecisionRequest, odds_view
from api.services import Services
from api.settings import Settings
from engine.house.commands import (
    DecideProposal,
    ProposeOdds,
    SetReceivingAccounts,
    SetTerms,
    SettingCommand,
    TurnSwitch,
)
from engine.players.commands import SwitchPlayer
from engine.refusals import Refusal
from engine.runtime.vault import MAX_TEXT_LENGTH, Vault, clean_text
from engine.runtime.vault.validation import is_valid_address
from engine.schedule import calendar_day
from engine.staff import roles
from engine.terms import MAX_PERMILLE, MAX_WAIT_US, ReceivingAccounts, Terms
from projections.house_settings import HouseSettings, ProposalView, current_settings


class SwitchRequest(StaffRequest):
    """`scope` is product, all, game-<game> or plan-<plan>; running rounds finish."""

    scope: str
    closed: bool


class MemberSwitchRequest(StaffRequest):
    """`player` is a user name or a player id; the player can still withdraw."""

    player: PlayerName
    closed: bool
    reason: Words


class TermsRequest(StaffRequest):
    """The terms to change: money in u, times in seconds, shares in thousandths."""

    four_eyes: MoneyInput | None = None
    cooling_s: Seconds | None = None
    raise_wait_s: Seconds | None = None
    least_withdrawal: MoneyInput | None = None
    largest_deposit: MoneyInput | None = None
    overnight: bool | None = None
    overnight_permille: Permille | None = None
    overnight_most: MoneyInput | None = None
    bonus_wait_s: Seconds | None = None
    quota_s: Seconds | None = None
    levels: list[MoneyInput] | None = None


class ReceivingAccountsRequest(StaffRequest):
    """The receiving accounts of deposits to change; an empty text removes one.

    `usdt` is a TRC20 address; one with a typo is refused.
    """

    usdt: str | None = None
    bank: str | None = None
    number: str | None = None
    holder: str | None = None


class SwitchView(Struct, frozen=True):
    """A switch that staff have set, since when and by whom; `at` in seconds since 1970."""

    scope: str
    closed: bool
    at: At
    by: str


class TermsView(Struct, frozen=True):
    """The house terms: money in u, times in seconds, shares in thousandths."""

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


class ReceivingAccountsView(Struct, frozen=True):
    """The receiving accounts of deposits; empty if there is no such account."""

    usdt: str
    bank: str
    number: str
    holder: str


class TermsProposal(Struct, frozen=True):
    """All terms as `by` has proposed them; a second person agrees by the `id`."""

    id: str
    terms: TermsView
    at: At
    by: str


class ReceivingAccountsProposal(Struct, frozen=True):
    """All accounts as `by` has proposed them; a second person agrees by the `id`."""

    id: str
    receiving: ReceivingAccountsView
    at: At
    by: str


class SettingsView(Struct, frozen=True):
    """All settings, each with the person who agreed to it last; for a default that is empty.

    `*_proposed` is a proposal that waits for a second person; null if there is none.
    """

    terms: TermsView
    terms_by: str
    terms_proposed: TermsProposal | None
    receiving: ReceivingAccountsView
    receiving_by: str
    receiving_proposed: ReceivingAccountsProposal | None
    odds: OddsView
    switches: tuple[SwitchView, ...]


class Switched(Struct, frozen=True):
    """The player, and whether betting and deposits are closed for them now."""

    player: PlayerId
    closed: bool


@staff_query("settings", "Show the settings", roles.SETTINGS_SHOWN)
async def show(
    settings: Settings, read_models: ReadModels, clock: Callable[[], int]
) -> CallResult[SettingsView]:
    """Returns the settings."""
    return CallResult(_settings_view(settings, clock, await _house(read_models)))


@staff_command("switch", "Close or open gaming", roles.SETTINGS, refusals=(Refusal.SWITCH_UNKNOWN,))
async def turn_switch(
    request: CallRequest, data: SwitchRequest, services: Services
) -> CallResult[SettingsView]:
    """Close or open the product, all gaming, one game or one hall."""
    actor = request.staff
    return await _set(request, services, actor, TurnSwitch(data.scope, data.closed, actor))


@staff_command(
    "terms",
    "Propose new house terms",
    roles.SETTINGS,
    refusals=(Refusal.AMOUNT_INVALID, Refusal.TERMS_INVALID, Refusal.PROPOSAL_OPEN),
)
async def set_terms(
    request: CallRequest, data: TermsRequest, services: Services
) -> CallResult[SettingsView]:
    """Propose new values for some of the house terms; the others stay unchanged.

    They apply once a second manager agrees by the proposal's id, or enters the same values.
    """
    actor, changes = request.staff, _terms(data)

    async def change() -> CallResult[SettingsView]:
        changed = replace((await services.engine.house()).terms, **changes)
        return await _set(request, services, actor, SetTerms(changed, actor))

    return await _run_once(request, data, services.commands, changes, change)


@staff_command(
    "receivingAccounts",
    "Propose where deposits are sent",
    roles.SETTINGS,
    refusals=(Refusal.RECEIVING_ADDRESS_INVALID, Refusal.PROPOSAL_OPEN),
)
async def set_receiving(
    request: CallRequest, data: ReceivingAccountsRequest, services: Services
) -> CallResult[SettingsView]:
    """Propose receiving accounts of deposits; a second manager has to agree as for the terms."""
    actor = request.staff
    values = {name: getattr(data, name) for name in ("usdt", "bank", "number", "holder")}
    words = {name: clean_text(value) for name, value in values.items() if value is not None}
    for name, value in words.items():
        if len(value) > MAX_TEXT_LENGTH:
            raise CallRefused(Refusal.REQUEST_MALFORMED, name)
    if (usdt := words.get("usdt")) and not is_valid_address(usdt, "trc20"):
        raise CallRefused(Refusal.RECEIVING_ADDRESS_INVALID, "usdt")

    async def change() -> CallResult[SettingsView]:
        changed = replace((await services.engine.house()).accounts, **words)
        return await _set(request, services, actor, SetReceivingAccounts(changed, actor))

    return await _run_once(request, data, services.commands, words, change)


@staff_command(
    "odds",
    "Propose the odds table of later days",
    roles.SETTINGS,
    refusals=(Refusal.TERMS_INVALID, Refusal.PROPOSAL_OPEN),
)
async def propose_odds(
    request: CallRequest, data: OddsProposalRequest, services: Services
) -> CallResult[SettingsView]:
    """Propose the odds table from the next day on; a second person has to agree."""
    return await _set(request, services, request.staff, ProposeOdds(data.table, request.staff))


@staff_command(
    "settingDecision",
    "Agree to proposed terms, accounts or odds, or reject them",
    roles.SETTINGS,
    refusals=(Refusal.PROPOSAL_UNKNOWN, Refusal.SECOND_PERSON_NEEDED, Refusal.TERMS_INVALID),
)
async def decide_setting(
    request: CallRequest, data: SettingDecisionRequest, services: Services
) -> CallResult[SettingsView]:
    """Agree to terms, receiving accounts or odds that a colleague proposed, or reject them."""
    actor = request.staff
    return await _set(request, services, actor, DecideProposal(data.id, data.approve, actor))


@staff_command(
    "memberSwitch",
    "Close or open gaming for one player",
    roles.MEMBERS,
    refusals=(Refusal.PLAYER_UNKNOWN,),
)
async def switch_member(
    request: CallRequest, data: MemberSwitchRequest, vault: Vault, commands: Commands
) -> CallResult[Switched]:
    """Close or reopen betting and deposits for one player."""
    actor, key = request.staff, request.required_key
    player = (await member_of(vault, data.player)).player
    text_id = f"player-{player}/{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    reason = await commitment_to(vault, text_id, data.reason, player, "reason")
    command = SwitchPlayer(player, data.closed, actor, reason)
    reply = await commands.submit(actor, key, command)
    record_position(commands, player, reply.position)
    return CallResult(Switched(player, data.closed), "set")


async def _run_once(
    request: CallRequest,
    data: Any,
    commands: Commands,
    changes: dict[str, Any],
    work: Callable[[], Awaitable[CallResult[SettingsView]]],
) -> CallResult[SettingsView]:
    """Run a partial change once per key, so that a repetition does not overwrite newer values."""
    key, path = f"{request.staff}/{request.required_key}", type(data).__name__
    request_fields = {**changes, "": sorted(changes)}
    return await commands.once(ALL_STAFF, path, key, request_fields, work)


async def _house(read_models: ReadModels) -> HouseSettings:
    return await read_models.read_own(ALL_STAFF, current_settings)


async def _set(
    request: CallRequest, services: Services, actor: str, command: SettingCommand
) -> CallResult[SettingsView]:
    reply = await services.commands.submit(actor, request.required_key, command)
    record_position(services.commands, ALL_STAFF, reply.position)
    return CallResult(
        _settings_view(services.settings, services.clock, await _house(services.read_models)), "set"
    )


def _terms(body: TermsRequest) -> dict[str, Any]:
    """Returns the terms to change, in the engine's units."""
    sums = ("four_eyes", "least_withdrawal", "largest_deposit", "overnight_most")
    changes: dict[str, Any] = {
        f"{name}_minor": amount_of(getattr(body, name), name)
        for name in sums
        if getattr(body, name) is not None
    }
    for name in ("cooling", "raise_wait", "bonus_wait", "quota"):
        waited = getattr(body, f"{name}_s")
        if waited is not None:
            changes[f"{name}_us"] = _check_range(waited * SECOND_US, MAX_WAIT_US, f"{name}_s")
    if body.overnight is not None:
        changes["overnight"] = body.overnight
    if body.overnight_permille is not None:
        field = "overnight_permille"
        changes[field] = _check_range(body.overnight_permille, MAX_PERMILLE, field)
    if body.levels is not None:
        changes["levels_minor"] = tuple(amount_of(level, "levels") for level in body.levels)
    return changes


def _check_range(value: int, maximum: int, field: str) -> int:
    if not 0 <= value <= maximum:
        raise CallRefused(Refusal.TERMS_INVALID, field)
    return value


def _settings_view(
    settings: Settings, clock: Callable[[], int], house: HouseSettings
) -> SettingsView:
    today = calendar_day(settings.timezone, clock())
    switches = (SwitchView(it.scope, it.closed, seconds(it.at), it.by) for it in house.switches)
    return SettingsView(
        _terms_view(house.terms),
        house.terms_by,
        _terms_proposal(house.terms_proposed),
        receiving_accounts_view(house.receiving),
        house.receiving_by,
        _receiving_proposal(house.receiving_proposed),
        odds_view(house, today, settings.odds_table),
        tuple(switches),
    )


def _terms_proposal(it: ProposalView[Terms] | None) -> TermsProposal | None:
    if it is None:
        return None
    return TermsProposal(it.id, _terms_view(it.value), seconds(it.at), it.by)


def _receiving_proposal(
    it: ProposalView[ReceivingAccounts] | None,
) -> ReceivingAccountsProposal | None:
    if it is None:
        return None
    return ReceivingAccountsProposal(
        it.id, receiving_accounts_view(it.value), seconds(it.at), it.by
    )


def _terms_view(terms: Terms) -> TermsView:
    return TermsView(
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


def receiving_accounts_view(accounts: ReceivingAccounts) -> ReceivingAccountsView:
    """Returns the receiving accounts in their wire form."""
    return ReceivingAccountsView(accounts.usdt, accounts.bank, accounts.number, accounts.holder)
