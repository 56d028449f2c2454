"""What happened at the staff's money desk beside the members' own streams.

Streams: `desk`, and `reference-<hash>` for each reference of a payment that was credited.
"""

from msgspec import Struct


class ApprovedAlone(Struct, frozen=True, gc=False):
    """One person approved a deposit, withdrawal, gift or booking (`kind`) without a second one.

    `id` is the request's, `by` the member of staff; the amount is in minor units. `player` is 0 for
    a booking between the house's own accounts.
    """

    kind: str
    id: str
    player: int
    amount_minor: int
    by: str


class ReferenceCredited(Struct, frozen=True, gc=False):
    """A deposit or booking (`deposit`) with this reference, a keyed hash in hex, was credited."""

    reference: str
    channel: str
    deposit: str
    player: int
    by: str


DeskFact = ApprovedAlone | ReferenceCredited
