"""What staff and the payment gateway do: also alone where two are needed, twice, and wrongly."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from engine.cashier.commands import (
    AgreeDeposit,
    ApproveDeposit,
    ConfirmDeposit,
    DecideAdjustment,
    DecideDeposit,
    DecideGift,
    DecideWithdrawal,
    EnterDeposit,
    GrantGift,
    GrantOvernight,
    PayWithdrawal,
    ProposeAdjustment,
    ProposeCorrection,
)
from engine.chat.commands import MutePlayer, RemoveFromChat, UnmutePlayer
from engine.house.bookings import Book, DecideBooking
from engine.house.commands import (
    DecideProposal,
    ProposeOdds,
    SetReceivingAccounts,
    SetTerms,
    TurnSwitch,
)
from engine.house.published_content import PublishContent, WithdrawContent
from engine.money import units
from engine.players.commands import (
    ACCOUNT_CHANGES,
    IDENTITIES,
    DecideAccountChange,
    DecideIdentity,
    LiftSecurityCode,
    NoteSharedIdentity,
    ProposeAccountChange,
    SendMessage,
    ShowPayout,
    SwitchPlayer,
    WithdrawMessage,
)
from engine.schedule import calendar_day
from engine.staff.passes import EndPass, IssuePass, fingerprint_of
from engine.staff.roles import MACHINE, Role, actor_of
from engine.staff.staff import DecideRoles, ProposeRoles, RemoveStaff
from engine.staff.void_proposals import DecideVoid, ProposeVoid
from engine.terms import ReceivingAccounts, Terms
from tests.instruments.simulator.behaviours import Behaviours
from tests.instruments.simulator.oracle import OpenApproval
from tests.instruments.simulator.population import Population, SimulatedPlayer
from tests.instruments.simulator.simulated_loop import HOUR, MINUTE, SECOND, pause

BEHAVIOURS: Final = Behaviours()
_CLERKS: Final = ("ann", "bob", "cho")
TERMS: Final = Terms(cooling_us=30 * SECOND, bonus_wait_us=2 * MINUTE, overnight=True)
"""Shorter waiting times than in production, so that a day is long enough to see them end."""
_UNKNOWN_MESSAGE: Final = "unheard-of"


@BEHAVIOURS.add(3, ApproveDeposit, EnterDeposit)
async def enters_deposits(population: Population, member: SimulatedPlayer, _: int) -> None:
    """A clerk records a deposit for a player with little money, sometimes twice or wrongly."""
    rng = population.rng
    poor = min(rng.choices(_players(population), k=3), key=population.funds)
    good = (
        units(rng.choice((50, 50, 50, 100, 1_000, 6_000))),
        rng.choice(("bank", "usdt", "demo")),
    )
    wrong = ((0, "bank"), (-100, "usdt"), (units(1_000_000_001), "bank"), (units(5), "cash"))
    amount, channel = good if population.likely(0.9) else rng.choice(wrong)
    deposit = (poor.id, population.key(), channel, amount, "reference", _clerk(population))
    payment = (f"payment-{rng.randrange(40)}", population.likely(0.3))
    is_play = channel == "demo" or population.likely(0.1)
    await population.do(
        member, ApproveDeposit(*deposit) if is_play else EnterDeposit(*deposit, *payment)
    )
    if population.likely(0.3):
        await population.send(member, member.recent_commands[-1])


@BEHAVIOURS.add(2, DecideDeposit, AgreeDeposit, ConfirmDeposit)
async def decides_deposits(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Approves or rejects pending deposits, and forwards the gateway's messages."""
    for approval in _some(population, population.server.checks.oracle.settings.deposits.values()):
        yes = population.likely(0.85)
        payment = (f"payment-{population.rng.randrange(40)}", population.likely(0.5))
        agreement = AgreeDeposit(approval.player, approval.id, _clerk(population), *payment)
        decision = DecideDeposit(approval.player, approval.id, yes, _clerk(population), "reason")
        if yes and population.likely(0.8):
            await population.do(member, agreement)
        await population.do(member, decision)
        if approval.how == "online" or population.likely(0.2):
            paid = approval.amount + population.rng.choice((0, 0, 0, 1))
            await population.do(member, ConfirmDeposit(approval.player, approval.id, paid))


@BEHAVIOURS.add(2, ShowPayout, DecideWithdrawal, PayWithdrawal)
async def decides_withdrawals(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Reads the payout account, approves or rejects, pays, and pays again."""
    for approval in _some(
        population, population.server.checks.oracle.settings.withdrawals.values()
    ):
        await population.do(member, ShowPayout(approval.player, approval.id, _clerk(population)))
        for _ in range(2):
            yes = population.likely(0.9)
            decision = DecideWithdrawal(
                approval.player, approval.id, yes, _clerk(population), "reason"
            )
            await population.do(member, decision)
        for _ in range(2):
            payment = PayWithdrawal(approval.player, approval.id, _clerk(population), "reference")
            await population.do(member, payment)


@BEHAVIOURS.add(1, LiftSecurityCode)
async def removes_codes(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Removes a security code, sometimes twice or of a player who has none."""
    holders = sorted(population.server.checks.oracle.settings.codes) or [_players(population)[0].id]
    player = (
        population.rng.choice(holders) if population.likely(0.7) else _players(population)[0].id
    )
    for _ in range(2):
        await population.do(member, LiftSecurityCode(player, _clerk(population), "reason"))


@BEHAVIOURS.add(1, ProposeAccountChange, DecideAccountChange)
async def changes_accounts(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Proposes and decides a password reset or an erasure, mostly of a player with money."""
    player = population.rng.choice(_players(population)).id
    kind, by = population.rng.choice(ACCOUNT_CHANGES), _clerk(population)
    await population.do(member, ProposeAccountChange(player, population.key(), kind, by, "reason"))
    waiting = list(population.server.checks.oracle.settings.changes.items())[:3]
    for change, (whose, _kind, _by) in waiting:
        decision = DecideAccountChange(whose, change, population.likely(0.8), _clerk(population))
        await population.do(member, decision)


@BEHAVIOURS.add(1, NoteSharedIdentity, DecideIdentity)
async def sorts_out_identities(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Finds two players with one identity, and decides whether they are one person."""
    player, other = (population.rng.choice(_players(population)).id for _ in range(2))
    subject = population.rng.choice(IDENTITIES)
    await population.do(member, NoteSharedIdentity(player, other, subject))
    for _ in range(2):
        decision = DecideIdentity(
            player, other, population.likely(0.2), _clerk(population), "reason"
        )
        await population.do(member, decision)


@BEHAVIOURS.add(1, GrantGift, DecideGift, GrantOvernight)
async def gives(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Bonuses at staff's discretion, and for a day's turnover, today's or the day before's."""
    hopeful = [member for member in population.members if member.nature == "cashes_bonus"]
    lucky, now = (
        population.rng.choice((*_players(population), *hopeful * 10)),
        population.server.clock.now,
    )
    amount = units(population.rng.choice((5, 88, 0, 5_001)))
    await population.do(
        member, GrantGift(lucky.id, population.key(), amount, _clerk(population), "reason")
    )
    for approval in _some(population, population.server.checks.oracle.settings.gifts.values()):
        await population.do(
            member,
            DecideGift(approval.player, approval.id, population.likely(0.8), _clerk(population)),
        )
    yesterday = now - population.rng.choice((0, 24, 24, 24)) * HOUR
    day = calendar_day(population.server.schedule.timezone, yesterday)
    await population.do(member, GrantOvernight(lucky.id, day))


@BEHAVIOURS.add(1, ProposeAdjustment, ProposeCorrection, DecideAdjustment)
async def corrects(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Proposes a correction, and has it approved by another person or the same one."""
    player = population.rng.choice(_players(population))
    amount = population.rng.choice((1_234, -1_234, -units(5), units(10), 0, -units(900_000_000)))
    details = (amount, _clerk(population), "reason")
    await population.do(member, ProposeAdjustment(player.id, population.key(), *details))
    kind = population.rng.choice(
        ("double_entry", "returned_payout", "chargeback", "goodwill", "whim")
    )
    channel = population.rng.choice(("bank", "online", "")) if kind == "double_entry" else ""
    await population.do(
        member, ProposeCorrection(player.id, population.key(), kind, channel, *details)
    )
    for approval in _some(
        population, population.server.checks.oracle.settings.adjustments.values()
    ):
        agree = population.likely(0.8)
        await population.do(
            member, DecideAdjustment(approval.player, approval.id, agree, _clerk(population))
        )


@BEHAVIOURS.add(1, Book, DecideBooking)
async def books(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Proposes house bookings, and decides pending ones as another person or the same one."""
    rng = population.rng
    kind = rng.choice(("fee", "capital", "returned_payout", "chargeback", "adjustment", "whim"))
    amount = units(rng.choice((-2, 300, -40, 4_000, -6_000, 0)))
    payment = f"payment-{rng.randrange(40)}" if amount > 0 else ""
    booking = (
        population.key(),
        kind,
        rng.choice(("bank", "usdt", "moon")),
        amount,
        _clerk(population),
    )
    await population.do(member, Book(*booking, "reference", payment, population.likely(0.3)))
    unknown = OpenApproval(0, "unheard-of", units(1), "fee")
    for approval in [*population.server.checks.oracle.settings.bookings.values()] or [unknown]:
        agree = population.likely(0.8)
        await population.do(
            member, DecideBooking(approval.id, agree, _clerk(population), approval.reference)
        )


@BEHAVIOURS.add(1, TurnSwitch, SwitchPlayer)
async def closes_and_opens(population: Population, member: SimulatedPlayer, game: int) -> None:
    """Closes gaming briefly, all of it or one hall or one player's, and opens it again."""
    scopes = ("product", "all", f"game-{game}", f"plan-{game * 9 - 8}", "moon")
    switch = TurnSwitch(population.rng.choice(scopes), True, _clerk(population))
    person = SwitchPlayer(
        population.rng.choice(_players(population)).id,
        True,
        _clerk(population),
        "reason",
    )
    for off in (switch, person):
        await population.do(member, off)
    await pause(population.rng.randrange(30 * SECOND))
    for on in (replace(switch, closed=False), replace(person, closed=False)):
        while await population.do(member, on) is None:
            pass  # the server is unavailable, and must not stay closed when it is back


@BEHAVIOURS.add(1, RemoveFromChat, MutePlayer, UnmutePlayer)
async def moderates(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Removes messages, mutes their authors for a time or permanently, and unmutes some."""
    settings, rng = population.server.checks.oracle.settings, population.rng
    messages = [*settings.messages.items()][-20:] or [
        (_UNKNOWN_MESSAGE, rng.choice(population.members).id)
    ]
    message, player = rng.choice(messages)
    for _ in range(2):
        await population.do(member, RemoveFromChat(player, message, "ann", "reason"))
    span = rng.choice((MINUTE, 20 * MINUTE, HOUR, None, 0, 400 * 24 * HOUR))
    await population.do(member, MutePlayer(player, span, "ann", "reason"))
    await pause(rng.randrange(30 * SECOND))
    for quiet in [player, *settings.muted][:3]:
        if population.likely(0.5):
            await population.do(member, UnmutePlayer(quiet, "bob", "reason"))


@BEHAVIOURS.add(1, SetTerms, SetReceivingAccounts)
async def sets_terms(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Proposes terms and receiving accounts, valid or not, alone or with a colleague."""
    four_eyes, wrong = units(population.rng.choice((300, 5_000))), population.likely(0.2)
    changed = replace(TERMS, four_eyes_minor=four_eyes, quota_us=-1 if wrong else HOUR)
    accounts = ReceivingAccounts(bank=f"bank-{population.rng.randrange(3)}")
    for _ in range(population.rng.randrange(1, 4)):
        await population.do(member, SetTerms(changed, _clerk(population)))
        await population.do(member, SetReceivingAccounts(accounts, _clerk(population)))


@BEHAVIOURS.add(1, ProposeOdds, DecideProposal)
async def proposes_odds(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Proposes other odds, approves alone, and rejects these and other proposals."""
    clerk = _clerk(population)
    await population.do(
        member, ProposeOdds(population.rng.choice(("balanced", "unheard-of")), clerk)
    )
    proposed = population.server.checks.oracle.settings.proposed
    for name in ("terms", "accounts", "table"):
        _, by, proposal = proposed.get(name, (None, clerk, "odds-0"))
        for approve, who in (
            (True, by),
            (name == "terms", _clerk(population)),
            (False, _clerk(population)),
        ):
            if approve is False or population.likely(0.5):
                await population.do(member, DecideProposal(proposal, approve, who))


@BEHAVIOURS.add(1, ProposeRoles, DecideRoles, RemoveStaff)
async def hires(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Proposes roles, has them approved or rejected, removes people; the machine starts."""
    rng, settings = population.rng, population.server.checks.oracle.settings
    by = MACHINE if population.likely(0.2) else actor_of(_clerk(population))
    roles = tuple(rng.sample(list(Role), rng.randrange(1, 4)))
    await population.do(member, ProposeRoles(population.key(), _clerk(population), roles, by))
    for proposal in [*settings.proposals.values()] or ["unheard-of"]:
        decision = DecideRoles(proposal, population.likely(0.8), actor_of(_clerk(population)))
        await population.do(member, decision)
    if population.likely(0.3):
        await population.do(member, RemoveStaff(_clerk(population), actor_of(_clerk(population))))


@BEHAVIOURS.add(1, ProposeVoid, DecideVoid)
async def voids(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Proposes to void a round in any phase, and approves alone or with a colleague."""
    round_ = population.rng.choice([*population.server.checks.oracle.newest.values(), None])
    game, issue = (round_.game, round_.issue) if round_ is not None else (1, "20260101001")
    proposal = population.key()
    command = ProposeVoid(proposal, game, issue, "an incident", actor_of(_clerk(population)))
    await population.do(member, command)
    for _ in range(2):
        decision = DecideVoid(proposal, population.likely(0.8), actor_of(_clerk(population)))
        await population.do(member, decision)


@BEHAVIOURS.add(1, IssuePass, EndPass)
async def issues_passes(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Issues passes alone, with a colleague or the machine, and revokes some."""
    rng = population.rng
    name, fingerprint = _clerk(population), fingerprint_of(f"pass {rng.randrange(200)}")
    for _ in range(rng.randrange(1, 4)):
        by = MACHINE if population.likely(0.3) else actor_of(_clerk(population))
        await population.do(member, IssuePass(name, fingerprint, by))
    if population.likely(0.2):
        await population.do(member, EndPass(_clerk(population), actor_of(_clerk(population))))


@BEHAVIOURS.add(1, PublishContent, WithdrawContent, SendMessage, WithdrawMessage)
async def writes(population: Population, member: SimulatedPlayer, _: int) -> None:
    """Publishes and withdraws news, known or not, and messages to players likewise."""
    rng = population.rng
    name, kind = f"content-{rng.randrange(6)}", rng.choice(("article", "banner", "poem"))
    new, digest = population.likely(0.5), f"digest-{rng.randrange(4)}"
    await population.do(member, PublishContent(name, kind, digest, new, _clerk(population)))
    if population.likely(0.4):
        await population.do(member, WithdrawContent(name, _clerk(population)))
    reader, message = rng.choice(_players(population)).id, f"message-{rng.randrange(3)}"
    await population.do(member, SendMessage(reader, message, "words", _clerk(population)))
    if population.likely(0.4):
        await population.do(member, WithdrawMessage(reader, message, _clerk(population)))


def _clerk(population: Population) -> str:
    return population.rng.choice(_CLERKS)


def _players(population: Population) -> list[SimulatedPlayer]:
    return [member for member in population.members if not member.is_staff]


def _some(population: Population, approvals: Iterable[OpenApproval]) -> list[OpenApproval]:
    """Up to five open items; an unknown one if there are none."""
    found = [approval for approval in approvals if population.likely(0.8)][:5]
    return found or [
        OpenApproval(population.rng.choice(_players(population)).id, "unheard-of", units(1), "bank")
    ]
