"""The picture of the cluster in a terminal, from what was observed. Pure."""

from collections.abc import Sequence
from typing import Final

from scripts.cluster_tool.observe import Observation
from scripts.cluster_tool.topology import DECIDING, PROBED, SERVING

_HEADER: Final = ("NODE", "ADDRESS", "LINK", "PROGRAM", "ROLE", "LAG", "POSITION", "SAYS")
_GAP: Final = "  "
_MIB: Final = 1024 * 1024
_COLOURS: Final = {"good": "\033[32m", "bad": "\033[31m", "warning": "\033[33m"}
_PLAIN: Final = "\033[0m"


def picture(seen: Sequence[Observation], *, colour: bool) -> str:
    """Returns the table of all nodes, and a line for each thing that is not as it should be."""
    primary = _primary_location(seen)
    rows = [_HEADER, *(_row(each, primary) for each in seen)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER) - 1)]
    lines = [
        _GAP.join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]
    painted = [
        lines[0],
        *(
            _painted(line, state_of(each), colour=colour)
            for line, each in zip(lines[1:], seen, strict=True)
        ),
    ]
    return "\n".join([*(line.rstrip() for line in painted), "", *verdict(seen)])


def verdict(seen: Sequence[Observation]) -> list[str]:
    """What the cluster can do at the moment, one sentence a line."""
    votes = [each for each in seen if each.etcd is not None]
    healthy = [each for each in votes if each.etcd and each.etcd["healthy"]]
    members = [each for each in seen if each.node.kind == "etcd"]
    primaries = [each.node.name for each in seen if is_writable(each)]
    syncs = [each.node.name for each in seen if is_sync_standby(each)]
    leading = [each.node.name for each in seen if is_leading(each)]
    taking = [
        each.node.name
        for each in seen
        if each.node.kind in SERVING and each.ready and each.ready.get("ready")
    ]
    lines = [f"etcd: {len(healthy)} of {len(members)} healthy"]
    if len(primaries) > 1:
        lines.append(f"databases: {' and '.join(primaries)} accept writes: SPLIT BRAIN")
    elif not primaries:
        lines.append("databases: none accepts writes")
    elif not syncs:
        lines.append(f"databases: {primaries[0]} is the primary, and waits for a sync standby")
    else:
        confirming = " or ".join(syncs)
        lines.append(f"databases: {primaries[0]} is the primary, {confirming} confirms its commits")
    lines.append(f"house: {', '.join(leading) or 'none'} leads; bets: {_bets(taking)}")
    return lines


def _bets(taking: Sequence[str]) -> str:
    return f"accepted by {', '.join(taking)}" if taking else "not accepted"


def state_of(seen: Observation) -> str:
    """`good`, `warning` or `bad`: the colour of the node's line."""
    if not seen.is_running or seen.is_cut or seen.is_frozen:
        return "bad"
    if _role(seen) in {"-", "unhealthy", "recovering", "nobody leads"}:
        return "warning"
    return "good"


def is_writable(seen: Observation) -> bool:
    """Whether the node is a PostgreSQL that is not in recovery."""
    return seen.recovery is False


def is_leading(seen: Observation) -> bool:
    """Whether the node decides on bets; an API says the role of the engine that it calls."""
    is_engine = seen.node.kind in DECIDING
    return is_engine and bool(seen.ready and seen.ready.get("role") == "leading")


def is_sync_standby(seen: Observation) -> bool:
    """Whether the node is a PostgreSQL that may confirm commits."""
    return bool(seen.patroni and seen.patroni.get("quorum_standby"))


def is_following(seen: Observation) -> bool:
    """Whether the node is a PostgreSQL that answers and receives the primary's log."""
    if seen.patroni is None or not seen.recovery:
        return False
    return "streaming" in {seen.patroni.get("state"), seen.patroni.get("replication_state")}


def _row(seen: Observation, primary: int | None) -> tuple[str, ...]:
    return (
        seen.node.name,
        seen.address,
        "cut" if seen.is_cut else "up",
        _program(seen),
        _role(seen),
        _lag(seen, primary),
        "" if seen.position is None else str(seen.position),
        _says(seen),
    )


def _program(seen: Observation) -> str:
    if not seen.is_running:
        return "ended"
    return "frozen" if seen.is_frozen else "runs"


def _role(seen: Observation) -> str:
    """The node's role as it says itself; `-` if it does not answer."""
    kind = seen.node.kind
    if kind == "projector" and seen.is_running:
        return "projector"
    if kind in PROBED:
        return str(seen.ready["role"]) if seen.ready and "role" in seen.ready else "-"
    if kind == "etcd" and seen.etcd is not None:
        if not seen.etcd["healthy"]:
            return "unhealthy"
        return "leader" if seen.etcd["leader"] else "follower"
    if kind == "db" and seen.patroni is not None:
        return _database_role(seen)
    if kind == "witness" and seen.about is not None:
        return "witness"
    if kind == "proxy" and seen.servers is not None:
        return "proxy"
    return "-"


def _database_role(seen: Observation) -> str:
    assert seen.patroni is not None
    role = str(seen.patroni.get("role", "-"))
    if role == "replica" and is_sync_standby(seen):
        return "sync standby"
    return "leader" if role in {"primary", "master"} else role


def _primary_location(seen: Sequence[Observation]) -> int | None:
    """The newest log position of a primary, in bytes."""
    found = [
        int(each.patroni["xlog"]["location"])
        for each in seen
        if each.patroni and "location" in (each.patroni.get("xlog") or {})
    ]
    return max(found, default=None)


def _lag(seen: Observation, primary: int | None) -> str:
    log = (seen.patroni or {}).get("xlog") or {}
    if primary is None or "replayed_location" not in log:
        return ""
    behind = max(0, primary - int(log["replayed_location"]))
    return f"{behind / _MIB:.1f} MiB" if behind >= _MIB else f"{behind} B"


def _says(seen: Observation) -> str:
    """What the node says in addition to its role."""
    parts: list[str] = []
    if seen.patroni is not None:
        if (state := seen.patroni.get("state")) not in {"running", "streaming"}:
            parts.append(str(state))
        if seen.recovery is None:
            parts.append("PostgreSQL does not answer")
        elif seen.recovery and _database_role(seen) == "leader":
            parts.append("holds the lock, and is still in recovery")
        elif seen.recovery and not is_following(seen):
            parts.append("follows no primary")
        parts.append(f"timeline {seen.patroni.get('timeline', '?')}")
    if seen.ready is not None:
        parts += seen.ready.get("reasons", [])
        parts += seen.ready.get("warnings", [])
    if seen.servers is not None:
        up = [name for name, status in seen.servers.items() if status.startswith("UP")]
        parts.append(f"sends to {', '.join(up) or 'none'}")
    return "; ".join(parts)


def _painted(line: str, state: str, *, colour: bool) -> str:
    return f"{_COLOURS[state]}{line}{_PLAIN}" if colour else line
