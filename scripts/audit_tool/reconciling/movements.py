"""The ledger's side: money that moved between the operator and the outside, from the facts."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from typing import Final

import msgspec
from msgspec import Struct
from psycopg.errors import InsufficientPrivilege, UndefinedTable

from engine.cashier.facts import CorrectionApproved
from engine.cashier.payment_state import order_of
from engine.facts import RecordedFact
from engine.ledger import postings
from engine.runtime.vault.vault_keys import commitment
from scripts.audit_tool import AuditError
from scripts.audit_tool.database import Connection

CHANNELS: Final = ("bank", "usdt", "online")

_WORLD: Final = "world:"
# The field with the number of a fact that moves money; the vault stores the text under it.
_NUMBERS: Final = ("deposit", "withdrawal", "adjustment", "booking")
_WORDS: Final = "SELECT reference, words, commitment_key FROM vault.words WHERE reference = ANY(%s)"


class Movement(Struct, frozen=True):
    """Money that a fact moved over a channel: above zero it came in, below zero it went out.

    `number` is the deposit's or withdrawal's own, or that of the order that was paid late. `words`
    is the text stored under it, None if the vault has none that matches the fact's commitment. `at`
    is in microseconds since 1970. `undoes`: it corrects an entry and moved no money.
    """

    position: int
    at: int
    stream: str
    channel: str
    amount_minor: int
    number: str
    commitment: str
    words: str | None = None
    undoes: bool = False


def movements_of(recorded: RecordedFact) -> list[Movement]:
    """Returns the movements of one fact, one for each channel; none for most facts."""
    moved: defaultdict[str, int] = defaultdict(int)
    for posting in postings(recorded):
        if posting.account.startswith(_WORLD):
            moved[posting.account.removeprefix(_WORLD)] -= posting.amount_minor
    return [
        Movement(
            recorded.position,
            recorded.at,
            recorded.stream,
            channel,
            amount,
            _number(recorded),
            str(getattr(recorded.fact, "reference_commitment", "")),
            undoes=isinstance(recorded.fact, CorrectionApproved),
        )
        for channel, amount in sorted(moved.items())
        if amount
    ]


def _number(recorded: RecordedFact) -> str:
    named = (getattr(recorded.fact, name, "") for name in _NUMBERS)
    return order_of(next((str(number) for number in named if number), ""))


class SelectedMovements(Struct, frozen=True):
    """Movements of the selected channels and days, and totals of the other channels.

    `elsewhere` counts movements of other channels in those days, with their sum in minor units.
    """

    movements: list[Movement]
    elsewhere: dict[str, tuple[int, int]]


def select_movements(
    recorded: Iterable[RecordedFact],
    channels: Container[str],
    is_relevant: Callable[[Movement], bool],
) -> SelectedMovements:
    """Read the log, and select the relevant movements over these channels."""
    movements: list[Movement] = []
    elsewhere: dict[str, tuple[int, int]] = {}
    for movement in (it for each in recorded for it in movements_of(each)):
        if not is_relevant(movement):
            continue
        if movement.channel in channels:
            movements.append(movement)
        else:
            count, amount = elsewhere.get(movement.channel, (0, 0))
            elsewhere[movement.channel] = (count + 1, amount + movement.amount_minor)
    return SelectedMovements(without_undone(movements), elsewhere)


def without_undone(movements: Iterable[Movement]) -> list[Movement]:
    """Returns the movements without undone double entries and their corrections.

    A correction undoes the newest earlier movement of its player, channel and amount; one without
    such a movement stays and is reported.
    """
    left: list[Movement] = []
    for each in movements:
        undone = next((it for it in reversed(left) if each.undoes and _is_twin(it, each)), None)
        if undone is None:
            left.append(each)
        else:
            left.remove(undone)
    return left


def _is_twin(movement: Movement, correction: Movement) -> bool:
    same = (movement.stream, movement.channel) == (correction.stream, correction.channel)
    return same and movement.amount_minor == -correction.amount_minor


def with_words(
    connection: Connection, movements: Iterable[Movement]
) -> tuple[list[Movement], list[Movement]]:
    """Returns the movements with their texts from the vault, and those whose text does not match.

    A fact has a keyed commitment to its text (engine/runtime/vault/private_texts.py); a text that
    does not match it is ignored.

    Raises:
        AuditError: the vault does not exist or may not be read.
    """
    movements = list(movements)
    numbers = sorted({it.number for it in movements if it.number})
    stored = {reference: (words, key) for reference, words, key in _read_words(connection, numbers)}
    resolved, contradicted = [], []
    for movement in movements:
        words, key = stored.get(movement.number, (None, b""))
        if words is not None and commitment(key, words.encode()) != movement.commitment:
            contradicted.append(movement)
            words = None
        resolved.append(msgspec.structs.replace(movement, words=words))
    return resolved, contradicted


def _read_words(connection: Connection, numbers: list[str]) -> list[tuple[str, str, bytes]]:
    try:
        return connection.execute(_WORDS, (numbers,)).fetchall()
    except (UndefinedTable, InsufficientPrivilege) as error:
        raise AuditError(f"the vault cannot be read: {error}") from None
