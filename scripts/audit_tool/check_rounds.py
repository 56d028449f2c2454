"""Rounds that were not drawn: voids, abandoned segments and rounds that wait for a draw.

None of these is a finding, because each is a published fact. They are listed for the auditor.
"""

from collections.abc import Iterator

from engine.facts import RecordedFact
from engine.house.facts import SegmentLeft
from engine.rounds.facts import RoundClosed, RoundDrawn, RoundVoided, StakesReturned, VoidRuled


class RoundCheck:
    """Reads the whole log in the order of positions."""

    def __init__(self) -> None:
        """Initially empty, before the first fact."""
        self._lines: list[str] = []
        self._undrawn: dict[tuple[int, str], tuple[int, int]] = {}

    def take(self, recorded: RecordedFact) -> None:
        """Apply the next fact of the log."""
        match recorded.fact:
            case RoundClosed(game=game, issue=issue, count=count):
                self._undrawn[game, issue] = (recorded.position, count)
            case RoundDrawn(game=game, issue=issue):
                self._undrawn.pop((game, issue), None)
            case StakesReturned(game=game, issue=issue):
                self._undrawn.pop((game, issue), None)
            case RoundVoided(game=game, issue=issue, reason=reason, count=count):
                self._undrawn.pop((game, issue), None)
                self._lines.append(
                    f"position {recorded.position:,}: game {game} round {issue} voided, attested:"
                    f" {count:,} bets, {reason}"
                )
            case VoidRuled() as ruled:
                self._lines.append(_ruled(recorded.position, ruled))
            case SegmentLeft(game=game, day=day, cause=cause):
                self._lines.append(
                    f"position {recorded.position:,}: game {game} abandoned segment {day}: {cause}"
                )
            case _:
                pass

    def lines(self) -> Iterator[str]:
        """Yields a line for each void and each abandoned segment, then for each undrawn round."""
        yield from self._lines
        for (game, issue), (position, count) in self._undrawn.items():
            yield (
                f"position {position:,}: game {game} round {issue} closed with {count:,} bets, and"
                " neither drawn nor voided"
            )


def _ruled(position: int, ruled: VoidRuled) -> str:
    people = f"{ruled.proposed_by} and {ruled.agreed_by}".replace("staff:", "")
    answer = ruled.answer or "no answer"
    return (
        f"position {position:,}: game {ruled.game} round {ruled.issue} voided, {ruled.status}, by"
        f" {people} (witness: {answer}): {ruled.reason}"
    )
