"""A reference model in plain dictionaries to compare the engine with; it shares no code with it.

It computes the expected answer and facts of a command, and applies every fact of the log. A fact
that breaks a rule raises AssertionError.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.engine import model_rules as rules

Plain = dict[str, Any]
Expected = tuple[Plain, list[tuple[str, Plain]]]
"""An answer, and the topic and known fields of each fact that must come with it."""


class LogRecord(NamedTuple):
    """A fact as stored in the log, with its state parsed."""

    position: int
    stream: str
    version: int
    at: int
    key: str
    actor: str
    topic: str
    fact: Plain


@dataclass
class Bet:
    id: str
    player: int
    game: int
    issue: str
    kind: str
    stake: int
    bonus: int
    receipt: bytes
    status: str = "open"

    def payout(self, total: int) -> int:
        return rules.payout_minor(self.kind, self.stake, total)


@dataclass
class Round:
    game: int
    day: str
    index: int
    issue: str
    closes_at: int
    draws_at: int
    phase: str = "open"
    bets: dict[str, Bet] = field(default_factory=dict)
    frozen: str = ""
    total: int = -1
    paid: int = 0
    counted: set[int] = field(default_factory=set)

    def turnover(self, player: int) -> tuple[int, int]:
        bets = [bet for bet in self.unrecalled() if bet.player == player]
        return rules.effective_turnover([(bet.kind, bet.stake) for bet in bets])

    def open_bets(self) -> list[Bet]:
        return [bet for bet in self.bets.values() if bet.status == "open"]

    def unrecalled(self) -> list[Bet]:
        return [bet for bet in self.bets.values() if bet.status != "recalled"]

    def sells_at(self, now: int) -> bool:
        return self.phase == "open" and now < self.closes_at

    @property
    def finished(self) -> bool:
        return self.phase in {"settled", "voided"}

    def worst_payout(self, kind: str = "", stake: int = 0) -> int:
        """The largest payout over all sums; with `kind`, over the sums on which it wins."""
        totals = [total for total in rules.SUMS if not kind or rules.wins(kind, total)]
        more = rules.payout_minor(kind, stake, totals[0]) if kind else 0
        open_bets = self.open_bets()
        return max(sum(bet.payout(total) for bet in open_bets) for total in totals) + more


@dataclass
class Member:
    group: int
    facts: int = 0
    available: int = 0
    staked: int = 0
    bonus: int = 0
    pending: set[str] = field(default_factory=set)
    due: int = 0
    turnover: int = 0
    entered: set[tuple[int, int]] = field(default_factory=set)

    def is_outside(self, plan: int, now: int) -> bool:
        inside = (plan, rules.calendar_day(now)) in self.entered
        return not inside and self.available < rules.join_minor(plan)


@dataclass
class Day:
    fact: Plain
    last_index: int
    prev: str
    revealed: tuple[int, str, str]


def refused(reason: str, blamed: str = "") -> Plain:
    return {"type": "refused", "refusal": reason, "field": blamed}


class ReferenceModel:
    """The state after all facts of the log so far."""

    def __init__(self) -> None:
        self.members: dict[int, Member] = {}
        self.bets: dict[str, Bet] = {}
        self.rounds: dict[tuple[int, str], Round] = {}
        self.newest: dict[int, Round] = {}
        self.days: dict[int, Day] = {}
        self.segments: dict[tuple[int, str], Day] = {}
        self.carried: set[str] = set()
        self.answers: dict[tuple[str, str], tuple[Plain, Plain]] = {}
        self.accounts: Counter[str] = Counter()
        self.versions: Counter[str] = Counter()
        self.unsigned: list[bytes] = []
        self.alone: list[tuple[int, int]] = []
        self.position = 0
        self.at = 0

    # Expected answers.

    def expect(self, actor: str, key: str | None, command: Plain, now: int) -> Expected:
        """The expected answer and facts of a command decided at `now`."""
        if key is not None and (actor, key) in self.answers:
            first, answer = self.answers[actor, key]
            other = [name for name in command if first.get(name) != command[name]]
            if "type" in other:
                return refused("key_reused"), []
            return (refused("key_reused", other[0]), []) if other else (answer, [])
        deciders: dict[str, Callable[[Plain, int], Expected]] = {
            "register": self._register,
            "deposit": self._deposit,
            "bet": self._bet,
            "recall": self._recall,
            "close-round": self._close,
            "draw-round": self._draw,
            "settle-round": self._settle,
            "void-round": self._void,
        }
        return deciders[command["type"]](command, now)

    def record_answer(self, actor: str, key: str | None, command: Plain, answer: Plain) -> None:
        if key is not None and answer.get("refusal") != "key_reused":
            self.answers.setdefault((actor, key), (command, answer))

    def _register(self, command: Plain, _: int) -> Expected:
        player = command["player"]
        if command["group"] not in {1, 2}:
            return refused("group_unknown"), []
        if player in self.members:
            return self._joined(player), []
        facts = [
            ("player-registered.1", {"group": command["group"], "inviter": command["inviter"]})
        ]
        gift = command["gift_minor"]
        if gift:
            facts.append(("deposit-approved.1", {"channel": "demo", "amount_minor": gift}))
        return self._joined(player, len(facts), gift), facts

    def _joined(self, player: int, facts: int = 0, money: int = 0) -> Plain:
        return {"type": "player", "player": player, **self._balances(player, facts, money)}

    def _balances(self, player: int, facts: int, money: int, bonus: int = 0) -> Plain:
        """The version and balances of a player after these further facts and amounts."""
        member = self.members.get(player) or Member(0)
        return {
            "version": member.facts + facts,
            "available_minor": member.available + money,
            "bonus_minor": member.bonus + bonus,
        }

    def _deposit(self, command: Plain, now: int) -> Expected:
        player, amount = command["player"], command["amount_minor"]
        if player not in self.members:
            return refused("player_unknown"), []
        if self.members[player].group != 1:
            return refused("must_register"), []
        if not 0 < amount <= 100_000_000_000:
            return refused("amount_invalid"), []
        if command["channel"] not in {"bank", "usdt", "demo"}:
            return refused("channel_unknown"), []
        names = ("deposit", "channel", "amount_minor")
        fact = {name: command[name] for name in names}
        if command["deposit"] in self.members[player].pending:
            return self._pending(command, "unchanged", 0), []
        lately = sum(each for at, each in self.alone if now - at < rules.DAY_US)
        if command["channel"] == "demo":
            return self._joined(player, 1, amount), [("deposit-approved.1", fact)]
        if amount + lately > rules.FOUR_EYES_MINOR:
            endorsed = {"deposit": command["deposit"], "by": command["by"]}
            facts = [("deposit-requested.1", fact), ("deposit-endorsed.1", endorsed)]
            return self._pending(command, "endorsed", len(facts)), facts
        alone = {"id": command["deposit"], "player": player, "amount_minor": amount}
        facts = [("approved-alone.1", {**alone, "by": "clerk"}), ("deposit-approved.1", fact)]
        return self._joined(player, 1, amount), facts

    def _pending(self, command: Plain, status: str, facts: int) -> Plain:
        """The answer to a deposit that needs the agreement of another person."""
        balances = self._balances(command["player"], facts, 0)
        fields = {"id": command["deposit"], "status": status, "amount_minor": 0}
        return {"type": "money", **fields, **balances, "withdrawing_minor": 0}

    def _bet(self, command: Plain, now: int) -> Expected:
        reason = self._why_no_bet(command, now)
        if reason:
            return refused(reason), []
        kind, stake = command["kind"], command["stake_minor"]
        member, sale = self.members[command["player"]], self.newest[command["game"]]
        bonus = max(0, stake - member.available)
        same = {name: command[name] for name in ("game", "issue", "plan", "kind", "stake_minor")}
        priced = {**same, "odds_milli": rules.ODDS_MILLI[kind]}
        balances = self._balances(command["player"], 1, bonus - stake, -bonus)
        fact = {
            **priced,
            "bonus_minor": bonus,
            "odds_table": rules.ODDS_TABLE,
            "closes_at": sale.closes_at,
        }
        return {"type": "bet", **balances, **priced, "at": now}, [("bet-placed.1", fact)]

    def _why_no_bet(self, command: Plain, now: int) -> str:
        """The first broken condition in the documented order, or ""."""
        member, plan, stake = (
            self.members.get(command["player"]),
            command["plan"],
            command["stake_minor"],
        )
        funds = member.available + member.bonus if member else 0
        sale = self.newest.get(command["game"])
        conditions: tuple[tuple[str, Callable[[], bool]], ...] = (
            ("player_unknown", lambda: member is None),
            ("must_register", lambda: member is not None and member.group != 1),
            ("plan_unknown", lambda: rules.game_of_plan(plan) != command["game"]),
            ("play_type_unknown", lambda: command["kind"] not in rules.ODDS_MILLI),
            *self._sale_conditions(command, now),
            ("stake_not_whole", lambda: stake % 100 != 0),
            ("stake_too_small", lambda: stake < rules.min_stake_minor(plan)),
            ("stake_too_large", lambda: stake > rules.MAX_STAKE_MINOR),
            ("assets_insufficient", lambda: member is not None and member.is_outside(plan, now)),
            ("funds_insufficient", lambda: stake > funds),
            (
                "exposure_exceeded",
                lambda: sale is None or sale.worst_payout(command["kind"], stake) > rules.CAP_MINOR,
            ),
        )
        return next((name for name, is_broken in conditions if is_broken()), "")

    def _sale_conditions(
        self, command: Plain, now: int
    ) -> tuple[tuple[str, Callable[[], bool]], ...]:
        issue, sale = command["issue"], self.newest.get(command["game"])

        def is_later() -> bool:
            place = (issue[:8], int(issue[8:] or 0))
            return sale is not None and place > (sale.issue[:8], int(sale.issue[8:]))

        return (
            ("round_unknown", lambda: not re.fullmatch("[0-9]{1,20}", issue)),
            ("round_not_current", is_later),
            ("round_closed", lambda: sale is None or issue != sale.issue or not sale.sells_at(now)),
        )

    def _recall(self, command: Plain, now: int) -> Expected:
        player, bet_id = command["player"], command["bet"]
        if player not in self.members:
            return refused("player_unknown"), []
        broken = (name for name, is_broken in self._sale_conditions(command, now) if is_broken())
        reason = next(broken, "")
        if reason not in {"", "round_not_current"}:
            return refused(reason), []
        open_bets = [] if reason else self.newest[command["game"]].open_bets()
        bets = [bet for bet in open_bets if bet.player == player and bet_id in {None, bet.id}]
        if not bets:
            return refused("nothing_to_recall" if bet_id is None else "bet_unknown"), []
        stake, bonus = sum(bet.stake for bet in bets), sum(bet.bonus for bet in bets)
        balances = self._balances(player, len(bets), stake - bonus, bonus)
        recalled = {"bets": [bet.id for bet in bets], "stake_minor": stake}
        facts = [
            ("bet-recalled.1", {"bet": bet.id, "stake_minor": bet.stake, "bonus_minor": bet.bonus})
            for bet in bets
        ]
        return {"type": "recalled", **recalled, **balances}, facts

    def _close(self, command: Plain, now: int) -> Expected:
        round_ = self._current_round(command)
        if round_ is None:
            return refused("round_unknown"), []
        if round_.phase != "open":
            return done(0), []
        if now < round_.closes_at:
            return refused("round_not_due"), []
        return done(1), [("round-closed.1", {"game": round_.game, "issue": round_.issue})]

    def _settle(self, command: Plain, _: int) -> Expected:
        round_ = self._current_round(command)
        if round_ is None:
            return refused("round_unknown"), []
        if round_.finished:
            return done(0), []
        if round_.phase != "drawn":
            return refused("round_not_due"), []
        return self._settled(round_, command["limit"])

    def _settled(self, round_: Round, limit: int) -> Expected:
        """A player's turnover of the round is counted with the player's first settled bet."""
        answer, facts = _slice(round_, limit, "bet-settled.1", "round-settled.1")
        counted = set(round_.counted)
        with_turnover: list[tuple[str, Plain]] = []
        for topic, fact in facts:
            player = self.bets[fact["bet"]].player if "bet" in fact else None
            if player is not None and player not in counted:
                counted.add(player)
                stake, effective = round_.turnover(player)
                fields = {"stake_minor": stake, "effective_minor": effective}
                with_turnover.append(("turnover-counted.1", fields))
            with_turnover.append((topic, fact))
        return answer, with_turnover

    def _void(self, command: Plain, _: int) -> Expected:
        """A void with the witness's cancellation. The machine checks the refusal without it."""
        round_ = self._current_round(command)
        if round_ is None:
            return refused("round_unknown"), []
        if round_.phase != "closed":
            return refused("round_not_due"), []
        return _slice(round_, command["limit"], "bet-voided.1", "round-voided.1")

    def _draw(self, command: Plain, now: int) -> Expected:
        """A draw with true secrets. The machine checks the refusal of false ones."""
        round_ = self._current_round(command)
        if round_ is None:
            return refused("round_unknown"), []
        if round_.total >= 0:
            return done(0), []
        if round_.phase != "closed" or now < round_.draws_at:
            return refused("round_not_due"), []
        return done(1), [("round-drawn.1", {"issue": round_.issue})]

    def _current_round(self, command: Plain) -> Round | None:
        """The round of a command. None if it is finished and no longer its game's newest."""
        round_ = self.rounds.get((command["game"], command["issue"]))
        if round_ is None or (round_.finished and self.newest[round_.game] is not round_):
            return None
        return round_

    def unfinished(self, game: int) -> list[Round]:
        rounds = (each for each in self.rounds.values() if each.game == game)
        return [each for each in rounds if not each.finished]

    def open_bets(self) -> dict[int, set[str]]:
        """Each player's open bets."""
        found: dict[int, set[str]] = defaultdict(set)
        for round_ in self.rounds.values():
            for bet in round_.open_bets():
                found[bet.player].add(bet.id)
        return found


def done(facts: int) -> Plain:
    return {"type": "done", "facts": facts}


def _slice(round_: Round, limit: int, answered: str, finished: str) -> Expected:
    """The next open bets, the bets of one player in succession, players by their first open bet."""
    open_bets = round_.open_bets()
    players = list(dict.fromkeys(bet.player for bet in open_bets))
    open_bets.sort(key=lambda bet: players.index(bet.player))
    facts: list[tuple[str, Plain]] = [(answered, {"bet": bet.id}) for bet in open_bets[:limit]]
    if len(facts) == len(open_bets):
        facts.append((finished, {"issue": round_.issue}))
    return done(len(facts)), facts
