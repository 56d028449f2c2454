"""The connection string of a database of the operator's own."""

from typing import Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

# A host that is gone is noticed in 5 s, whether the connection is idle or data is on its way.
_DEADLINES: Final = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 5_000,
}


def with_deadlines(conninfo: str) -> str:
    """The same, with deadlines for connecting and for a silent peer unless it sets its own."""
    given = conninfo_to_dict(conninfo)
    return make_conninfo(conninfo, **{k: v for k, v in _DEADLINES.items() if k not in given})
