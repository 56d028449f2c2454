"""The tally's rules for bets: placed in time and within the cap, and answered once."""

from typing import Final

from scripts.simulation.rules import CAP_MINOR, ODDS_MILLI, WINNING_SUMS, gross_minor
from scripts.simulation.tally import Bet, Line, Round, Rule, Tally, demand


def _registered(tally: Tally, line: Line) -> None:
    demand(line.player not in tally.groups, "somebody joined twice", line)
    tally.groups[line.player] = line.fact["group"]
    if line.fact["bot"]:
        tally.bots.add(line.player)


def _placed(tally: Tally, line: Line) -> None:
    fact = line.fact
    sale = tally.newest[fact["game"]]
    demand(fact["bet"] not in tally.bets, "a bet's id was used twice", line)
    demand(sale.issue == fact["issue"] and sale.phase == "open", "a bet after the close", line)
    demand(line.at < sale.closes_at == fact["closes_at"], "a bet after the close", line)
    demand(not _shut(tally, line), "a bet where or by whom none is taken", line)
    demand(fact["odds_milli"] == ODDS_MILLI[fact["kind"]], "a bet at other odds", line)
    stake, bonus = fact["stake_minor"], fact["bonus_minor"]
    bet = Bet(fact["bet"], line.player, sale.game, sale.issue, fact["kind"], stake, bonus)
    tally.bets[bet.id] = bet
    tally.unsigned += 1
    sale.count(bet, 1)
    demand(max(sale.gross) <= CAP_MINOR, "more could be lost than the cap allows", line)
    tally.move(line, {"available": bonus - stake, "bonus": -bonus, "staked": stake})


def _shut(tally: Tally, line: Line) -> bool:
    """Whether staff or the member themselves have closed this to bets."""
    desk, fact = tally.desk, line.fact
    here = {"product", "all", f"game-{fact['game']}", f"plan-{fact['plan']}"}
    is_out = line.at < max(desk.out.get(line.player, (0,)))
    return bool(here & desk.switches) or line.player in desk.closed or is_out


def _returned(tally: Tally, line: Line) -> Round:
    bet = tally.standing(line)
    at_hand = tally.rounds[bet.game, bet.issue]
    del tally.bets[bet.id]
    at_hand.count(bet, -1)
    legs = {"available": bet.stake - bet.bonus, "bonus": bet.bonus, "staked": -bet.stake}
    tally.move(line, legs)
    return at_hand


def _recalled(tally: Tally, line: Line) -> None:
    sale = _returned(tally, line)
    in_time = sale.phase == "open" and line.at < sale.closes_at
    demand(in_time, "a recall after the close", line)


def _voided(tally: Tally, line: Line) -> None:
    at_hand = _returned(tally, line)
    demand(at_hand.phase == "closed", "a bet of a round that is not closed is voided", line)
    _answer(at_hand, line.fact["stake_minor"], 0)


def _settled(tally: Tally, line: Line) -> None:
    fact, bet = line.fact, tally.standing(line)
    at_hand = tally.rounds[bet.game, bet.issue]
    demand(at_hand.phase == "drawn", "a bet is settled without a draw", line)
    demand(fact["total"] == at_hand.total, "a bet is settled by another sum", line)
    is_counted = bet.player in at_hand.counted or bet.player in tally.bots
    demand(is_counted, "a bet is settled before its turnover is counted", line)
    won = at_hand.total in WINNING_SUMS[bet.kind]
    payout = gross_minor(bet.kind, bet.stake) if won else 0
    share = payout * bet.bonus // bet.stake
    paid = (fact["payout_minor"], fact["payout_bonus_minor"])
    demand(paid == (payout, share), f"paid {paid} instead of {(payout, share)}", line)
    del tally.bets[bet.id]
    at_hand.count(bet, -1)
    _answer(at_hand, bet.stake, payout)
    takings = {"staked": -bet.stake, "house:takings": bet.stake - payout}
    tally.move(line, {**takings, "available": payout - share, "bonus": share})


def _answer(at_hand: Round, stake: int, payout: int) -> None:
    at_hand.answered.update(count=1, stake_minor=stake, payout_minor=payout)


RULES: Final[dict[str, Rule]] = {
    "player-registered.1": _registered,
    "bet-placed.1": _placed,
    "bet-recalled.1": _recalled,
    "bet-settled.1": _settled,
    "bet-voided.1": _voided,
}
