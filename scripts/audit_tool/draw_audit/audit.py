"""The facts of the draws in the order of the log, and everything that is wrong with them."""

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Final, NamedTuple

from scripts.audit_tool.draw_audit import protocol, stored
from scripts.audit_tool.draw_audit.rounds import (
    BREACH,
    NOT_RELEASED,
    RELEASED,
    UNATTESTED,
    SoldRound,
)
from scripts.audit_tool.draw_audit.segments import Segment, Status
from scripts.audit_tool.draw_audit.signatures import Expected, SignatureQueue
from scripts.audit_tool.draw_audit.statistics import DrawStatistics
from scripts.audit_tool.draw_audit.stored import AuditedFact, FactMalformed, Row
from scripts.audit_tool.draw_audit.witness_list import WitnessList

_MAX_KEPT: Final = 10_000
_DATE_DIGITS: Final = 8
_DATE_LENGTH: Final = 10
_FATES: Final = {
    Status.NONE: "was never opened",
    Status.SKIPPED: "was skipped",
    Status.DRAWN: "had been drawn and settled",
    Status.VOIDED: "had been voided",
}
#: What a witness stated after an unattested void; other statements are that it cannot say.
_STATEMENTS: Final = {
    RELEASED: "voided in breach: the witness had released it before, as it stated later",
    NOT_RELEASED: "the witness signed after the void that it never released it, and never will",
}
#: What a fact says of its round.
_STEPS: Final = {
    "bet-placed.1": "a bet was accepted",
    "bet-recalled.1": "a bet was recalled",
    "bet-settled.1": "a bet was settled",
    "bet-voided.1": "a stake was returned",
    "round-closed.1": "a frozen record was published",
    "round-drawn.1": "a draw was published",
    "round-settled.1": "its settlement was finished",
    "round-voided.1": "its void was published",
    "void-ruled.1": "its void was ruled",
    "stakes-returned.1": "all its stakes were returned",
}


class DrawFinding(NamedTuple):
    """What is wrong, or what an auditor should know, at a position of the log."""

    position: int
    what: str

    def __str__(self) -> str:
        return f"position {self.position:,}: {self.what}"


class Days(NamedTuple):
    """The draw days to check (yyyy-mm-dd), both included; without a `last` all from `first` on."""

    first: str = ""
    last: str = ""

    def __contains__(self, day: object) -> bool:
        """Whether a day, or the day of a segment (yyyy-mm-dd/n), is to be checked."""
        named = str(day)[:_DATE_LENGTH]
        return self.first <= named and (not self.last or named <= self.last)


class _Receipts:
    """The bets whose receipts are not signed yet: they are the next batch.

    `keys` are the operator's keys of the rounds that are checked.
    """

    def __init__(self) -> None:
        self.leaves: list[bytes] = []
        self.first = 0
        self.keys: set[str] = set()

    def add(self, position: int, leaf: bytes) -> None:
        self.first = self.first or position
        self.leaves.append(leaf)


class DrawAudit:
    """Checks every draw. Between the facts it has only unfinished rounds, and a byte a round.

    `findings` are the first ones of `count`. `notes` are published facts that an auditor should
    know: voids, abandoned segments, days that ended early, rounds that wait for their draw.
    """

    def __init__(
        self,
        bots: frozenset[str] = frozenset(),
        days: Days | None = None,
        witness: WitnessList | None = None,
    ) -> None:
        """`bots` are the streams of the house's bots; `days` restricts the audit."""
        self.findings: list[DrawFinding] = []
        self.notes: list[DrawFinding] = []
        self.count = 0
        self.drawn = self.voided = self.bets = self.batches = 0
        self.statistics = DrawStatistics()
        self._bots = bots
        self._witness = witness or WitnessList()
        self._asked = days or Days()
        self._position = 0
        self._segments: dict[tuple[int, str], Segment] = {}
        self._by_date: dict[tuple[int, str], list[Segment]] = {}
        self._newest: dict[int, Segment] = {}
        self._moved_on: set[int] = set()
        self._rounds: dict[tuple[int, str], SoldRound] = {}
        self._unattested: dict[tuple[int, str], SoldRound] = {}
        self._carried: dict[int, set[str]] = {}
        #: The segments of whose releases the log does not show each one.
        self._unshown: set[Segment] = set()
        self._odds_hashes: dict[str, str] = {}
        self._odds: dict[tuple[str, str], int] = {}
        self._receipts = _Receipts()
        self._signatures = SignatureQueue()
        self._take = self._handlers()

    @property
    def days(self) -> int:
        """The number of days and segments."""
        return len(self._segments)

    def read(self, rows: Iterable[Row]) -> None:
        """Check these facts, which are in the order of positions."""
        try:
            for row in rows:
                self.take(row)
                if self._asked.last and self._is_over():
                    break
            self._end()
        finally:
            self._signatures.close()

    def take(self, row: Row) -> None:
        """Check the next fact."""
        self._position = row[0]
        try:
            fact = stored.read(row)
            self._take[fact.topic](fact)
        except FactMalformed as malformed:
            self._find(str(malformed))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            self._find(f"{row[3]} cannot be checked: {error!r:.200}")

    def _handlers(self) -> dict[str, Callable[[AuditedFact], None]]:
        return {
            "day-opened.1": self._open_day,
            "rounds-skipped.1": self._skip_rounds,
            "segment-left.1": self._leave_segment,
            "rounds-carried.1": self._carry_rounds,
            "receipts-signed.1": self._sign_receipts,
            "bet-placed.1": self._place_bet,
            "bet-recalled.1": self._recall_bet,
            "bet-settled.1": self._settle_bet,
            "bet-voided.1": self._return_stake,
            "round-opened.1": self._open_round,
            "round-closed.1": self._close_round,
            "round-drawn.1": self._draw_round,
            "round-settled.1": self._finish_round,
            "round-voided.1": self._void_round,
            "void-ruled.1": self._rule_void,
            "stakes-returned.1": self._return_all,
            "witness-answered-late.1": self._answer_late,
        }

    @property
    def unfinished(self) -> str | None:
        """The first day (yyyy-mm-dd) to which facts may still be added; None before any day.

        That is the day before the newest one, because games open their days one after the other,
        or the day of a round that waits.
        """
        if not self._newest:
            return None
        newest = max(segment.date for segment in self._newest.values())
        before = (date.fromisoformat(newest) - timedelta(days=1)).isoformat()
        return min([before, *(round_.segment.date for round_ in self._rounds.values())])

    def _is_over(self) -> bool:
        """Whether every game has left the days to check, and nothing of their rounds is open."""
        games = {game for game, _ in self._segments}
        if any(round_.awaits_statement for round_ in self._unattested.values()):
            return False
        return bool(games) and games <= self._moved_on and not self._rounds

    def _end(self) -> None:
        """Report what the end of the log leaves open."""
        for game, day in self._witness.finished_elsewhere(self._segments):
            if day in self._asked:
                self._find(
                    f"game {game} day {day}: the witness lists releases, the log has no such day"
                )
        if self._receipts.keys:
            self._position = self._receipts.first
            self._find("the log ends before the receipts of the bets from here on are signed")
        for round_ in self._rounds.values():
            if round_.closed is None:
                continue
            self._position = round_.closed.position
            if round_.is_undrawn:
                self._note(f"{round_} is closed, and neither drawn nor voided")
                frozen = round_.closed.fields["frozen"]
                listed = self._witness.wrong_closed(round_.segment, round_.index, frozen)
                self._find_in(round_, listed)
            else:
                self._note(f"{round_} is not settled in full, or not all its stakes are returned")

        for round_ in self._unattested.values():
            assert round_.ruled is not None
            self._position = round_.ruled.position
            self._check_listed_void(round_, is_breach=round_.stated == RELEASED)
        self._end_witness_list()
        for expected in self._signatures.wrong():
            self._position = expected.position
            self._find(expected.what)
        self.findings.sort(key=lambda finding: finding.position)

    def _end_witness_list(self) -> None:
        """Compare what the witness lists with whole days of the log."""
        undrawn = {each.segment for each in self._rounds.values() if each.is_undrawn}
        for segment in self._segments.values():
            self._position, place = segment.position, f"game {segment.game} day {segment.day}"
            for index, what in self._witness.rest(segment):
                self._find(f"{place} index {index:,}: {what}")
            if newer := self._witness.uncompared(segment):
                self._note(f"{place}: {newer}")
            if segment not in undrawn | self._unshown:
                self._find_in(place, self._witness.wrong_finished(segment))
            elif self._witness.is_finished(segment):
                self._note(
                    f"{place}: a release is not in the log, so the witness's root is not compared"
                )

    def _find(self, what: str) -> None:
        self.count += 1
        if len(self.findings) < _MAX_KEPT:
            self.findings.append(DrawFinding(self._position, what))

    def _find_in(self, place: object, wrong: Iterable[str]) -> bool:
        """Record what is wrong with something; returns whether nothing is."""
        is_right = True
        for what in wrong:
            is_right = False
            self._find(f"{place}: {what}")
        return is_right

    def _note(self, what: str) -> None:
        self.notes.append(DrawFinding(self._position, what))

    def _is_other_day(self, day: str) -> bool:
        return day not in self._asked

    def _is_other_issue(self, issue: str) -> bool:
        return _date_of(issue) not in self._asked

    # Days and segments.

    def _open_day(self, fact: AuditedFact) -> None:
        fields, game = fact.fields, fact.fields["game"]
        self._check_unfinished(game)
        if self._is_other_day(fields["day"]):
            if game in self._newest:
                self._moved_on.add(game)
            return
        segment = Segment(fact)
        place = f"game {game} day {segment.day}"
        if (game, segment.day) in self._segments:
            self._find(f"{place} was opened twice")
            return
        self._find_in(place, segment.wrong())
        if game in self._newest:
            self._check_order(self._newest[game], segment)
        self._newest[game] = self._segments[game, segment.day] = segment
        self._by_date.setdefault((game, segment.date), []).append(segment)
        known = self._odds_hashes.setdefault(fields["odds_table"], fields["odds_hash"])
        if known != fields["odds_hash"]:
            self._find(f"{place}: {fields['odds_table']} has another hash than before")

    def _check_unfinished(self, game: int) -> None:
        """Find rounds that are on sale, or unfinished and not listed, when a segment opens."""
        carried = self._carried.pop(game, set())
        for round_ in self._rounds.values():
            if round_.game != game or round_.issue in carried:
                continue
            state = "on sale" if round_.closed is None else "unfinished, and not listed as such"
            self._find(f"game {game} opened a day or segment while {round_} was {state}")

    def _check_order(self, before: Segment, segment: Segment) -> None:
        place = f"game {segment.game} day {segment.day}"
        if (segment.date, segment.number) <= (before.date, before.number):
            self._find(f"{place} was opened after {before.day}")
        elif segment.date == before.date and segment.first <= before.last:
            self._find(f"{place} begins at index {segment.first:,}, which {before.day} has used")
        if not before.is_left and before.date != segment.date and before.last < before.rounds:
            self._note(
                f"game {before.game} day {before.day} ended after index {before.last:,} of"
                f" {before.rounds:,}; no link after it is revealed"
            )

    def _skip_rounds(self, fact: AuditedFact) -> None:
        fields = fact.fields
        if self._is_other_day(fields["day"]):
            return
        first, last = fields["first"], fields["last"]
        place = f"game {fields['game']} day {fields['day']}, skip of {first:,} to {last:,}"
        segment = self._newest.get(fields["game"])
        if segment is None or segment.day != fields["day"]:
            self._find(f"{place}: this day is not open")
        elif first != segment.last + 1 or not first <= last <= segment.rounds:
            self._find(
                f"{place}: the index before is {segment.last:,}, the last {segment.rounds:,}"
            )
        else:
            self._find_in(place, segment.wrong_links(fields, last))
            if any(round_.segment is segment for round_ in self._rounds.values()):
                self._find(f"{place}: its links reveal those of an unfinished round")
            segment.skip(last)

    def _leave_segment(self, fact: AuditedFact) -> None:
        fields = fact.fields
        if self._is_other_day(fields["day"]):
            return
        segment = self._segments.get((fields["game"], fields["day"]))
        if segment is None:
            self._find(f"game {fields['game']} abandoned {fields['day']}, which was never opened")
            return
        segment.is_left = True
        self._note(f"game {segment.game} abandoned segment {segment.day}: {fields['cause']}")

    def _carry_rounds(self, fact: AuditedFact) -> None:
        self._carried[fact.fields["game"]] = set(fact.fields["issues"])

    # Bets and their receipts.

    def _place_bet(self, fact: AuditedFact) -> None:
        fields = fact.fields
        player = fact.stream.removeprefix("player-")
        leaf = protocol.leaf(protocol.receipt(fields, player, fact.at))
        self._receipts.add(fact.position, leaf)
        if self._is_other_issue(fields["issue"]):
            return
        self.bets += 1
        odds = self._odds.setdefault((fields["odds_table"], fields["kind"]), fields["odds_milli"])
        if odds != fields["odds_milli"]:
            self._find(
                f"the bet {fields['bet']} has odds of {fields['odds_milli']:,} thousandths, but"
                f" {fields['kind']} had {odds:,} in {fields['odds_table']}"
            )
        round_ = self._round(fact)
        if round_ is not None:
            self._receipts.keys.add(round_.segment.operator_key)
            self._find_in(round_, round_.place(fact, leaf))

    def _sign_receipts(self, fact: AuditedFact) -> None:
        fields, receipts = fact.fields, self._receipts
        self._receipts = _Receipts()
        if not receipts.keys and (self._asked.first or receipts.leaves):
            return  # of another day, or of unknown rounds, which are findings of their own
        count = len(receipts.leaves)
        place = f"the receipts of the {count:,} bets from position {receipts.first:,}"
        self.batches += 1
        if fields["size"] != count:
            self._find(f"{place} were signed as a batch of {fields['size']:,}")
        elif protocol.tree_head(receipts.leaves).hex() != fields["head"]:
            self._find(f"{place} have another tree head than the signed one: a bet was changed")
        content = protocol.batch_head(fields["size"], fields["head"])
        signed = (protocol.RECEIPTS, content, fields["signature"], fact.position)
        what = f"{place} are not signed by the operator"
        self._signatures.expect(Expected(tuple(receipts.keys), *signed, what))

    def _recall_bet(self, fact: AuditedFact) -> None:
        round_ = self._round(fact)
        if round_ is not None:
            self._find_in(round_, round_.recall(fact))

    def _settle_bet(self, fact: AuditedFact) -> None:
        round_ = self._round(fact)
        if round_ is not None:
            self._find_in(round_, round_.settle(fact, is_bot=fact.stream in self._bots))

    def _return_stake(self, fact: AuditedFact) -> None:
        round_ = self._round(fact)
        if round_ is not None:
            self._find_in(round_, round_.return_stake(fact))

    # Rounds.

    def _open_round(self, fact: AuditedFact) -> None:
        fields, game = fact.fields, fact.fields["game"]
        if self._is_other_day(fields["day"]):
            return
        key = (game, fields["issue"])
        place = f"game {game} round {fields['issue']}"
        segment = self._newest.get(game)
        if segment is None or segment.day != fields["day"] or segment.is_left:
            self._find(f"{place} was opened, but {fields['day']} is not open")
            return
        if fields["index"] not in segment or fields["index"] <= segment.last or key in self._rounds:
            self._find(f"{place} was opened with index {fields['index']:,}, after {segment.last:,}")
            return
        if fields["index"] != segment.last + 1:
            self._find(f"{place}: the indices after {segment.last:,} are neither sold nor skipped")
        for other in self._rounds.values():
            if other.game == game and other.closed is None:
                self._find(f"{place} was opened while {other} was on sale")
        self._find_in(place, segment.wrong_opening(fact))
        self._rounds[key] = SoldRound(fact, segment, self._signatures)
        segment.last = fields["index"]
        segment.statuses[segment.last] = Status.OPENED

    def _close_round(self, fact: AuditedFact) -> None:
        round_ = self._round(fact)
        if round_ is not None:
            self._find_in(round_, round_.close(fact))

    def _draw_round(self, fact: AuditedFact) -> None:
        round_ = self._round(fact)
        if round_ is None:
            return
        is_right = self._find_in(round_, round_.draw(fact))
        for other in self._rounds.values():
            if other.segment is not round_.segment or other.index >= round_.index:
                continue
            if other.is_undrawn:
                self._find(f"{round_}: its links reveal those of {other}, which is undrawn")
            else:
                self._find(f"{round_} was drawn before {other} was settled or its stakes returned")
        frozen = fact.fields["frozen"]
        self._witness.release(round_.segment, round_.index, frozen)
        listed = self._witness.wrong_draw(round_.segment, round_.index, frozen)
        self._find_in(round_, listed)
        if is_right:
            self.statistics.draw(round_.game, fact.fields["digits"])

    def _finish_round(self, fact: AuditedFact) -> None:
        round_ = self._round(fact)
        if round_ is None:
            return
        if round_.drawn is None:
            self._find(f"{round_} was settled without a draw")
        if self._find_in(round_, round_.finish(fact)):
            self.statistics.settle(round_.game, round_.settled)
        self.drawn += 1
        self._forget(round_)

    def _void_round(self, fact: AuditedFact) -> None:
        round_ = self._round(fact)
        if round_ is None:
            return
        self._find_in(round_, round_.void(fact))
        self._check_listed_void(round_, is_breach=False)
        count, reason = fact.fields["count"], fact.fields["reason"]
        self._note(f"{round_} voided, attested: {count:,} bets, {reason}")
        self.voided += 1
        self._forget(round_)

    def _check_listed_void(self, round_: SoldRound, *, is_breach: bool) -> None:
        listed = self._witness.wrong_void(round_.segment, round_.index, is_breach=is_breach)
        self._find_in(round_, listed)

    def _rule_void(self, fact: AuditedFact) -> None:
        round_ = self._round(fact)
        if round_ is None:
            return
        self._find_in(round_, round_.rule(fact))
        fields = fact.fields
        if fields["status"] == UNATTESTED:
            # Compared once all answers are read.
            self._unattested[round_.game, round_.issue] = round_
        else:
            self._check_listed_void(round_, is_breach=fields["status"] == BREACH)
        if fields["status"] == BREACH:
            self._take_breach(round_, fields["witness_signature"])
        people = f"{fields['proposed_by']} and {fields['agreed_by']}".replace("staff:", "")
        answer = fields["answer"] or "no answer"
        self._note(
            f"{round_} voided, {fields['status']}, by {people} (witness: {answer}):"
            f" {fields['reason']}"
        )

    def _take_breach(self, round_: SoldRound, signature: str) -> None:
        """Take the release of a round that was not drawn, if its f is known."""
        if signature and round_.closed is not None:
            frozen = round_.closed.fields["frozen"]
            self._witness.release(round_.segment, round_.index, frozen)
        else:  # the witness said that it had released the round, not for which frozen record
            self._unshown.add(round_.segment)

    def _return_all(self, fact: AuditedFact) -> None:
        round_ = self._round(fact)
        if round_ is None:
            return
        if round_.ruled is None:
            self._find(f"{round_}: all stakes were returned, but no void was ruled")
        self._find_in(round_, round_.finish(fact))
        self.voided += 1
        self._forget(round_)

    def _answer_late(self, fact: AuditedFact) -> None:
        fields = fact.fields
        place = f"game {fields['game']} round {fields['issue']}"
        what = _STATEMENTS.get(
            fields["statement"],
            f"the witness cannot say after the void whether it released it: {fields['answer']}",
        )
        if self._is_other_issue(fields["issue"]):
            if not self._asked.last:
                self._note(f"{place}: {what} (not verified: its day is before those of this run)")
            return
        round_ = self._unattested.get((fields["game"], fields["issue"]))
        if round_ is None:
            self._find(f"{place}: its witness answered late, but it was not voided as unattested")
            return
        if self._find_in(round_, round_.answer_late(fact)):
            self._note(f"{round_}: {what}")
        if fields["statement"] == RELEASED:
            self._take_breach(round_, fields["witness_signature"])

    def _round(self, fact: AuditedFact) -> SoldRound | None:
        """Returns the unfinished round of a fact; None if there is none, which is a finding."""
        game, issue = fact.fields["game"], fact.fields["issue"]
        round_ = self._rounds.get((game, issue))
        if round_ is None and not self._is_other_issue(issue):
            step, fate = _STEPS[fact.topic], _FATES[self._status(game, issue)]
            self._find(f"game {game} round {issue}: {step}, but the round {fate}")
        return round_

    def _status(self, game: int, issue: str) -> Status:
        """Returns how far a finished round has come, by its public number."""
        day, number = _date_of(issue), issue[_DATE_DIGITS:]
        index = int(number) if number.isdecimal() else 0
        for segment in self._by_date.get((game, day), ()):
            if index <= segment.rounds and segment.statuses[index]:
                return Status(segment.statuses[index])
        return Status.NONE

    def _forget(self, round_: SoldRound) -> None:
        """Keep nothing of a finished round but its status."""
        if round_.status not in _FATES:
            round_.status = Status.DRAWN
        del self._rounds[round_.game, round_.issue]


def _date_of(issue: str) -> str:
    """Returns the day (yyyy-mm-dd) of a round, by its public number."""
    return f"{issue[:4]}-{issue[4:6]}-{issue[6:_DATE_DIGITS]}"
