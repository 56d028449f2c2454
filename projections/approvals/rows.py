"""The table of requests, one row each. The accounts read model owns it.

This keeps a statement and the requests it refers to at the same position.
"""

from typing import Final

from msgspec import Struct

from engine.facts import RecordedFact

DEPOSIT: Final = "deposit"
WITHDRAWAL: Final = "withdrawal"
ADJUSTMENT: Final = "adjustment"
GIFT: Final = "gift"
PASSWORD_RESET: Final = "password_reset"  # noqa: S105 - a name
ERASURE: Final = "erasure"

REQUESTED: Final = "requested"
ENDORSED: Final = "endorsed"
APPROVED: Final = "approved"
PAID: Final = "paid"
REJECTED: Final = "rejected"
RETURNED: Final = "returned"

NO_METHOD: Final = -1

# An id that a client used twice makes two rows: a request is never overwritten.
SCHEMA: Final = """
CREATE TABLE requests (
    player bigint,
    position bigint,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    open smallint NOT NULL,
    status text NOT NULL,
    amount bigint NOT NULL,
    channel text NOT NULL,
    method smallint NOT NULL,
    account text NOT NULL,
    asked_at bigint NOT NULL,
    asked_by text NOT NULL,
    endorsed_by text NOT NULL,
    decided_at bigint NOT NULL,
    decided_by text NOT NULL,
    paid_at bigint NOT NULL,
    paid_by text NOT NULL,
    cause text NOT NULL,
    reason_commitment text NOT NULL,
    reference_commitment text NOT NULL,
    PRIMARY KEY (player, position)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX requests_position ON requests (position);
CREATE INDEX requests_id ON requests (id);
CREATE INDEX requests_open ON requests (position) WHERE open = 1;
CREATE INDEX requests_open_player ON requests (player) WHERE open = 1;
"""
TYPES: Final = "iittitititittititttt"
COLUMNS: Final = (
    "player, position, kind, id, open, status, amount, channel, method, account, asked_at,"
    " asked_by, endorsed_by, decided_at, decided_by, paid_at, paid_by, cause, reason_commitment,"
    " reference_commitment"
)


class ApprovalRow(Struct):
    """A row of `requests`; `position` is that of the request; a time is 0 until it has come."""

    player: int
    position: int
    kind: str
    id: str
    open: int
    status: str
    amount: int
    channel: str
    method: int
    account: str
    requested_at: int
    requested_by: str
    endorsed_by: str = ""
    decided_at: int = 0
    decided_by: str = ""
    paid_at: int = 0
    paid_by: str = ""
    cause: str = ""
    reason_commitment: str = ""
    reference_commitment: str = ""

    def close(self, status: str) -> None:
        """Close the request with its final status."""
        self.status, self.open = status, 0

    def record_decision(self, it: RecordedFact, by: str) -> None:
        """Record who decided; an empty `by` means the actor of the command."""
        self.decided_at, self.decided_by = it.at, by or it.actor
