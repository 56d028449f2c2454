"""The type of a setting: its parser, and the description of allowed values for error messages."""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Final, Generic, TypeVar
from urllib.parse import urlsplit

from msgspec import Struct
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from engine import schedule
from engine.fairness import beacon
from engine.fairness.beacon import BEACON_OFF
from engine.runtime.witness.remote_witness import WitnessAddress

_MAX_LENGTH: Final = 200
_MIN_TOKEN_LENGTH: Final = 16
# Allows no characters with a meaning in a header, such as `*` or `;`.
_ORIGIN: Final = re.compile(r"(https?|wss?)://([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([0-9]{1,5}))?")
_SOCKET: Final = re.compile(r"(?i:(wss?://[^/]+))(/[A-Za-z0-9._~/-]*[A-Za-z0-9._~-])")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_MAX_PORT: Final = 65_535
ValueT = TypeVar("ValueT")


class ServerRole(StrEnum):
    """The part of the house that a process is; `ALL` is the whole house in one."""

    ALL = "all"
    ENGINE = "engine"
    API = "api"
    PROJECTOR = "projector"
    WITNESS = "witness"


class SettingsError(Exception):
    """A setting is missing or invalid; the message names it, in one line."""


class SettingType(Struct, Generic[ValueT], frozen=True):
    """`read` parses text or raises ValueError; `allowed` describes the valid text."""

    allowed: str
    read: Callable[[str], ValueT]
    secret: bool = False


class Setting(Struct, Generic[ValueT], frozen=True):
    """An environment variable, or a command-line option if its name begins with `--`.

    `default` describes the value without the setting, for the table in api/README.md.
    """

    name: str
    kind: SettingType[ValueT]
    meaning: str
    default: str
    example: str

    def parse(self, values: Mapping[str, str]) -> ValueT | None:
        """Returns the value, None if not set. Raises SettingsError if the text is invalid."""
        text = values.get(self.name, "")
        if not text:
            return None
        try:
            return self.kind.read(text)
        except ValueError:
            shown = "what was given (not shown here)" if self.kind.secret else repr(text)
            raise SettingsError(f"{self.name} must be {self.kind.allowed}, not {shown}") from None


def whole(lowest: int, highest: int) -> SettingType[int]:
    """Returns the type of whole numbers within these bounds."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not lowest <= int(text) <= highest:
            raise ValueError
        return int(text)

    return SettingType(f"a whole number from {lowest} to {highest}", read)


def _line(text: str) -> str:
    if not text.strip() or not text.isprintable() or len(text) > _MAX_LENGTH:
        raise ValueError
    return text.strip()


def _word(text: str) -> str:
    if " " in _line(text):
        raise ValueError
    return text


def _token(text: str) -> str:
    if len(_word(text)) < _MIN_TOKEN_LENGTH or not text.isascii():
        raise ValueError
    return text


def _page(text: str) -> str:
    parts = urlsplit(_word(text))
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError
    return text


def _origin(text: str) -> str:
    """Returns the origin as a browser writes it, without the default port."""
    origin = _normalized(text)
    if not origin.startswith("http"):
        raise ValueError
    return origin


def _normalized(text: str) -> str:
    found = _ORIGIN.fullmatch(text.lower())
    if found is None:
        raise ValueError
    scheme, host, port = found.groups()
    if port is None or int(port) == _DEFAULT_PORTS[scheme]:
        return f"{scheme}://{host}"
    if not 0 < int(port) <= _MAX_PORT:
        raise ValueError
    return f"{scheme}://{host}:{int(port)}"


def _socket(text: str) -> str:
    """Returns an address that CSP's `connect-src` matches exactly: no query, no `/` at the end."""
    found = _SOCKET.fullmatch(text)
    if found is None:
        raise ValueError
    return _normalized(found[1]) + found[2]


def _zone(text: str) -> str:
    schedule.regular(text)
    return text


def _database(text: str) -> str:
    try:
        conninfo_to_dict(text)
    except ProgrammingError:
        raise ValueError from None
    return text


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def _witnesses(text: str) -> tuple[WitnessAddress, ...]:
    return tuple(WitnessAddress.of(part.strip()) for part in text.split(",") if part.strip())


def _beacon(text: str) -> str:
    """Returns the beacon mode that a day's record has: off, or the network's chain hash."""
    names = {network.name: mode for mode, network in beacon.NETWORKS.items()}
    if text != BEACON_OFF and text not in names:
        raise ValueError
    return names.get(text, BEACON_OFF)


def _address(text: str) -> str:
    """Returns host:port. Processes elsewhere connect to it, so it is no wildcard."""
    host, separator, port = _word(text).rpartition(":")
    if not separator or host in {"", "0.0.0.0", "[::]", "::"}:  # noqa: S104 - refused
        raise ValueError
    return f"{host}:{_PORT.read(port)}"


def _relays(text: str) -> tuple[str, ...]:
    found = tuple(_page(part.strip()).rstrip("/") for part in text.split(",") if part.strip())
    if not found or any(urlsplit(relay).query or urlsplit(relay).fragment for relay in found):
        raise ValueError
    return found


_PORT: Final = whole(1, _MAX_PORT)
LINE: Final = SettingType(f"one line of at most {_MAX_LENGTH} characters", _line)
WORD: Final = SettingType("one word", _word)
FOLDER: Final = SettingType("the path of a folder", Path)
PAGE: Final = SettingType("an address that begins with https:// or http://", _page)
ORIGIN: Final = SettingType(
    "https:// (http:// in a demo too), a host, optionally a port, and nothing after it", _origin
)
SOCKET: Final = SettingType(
    "wss:// (ws:// in a demo too), a host, optionally a port, and a path not ending in /", _socket
)
ZONE: Final = SettingType("the IANA name of a time zone, such as Asia/Singapore", _zone)
DATABASE: Final = SettingType("a PostgreSQL address or connection string", _database, secret=True)
TOKEN: Final = SettingType(
    f"{_MIN_TOKEN_LENGTH} to {_MAX_LENGTH} ASCII characters without spaces", _token, secret=True
)
WITNESSES: Final = SettingType(
    "what scripts/witness key prints: an address, # and a key; several separated by commas",
    _witnesses,
)
NETWORKS: Final = SettingType("addresses or networks, separated by commas", _networks)
BEACON: Final = SettingType(
    f"{BEACON_OFF}, {' or '.join(each.name for each in beacon.NETWORKS.values())}", _beacon
)
RELAYS: Final = SettingType(
    "addresses that begin with https:// or http://, separated by commas", _relays
)
ADDRESS: Final = SettingType("a host and a port, such as 10.0.0.7:8400", _address)
ROLE: Final = SettingType(
    f"{', '.join(ServerRole)}".replace(f", {ServerRole.WITNESS}", f" or {ServerRole.WITNESS}"),
    ServerRole,
)
FLAG: Final = SettingType("named without a value", bool)
