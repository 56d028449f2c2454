"""From a command to its facts and its answer, on the overlay of one batch.

Every decision is pure and runs before any of its facts is applied, so that an exception in one
leaves the overlay as it was.
"""

from collections.abc import Sequence
from itertools import islice
from typing import assert_never

from msgspec import Struct

from engine.account_command_handler import decide_account_command
from engine.answers import Answer, BetAccepted, BetsRecalled, Done, PlayerAccepted, Refused
from engine.bets import decisions as players
from engine.bets.commands import PlaceBet, RecallBets
from engine.bets.decisions import BetRandomness
from engine.bets.facts import BetPlaced, BetRecalled
from engine.cashier.commands import AgreeDeposit, EnterDeposit
from engine.cashier.facts import ApprovedAlone, ReferenceCredited
from engine.engine_state import Overlay
from engine.house import bookings, house_state
from engine.house import day_decisions as house
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
from engine.players.commands import PlayerCommand, RegisterPlayer
from engine.players.facts import PlayerFact
from engine.players.profile_commands import DecideIdentity, NoteSharedIdentity
from engine.players.registration import register
from engine.players.state import Player
from engine.refusals import Refusal
from engine.rounds import decisions as rounds
from engine.rounds import voiding
from engine.rounds.commands import (
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

Command = PlayerCommand | RoundCommand | HouseCommand


class DecisionContext(Struct, frozen=True):
    """What deciding a command needs from outside: randomness for a bet, and the signature."""

    randomness: BetRandomness
    sign: Sign


def players_of(command: Command, overlay: Overlay) -> list[int]:
    """The players whose state deciding this command takes."""
    match command:
        case PlaceBet():
            # First, because nearly every command is one, and to ask for all kinds takes time.
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
    """The references of payments, as keyed hashes, that deciding this command takes."""
    with_reference = (EnterDeposit, AgreeDeposit, Book, DecideBooking)
    if isinstance(command, with_reference) and command.reference:
        return [command.reference]
    return []


def decide(command: Command, overlay: Overlay, context: DecisionContext) -> Answer:
    """Decide one command and apply what it leads to; a refusal changes nothing."""
    match command:
        case PlaceBet():
            return _place(command, overlay, context)
        case RecallBets():
            return _recall(command, overlay)
        case RegisterPlayer():
            return _register(command, overlay)
        case OpenDay() | SkipRounds() | LeaveSegment():
            return _day(command, overlay)
        case OpenRound():
            facts = rounds.open_round(command, overlay.game(command.game), overlay.now)
            return _round_facts(overlay, None, facts)
        case CloseRound() | DrawRound() | SettleRound() | VoidRound() | RuleVoid() | ReturnStakes():
            return _round(command, overlay, context)
        case FoundHouse():
            return _add_office(overlay, house_state.found_house(command, overlay.house))
        case RecordProgram():
            overlay.add_office_fact(house_state.program_checked(command))
            return Done(1)
        case _ if isinstance(command, OfficeCommand):
            return _office(command, overlay)
        case _:
            return decide_account_command(command, overlay)


def _place(command: PlaceBet, overlay: Overlay, context: DecisionContext) -> Answer:
    player = overlay.player(command.player)
    newest_round = overlay.newest(command.game)
    closed_reason = overlay.house.closed_reason(command.game, command.plan)
    facts = players.place_bet(
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


def _recall(command: RecallBets, overlay: Overlay) -> Answer:
    player = overlay.player(command.player)
    newest_round = overlay.newest(command.game)
    facts = players.recall(command, player, newest_round, overlay.now)
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


def _register(command: RegisterPlayer, overlay: Overlay) -> Answer:
    player = overlay.player(command.player)
    facts = register(command, player)
    if isinstance(facts, Refused):
        return facts
    _add_all(overlay, player, facts)
    return PlayerAccepted(player.id, player.version, player.available, player.bonus)


def _office(command: OfficeCommand, overlay: Overlay) -> Answer:
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
    """The desk hears who booked alone, and which payment was credited, before it is booked."""
    context = bookings.BookingContext(
        overlay.house.terms,
        overlay.desk.alone_minor(command.by, bookings.HOUSE, overlay.now),
        bool(command.reference) and overlay.reference(command.reference).version > 0,
    )
    facts = bookings.decide(command, overlay.house.bookings, context)
    booked = facts[-1] if not isinstance(facts, Refused) and facts else None
    if isinstance(booked, Booked):
        number, by, amount = booked.booking, command.by, abs(booked.amount_minor)
        if isinstance(command, Book):
            overlay.add_desk_fact(ApprovedAlone("booking", number, bookings.HOUSE, amount, by))
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


def _day(command: DayCommand, overlay: Overlay) -> Answer:
    game, unfinished = overlay.game(command.game), overlay.unfinished_rounds(command.game)
    facts: list[DayFact] | Refused
    match command:
        case OpenDay():
            selling = any(each.phase == Phase.OPEN for each in unfinished)
            carried = [each.issue for each in unfinished]
            facts = house.open_day(command, game, selling=selling, carried=carried)
        case SkipRounds():
            in_segment = any(each.opened.day == game.day for each in unfinished)
            facts = house.skip_rounds(command, game, unfinished=in_segment)
        case LeaveSegment():
            facts = house.leave_segment(command, game)
        case _ as never:
            assert_never(never)
    if isinstance(facts, Refused):
        return facts
    for fact in facts:
        overlay.add_game_fact(game, fact)
    return Done(len(facts))


def _round(
    command: CloseRound | DrawRound | SettleRound | VoidRound | RuleVoid | ReturnStakes,
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
    total = round_.drawn.total
    slice_ = list(islice(round_.book.open_bets(), command.limit))
    for booked in slice_:
        player = overlay.player(booked.player)
        _add_all(overlay, player, players.settle(player, booked.bet.bet, total))
    finished = rounds.finish(round_)
    _round_facts(overlay, round_, finished)
    return Done(len(slice_) + len(finished))


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
    facts = voiding.rule_void(command, round_, agreed, overlay.now)
    return _round_facts(overlay, round_, facts)


def _return_stakes(command: ReturnStakes, round_: Round, overlay: Overlay) -> Answer:
    if round_.ruled is None or round_.finished:
        return Done(0) if round_.finished else Refused(Refusal.ROUND_NOT_DUE)
    returned = _return_slice(command.limit, round_, overlay)
    finished = voiding.finish_returning(round_)
    _round_facts(overlay, round_, finished)
    return Done(returned + len(finished))


def _return_slice(limit: int, round_: Round, overlay: Overlay) -> int:
    slice_ = list(islice(round_.book.open_bets(), limit))
    for booked in slice_:
        player = overlay.player(booked.player)
        _add_all(overlay, player, players.void(player, booked.bet.bet))
    return len(slice_)
