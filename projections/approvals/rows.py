"""The table of requests, one row each. The accounts read model owns it.

This keeps a statement and the requests it refers to at the same position.
"""

from typing import Final

from msgspec import Struct

from engine import lifecycle

APPROVED: Final = lifecycle.APPROVED
PAID: Final = lifecycle.PAID
REJECTED: Final = lifecycle.REJECTED

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
    """A row of `requests`; `position` is that of the request; a time is 0 until it has come.

    The declaration of a fact (engine/lifecycle.py) sets its fields by their names.
    """

    player: int
    position: int
    kind: str
    id: str
    open: int = 1
    status: str = lifecycle.REQUESTED
    amount_minor: int = 0
    channel: str = ""
    method: int = NO_METHOD
    account: str = ""
    requested_at: int = 0
    requested_by: str = ""
    endorsed_by: str = ""
    decided_at: int = 0
    decided_by: str = ""
    paid_at: int = 0
    paid_by: str = ""
    cause: str = ""
    reason_commitment: str = ""
    reference_commitment: str = ""
