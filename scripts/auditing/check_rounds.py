"""What happened to rounds that were not drawn: the voids, the segments left, the rounds that wait.

None of it is a finding: each is a fact that is published. The auditor is to know of it.
"""

from collections.abc import Iterator

from engine.facts import RecordedFact
from engine.house.facts import SegmentLeft
from engine.rounds.facts import RoundClosed, RoundDrawn, RoundVoided, StakesReturned, VoidRuled


class RoundCheck:
    """Takes in the whole log in the order of positions."""

    def __init__(self) -> None:
        """Before the first fact."""
        self._lines: list[str] = []
        self._undrawn: dict[tuple[int, str], tuple[int, int]] = {}

    def take(self, recorded: RecordedFact) -> None:
        """The next fact of the log."""
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
                    f"position {recorded.position:,}: game {game} left segment {day}: {cause}"
                )
            case _:
                pass

    def lines(self) -> Iterator[str]:
        """A line for each void and each segment left, then for each round that waits."""
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
