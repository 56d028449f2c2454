"""A house in plain dictionaries, to hold the engine against; it shares no code with the engine.

It says which answer and which facts a command must lead to, and takes in every fact of the log:
one that breaks a rule is an AssertionError here.
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


class Line(NamedTuple):
    """A fact as it stands in the log, its state parsed."""

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
        mine = [bet for bet in self.unrecalled() if bet.player == player]
        return rules.effective_turnover([(bet.kind, bet.stake) for bet in mine])

    def standing(self) -> list[Bet]:
        return [bet for bet in self.bets.values() if bet.status == "open"]

    def unrecalled(self) -> list[Bet]:
        return [bet for bet in self.bets.values() if bet.status != "recalled"]

    def sells_at(self, now: int) -> bool:
        return self.phase == "open" and now < self.closes_at

    @property
    def finished(self) -> bool:
        return self.phase in {"settled", "voided"}

    def worst_payout(self, kind: str = "", stake: int = 0) -> int:
        """Over all sums; with a further bet of `kind` over those that it wins on."""
        totals = [total for total in rules.SUMS if not kind or rules.wins(kind, total)]
        more = rules.payout_minor(kind, stake, totals[0]) if kind else 0
        open_bets = self.standing()
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


class House:
    """Everything that the log has told so far."""

    def __init__(self) -> None:
        self.members: dict[int, Member] = {}
        self.bets: dict[str, Bet] = {}
        self.rounds: dict[tuple[int, str], Round] = {}
        self.newest: dict[int, Round] = {}
        self.days: dict[int, Day] = {}
        self.remembered: dict[tuple[str, str], tuple[Plain, Plain]] = {}
        self.accounts: Counter[str] = Counter()
        self.versions: Counter[str] = Counter()
        self.unsigned: list[bytes] = []
        self.alone: list[tuple[int, int]] = []
        self.position = 0
        self.at = 0

    # What a command must be answered with.

    def expect(self, actor: str, key: str | None, asked: Plain, now: int) -> Expected:
        """The answer and the facts due to a command decided at `now`; the answer is remembered."""
        if key is not None and (actor, key) in self.remembered:
            first, answer = self.remembered[actor, key]
            other = [name for name in asked if first.get(name) != asked[name]]
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
        return deciders[asked["type"]](asked, now)

    def remember(self, actor: str, key: str | None, asked: Plain, answer: Plain) -> None:
        if key is not None and answer.get("refusal") != "key_reused":
            self.remembered.setdefault((actor, key), (asked, answer))

    def _register(self, asked: Plain, _: int) -> Expected:
        player = asked["player"]
        if asked["group"] not in {1, 2}:
            return refused("group_unknown"), []
        if player in self.members:
            return self._joined(player), []
        facts = [("player-registered.1", {"group": asked["group"], "inviter": asked["inviter"]})]
        gift = asked["gift_minor"]
        if gift:
            facts.append(("deposit-approved.1", {"channel": "demo", "amount_minor": gift}))
        return self._joined(player, len(facts), gift), facts

    def _joined(self, player: int, facts: int = 0, money: int = 0) -> Plain:
        return {"type": "player", "player": player, **self._held(player, facts, money)}

    def _held(self, player: int, facts: int, money: int, bonus: int = 0) -> Plain:
        """The version and balances of a player after so many facts and so much more money."""
        member = self.members.get(player) or Member(0)
        return {
            "version": member.facts + facts,
            "available_minor": member.available + money,
            "bonus_minor": member.bonus + bonus,
        }

    def _deposit(self, asked: Plain, now: int) -> Expected:
        player, amount = asked["player"], asked["amount_minor"]
        if player not in self.members:
            return refused("player_unknown"), []
        if self.members[player].group != 1:
            return refused("must_register"), []
        if not 0 < amount <= 100_000_000_000:
            return refused("amount_invalid"), []
        if asked["channel"] not in {"bank", "usdt", "demo"}:
            return refused("channel_unknown"), []
        names = ("deposit", "channel", "amount_minor")
        fact = {name: asked[name] for name in names}
        if asked["deposit"] in self.members[player].pending:
            return self._pending(asked, "unchanged", 0), []
        lately = sum(each for at, each in self.alone if now - at < rules.DAY_US)
        if asked["channel"] == "demo":
            return self._joined(player, 1, amount), [("deposit-approved.1", fact)]
        if amount + lately > rules.FOUR_EYES_MINOR:
            endorsed = {"deposit": asked["deposit"], "by": asked["by"]}
            facts = [("deposit-requested.1", fact), ("deposit-endorsed.1", endorsed)]
            return self._pending(asked, "endorsed", len(facts)), facts
        alone = {"id": asked["deposit"], "player": player, "amount_minor": amount}
        facts = [("approved-alone.1", {**alone, "by": "clerk"}), ("deposit-approved.1", fact)]
        return self._joined(player, 1, amount), facts

    def _pending(self, asked: Plain, status: str, facts: int) -> Plain:
        """What a deposit that another person has to agree to is answered with."""
        held = self._held(asked["player"], facts, 0)
        figures = {"id": asked["deposit"], "status": status, "amount_minor": 0}
        return {"type": "money", **figures, **held, "withdrawing_minor": 0}

    def _bet(self, asked: Plain, now: int) -> Expected:
        reason = self._why_no_bet(asked, now)
        if reason:
            return refused(reason), []
        kind, stake = asked["kind"], asked["stake_minor"]
        member, sale = self.members[asked["player"]], self.newest[asked["game"]]
        bonus = max(0, stake - member.available)
        same = {name: asked[name] for name in ("game", "issue", "plan", "kind", "stake_minor")}
        priced = {**same, "odds_milli": rules.ODDS_MILLI[kind]}
        held = self._held(asked["player"], 1, bonus - stake, -bonus)
        fact = {
            **priced,
            "bonus_minor": bonus,
            "odds_table": rules.ODDS_TABLE,
            "closes_at": sale.closes_at,
        }
        return {"type": "bet", **held, **priced, "at": now}, [("bet-placed.1", fact)]

    def _why_no_bet(self, asked: Plain, now: int) -> str:
        """The first broken condition, in the order that callers are promised."""
        member, plan, stake = self.members.get(asked["player"]), asked["plan"], asked["stake_minor"]
        funds = member.available + member.bonus if member else 0
        sale = self.newest.get(asked["game"])
        conditions: tuple[tuple[str, Callable[[], bool]], ...] = (
            ("player_unknown", lambda: member is None),
            ("must_register", lambda: member is not None and member.group != 1),
            ("plan_unknown", lambda: rules.game_of_plan(plan) != asked["game"]),
            ("play_type_unknown", lambda: asked["kind"] not in rules.ODDS_MILLI),
            *self._sale_conditions(asked, now),
            ("stake_not_whole", lambda: stake % 100 != 0),
            ("stake_too_small", lambda: stake < rules.least_stake_minor(plan)),
            ("stake_too_large", lambda: stake > rules.LARGEST_STAKE_MINOR),
            ("assets_insufficient", lambda: member is not None and member.is_outside(plan, now)),
            ("funds_insufficient", lambda: stake > funds),
            (
                "exposure_exceeded",
                lambda: sale is None or sale.worst_payout(asked["kind"], stake) > rules.CAP_MINOR,
            ),
        )
        return next((name for name, is_broken in conditions if is_broken()), "")

    def _sale_conditions(
        self, asked: Plain, now: int
    ) -> tuple[tuple[str, Callable[[], bool]], ...]:
        issue, sale = asked["issue"], self.newest.get(asked["game"])

        def is_later() -> bool:
            mine = (issue[:8], int(issue[8:] or 0))
            return sale is not None and mine > (sale.issue[:8], int(sale.issue[8:]))

        return (
            ("round_unknown", lambda: not re.fullmatch("[0-9]{1,20}", issue)),
            ("round_not_current", is_later),
            ("round_closed", lambda: sale is None or issue != sale.issue or not sale.sells_at(now)),
        )

    def _recall(self, asked: Plain, now: int) -> Expected:
        player, wanted = asked["player"], asked["bet"]
        if player not in self.members:
            return refused("player_unknown"), []
        broken = (name for name, holds in self._sale_conditions(asked, now) if holds())
        reason = next(broken, "")
        if reason not in {"", "round_not_current"}:
            return refused(reason), []
        standing = [] if reason else self.newest[asked["game"]].standing()
        mine = [bet for bet in standing if bet.player == player and wanted in {None, bet.id}]
        if not mine:
            return refused("nothing_to_recall" if wanted is None else "bet_unknown"), []
        stake, bonus = sum(bet.stake for bet in mine), sum(bet.bonus for bet in mine)
        held = self._held(player, len(mine), stake - bonus, bonus)
        recalled = {"bets": [bet.id for bet in mine], "stake_minor": stake}
        facts = [
            ("bet-recalled.1", {"bet": bet.id, "stake_minor": bet.stake, "bonus_minor": bet.bonus})
            for bet in mine
        ]
        return {"type": "recalled", **recalled, **held}, facts

    def _close(self, asked: Plain, now: int) -> Expected:
        at_hand = self._at_hand(asked)
        if at_hand is None:
            return refused("round_unknown"), []
        if at_hand.phase != "open":
            return done(0), []
        if now < at_hand.closes_at:
            return refused("round_not_due"), []
        return done(1), [("round-closed.1", {"game": at_hand.game, "issue": at_hand.issue})]

    def _settle(self, asked: Plain, _: int) -> Expected:
        at_hand = self._at_hand(asked)
        if at_hand is None:
            return refused("round_unknown"), []
        if at_hand.finished:
            return done(0), []
        if at_hand.phase != "drawn":
            return refused("round_not_due"), []
        return self._settled(at_hand, asked["limit"])

    def _settled(self, at_hand: Round, limit: int) -> Expected:
        """With the first bet of a player, what all of theirs on the round count as turnover."""
        answer, facts = _slice(at_hand, limit, "bet-settled.1", "round-settled.1")
        counted = set(at_hand.counted)
        with_turnover: list[tuple[str, Plain]] = []
        for topic, fact in facts:
            player = self.bets[fact["bet"]].player if "bet" in fact else None
            if player is not None and player not in counted:
                counted.add(player)
                stake, effective = at_hand.turnover(player)
                figures = {"stake_minor": stake, "effective_minor": effective}
                with_turnover.append(("turnover-counted.1", figures))
            with_turnover.append((topic, fact))
        return answer, with_turnover

    def _void(self, asked: Plain, _: int) -> Expected:
        """With the witness's word; without it, the machine expects a refusal by itself."""
        at_hand = self._at_hand(asked)
        if at_hand is None:
            return refused("round_unknown"), []
        if at_hand.phase != "closed":
            return refused("round_not_due"), []
        return _slice(at_hand, asked["limit"], "bet-voided.1", "round-voided.1")

    def _draw(self, asked: Plain, now: int) -> Expected:
        """With true secrets; for false ones, the machine expects a refusal by itself."""
        at_hand = self._at_hand(asked)
        if at_hand is None:
            return refused("round_unknown"), []
        if at_hand.total >= 0:
            return done(0), []
        if at_hand.phase != "closed" or now < at_hand.draws_at:
            return refused("round_not_due"), []
        return done(1), [("round-drawn.1", {"issue": at_hand.issue})]

    def _at_hand(self, asked: Plain) -> Round | None:
        """A round that is finished and not its game's newest is let go."""
        at_hand = self.rounds.get((asked["game"], asked["issue"]))
        if at_hand is None or (at_hand.finished and self.newest[at_hand.game] is not at_hand):
            return None
        return at_hand

    def owed(self, game: int) -> list[Round]:
        mine = (each for each in self.rounds.values() if each.game == game)
        return [each for each in mine if not each.finished]

    def open_bets(self) -> dict[int, set[str]]:
        """Each player's open bets."""
        found: dict[int, set[str]] = defaultdict(set)
        for at_hand in self.rounds.values():
            for bet in at_hand.standing():
                found[bet.player].add(bet.id)
        return found


def done(facts: int) -> Plain:
    return {"type": "done", "facts": facts}


def _slice(at_hand: Round, limit: int, answered: str, finished: str) -> Expected:
    standing = at_hand.standing()
    facts: list[tuple[str, Plain]] = [(answered, {"bet": bet.id}) for bet in standing[:limit]]
    if len(facts) == len(standing):
        facts.append((finished, {"issue": at_hand.issue}))
    return done(len(facts)), facts
