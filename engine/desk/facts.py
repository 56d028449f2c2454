"""What happened at the staff's money desk beside the members' own streams. Stream: `desk`."""

from msgspec import Struct


class ApprovedAlone(Struct, frozen=True, gc=False):
    """One person approved a deposit, withdrawal or gift (`kind`) without a second one.

    `id` is the request's, `by` the member of staff; the amount is in minor units.
    """

    kind: str
    id: str
    player: int
    amount_minor: int
    by: str


DeskFact = ApprovedAlone
