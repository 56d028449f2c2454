"""Compares the decisions that players noted with those that the house gives and has later. Pure."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from scripts.cluster_tool.drill.players import Note

Decision = tuple[int, str, str]


class Comparison(msgspec.Struct, frozen=True):
    """The keys of the bets by what became different; a bet is in the first list that fits."""

    noted: int
    accepted: int
    #: An accepted bet that is not in the log, or that a repeat refuses.
    lost: list[str]
    #: A bet that is in the log more often than it was accepted.
    doubled: list[str]
    #: A bet whose repeat got another answer.
    different: list[str]
    #: A bet whose repeat got no decision.
    unanswered: list[str]

    @property
    def is_clean(self) -> bool:
        """Whether every decision was kept exactly once."""
        return not (self.lost or self.doubled or self.different or self.unanswered)


def compare(
    notes: Iterable[Note],
    again: Mapping[str, Decision],
    placed: Mapping[str, int],
    *,
    repeated_before: int = 0,
) -> Comparison:
    """`again` has the repeats' decisions, `placed` the number of placed bets in the log, by key.

    The first `repeated_before` notes were repeated at an earlier comparison and are not in `again`:
    of these only the log is compared.
    """
    found = Comparison(0, 0, [], [], [], [])
    count = accepted = 0
    for note in notes:
        is_due = count >= repeated_before
        count += 1
        accepted += note.code
        bets, repeated = placed.get(note.key, 0), again.get(note.key)
        if note.code == 1 and (bets == 0 or (repeated is not None and repeated[0] != 1)):
            found.lost.append(note.key)
        elif bets > note.code:
            found.doubled.append(note.key)
        elif not is_due:
            continue
        elif repeated is None:
            found.unanswered.append(note.key)
        elif repeated != note.decision:
            found.different.append(note.key)
    return msgspec.structs.replace(found, noted=count, accepted=accepted)


def together(comparisons: Sequence[Comparison]) -> Comparison:
    """Returns what any of the comparisons found; the newest one has read all notes.

    `comparisons` is not empty.
    """
    newest = comparisons[-1]
    return Comparison(
        newest.noted,
        newest.accepted,
        *(
            list(dict.fromkeys(key for each in comparisons for key in getattr(each, name)))
            for name in ("lost", "doubled", "different", "unanswered")
        ),
    )
