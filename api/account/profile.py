"""Reads and completes the player's profile: /api/user/userInfo and /api/user/profile."""

import asyncio
from datetime import date, timedelta
from typing import Annotated, Final

from msgspec import Meta, Struct

from api.account.player_sync import Players, refused_by_vault
from api.http.call_request import ApiRequest, Auth, CallRequest
from api.http.calls import call
from api.http.envelope import CallResult
from api.http.field_types import UNIT, Avatar, Group, Money, PlayerId, Version
from api.http.refusals import CallRefused
from api.http.wire import money
from api.services import Services
from engine.cashier.commands import BANK_CARD, WALLET
from engine.refusals import Refusal
from engine.runtime.port import EnginePort
from engine.runtime.vault import ProfileState, Vault, VaultRefused
from engine.runtime.vault.player_directory import AVATARS
from engine.runtime.vault.private_fields import IDCARD
from engine.schedule import calendar_day
from projections import accounts

PROFILE: Final = "/api/user/profile"
_MAX_INPUT_LENGTH: Final = 200

IdCard = Annotated[
    str | int,
    Meta(
        description=f"An ID-card number, 1 to {IDCARD.max_length} characters",
        extra_json_schema={UNIT: "id", "maxLength": IDCARD.max_length},
    ),
]


class ProfileRequest(ApiRequest):
    """What to store: the ID-card number, which is permanent, or the number of an avatar (1-8)."""

    idcard: IdCard | None = None
    avatar: Avatar | None = None


class BaseInfo(Struct, frozen=True):
    """The player's base info: the masked ID-card number, and `usercrud` once it is complete."""

    idcard: str | None
    usercrud: bool
    avatar: Avatar


class Profile(Struct, frozen=True):
    """The caller's profile; `profit` is yesterday's, `idcard` is masked, null until it is stored.

    `level` is basic, senior, master or expert, null while no instance leads. The flags after it
    show what a withdrawal still needs.
    """

    username: str
    nickname: str
    today_profit: Money
    money: Money
    profit: Money
    total_assets: Money
    score: Money
    incode: str
    group_id: Group
    idcard: str | None
    usercrud: bool
    avatar: Avatar
    level: str | None
    bank_is_set: bool
    wallet_is_set: bool
    code_is_set: bool
    code_locked: bool
    user_id: PlayerId
    version: Version


@call(
    "/api/user/userInfo",
    "The caller's profile, also under msg",
    auth=Auth.PLAYER,
    message=Profile,
)
async def user_info(request: CallRequest, services: Services) -> CallResult[Profile]:
    """Returns the profile, under `msg` as the specification has it and also under `data`.

    `total_assets` is the sum of available, staked, withdrawing and bonus money.
    """
    player = request.player
    state, level = await _profile_state(services.engine, services.vault, services.players, player)
    member = await asyncio.to_thread(services.vault.identity, player)
    today = date.fromisoformat(calendar_day(services.settings.timezone, services.clock()))
    days = (str(today), str(today - timedelta(days=1)))
    account, profits = await services.read_models.read_own(
        player, lambda c: (accounts.account(c, player), accounts.profits(c, player, days))
    )
    if member is None or account is None:
        # Every session belongs to a player, so the read models are behind.
        raise CallRefused(Refusal.UNAVAILABLE)
    kinds = {shown.kind for shown in state.payout_accounts}
    profile = Profile(
        username=member.username,
        nickname=member.nickname,
        today_profit=money(profits[days[0]]),
        money=money(account.available),
        profit=money(profits[days[1]]),
        total_assets=money(account.total),
        score=money(account.bonus),
        incode=str(player),
        group_id=member.group,
        idcard=state.private.get(IDCARD.name),
        usercrud=state.base_info_complete,
        avatar=state.avatar,
        level=level,
        bank_is_set=BANK_CARD in kinds,
        wallet_is_set=WALLET in kinds,
        code_is_set=state.code_is_set,
        code_locked=state.code_locked,
        user_id=player,
        version=account.version,
    )
    return CallResult(profile, message=profile)


async def _profile_state(
    engine: EnginePort, vault: Vault, players: Players, player: int
) -> tuple[ProfileState, str | None]:
    """Returns the player's profile and level; on standby the level is None."""
    if engine.ready:
        found = await players.load(player)
        return found.profile, found.level
    state = await asyncio.to_thread(vault.profile_state, player)
    if state is None:
        raise CallRefused(Refusal.UNAVAILABLE)
    return state, None


@call(
    PROFILE,
    "Complete base info, or choose an avatar",
    auth=Auth.PLAYER,
    idempotent=True,
    once=("idcard", "avatar"),
    refusals=(
        Refusal.IDCARD_INVALID,
        Refusal.IDCARD_ALREADY_SET,
        Refusal.MUST_REGISTER,
    ),
)
async def complete(
    player: int, data: ProfileRequest, vault: Vault, players: Players
) -> CallResult[BaseInfo]:
    """Store the given values, and return all that is stored now, with the number masked.

    Sending the same ID-card number again changes nothing; another number is refused.
    """
    idcard, avatar = _typed(data), data.avatar
    if avatar is not None and avatar not in AVATARS:
        raise CallRefused(Refusal.REQUEST_MALFORMED, "avatar")
    if idcard is not None:
        await players.require_member(player)
        saved = await asyncio.to_thread(vault.save_private_field, player, IDCARD, idcard)
        if isinstance(saved, VaultRefused):
            raise refused_by_vault(saved, {})
    if avatar is not None:
        players.check_leading()
        await asyncio.to_thread(vault.choose_avatar, player, avatar)
    state = (await players.sync_locked(player)).profile
    number = state.private.get(IDCARD.name)
    return CallResult(BaseInfo(number, state.base_info_complete, state.avatar), "submitted")


def _typed(body: ProfileRequest) -> str | None:
    """Returns the given number; None with only an avatar, and empty without either."""
    if body.idcard is None and body.avatar is not None:
        return None
    idcard = "" if body.idcard is None else str(body.idcard)
    if len(idcard) > _MAX_INPUT_LENGTH:
        raise CallRefused(Refusal.IDCARD_INVALID, "idcard")
    return idcard
