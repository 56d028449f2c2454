"""The registry of commands: which function decides a command, and how it is answered.

Every decision is pure and runs before any of its facts is applied. An exception in a decision
therefore leaves the overlay unchanged.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, assert_never, get_args

from msgspec import Struct

from engine.answers import (
    Answer,
    BetAccepted,
    BetsRecalled,
    ChatAnswered,
    Done,
    MoneyAnswered,
    PlayerAccepted,
    Refused,
    StandingChanged,
)
from engine.bets import decisions as bet_decisions
from engine.bets.commands import PlaceBet, RecallBets
from engine.bets.decisions import BetRandomness
from engine.bets.facts import BetPlaced, BetRecalled
from engine.cashier import adjustments, bonuses, deposits, withdrawals
from engine.cashier.bonuses import release_quota, reserve_quota
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
    MoneyCommand,
    PayWithdrawal,
    ProposeAdjustment,
    ProposeCorrection,
    ReleaseBonus,
    RequestDeposit,
    RequestWithdrawal,
)
from engine.cashier.facts import ApprovedAlone, BonusReleased, ReferenceCredited
from engine.cashier.payment_references import reference_credited
from engine.cashier.payment_state import overnight_gift_id
from engine.cashier.solo_approvals import approved_alone
from engine.chat import decisions as chat_decisions
from engine.chat.commands import ChatCommand
from engine.engine_state import Overlay
from engine.house import bookings, game_day, house_state
from engine.house.bookings import Book, Booked, BookingCommand, DecideBooking
from engine.house.commands import (
    DayCommand,
    FoundHouse,
    HouseCommand,
    LeaveSegment,
    OfficeCommand,
    OpenDay,
    RecordProgram,
    SkipRounds,
)
from engine.house.facts import DayFact, OfficeFact
from engine.lifecycle import APPROVED, STEPS
from engine.players import decisions as player_decisions
from engine.players.commands import (
    AccountChangeCommand,
    DecideIdentity,
    IdentityCommand,
    MessageCommand,
    NoteSharedIdentity,
    PlayerCommand,
    ProfileCommand,
    ProtectionCommand,
    RegisterPlayer,
    ReleaseQuota,
    ReserveQuota,
)
from engine.players.facts import (
    LimitSet,
    PasswordReset,
    PayoutAccountSet,
    PlayerFact,
    SecurityCodeSet,
)
from engine.players.state import Player
from engine.refusals import Refusal
from engine.rounds import decisions as rounds
from engine.rounds.commands import (
    AnswerLate,
    CloseRound,
    DrawRound,
    OpenRound,
    ReturnStakes,
    RoundCommand,
    RuleVoid,
    SettleRound,
    VoidRound,
)
from engine.rounds.decisions import Sign
from engine.rounds.facts import RoundFact
from engine.rounds.state import Phase, Round
from engine.staff import void_proposals
from engine.staff.void_proposals import ProposeVoid, VoidCommand
from engine.terms import Terms

Command = PlayerCommand | RoundCommand | HouseCommand


class DecisionContext(Struct, frozen=True):
    """What a decision needs from outside: randomness for a bet, and the signature."""

    randomness: BetRandomness
    sign: Sign


def players_of(command: Command, overlay: Overlay) -> list[int]:
    """The players whose state is needed to decide this command."""
    match command:
        case PlaceBet():
            # First, because nearly all commands are of this kind and testing all kinds takes time.
            return [command.player]
        case SettleRound() | VoidRound() | ReturnStakes():
            round_ = overlay.round(command.game, command.issue)
            open_bets = round_.book.open_bets() if round_ else ()
            return [booked.player for booked in islice(open_bets, command.limit)]
        case NoteSharedIdentity() | DecideIdentity():
            return [command.player, command.other]
        case _:
            return [command.player] if isinstance(command, PlayerCommand) else []


def references_of(command: Command) -> list[str]:
    """The payment references, as keyed hashes, that are needed to decide this command."""
    if type(command) is PlaceBet:  # as nearly all are: the test of four types takes longer
        return []
    with_reference = (EnterDeposit, AgreeDeposit, Book, DecideBooking)
    if isinstance(command, with_reference) and command.reference:
        return [command.reference]
    return []


def decide(command: Command, overlay: Overlay, context: DecisionContext) -> Answer:
    """Decide one command and apply its facts; a refusal changes nothing."""
    return HANDLERS[type(command)](command, overlay, context)


def _place(command: PlaceBet, overlay: Overlay, context: DecisionContext) -> Answer:
    player = overlay.player(command.player)
    newest_round = overlay.newest(command.game)
    closed_reason = overlay.house.closed_reason(command.game, command.plan)
    facts = bet_decisions.place_bet(
        command, player, newest_round, overlay.now, context.randomness, overlay.day, closed_reason
    )
    if isinstance(facts, Refused):
        return facts
    (bet,) = facts
    assert isinstance(bet, BetPlaced)
    overlay.add_player_fact(player, bet)
    return BetAccepted(
        bet.bet,
        bet.game,
        bet.issue,
        bet.plan,
        bet.kind,
        bet.stake_minor,
        bet.odds_milli,
        overlay.now,
        player.version,
        player.available,
        player.bonus,
    )


def _recall(command: RecallBets, overlay: Overlay, _: DecisionContext) -> Answer:
    player = overlay.player(command.player)
    newest_round = overlay.newest(command.game)
    facts = bet_decisions.recall(command, player, newest_round, overlay.now)
    if isinstance(facts, Refused):
        return facts
    _add_all(overlay, player, facts)
    recalled = [fact for fact in facts if isinstance(fact, BetRecalled)]
    return BetsRecalled(
        tuple(fact.bet for fact in recalled),
        sum(fact.stake_minor for fact in recalled),
        player.version,
        player.available,
        player.bonus,
    )


def _register(command: RegisterPlayer, overlay: Overlay, _: DecisionContext) -> Answer:
    player = overlay.player(command.player)
    facts = player_decisions.register(command, player)
    if isinstance(facts, Refused):
        return facts
    _add_all(overlay, player, facts)
    return PlayerAccepted(player.id, player.version, player.available, player.bonus)


def _office(command: OfficeCommand, overlay: Overlay, _: DecisionContext) -> Answer:
    facts: Sequence[OfficeFact] | Refused
    if isinstance(command, BookingCommand):
        facts = _decide_booking(command, overlay)
    elif isinstance(command, VoidCommand):
        facts = _decide_void(command, overlay)
    else:
        facts = house_state.decide(command, overlay.house, overlay.now, overlay.day)
    return facts if isinstance(facts, Refused) else _add_office(overlay, facts)


def _add_office(overlay: Overlay, facts: Sequence[OfficeFact]) -> Done:
    for fact in facts:
        overlay.add_office_fact(fact)
    return Done(len(facts))


def _decide_booking(command: BookingCommand, overlay: Overlay) -> Sequence[OfficeFact] | Refused:
    """Record the sole approver and the credited reference before the booking itself."""
    context = bookings.BookingContext(
        overlay.house.terms,
        overlay.solo_approvals.alone_minor(command.by, bookings.HOUSE, overlay.now),
        bool(command.reference) and overlay.reference(command.reference).version > 0,
    )
    facts = bookings.decide(command, overlay.house.bookings, context)
    booked = facts[-1] if not isinstance(facts, Refused) and facts else None
    if isinstance(booked, Booked):
        number, by, amount = booked.booking, command.by, abs(booked.amount_minor)
        if isinstance(command, Book):
            overlay.add_solo_approval(ApprovedAlone("booking", number, bookings.HOUSE, amount, by))
        if command.reference:
            credited = (command.reference, booked.channel, number, bookings.HOUSE, by)
            overlay.add_reference_fact(ReferenceCredited(*credited))
    return facts


def _decide_void(command: VoidCommand, overlay: Overlay) -> Sequence[OfficeFact] | Refused:
    proposals = overlay.house.voids
    about = (
        command
        if isinstance(command, ProposeVoid)
        else void_proposals.find(proposals, command.proposal)
    )
    round_ = overlay.round(about.game, about.issue) if about is not None else None
    if isinstance(command, ProposeVoid) and round_ is None:
        return Refused(Refusal.ROUND_UNKNOWN, "issue")
    undrawn = round_ is not None and round_.is_undrawn_at(overlay.now)
    return void_proposals.decide(command, proposals, undrawn=undrawn)


def _add_all(overlay: Overlay, player: Player, facts: list[PlayerFact]) -> None:
    for fact in facts:
        overlay.add_player_fact(player, fact)


def _found_house(command: FoundHouse, overlay: Overlay, _: DecisionContext) -> Answer:
    return _add_office(overlay, house_state.found_house(command, overlay.house))


def _record_program(command: RecordProgram, overlay: Overlay, _: DecisionContext) -> Answer:
    overlay.add_office_fact(house_state.program_checked(command))
    return Done(1)


def _open_round(command: OpenRound, overlay: Overlay, _: DecisionContext) -> Answer:
    facts = rounds.open_round(command, overlay.game(command.game), overlay.now)
    return _round_facts(overlay, None, facts)


def _day(command: DayCommand, overlay: Overlay, _: DecisionContext) -> Answer:
    game, unfinished = overlay.game(command.game), overlay.unfinished_rounds(command.game)
    facts: list[DayFact] | Refused
    match command:
        case OpenDay():
            selling = any(each.phase == Phase.OPEN for each in unfinished)
            carried = [each.issue for each in unfinished]
            facts = game_day.open_day(command, game, selling=selling, carried=carried)
        case SkipRounds():
            in_segment = any(each.opened.day == game.day for each in unfinished)
            facts = game_day.skip_rounds(command, game, unfinished=in_segment)
        case LeaveSegment():
            facts = game_day.leave_segment(command, game)
        case _ as never:
            assert_never(never)
    if isinstance(facts, Refused):
        return facts
    for fact in facts:
        overlay.add_game_fact(game, fact)
    return Done(len(facts))


def _round(
    command: CloseRound
    | DrawRound
    | SettleRound
    | VoidRound
    | RuleVoid
    | ReturnStakes
    | AnswerLate,
    overlay: Overlay,
    context: DecisionContext,
) -> Answer:
    round_ = overlay.round(command.game, command.issue)
    if round_ is None:
        return Refused(Refusal.ROUND_UNKNOWN, "issue")
    game = overlay.game(command.game)
    match command:
        case CloseRound():
            facts = rounds.close_round(round_, game.prev, overlay.now, context.sign)
            return _round_facts(overlay, round_, facts)
        case DrawRound():
            facts = rounds.draw(command, round_, game, overlay.now)
            return _round_facts(overlay, round_, facts)
        case SettleRound():
            return _settle(command, round_, overlay)
        case VoidRound():
            refused = rounds.may_void(command, round_, game)
            return refused or _void(command, round_, overlay)
        case RuleVoid():
            return _rule_void(command, round_, overlay)
        case ReturnStakes():
            return _return_stakes(command, round_, overlay)
        case AnswerLate():
            return _round_facts(overlay, round_, rounds.answer_late(command, round_))
        case _ as never:
            assert_never(never)


def _round_facts(
    overlay: Overlay, round_: Round | None, facts: list[RoundFact] | Refused
) -> Answer:
    if isinstance(facts, Refused):
        return facts
    for fact in facts:
        overlay.add_round_fact(round_, fact)
    return Done(len(facts))


def _settle(command: SettleRound, round_: Round, overlay: Overlay) -> Answer:
    if round_.drawn is None or round_.phase != Phase.DRAWN:
        return Done(0) if round_.finished else Refused(Refusal.ROUND_NOT_DUE)
    settled = 0
    for player, bet in _next_bets(command.limit, round_, overlay):
        _add_all(overlay, player, bet_decisions.settle(player, bet, round_.drawn.total))
        settled += 1
    finished = rounds.finish(round_)
    _round_facts(overlay, round_, finished)
    return Done(settled + len(finished))


def _void(command: VoidRound, round_: Round, overlay: Overlay) -> Answer:
    returned = _return_slice(command.limit, round_, overlay)
    finished = rounds.finish_void(command, round_)
    _round_facts(overlay, round_, finished)
    return Done(returned + len(finished))


def _rule_void(command: RuleVoid, round_: Round, overlay: Overlay) -> Answer:
    proposal = overlay.house.voids.get((command.game, command.issue))
    agreed = None
    if proposal is not None and proposal.agreed_by:
        agreed = (proposal.reason, proposal.by, proposal.agreed_by)
    facts = rounds.rule_void(command, round_, agreed, overlay.now)
    return _round_facts(overlay, round_, facts)


def _return_stakes(command: ReturnStakes, round_: Round, overlay: Overlay) -> Answer:
    if round_.ruled is None or round_.finished:
        return Done(0) if round_.finished else Refused(Refusal.ROUND_NOT_DUE)
    returned = _return_slice(command.limit, round_, overlay)
    finished = rounds.finish_returning(round_)
    _round_facts(overlay, round_, finished)
    return Done(returned + len(finished))


def _return_slice(limit: int, round_: Round, overlay: Overlay) -> int:
    returned = 0
    for player, bet in _next_bets(limit, round_, overlay):
        _add_all(overlay, player, bet_decisions.void(player, bet))
        returned += 1
    return returned


def _next_bets(limit: int, round_: Round, overlay: Overlay) -> Iterator[tuple[Player, str]]:
    """The next open bets, at most `limit`, with their players; a player's bets in succession.

    A batch then changes few players, each of them often. Copying and storing a player's state once
    for many bets costs less than once for each.
    """
    left, game, issue = limit, round_.opened.game, round_.issue
    for number in dict.fromkeys(it.player for it in islice(round_.book.open_bets(), limit)):
        player = overlay.player(number)
        open_bets = player.bets.values()
        theirs = [it.bet for it in open_bets if it.issue == issue and it.game == game][:left]
        for bet in theirs:
            yield player, bet
        left -= len(theirs)
        if not left:
            return


AccountCommand = MoneyCommand | ProfileCommand | ChatCommand
Facts = Sequence[PlayerFact] | Refused


class Situation(Struct, frozen=True, gc=False):
    """What a decision on a player's account needs besides the player.

    `alone_minor` is that of `SoloApprovals` for the same member of staff and player, `used` whether
    the command's payment reference was credited before, `other` the second member that it names.
    """

    terms: Terms
    now: int
    day: str
    discontinued: bool
    alone_minor: int
    used: bool
    other: Player | None


def _situation(command: AccountCommand, overlay: Overlay) -> Situation:
    reference, other = getattr(command, "reference", ""), getattr(command, "other", None)
    return Situation(
        overlay.house.terms,
        overlay.now,
        overlay.day,
        overlay.house.discontinued,
        overlay.solo_approvals.alone_minor(getattr(command, "by", ""), command.player, overlay.now),
        bool(reference) and overlay.reference(reference).version > 0,
        None if other is None else overlay.player(other),
    )


def decide_account_command(command: AccountCommand, overlay: Overlay) -> Answer:
    """Decide one command and apply its facts; a refusal changes nothing."""
    player = overlay.player(command.player)
    if player.profile.erased:
        return Refused(Refusal.PLAYER_UNKNOWN, "player")
    facts = ACCOUNT_DECISIONS[type(command)](command, player, _situation(command, overlay))
    if isinstance(facts, Refused):
        return facts
    if isinstance(command, MoneyCommand):
        alone = approved_alone(command, player, facts)
        if alone is not None:
            overlay.add_solo_approval(alone)
        credited = reference_credited(command, player, facts)
        if credited is not None:
            overlay.add_reference_fact(credited)
    for fact in facts:
        overlay.add_player_fact(player, fact)
    if isinstance(command, ProfileCommand):
        return StandingChanged(player.version, _effective_from(facts, overlay.now))
    if isinstance(command, ChatCommand):
        return ChatAnswered(player.version, overlay.now, player.chat.muted_until)
    answer = _answer(command, player, facts)
    if isinstance(command, ApproveDeposit) and answer.status == APPROVED:
        # Clients and stored answers depend on this command's original answer type.
        return PlayerAccepted(player.id, player.version, player.available, player.bonus)
    return answer


def _effective_from(facts: Sequence[PlayerFact], now: int) -> int:
    for fact in facts:
        if isinstance(fact, LimitSet):
            return fact.from_at
        if isinstance(fact, PayoutAccountSet | SecurityCodeSet | PasswordReset):
            return fact.usable_at
    return now


def _answer(command: MoneyCommand, player: Player, facts: Sequence[PlayerFact]) -> MoneyAnswered:
    last = facts[-1] if facts else None
    return MoneyAnswered(
        _id(command),
        _status_after(last) if last else "unchanged",
        getattr(last, "amount_minor", 0),
        player.version,
        player.available,
        player.bonus,
        player.withdrawing,
    )


def _status_after(fact: PlayerFact) -> str:
    # Bonus money that the player earned is released without a request.
    return APPROVED if isinstance(fact, BonusReleased) else STEPS[type(fact)].status_after(fact)


def _id(command: MoneyCommand) -> str:
    match command:
        case (
            RequestDeposit()
            | ApproveDeposit()
            | DecideDeposit()
            | EnterDeposit()
            | AgreeDeposit()
            | ConfirmDeposit()
        ):
            return command.deposit
        case RequestWithdrawal() | DecideWithdrawal() | PayWithdrawal():
            return command.withdrawal
        case GrantGift() | DecideGift():
            return command.gift
        case GrantOvernight(day=day):
            return overnight_gift_id(day)
        case ReleaseBonus():
            return ""
        case ProposeAdjustment() | ProposeCorrection() | DecideAdjustment():
            return command.adjustment
        case _ as never:
            assert_never(never)


def _account(command: AccountCommand, overlay: Overlay, _: DecisionContext) -> Answer:
    return decide_account_command(command, overlay)


def _enter_deposit(command: ApproveDeposit | EnterDeposit, player: Player, at: Situation) -> Facts:
    return deposits.enter(
        command, player, at.terms, at.now, at.day, alone_minor=at.alone_minor, used=at.used
    )


def _decide_deposit(command: DecideDeposit | AgreeDeposit, player: Player, at: Situation) -> Facts:
    return deposits.decide(
        command, player, at.terms, at.now, at.day, alone_minor=at.alone_minor, used=at.used
    )


def _decide_message(command: MessageCommand, player: Player, _: Situation) -> Facts:
    return player_decisions.decide_message(command, player)


def _decide_identity(command: IdentityCommand, player: Player, at: Situation) -> Facts:
    assert at.other is not None
    return player_decisions.decide_identity(command, player, at.other, at.now)


def _decide_account_change(command: AccountChangeCommand, player: Player, at: Situation) -> Facts:
    return player_decisions.decide_account_change(command, player, at.terms, at.now)


def _decide_profile(command: ProtectionCommand, player: Player, at: Situation) -> Facts:
    return player_decisions.decide_protection(command, player, at.terms, at.now)


def _decide_chat(command: ChatCommand, player: Player, at: Situation) -> Facts:
    return chat_decisions.decide(command, player, at.now)


#: Which function decides a command about a player's account.
ACCOUNT_DECISIONS: Final[dict[type[Any], Callable[[Any, Player, Situation], Facts]]] = {
    RequestDeposit: lambda command, player, at: deposits.request(
        command, player, at.terms, at.now, at.day, discontinued=at.discontinued
    ),
    **dict.fromkeys((ApproveDeposit, EnterDeposit), _enter_deposit),
    **dict.fromkeys((DecideDeposit, AgreeDeposit), _decide_deposit),
    ConfirmDeposit: lambda command, player, at: deposits.confirm(
        command, player, at.terms, at.now, at.day
    ),
    RequestWithdrawal: lambda command, player, at: withdrawals.request(
        command, player, at.terms, at.now, discontinued=at.discontinued
    ),
    DecideWithdrawal: lambda command, player, at: withdrawals.decide(
        command, player, at.terms, alone_minor=at.alone_minor
    ),
    PayWithdrawal: lambda command, player, _: withdrawals.pay(command, player),
    GrantGift: lambda command, player, at: bonuses.grant(
        command, player, at.terms, at.now, alone_minor=at.alone_minor
    ),
    DecideGift: lambda command, player, at: bonuses.decide_gift(command, player, at.terms, at.now),
    GrantOvernight: lambda command, player, at: bonuses.grant_overnight(
        command, player, at.terms, at.now, at.day
    ),
    ReleaseBonus: lambda command, player, at: bonuses.release(command, player, at.now),
    ProposeAdjustment: lambda command, player, at: adjustments.propose(command, player, at.terms),
    ProposeCorrection: lambda command, player, at: adjustments.propose(command, player, at.terms),
    DecideAdjustment: lambda command, player, _: adjustments.decide(command, player),
    ReserveQuota: lambda command, player, at: reserve_quota(command, player, at.terms, at.now),
    ReleaseQuota: lambda command, player, _: release_quota(command, player),
    **dict.fromkeys(get_args(MessageCommand), _decide_message),
    **dict.fromkeys(get_args(IdentityCommand), _decide_identity),
    **dict.fromkeys(get_args(AccountChangeCommand), _decide_account_change),
    **dict.fromkeys(get_args(ProtectionCommand), _decide_profile),
    **dict.fromkeys(get_args(ChatCommand), _decide_chat),
}

#: Which function decides a command: the registry of all of them.
HANDLERS: Final[dict[type[Any], Callable[[Any, Overlay, DecisionContext], Answer]]] = {
    PlaceBet: _place,
    RecallBets: _recall,
    RegisterPlayer: _register,
    OpenRound: _open_round,
    **dict.fromkeys(get_args(DayCommand), _day),
    **dict.fromkeys(
        (CloseRound, DrawRound, SettleRound, VoidRound, RuleVoid, ReturnStakes, AnswerLate), _round
    ),
    **dict.fromkeys(get_args(OfficeCommand), _office),
    FoundHouse: _found_house,
    RecordProgram: _record_program,
    **dict.fromkeys(ACCOUNT_DECISIONS, _account),
}
