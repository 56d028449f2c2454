"""The evidence file of an account, for `scripts/audit verify`: facts of a player's own stream.

Each is proved to be in one signed checkpoint of the log. Those that name staff or another player
are withheld: the file has the hash of their leaf and not their content.
"""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from scripts.audit_tool.evidence_checking import MALFORMED, Checks, MissingPartError, Result
from scripts.audit_tool.evidence_file import (
    OF_ACCOUNT,
    EvidenceError,
    ListOf,
    check_player,
    check_shape,
    key_of,
)
from scripts.audit_tool.evidence_formats import (
    HASH_BYTES,
    Entry,
    SignedNote,
    are_valid_cosignatures,
    from_hex,
    is_signed_note,
    leaf_hash,
    read_entry,
    read_note,
    root_of,
)

FORMAT: Final = OF_ACCOUNT
MAX_FACTS: Final = 5_000
_FACT: Final = {"version": int, "position": int, "entry?": str, "leaf?": str, "path": [str]}
_SHAPE: Final = {
    **dict.fromkeys(("format", "player", "operator_key", "witness_key?", "note"), str),
    "facts": ListOf(_FACT, MAX_FACTS),
}
#: What the bets of a player move: the words for it, and the field with the amount.
_AMOUNTS: Final = {
    "bet-placed.1": ("staked", "stake_minor"),
    "bet-recalled.1": ("returned for recalled bets", "stake_minor"),
    "bet-voided.1": ("returned for voided rounds", "stake_minor"),
    "bet-settled.1": ("paid out for settled bets", "payout_minor"),
}


class Account:
    """What the file says. Malformed notes and entries raise ValueError when they are read."""

    def __init__(self, found: dict[str, Any]) -> None:
        """`found` has the shape of a file; the keys are bytes."""
        self.player: str = found["player"]
        self.operator_key: bytes = found["operator_key"]
        self.witness_key: bytes | None = found["witness_key"]
        self.facts: list[dict[str, Any]] = found["facts"]
        self._note: str = found["note"]

    @property
    def note(self) -> SignedNote:
        """The checkpoint."""
        return read_note(self._note)

    def shown(self) -> Iterator[tuple[dict[str, Any], Entry]]:
        """Yields the facts whose content is in the file, with their entries."""
        for fact in self.facts:
            if fact["entry"] is not None:
                yield fact, read_entry(fact["entry"])


def account_of(found: dict[str, Any]) -> Account:
    """Returns the account in the object of a file. Raises EvidenceError if there is none."""
    check_shape(found, _SHAPE, "the file")
    check_player(found["player"])
    if not found["facts"]:
        raise EvidenceError("the file has no facts")
    if any((fact["entry"] is None) == (fact["leaf"] is None) for fact in found["facts"]):
        raise EvidenceError("a fact has not either its entry or the hash of its leaf")
    keys = {"operator_key": key_of(found, "operator_key"), "witness_key": None}
    if found["witness_key"] is not None:
        keys["witness_key"] = key_of(found, "witness_key")
    return Account(found | keys)


_checks: Final = Checks[Account]()


def results_of(account: Account) -> list[Result]:
    """Returns the results of all checks that apply."""
    return _checks.results_of(account)


@_checks.declare(
    "The operator signed the checkpoint",
    shows="the operator cannot deny this state of its log",
    leaves_open="that others see the same log: compare checkpoints of the same size",
)
def _checkpoint(it: Account) -> bool:
    return is_signed_note(it.note, it.operator_key)


@_checks.declare(
    "The witness signed the checkpoint",
    shows="the witness saw this log, as a continuation of the log that it saw before",
    leaves_open="that the witness is independent of the operator",
    applies=lambda it: it.witness_key is not None,
)
def _cosigned(it: Account) -> bool:
    return it.witness_key is not None and are_valid_cosignatures(it.note, it.witness_key)


@_checks.declare(
    "Every entry that is shown is of this account",
    shows="each has the number of this player, and the version and position that the file says",
    leaves_open="which person has this number, and what the entries that are not shown say",
)
def _shown(it: Account) -> bool:
    shown = list(it.shown())
    if not shown:
        raise MissingPartError
    return all(
        (entry.stream, entry.version, entry.position)
        == (f"player-{it.player}", fact["version"], fact["position"])
        for fact, entry in shown
    )


@_checks.declare(
    "The versions have no gap",
    shows="no entry between the first and the last one of the file was left out",
    leaves_open="earlier and later entries, and whether the operator gave one version twice",
)
def _versions(it: Account) -> bool:
    first = it.facts[0]["version"]
    found = [fact["version"] for fact in it.facts]
    return first >= 1 and found == list(range(first, first + len(found)))


@_checks.declare(
    "The entries are in the order of the log",
    shows="an entry with a higher version was recorded later",
    leaves_open="when exactly: the times are those of the operator's clock",
)
def _order(it: Account) -> bool:
    return all(one["position"] < other["position"] for one, other in pairwise(it.facts))


@_checks.declare(
    "Every entry is in the log of the checkpoint, also those that are not shown",
    shows="the log cannot lose or change one of them without another root hash",
    leaves_open="that those that are not shown are of this account: the file has only their hashes",
)
def _inclusion(it: Account) -> bool:
    note = it.note
    return all(
        root_of(_leaf(fact), fact["position"] - 1, note.size, fact["path"]) == note.root
        for fact in it.facts
    )


def _leaf(fact: dict[str, Any]) -> bytes:
    if fact["entry"] is not None:
        return leaf_hash(from_hex(fact["entry"]))
    return from_hex(fact["leaf"], HASH_BYTES)


def summary_of(account: Account) -> list[str]:
    """Returns what the shown entries are about, and the sums of bets in whole minor units."""
    topics: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    try:
        for _, entry in account.shown():
            topics[entry.topic] += 1
            if entry.topic in _AMOUNTS:
                words, field = _AMOUNTS[entry.topic]
                sums[words] += _amount(json.loads(entry.state)[field])
    except MALFORMED:
        return ["the amounts of the bets cannot be read"]
    withheld = len(account.facts) - topics.total()
    return [
        *(f"{count:7,}  {topic}" for topic, count in sorted(topics.items())),
        f"{withheld:7,}  not shown",
        *(f"{sums[words]:,} minor units {words}" for words, _ in _AMOUNTS.values()),
    ]


def _amount(value: object) -> int:
    if type(value) is not int:
        raise ValueError("not a whole number")
    return value
