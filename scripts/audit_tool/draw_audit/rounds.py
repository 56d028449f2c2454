"""A round from its sale to its end: each bet, the frozen record, the draw, and what was settled."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from scripts.audit_tool.draw_audit import beacons, protocol
from scripts.audit_tool.draw_audit.rules import WINNING, winnings
from scripts.audit_tool.draw_audit.segments import Segment, Status
from scripts.audit_tool.draw_audit.signatures import Expected, SignatureQueue
from scripts.audit_tool.draw_audit.stored import AuditedFact

_MAX_SEARCHED: Final = 512  # leaves; the search for a missing one is quadratic
_UNATTESTED_AFTER: Final = 30 * 60 * 1_000_000  # microseconds
ATTESTED, UNATTESTED, BREACH = "attested", "unattested", "breach"
#: The witness's reasons that mean that it released its link, or can no longer rule that out.
_RELEASED: Final = frozenset({"round_released", "round_frozen_otherwise", "day_finished"})
RELEASED, NOT_RELEASED, UNKNOWN = "released", "not_released", "unknown"
#: The witness's reasons that mean that it released its link, for this or another frozen record.
_SAYS_RELEASED: Final = frozenset({"round_released", "round_frozen_otherwise"})


class PlacedBet(NamedTuple):
    """A bet as its fact describes it, and the hash of its receipt."""

    position: int
    stream: str
    fields: Mapping[str, Any]
    leaf: bytes


class SettledBets:
    """The settled bets of one kind, odds table and book in a round; amounts in minor units.

    `possible` is what they pay if the kind wins.
    """

    __slots__ = ("bets", "paid", "possible", "stake")

    def __init__(self) -> None:
        self.bets = self.stake = self.possible = self.paid = 0

    def include(self, other: "SettledBets") -> None:
        """Add other bets, but not their `possible`: bets of several kinds do not win together."""
        self.bets += other.bets
        self.stake += other.stake
        self.paid += other.paid


class SoldRound:
    """A round that was opened and is not finished."""

    def __init__(self, fact: AuditedFact, segment: Segment, signatures: SignatureQueue) -> None:
        fields = fact.fields
        self.segment = segment
        self._signatures = signatures
        self.game: int = fields["game"]
        self.issue: str = fields["issue"]
        self.index: int = fields["index"]
        self.closes_at: int = fields["closes_at"]
        self.draws_at: int = fields["draws_at"]
        self.odds_table: str = fields["odds_table"]
        self.bets: dict[str, PlacedBet] = {}
        self.closed: AuditedFact | None = None
        self.drawn: AuditedFact | None = None
        self.ruled: AuditedFact | None = None
        self.late: AuditedFact | None = None
        self.ended = [0, 0, 0]  # bets that were settled or returned: count, stake, payout
        self.settled: dict[tuple[str, str, bool], SettledBets] = {}

    def __str__(self) -> str:
        return f"game {self.game} round {self.issue}"

    @property
    def status(self) -> Status:
        """How far the round has come."""
        return Status(self.segment.statuses[self.index])

    @status.setter
    def status(self, status: Status) -> None:
        self.segment.statuses[self.index] = status

    @property
    def is_undrawn(self) -> bool:
        """Whether the round may still be drawn."""
        return self.drawn is None and self.ruled is None

    @property
    def stated(self) -> str:
        """What the witness stated after an unattested void; empty if nothing."""
        return "" if self.late is None else str(self.late.fields["statement"])

    @property
    def awaits_statement(self) -> bool:
        """Whether the witness still has to say what was true of an unattested void."""
        is_unattested = self.ruled is not None and self.ruled.fields["status"] == UNATTESTED
        return is_unattested and self.stated in {"", UNKNOWN}

    def place(self, fact: AuditedFact, leaf: bytes) -> Iterator[str]:
        """Add a bet; yields what is wrong with it."""
        bet = fact.fields
        if self.closed is not None:
            yield f"the bet {bet['bet']} was accepted after the close at {_at(self.closed)}"
            return
        if fact.at >= self.closes_at:
            yield f"the bet {bet['bet']} was accepted at or after the time of the close"
        if bet["odds_table"] != self.odds_table or bet["closes_at"] != self.closes_at:
            yield f"the bet {bet['bet']} names another odds table or close than its round"
        if bet["kind"] not in WINNING:
            yield f"the bet {bet['bet']} is of an unknown kind, {bet['kind']!r:.40}"
        if bet["bonus_minor"] > bet["stake_minor"] or not bet["stake_minor"]:
            yield f"the bet {bet['bet']} has no stake, or more bonus than stake"
        if bet["bet"] in self.bets:
            yield f"the bet {bet['bet']} was placed twice"
            return
        self.bets[bet["bet"]] = PlacedBet(fact.position, fact.stream, bet, leaf)

    def recall(self, fact: AuditedFact) -> Iterator[str]:
        """Remove a bet from the sale; yields what is wrong."""
        if self.closed is not None:
            yield f"the bet {fact.fields['bet']} was recalled after the close at {_at(self.closed)}"
        elif wrong := self._take(fact)[1]:
            yield wrong

    def close(self, fact: AuditedFact) -> Iterator[str]:
        """Compare the frozen record with the bets, the previous record and the signature."""
        fields, segment = fact.fields, self.segment
        if self.closed is not None:
            yield f"a second frozen record; the first is at {_at(self.closed)}"
            return
        self.closed, self.status = fact, Status.CLOSED
        if (fields["day"], fields["index"], fields["closes_at"]) != (
            *(segment.day, self.index),
            self.closes_at,
        ):
            yield "the frozen record is of another day, index or close than the round"
        if fact.at < self.closes_at:
            yield "the bets were frozen before the close"
        yield from self._compare_bets(fields)
        frozen = protocol.digest(protocol.frozen_record(fields))
        if frozen.hex() != fields["frozen"]:
            yield "the hash is not that of the frozen record"
        if fields["prev"] != segment.prev:
            yield "prev is not the hash of the previous frozen record, or of the day's record"
        content = bytes.fromhex(fields["frozen"])
        signed = (protocol.FROZEN, content, fields["signature"])
        what = "the operator's signature of the frozen record is wrong"
        self._expect(segment.operator_key, *signed, fact.position, what)
        segment.prev = fields["frozen"]

    def _expect(
        self, key: str, purpose: bytes, content: bytes, signature: str, position: int, what: str
    ) -> None:
        expected = Expected((key,), purpose, content, signature, position, f"{self}: {what}")
        self._signatures.expect(expected)

    def _compare_bets(self, fields: Mapping[str, Any]) -> Iterator[str]:
        stakes: dict[str, int] = {}
        for placed in self.bets.values():
            kind, stake = placed.fields["kind"], placed.fields["stake_minor"]
            stakes[kind] = stakes.get(kind, 0) + stake
        found = (len(self.bets), sum(stakes.values()), stakes)
        if (fields["count"], fields["stake_minor"], fields["stakes"]) != found:
            yield (
                f"the frozen record has {fields['count']:,} bets of {fields['stake_minor']:,} minor"
                f" units, but the log has {found[0]:,} of {found[1]:,}, or other stakes by kind"
            )
        leaves = [placed.leaf for placed in self.bets.values()]
        expected = bytes.fromhex(fields["bets"])
        if protocol.tree_head(leaves) != expected:
            differing = self._differing(leaves, expected, fields["count"])
            yield f"the tree over the receipts differs from the frozen one: {differing}"

    def _differing(self, leaves: Sequence[bytes], expected: bytes, count: int) -> str:
        """Returns which receipt is missing from the frozen tree, as far as it can be determined."""
        placed = list(self.bets.values())
        if len(leaves) == count + 1 and count < _MAX_SEARCHED:
            for index, bet in enumerate(placed):
                if protocol.tree_head([*leaves[:index], *leaves[index + 1 :]]) == expected:
                    return f"it lacks the bet {bet.fields['bet']} at position {bet.position:,}"
        if not placed:
            return "the log has no bets of this round"
        first, last = placed[0].position, placed[-1].position
        return f"a bet between the positions {first:,} and {last:,} was changed, added or removed"

    def draw(self, fact: AuditedFact) -> Iterator[str]:
        """Check both links, the witness's release, and the digits."""
        fields, segment = fact.fields, self.segment
        if self.closed is None:
            yield "drawn before its bets were frozen"
            return
        if self.drawn is not None:
            yield f"drawn twice; the first draw is at {_at(self.drawn)}"
            return
        if self.ruled is not None:
            yield f"drawn, although its void was ruled at {_at(self.ruled)}"
            return
        self.drawn, self.status = fact, Status.DRAWN
        closed = self.closed.fields
        if (fields["day"], fields["index"]) != (segment.day, self.index):
            yield "the draw names another day or index than the round"
        if (fields["frozen"], fields["operator_signature"]) != (
            *(closed["frozen"], closed["signature"]),
        ):
            yield "the draw names another frozen record or signature than the close"
        if fact.at < self.draws_at:
            yield "drawn before its time"
        frozen = bytes.fromhex(closed["frozen"])
        signed = (protocol.RELEASE, frozen, fields["witness_signature"])
        what = "the witness's signature of its release is wrong"
        self._expect(segment.witness_key, *signed, fact.position, what)
        yield from segment.wrong_links(fields, self.index)
        operator, witness = (bytes.fromhex(fields[name]) for name in _LINKS)
        beacon, mode = fields.get("beacon"), segment.fields["beacon"]
        yield from beacons.wrong(mode, closed["closes_at"], self.closed.at, beacon)
        added = beacons.randomness(beacon)
        place = (self.game, segment.day, self.index)
        expected = protocol.digits(operator, witness, *place, frozen, added)
        if tuple(fields["digits"]) != expected:
            yield f"the digits are {fields['digits']}, but the links give {list(expected)}"
        if fields["total"] != sum(fields["digits"]):
            yield f"the sum is {fields['total']}, but the digits have {sum(fields['digits'])}"

    def settle(self, fact: AuditedFact, *, is_bot: bool) -> Iterator[str]:
        """Compare a bet's settlement with the draw and with the bet's own odds."""
        if self.drawn is None:
            yield f"the bet {fact.fields['bet']} was settled without a draw"
            return
        placed, wrong = self._take(fact)
        if wrong:
            yield wrong
        if placed is None:
            return
        bet, fields = placed.fields, fact.fields
        possible = winnings(bet["stake_minor"], bet["odds_milli"])
        total = self.drawn.fields["total"]
        expected = possible if total in WINNING.get(bet["kind"], ()) else 0
        paid = fields["payout_minor"]
        if fields["total"] != total:
            yield f"the bet {bet['bet']} was settled at {fields['total']}, but {total} was drawn"
        if paid != expected:
            yield f"the bet {bet['bet']} was paid {paid:,} minor units instead of {expected:,}"
        elif fields["payout_bonus_minor"] != paid * bet["bonus_minor"] // (bet["stake_minor"] or 1):
            yield f"the bet {bet['bet']} was paid another share of bonus than it had staked"
        self.ended[2] += paid
        key = (bet["kind"], bet["odds_table"], is_bot)
        group = self.settled.get(key) or self.settled.setdefault(key, SettledBets())
        group.bets += 1
        group.stake += bet["stake_minor"]
        group.possible += possible
        group.paid += paid

    def return_stake(self, fact: AuditedFact) -> Iterator[str]:
        """Return one stake of a round that is voided."""
        bet = fact.fields["bet"]
        if self.drawn is not None:
            yield f"the stake of the bet {bet} was returned, although the round was drawn"
        elif self.closed is None:
            yield f"the stake of the bet {bet} was returned before the close"
        elif wrong := self._take(fact)[1]:
            yield wrong

    def _take(self, fact: AuditedFact) -> tuple[PlacedBet | None, str]:
        """Remove a bet that has ended, and count it unless it was recalled.

        Returns the bet, None if it is not open; and what is wrong, empty if nothing is.
        """
        fields = fact.fields
        placed = self.bets.pop(fields["bet"], None)
        if placed is None:
            return None, f"the bet {fields['bet']} is not among the round's open bets"
        if self.closed is not None:
            self.ended[0] += 1
            self.ended[1] += fields["stake_minor"]
        same = all(fields[name] == placed.fields[name] for name in ("stake_minor", "bonus_minor"))
        if placed.stream == fact.stream and same:
            return placed, ""
        return placed, (
            f"the bet {fields['bet']} had another owner or stake at position {placed.position:,}"
        )

    def finish(self, fact: AuditedFact) -> Iterator[str]:
        """Compare the totals of a settled or voided round with its bets and its frozen record."""
        fields = fact.fields
        if self.bets:
            bet, placed = next(iter(self.bets.items()))
            yield (
                f"{len(self.bets):,} bets of the frozen record have no result, first {bet}"
                f" at position {placed.position:,}"
            )
        paid = fields.get("payout_minor", 0)
        if [fields["count"], fields["stake_minor"], paid] != self.ended:
            count, stake, payout = self.ended
            yield (
                f"the totals are {fields['count']:,} bets, {fields['stake_minor']:,} staked and"
                f" {paid:,} paid, but the ledger has {count:,}, {stake:,} and {payout:,}"
            )
        if self.closed is None:
            return
        frozen = self.closed.fields
        if (fields["count"], fields["stake_minor"]) != (frozen["count"], frozen["stake_minor"]):
            yield "the totals are not those of the frozen record"

    def void(self, fact: AuditedFact) -> Iterator[str]:
        """Check a void that the witness attests: it never released its link."""
        fields = fact.fields
        if self.closed is None:
            yield "voided before its bets were frozen"
        if self.drawn is not None:
            yield "voided, although the witness had released the round and it was drawn"
        self.status = Status.VOIDED
        if not self._is_cancelled(fields["witness_signature"]):
            yield self._why_not_cancelled(fields["witness_signature"])
        yield from self.segment.wrong_links(fields, self.index)
        yield from self.finish(fact)

    def rule(self, fact: AuditedFact) -> Iterator[str]:
        """Check how a void was ruled: attested, unattested, or in breach of a release."""
        fields = fact.fields
        if self.closed is None:
            yield "the void was ruled before the bets were frozen"
            return
        if self.drawn is not None:
            yield "the void was ruled, although the round was drawn"
            return
        if self.ruled is not None:
            yield f"the void was ruled twice; the first ruling is at {_at(self.ruled)}"
            return
        self.ruled, self.status = fact, Status.VOIDED
        if fields["proposed_by"] == fields["agreed_by"]:
            yield f"the void was ruled by {fields['agreed_by']} alone"
        yield from self._wrong_status(fact)

    def _wrong_status(self, fact: AuditedFact) -> Iterator[str]:
        fields, signature = fact.fields, fact.fields["witness_signature"]
        status = fields["status"]
        has_operator, has_witness = (
            bool(fields[name]) and chain.reveal(self.index, bytes.fromhex(fields[name]))
            for name, chain in zip(
                _LINKS, (self.segment.operator, self.segment.witness), strict=True
            )
        )
        is_released = self._is_released(signature)
        # With the link alone the house knew the result, whatever the witness signed.
        gave_link = has_witness and not self._is_cancelled(signature)
        if (is_released and has_operator and has_witness) or (
            fields["answer"] == "round_released" and has_operator
        ):
            yield f"voided as {status}, although the witness released the round and it can be drawn"
        elif is_released or gave_link or fields["answer"] in _RELEASED:
            if status != BREACH:
                yield f"voided as {status}, although the witness released the round"
        elif status == ATTESTED:
            if not self._is_cancelled(signature):
                yield self._why_not_cancelled(signature)
        elif status == UNATTESTED:
            if fact.at < self.closes_at + _UNATTESTED_AFTER:
                yield "voided as unattested less than 30 minutes after the close"
        else:
            yield f"voided as {status!r:.40}, but nothing shows that the witness released the round"
        if status != BREACH:
            given = zip(_LINKS, (has_operator, has_witness), strict=True)
            for name, is_valid in given:
                if fields[name] and not is_valid:
                    party = name.partition("_")[0]
                    yield f"the {party}'s link does not lead to the day's commitment"

    def answer_late(self, fact: AuditedFact) -> Iterator[str]:
        """Check what the witness stated after the round was voided as unattested."""
        fields = fact.fields
        statement, signature = fields["statement"], fields["witness_signature"]
        if self.late is not None and not (self.stated == UNKNOWN != statement):
            yield f"the witness answered again; its first answer is at {_at(self.late)}"
            return
        self.late = fact
        if not signature:
            says_released = fields["answer"] in _SAYS_RELEASED
            expected = RELEASED if says_released else UNKNOWN
            if statement != expected or not fields["answer"]:
                yield f"nothing shows that the witness stated {statement!r:.40}"
            return
        if statement == RELEASED and not self._is_released(signature):
            yield "the witness's signature of its release is wrong"
        elif statement == NOT_RELEASED and not self._is_cancelled(signature):
            yield self._why_not_cancelled(signature, "stated as not released")
        elif statement not in {RELEASED, NOT_RELEASED}:
            yield f"the witness signed, but its statement is {statement!r:.40}"
        if not self.segment.witness.reveal(self.index, bytes.fromhex(fields["witness_secret"])):
            yield "the witness's link does not lead to the day's commitment"

    def _is_released(self, signature: str) -> bool:
        assert self.closed is not None
        frozen = bytes.fromhex(self.closed.fields["frozen"])
        return bool(signature) and protocol.is_signed(
            self.segment.witness_key, protocol.RELEASE, frozen, signature
        )

    def _is_cancelled(self, signature: str) -> bool:
        record = protocol.cancel_record(self.game, self.segment.day, self.index)
        return protocol.is_signed(self.segment.witness_key, protocol.CANCEL, record, signature)

    def _why_not_cancelled(self, signature: str, what: str = "voided as attested") -> str:
        if self.closed is not None and self._is_released(signature):
            return f"{what}, although the witness's signature is that of a release"
        return "the witness's signature that it released nothing is wrong"


_LINKS: Final = ("operator_secret", "witness_secret")


def _at(fact: AuditedFact) -> str:
    return f"position {fact.position:,}"
