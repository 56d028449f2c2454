"""What staff and the payment gateway do, alone where it takes two, twice, and wrongly."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from engine.house.booking_commands import Book, DecideBooking
from engine.house.commands import (
    DecideProposal,
    DecideRoles,
    DecideVoid,
    EndPass,
    IssuePass,
    ProposeOdds,
    ProposeRoles,
    ProposeVoid,
    RemoveStaff,
    SetReceivingAccounts,
    SetTerms,
    TurnSwitch,
)
from engine.house.content_commands import PublishContent, WithdrawContent
from engine.house.passes import fingerprint_of
from engine.house.roles import MACHINE, Role, actor_of
from engine.money import units
from engine.players.money_commands import (
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
from engine.players.standing_commands import (
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
from engine.terms import ReceivingAccounts, Terms
from scripts.simulation.clockwork import HOUR, MINUTE, SECOND, pause
from scripts.simulation.tally import Case
from scripts.simulation.town import Member, Town

_CLERKS: Final = ("ann", "bob", "cho")
TERMS: Final = Terms(cooling_us=30 * SECOND, bonus_wait_us=2 * MINUTE, overnight=True)
"""Shorter waits than the real ones, so that a day is long enough to see them end."""


async def enters_deposits(town: Town, member: Member, _: int) -> None:
    """A clerk records money of somebody who has little, twice or in a wrong way now and then."""
    chance = town.chance
    poor = min(chance.choices(_players(town), k=3), key=town.funds)
    good = (
        units(chance.choice((50, 50, 50, 100, 1_000, 6_000))),
        chance.choice(("bank", "usdt", "demo")),
    )
    wrong = ((0, "bank"), (-100, "usdt"), (units(1_000_000_001), "bank"), (units(5), "cash"))
    amount, channel = good if town.likely(0.9) else chance.choice(wrong)
    asked = (poor.id, town.key(), channel, amount, "reference", _clerk(town))
    says = (f"payment-{chance.randrange(40)}", town.likely(0.3))
    is_play = channel == "demo" or town.likely(0.1)
    await town.do(member, ApproveDeposit(*asked) if is_play else EnterDeposit(*asked, *says))
    if town.likely(0.3):
        await town.send(member, member.asked[-1])


async def decides_deposits(town: Town, member: Member, _: int) -> None:
    """Approves or rejects what is pending, and passes on what the gateway says."""
    for case in _some(town, town.house.audit.tally.desk.deposits.values()):
        yes = town.likely(0.85)
        says = (f"payment-{town.chance.randrange(40)}", town.likely(0.5))
        agreement = AgreeDeposit(case.player, case.id, _clerk(town), *says)
        decision = DecideDeposit(case.player, case.id, yes, _clerk(town), "reason")
        if yes and town.likely(0.8):
            await town.do(member, agreement)
        await town.do(member, decision)
        if case.how == "online" or town.likely(0.2):
            paid = case.amount + town.chance.choice((0, 0, 0, 1))
            await town.do(member, ConfirmDeposit(case.player, case.id, paid))


async def decides_withdrawals(town: Town, member: Member, _: int) -> None:
    """Looks where to pay to, approves or rejects, pays, and pays again what was paid."""
    for case in _some(town, town.house.audit.tally.desk.withdrawals.values()):
        await town.do(member, ShowPayout(case.player, case.id, _clerk(town)))
        for _ in range(2):
            yes = town.likely(0.9)
            decision = DecideWithdrawal(case.player, case.id, yes, _clerk(town), "reason")
            await town.do(member, decision)
        for _ in range(2):
            payment = PayWithdrawal(case.player, case.id, _clerk(town), "reference")
            await town.do(member, payment)


async def lifts_codes(town: Town, member: Member, _: int) -> None:
    """Takes a security code away, of somebody who has none now and then, and twice."""
    holders = sorted(town.house.audit.tally.desk.codes) or [_players(town)[0].id]
    player = town.chance.choice(holders) if town.likely(0.7) else _players(town)[0].id
    for _ in range(2):
        await town.do(member, LiftSecurityCode(player, _clerk(town), "reason"))


async def changes_accounts(town: Town, member: Member, _: int) -> None:
    """Proposes to reset a password or to erase somebody, who mostly has money; and decides."""
    player = town.chance.choice(_players(town)).id
    kind, by = town.chance.choice(ACCOUNT_CHANGES), _clerk(town)
    await town.do(member, ProposeAccountChange(player, town.key(), kind, by, "reason"))
    waiting = list(town.house.audit.tally.desk.changes.items())[:3]
    for change, (whose, _kind, _by) in waiting:
        decision = DecideAccountChange(whose, change, town.likely(0.8), _clerk(town))
        await town.do(member, decision)


async def sorts_out_identities(town: Town, member: Member, _: int) -> None:
    """Finds two members with one identity, and decides whether they are one person."""
    player, other = (town.chance.choice(_players(town)).id for _ in range(2))
    subject = town.chance.choice(IDENTITIES)
    await town.do(member, NoteSharedIdentity(player, other, subject))
    for _ in range(2):
        decision = DecideIdentity(player, other, town.likely(0.2), _clerk(town), "reason")
        await town.do(member, decision)


async def gives(town: Town, member: Member, _: int) -> None:
    """Gifts of its own accord, and for the turnover of a day, today's or the one before."""
    hopeful = [member for member in town.members if member.nature == "cashes_bonus"]
    lucky, now = town.chance.choice((*_players(town), *hopeful * 10)), town.house.clock.now
    amount = units(town.chance.choice((5, 88, 0, 5_001)))
    await town.do(member, GrantGift(lucky.id, town.key(), amount, _clerk(town), "reason"))
    for case in _some(town, town.house.audit.tally.desk.gifts.values()):
        await town.do(member, DecideGift(case.player, case.id, town.likely(0.8), _clerk(town)))
    yesterday = now - town.chance.choice((0, 24, 24, 24)) * HOUR
    day = calendar_day(town.house.schedule.timezone, yesterday)
    await town.do(member, GrantOvernight(lucky.id, day))


async def corrects(town: Town, member: Member, _: int) -> None:
    """Proposes a correction, and has it agreed to, by another or by the same."""
    somebody = town.chance.choice(_players(town))
    amount = town.chance.choice((1_234, -1_234, -units(5), units(10), 0, -units(900_000_000)))
    asked = (amount, _clerk(town), "reason")
    await town.do(member, ProposeAdjustment(somebody.id, town.key(), *asked))
    kind = town.chance.choice(("double_entry", "returned_payout", "chargeback", "goodwill", "whim"))
    channel = town.chance.choice(("bank", "online", "")) if kind == "double_entry" else ""
    await town.do(member, ProposeCorrection(somebody.id, town.key(), kind, channel, *asked))
    for case in _some(town, town.house.audit.tally.desk.adjustments.values()):
        agree = town.likely(0.8)
        await town.do(member, DecideAdjustment(case.player, case.id, agree, _clerk(town)))


async def books(town: Town, member: Member, _: int) -> None:
    """Books money of the house's own, and decides what waits, as another or as the same."""
    chance = town.chance
    kind = chance.choice(("fee", "capital", "returned_payout", "chargeback", "adjustment", "whim"))
    amount = units(chance.choice((-2, 300, -40, 4_000, -6_000, 0)))
    said = f"payment-{chance.randrange(40)}" if amount > 0 else ""
    what = (town.key(), kind, chance.choice(("bank", "usdt", "moon")), amount, _clerk(town))
    await town.do(member, Book(*what, "reference", said, town.likely(0.3)))
    unknown = Case(0, "unheard-of", units(1), "fee")
    for case in [*town.house.audit.tally.desk.bookings.values()] or [unknown]:
        agree = town.likely(0.8)
        await town.do(member, DecideBooking(case.id, agree, _clerk(town), case.reference))


async def closes_and_opens(town: Town, member: Member, game: int) -> None:
    """Switches gaming off for a moment, all of it or one hall or one member's, and on again."""
    scopes = ("product", "all", f"game-{game}", f"plan-{game * 9 - 8}", "moon")
    switch = TurnSwitch(town.chance.choice(scopes), True, _clerk(town))  # noqa: FBT003
    person = SwitchPlayer(town.chance.choice(_players(town)).id, True, _clerk(town), "reason")  # noqa: FBT003
    for off in (switch, person):
        await town.do(member, off)
    await pause(town.chance.randrange(30 * SECOND))
    for on in (replace(switch, closed=False), replace(person, closed=False)):
        while await town.do(member, on) is None:
            pass  # the house is away, and must not stay closed when it is back


async def sets_terms(town: Town, member: Member, _: int) -> None:
    """Says other figures, sound or not, and where deposits are to go, alone or with a colleague."""
    four_eyes, wrong = units(town.chance.choice((300, 5_000))), town.likely(0.2)
    changed = replace(TERMS, four_eyes_minor=four_eyes, quota_us=-1 if wrong else HOUR)
    accounts = ReceivingAccounts(bank=f"bank-{town.chance.randrange(3)}")
    for _ in range(town.chance.randrange(1, 4)):
        await town.do(member, SetTerms(changed, _clerk(town)))
        await town.do(member, SetReceivingAccounts(accounts, _clerk(town)))


async def proposes_odds(town: Town, member: Member, _: int) -> None:
    """Proposes other odds, agrees alone, and rejects them and whatever else was proposed."""
    clerk = _clerk(town)
    await town.do(member, ProposeOdds(town.chance.choice(("balanced", "unheard-of")), clerk))
    wanted = town.house.audit.tally.desk.wanted
    for name in ("terms", "accounts", "table"):
        _, by, proposal = wanted.get(name, (None, clerk, "odds-0"))
        for approve, who in ((True, by), (name == "terms", _clerk(town)), (False, _clerk(town))):
            if approve is False or town.likely(0.5):
                await town.do(member, DecideProposal(proposal, approve, who))


async def hires(town: Town, member: Member, _: int) -> None:
    """Proposes roles, has them agreed to or dropped, lets people go; the machine begins with it."""
    chance, desk = town.chance, town.house.audit.tally.desk
    by = MACHINE if town.likely(0.2) else actor_of(_clerk(town))
    roles = tuple(chance.sample(list(Role), chance.randrange(1, 4)))
    await town.do(member, ProposeRoles(town.key(), _clerk(town), roles, by))
    for proposal in [*desk.proposals.values()] or ["unheard-of"]:
        decision = DecideRoles(proposal, town.likely(0.8), actor_of(_clerk(town)))
        await town.do(member, decision)
    if town.likely(0.3):
        await town.do(member, RemoveStaff(_clerk(town), actor_of(_clerk(town))))


async def voids(town: Town, member: Member, _: int) -> None:
    """Proposes to void a round, whatever its phase, and agrees alone or with a colleague."""
    sale = town.chance.choice([*town.house.audit.tally.newest.values(), None])
    game, issue = (sale.game, sale.issue) if sale is not None else (1, "20260101001")
    proposal = town.key()
    command = ProposeVoid(proposal, game, issue, "an incident", actor_of(_clerk(town)))
    await town.do(member, command)
    for _ in range(2):
        decision = DecideVoid(proposal, town.likely(0.8), actor_of(_clerk(town)))
        await town.do(member, decision)


async def issues_passes(town: Town, member: Member, _: int) -> None:
    """Says whose a pass is, alone, with a colleague or the machine, and ends some."""
    chance = town.chance
    name, fingerprint = _clerk(town), fingerprint_of(f"pass {chance.randrange(200)}")
    for _ in range(chance.randrange(1, 4)):
        by = MACHINE if town.likely(0.3) else actor_of(_clerk(town))
        await town.do(member, IssuePass(name, fingerprint, by))
    if town.likely(0.2):
        await town.do(member, EndPass(_clerk(town), actor_of(_clerk(town))))


async def writes(town: Town, member: Member, _: int) -> None:
    """Publishes news and takes some back, known or not; tells a member something likewise."""
    chance = town.chance
    name, kind = f"content-{chance.randrange(6)}", chance.choice(("article", "banner", "poem"))
    new, words = town.likely(0.5), f"digest-{chance.randrange(4)}"
    await town.do(member, PublishContent(name, kind, words, new, _clerk(town)))
    if town.likely(0.4):
        await town.do(member, WithdrawContent(name, _clerk(town)))
    reader, message = chance.choice(_players(town)).id, f"message-{chance.randrange(3)}"
    await town.do(member, SendMessage(reader, message, "words", _clerk(town)))
    if town.likely(0.4):
        await town.do(member, WithdrawMessage(reader, message, _clerk(town)))


def _clerk(town: Town) -> str:
    return town.chance.choice(_CLERKS)


def _players(town: Town) -> list[Member]:
    return [member for member in town.members if not member.is_staff]


def _some(town: Town, cases: Iterable[Case]) -> list[Case]:
    """Up to five of what is open; where nothing is, one that nobody has heard of."""
    found = [case for case in cases if town.likely(0.8)][:5]
    return found or [Case(town.chance.choice(_players(town)).id, "unheard-of", units(1), "bank")]
