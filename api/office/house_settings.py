"""Settings by staff, for the house or one player: switches, terms, receiving accounts, odds."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from api.account.player_sync import engine_reader
from api.http.command_submission import submit
from api.http.endpoints import Auth, Endpoint, RequestContext, StaffRequest
from api.http.envelope import CallRefused, CallResult
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
from api.http.wire import SECOND_US, money, seconds
from api.office.common import (
    ALL_STAFF,
    amount_of,
    commitment_to,
    member_of,
    record_position,
    require_idempotency_key,
)
from api.office.odds import OddsProposalRequest, OddsView, SettingDecisionRequest, odds_view
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
from engine.runtime.vault import MAX_TEXT_LENGTH, clean_text
from engine.runtime.vault.validation import is_valid_address
from engine.schedule import calendar_day
from engine.staff import roles
from engine.terms import MAX_PERMILLE, MAX_WAIT_US, ReceivingAccounts, Terms
from projections.profiles import queries as standings
from projections.profiles.queries import HouseSettings, ProposalView


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


async def show(ctx: RequestContext[StaffRequest]) -> CallResult:
    """Returns the settings."""
    return CallResult(_settings_view(ctx, await _house(ctx)))


async def turn_switch(ctx: RequestContext[SwitchRequest]) -> CallResult:
    """Close or open the product, all gaming, one game or one hall."""
    actor = ctx.staff
    return await _set(ctx, actor, TurnSwitch(ctx.body.scope, ctx.body.closed, actor))


async def set_terms(ctx: RequestContext[TermsRequest]) -> CallResult:
    """Propose new values for some of the house terms; the others stay unchanged.

    They apply once a second manager agrees by the proposal's id, or enters the same values.
    """
    actor, changes = ctx.staff, _terms(ctx.body)

    async def change() -> CallResult:
        changed = replace(engine_reader(ctx.services).house.terms, **changes)
        return await _set(ctx, actor, SetTerms(changed, actor))

    return await _run_once(ctx, changes, change)


async def set_receiving(ctx: RequestContext[ReceivingAccountsRequest]) -> CallResult:
    """Propose receiving accounts of deposits; a second manager has to agree as for the terms."""
    actor, body = ctx.staff, ctx.body
    values = {name: getattr(body, name) for name in ("usdt", "bank", "number", "holder")}
    words = {name: clean_text(value) for name, value in values.items() if value is not None}
    for name, value in words.items():
        if len(value) > MAX_TEXT_LENGTH:
            raise CallRefused(Refusal.REQUEST_MALFORMED, name)
    if (usdt := words.get("usdt")) and not is_valid_address(usdt, "trc20"):
        raise CallRefused(Refusal.RECEIVING_ADDRESS_INVALID, "usdt")

    async def change() -> CallResult:
        changed = replace(engine_reader(ctx.services).house.accounts, **words)
        return await _set(ctx, actor, SetReceivingAccounts(changed, actor))

    return await _run_once(ctx, words, change)


async def propose_odds(ctx: RequestContext[OddsProposalRequest]) -> CallResult:
    """Propose the odds table from the next day on; a second person has to agree."""
    return await _set(ctx, ctx.staff, ProposeOdds(ctx.body.table, ctx.staff))


async def decide_setting(ctx: RequestContext[SettingDecisionRequest]) -> CallResult:
    """Agree to terms, receiving accounts or odds that a colleague proposed, or reject them."""
    body, actor = ctx.body, ctx.staff
    return await _set(ctx, actor, DecideProposal(body.id, body.approve, actor))


async def switch_member(ctx: RequestContext[MemberSwitchRequest]) -> CallResult:
    """Close or reopen betting and deposits for one player."""
    body, actor, key = ctx.body, ctx.staff, require_idempotency_key(ctx)
    player = (await member_of(ctx, body.player)).player
    text_id = f"player-{player}/{sha256(f'{actor}/{key}'.encode()).hexdigest()[:20]}"
    reason = await commitment_to(ctx, text_id, body.reason, player, "reason")
    command = SwitchPlayer(player, body.closed, actor, reason)
    reply = await submit(ctx.services, actor, key, command)
    record_position(ctx, player, reply.position)
    return CallResult(Switched(player, body.closed), "set")


async def _run_once(
    ctx: RequestContext[Any], changes: dict[str, Any], work: Callable[[], Awaitable[CallResult]]
) -> CallResult:
    """Run a partial change once per key, so that a repetition does not overwrite newer values."""
    key, path = f"{ctx.staff}/{require_idempotency_key(ctx)}", type(ctx.body).__name__
    request_fields = {**changes, "": sorted(changes)}
    return await ctx.services.idempotent_requests(ALL_STAFF, path, key, request_fields, work)


async def _house(ctx: RequestContext[Any]) -> HouseSettings:
    return await ctx.services.read_own(ALL_STAFF, standings.house_settings)


async def _set(ctx: RequestContext[Any], actor: str, command: SettingCommand) -> CallResult:
    reply = await submit(ctx.services, actor, require_idempotency_key(ctx), command)
    record_position(ctx, ALL_STAFF, reply.position)
    return CallResult(_settings_view(ctx, await _house(ctx)), "set")


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


def _settings_view(ctx: RequestContext[Any], house: HouseSettings) -> SettingsView:
    settings = ctx.services.settings
    today = calendar_day(settings.timezone, ctx.services.clock())
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


CALLS: Final[tuple[Endpoint[Any], ...]] = (
    Endpoint(
        "/api/office/settings",
        StaffRequest,
        SettingsView,
        show,
        "Show the settings (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS_SHOWN,
    ),
    Endpoint(
        "/api/office/switch",
        SwitchRequest,
        SettingsView,
        turn_switch,
        "Close or open gaming (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS,
        idempotent=True,
        refusals=(Refusal.SWITCH_UNKNOWN,),
    ),
    Endpoint(
        "/api/office/terms",
        TermsRequest,
        SettingsView,
        set_terms,
        "Propose new house terms (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS,
        idempotent=True,
        refusals=(Refusal.AMOUNT_INVALID, Refusal.TERMS_INVALID, Refusal.PROPOSAL_OPEN),
    ),
    Endpoint(
        "/api/office/receivingAccounts",
        ReceivingAccountsRequest,
        SettingsView,
        set_receiving,
        "Change where deposits are sent (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS,
        idempotent=True,
        refusals=(Refusal.RECEIVING_ADDRESS_INVALID, Refusal.PROPOSAL_OPEN),
    ),
    Endpoint(
        "/api/office/odds",
        OddsProposalRequest,
        SettingsView,
        propose_odds,
        "Propose the odds table of later days (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS,
        idempotent=True,
        refusals=(Refusal.TERMS_INVALID, Refusal.PROPOSAL_OPEN),
    ),
    Endpoint(
        "/api/office/settingDecision",
        SettingDecisionRequest,
        SettingsView,
        decide_setting,
        "Agree to proposed terms, accounts or odds, or reject them (staff)",
        auth=Auth.STAFF,
        roles=roles.SETTINGS,
        idempotent=True,
        refusals=(Refusal.PROPOSAL_UNKNOWN, Refusal.SECOND_PERSON_NEEDED, Refusal.TERMS_INVALID),
    ),
    Endpoint(
        "/api/office/memberSwitch",
        MemberSwitchRequest,
        Switched,
        switch_member,
        "Close or open gaming for one player (staff)",
        auth=Auth.STAFF,
        roles=roles.MEMBERS,
        idempotent=True,
        refusals=(Refusal.PLAYER_UNKNOWN,),
    ),
)
