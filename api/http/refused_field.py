"""The request field that caused a refusal, by its name on the wire."""

from collections.abc import Collection
from typing import Final

#: The possible wire names of a command's field; the first one among the request's fields is used.
_WIRE_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "game": ("game_id",),
    "plan": ("plan_id",),
    "kind": ("play_type",),
    "bet": ("orderNo",),
    "stake_minor": ("money",),
    "amount_minor": ("amount", "money"),
    "method": ("type",),
    "until": ("hours", "days"),
    "deposit": ("order", "id"),
    "withdrawal": ("id",),
    "adjustment": ("id",),
    "gift": ("id",),
    "booking": ("id",),
    "proposal": ("id",),
    "commitment": ("words",),
    "reason_commitment": ("reason",),
    "reference_commitment": ("reference",),
    "digest": ("texts",),
}
_HEADERS: Final = frozenset({"Idempotency-Key", "gateway-timestamp"})


def wire_field(field: str, request_fields: Collection[str]) -> str:
    """Returns the request field, or the header, that caused the refusal; empty if there is none."""
    if field in _HEADERS or field.partition(".")[0] in request_fields:
        return field
    names = _WIRE_NAMES.get(field, (field.removesuffix("_minor"), f"{field.removesuffix('_us')}_s"))
    return next((name for name in names if name in request_fields), "")
