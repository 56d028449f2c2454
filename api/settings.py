"""The operator's settings: every environment variable and option, and the parsed result.

`SETTINGS` is the complete list; the table in api/README.md shows it.

A settings library would replace about 30 of the 560 lines here and in setting_types.py: of
pydantic-settings, environs, typed-settings and dynaconf none refuses a misspelt variable, pydantic
prints a wrong secret, and the messages and the table's texts would still be written here.
"""

import argparse
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from api.http.field_types import Years
from api.setting_types import (
    ADDRESS,
    BEACON,
    DATABASE,
    FLAG,
    FOLDER,
    LINE,
    NETWORKS,
    ORIGIN,
    PAGE,
    RELAYS,
    ROLE,
    SOCKET,
    TOKEN,
    WITNESSES,
    WORD,
    ZONE,
    ServerRole,
    Setting,
    SettingsError,
    whole,
)
from engine import schedule
from engine.fairness.beacon import BEACON_OFF
from engine.house.facts import Mode
from engine.odds import SPECIFIED
from engine.runtime.log.retention import ANSWER_RETENTION_DAYS
from engine.runtime.scheduler.beacon_client import PUBLIC_RELAYS
from engine.runtime.witness.remote_witness import WitnessAddress
from engine.schedule import Schedule

VERSION: Final = "21.04.02"
#: An engine on the machine of its API processes takes a free port.
FREE_ADDRESS: Final = "127.0.0.1:0"
DEMO_GIFT_MINOR: Final = 100_000
#: The default address of `scripts/gateway serve`.
DEMO_GATEWAY_PAGE: Final = "http://127.0.0.1:8100/pay"


class StreamLimits(Struct, frozen=True):
    """How many event streams may be open, and how long one may be silent.

    Many phones share one address behind a mobile network or a proxy. A browser has one stream per
    tab, and for a moment those of tabs just closed. A stream ends when its client has confirmed
    nothing for `silent_s` seconds.
    """

    per_session: int = 8
    per_address: int = 2_000
    in_all: int = 10_000
    silent_s: float = 45.0


_HOST = Setting("--host", WORD, "address to listen on", "127.0.0.1", "0.0.0.0")  # noqa: S104 - an example
_PORT = Setting("--port", whole(1, 65_535), "port to listen on", "8000", "8443")
_ROLE = Setting(
    "--role",
    ROLE,
    "the part of the house that this process is: see *Several processes*",
    ServerRole.ALL,
    "api",
)
_DATA = Setting(
    "--data",
    FOLDER,
    "folder of keys, log files and the embedded database",
    ".data",
    "/srv/fairdraw",
)
_FOLDER = Setting(
    "FAIRDRAW_DATA",
    FOLDER,
    "the same folder for every program that takes --data, which wins over it",
    ".data",
    "/srv/fairdraw",
)
_NO_DEMO = Setting(
    "--no-demo",
    FLAG,
    "no demo players, money or bots; needs the operator settings and the keys",
    "demo mode",
    "--no-demo",
)
_ROUND_SECONDS = Setting(
    "--round-seconds",
    whole(10, 210),
    "rounds of this length, by day and by night",
    "the regular schedule; in demo mode 210",
    "30",
)
_DATABASE_URL = Setting(
    "DATABASE_URL",
    DATABASE,
    "a PostgreSQL server to use instead of the embedded one",
    "embedded",
    "postgresql://fairdraw_app@db/fairdraw",
)
_DATABASE_OWNER_URL = Setting(
    "DATABASE_OWNER_URL",
    DATABASE,
    "the same database for the owner of its tables, who migrates it at a start",
    "the role of DATABASE_URL",
    "postgresql://owner@db/fairdraw",
)
_ENGINE_ADDRESS = Setting(
    "FAIRDRAW_ENGINE_ADDRESS",
    ADDRESS,
    "where an engine of its own (--role engine) answers the other processes",
    "127.0.0.1 and a free port",
    "10.0.0.7:8400",
)
_TIMEZONE = Setting(
    "FAIRDRAW_TIMEZONE",
    ZONE,
    "time zone of calendar days and of the daily schedule",
    schedule.DEFAULT_TIMEZONE,
    "Europe/Berlin",
)
_NAME = Setting(
    "FAIRDRAW_OPERATOR_NAME", LINE, "name of the operator", "needed; a demo's own", "Example Ltd"
)
_LICENCE = Setting(
    "FAIRDRAW_OPERATOR_LICENCE",
    LINE,
    "licence of the operator",
    "needed; a demo's own",
    "000-12345",
)
_JURISDICTION = Setting(
    "FAIRDRAW_OPERATOR_JURISDICTION",
    LINE,
    "jurisdiction of the licence",
    "needed; a demo's own",
    "Malta",
)
_MINIMUM_AGE = Setting(
    "FAIRDRAW_OPERATOR_MINIMUM_AGE",
    whole(18, 99),
    "minimum age of a player, in years",
    "needed; 18 in a demo",
    "21",
)
_GATEWAY_PAGE = Setting(
    "FAIRDRAW_GATEWAY_PAGE",
    PAGE,
    "page where online deposits are paid; its gateway shares keys/gateway.key with the server",
    f"no online deposits; in a demo {DEMO_GATEWAY_PAGE}",
    "https://pay.example/order",
)
_METRICS_TOKEN = Setting(
    "FAIRDRAW_METRICS_TOKEN",
    TOKEN,
    "bearer token with which other machines may read /metrics",
    "only this machine",
    "a-long-random-word",
)
_RATE_FACTOR = Setting(
    "FAIRDRAW_RATE_FACTOR",
    whole(1, 1_000_000),
    "factor on all rate limits, for networks where very many phones share one address",
    "1",
    "20",
)
_ANSWER_RETENTION = Setting(
    "FAIRDRAW_ANSWERS_KEPT_DAYS",
    whole(1, 36_500),
    "how long an idempotency key returns its first answer, in days",
    str(ANSWER_RETENTION_DAYS),
    "400",
)
_TRUSTED_PROXIES = Setting(
    "FAIRDRAW_TRUSTED_PROXIES",
    NETWORKS,
    "reverse proxies whose X-Forwarded-For, -Proto and -Host headers are trusted",
    "none",
    "10.0.0.7, 10.0.1.0/24",
)
_STREAMS = Setting(
    "FAIRDRAW_STREAMS",
    whole(1, 1_000_000),
    "maximum number of open event streams; further clients poll",
    str(StreamLimits().in_all),
    "50000",
)
_STREAMS_AN_ADDRESS = Setting(
    "FAIRDRAW_STREAMS_AN_ADDRESS",
    whole(1, 1_000_000),
    "maximum number of open event streams from one address",
    str(StreamLimits().per_address),
    "20000",
)
_SUPPORT_PAGE = Setting(
    "FAIRDRAW_SUPPORT_PAGE",
    PAGE,
    "page of customer service, which the app links to",
    "none; scripts/run's demo has its own",
    "https://help.example/",
)
_SUPPORT_SOCKET = Setting(
    "FAIRDRAW_SUPPORT_SOCKET",
    SOCKET,
    "web socket of customer service's live chat, on a separate host",
    "none; scripts/run's demo has its own",
    "wss://help.example/live",
)
_LINE_1 = Setting(
    "FAIRDRAW_LINE_1",
    ORIGIN,
    "line 1: origin of the app and of its requests on that line; set both lines or none",
    "the server's own address",
    "https://line1.example",
)
_LINE_2 = Setting(
    "FAIRDRAW_LINE_2",
    ORIGIN,
    "line 2: second origin of the same server, which a player may choose or is offered",
    "the server's own address",
    "https://line2.example",
)
_WITNESS = Setting(
    "FAIRDRAW_WITNESS",
    WITNESSES,
    "the witness of the draws, run by another party: what scripts/witness key prints; former"
    " witnesses may follow",
    "the server starts its own, and is shown as self-witnessed",
    "http://witness.example:8300#witness.example+d5a1cfe3+BFDYWOCYXsx/YEGKrwzFq1h/QsJXCohAlanozKzQ9lRc",
)
_COSIGNERS = Setting(
    "FAIRDRAW_COSIGNERS",
    WITNESSES,
    "further witnesses that cosign the log (C2SP tlog-witness)",
    "none",
    "https://cosigner.example#cosigner.example+15c9caa2+BGOunTmBQqfYTEm3O6L2Z8jTd863gy22mxpBYTNWLqSW",
)
_QUORUM = Setting(
    "FAIRDRAW_QUORUM",
    whole(1, 32),
    "number of witnesses, the draws' own included, that must cosign the log",
    "all",
    "2",
)
_BEACON = Setting(
    "FAIRDRAW_BEACON",
    BEACON,
    "public randomness beacon (drand) that each draw also depends on; needs the internet",
    BEACON_OFF,
    "quicknet",
)
_BEACON_RELAYS = Setting(
    "FAIRDRAW_BEACON_RELAYS",
    RELAYS,
    "drand relays that are asked for the beacon's rounds in turn",
    "drand's public relays",
    "https://api.drand.sh, https://drand.cloudflare.com",
)
_OPERATOR: Final[tuple[Setting[Any], ...]] = (_NAME, _LICENCE, _JURISDICTION, _MINIMUM_AGE)
OPTIONS: Final[tuple[Setting[Any], ...]] = (_ROLE, _HOST, _PORT, _DATA, _NO_DEMO, _ROUND_SECONDS)
VARIABLES: Final[tuple[Setting[Any], ...]] = (
    _FOLDER,
    _DATABASE_URL,
    _DATABASE_OWNER_URL,
    _ENGINE_ADDRESS,
    _WITNESS,
    _COSIGNERS,
    _QUORUM,
    _BEACON,
    _BEACON_RELAYS,
    _TIMEZONE,
    *_OPERATOR,
    _GATEWAY_PAGE,
    _METRICS_TOKEN,
    _TRUSTED_PROXIES,
    _RATE_FACTOR,
    _ANSWER_RETENTION,
    _SUPPORT_PAGE,
    _SUPPORT_SOCKET,
    _STREAMS,
    _STREAMS_AN_ADDRESS,
    _LINE_1,
    _LINE_2,
)
SETTINGS: Final = (*OPTIONS, *VARIABLES)
_PREFIX: Final = "FAIRDRAW_"
# Read by the webapp's development server, and by commands of scripts/, which know no others.
_ELSEWHERE: Final = frozenset(
    {
        "FAIRDRAW_API",
        "FAIRDRAW_BACKUP_PASSPHRASE",
        "FAIRDRAW_OFFICE_PASS",
        "FAIRDRAW_WITNESS_DATA",
    }
)


class Operator(Struct, frozen=True):
    """The operator, as the app shows it."""

    name: str = "Fairdraw demo"
    licence: str = "None: play money only"
    jurisdiction: str = "Demonstration"
    minimum_age: Years = 18


class Support(Struct, frozen=True):
    """Links to customer service; empty if there is none."""

    online: str = ""
    ws: str = ""


class Settings(Struct, frozen=True):
    """Everything that differs between two installations.

    An engine of its own answers the other processes at `engine_address`; port 0 is a free one.
    `operator_schedule` is the daily schedule in the operator's time zone, in which all calendar
    days are counted. Without a `witness` the server runs its own; `own_witnesses` are the keys in
    hex of those on this machine. `former_witnesses` finish the rounds of their segments. The
    `cosigners` are further witnesses of the log; `quorum` of all must cosign it, None for each one.
    `beacon` is the beacon mode of new days: "off", or the chain hash of a network, whose rounds the
    `beacon_relays` return. `gateway_page` is the page where online deposits are paid; without one
    there are none. Without a `metrics_token` only this machine reads the metrics. `rate_factor`
    multiplies the limits of api/http/middleware/rate_limiter.py. The forwarding headers of
    `trusted_proxies` are trusted. `lines` are the origins of line 1 and line 2; both are empty if
    the app uses the address that it was loaded from.
    """

    operator_schedule: Schedule
    data: Path
    role: ServerRole = ServerRole.ALL
    engine_address: str = FREE_ADDRESS
    demo: bool = True
    host: str = "127.0.0.1"
    port: int = 8000
    database_url: str | None = None
    database_owner_url: str | None = None
    witness: WitnessAddress | None = None
    own_witnesses: frozenset[str] = frozenset()
    former_witnesses: tuple[WitnessAddress, ...] = ()
    cosigners: tuple[WitnessAddress, ...] = ()
    quorum: int | None = None
    beacon: str = BEACON_OFF
    beacon_relays: tuple[str, ...] = PUBLIC_RELAYS
    odds_table: str = SPECIFIED.id
    operator: Operator = Operator()
    support: Support = Support()
    gateway_page: str = ""
    metrics_token: str = ""
    rate_factor: int = 1
    answers_kept_days: int = ANSWER_RETENTION_DAYS
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    streams: StreamLimits = StreamLimits()
    lines: tuple[str, str] = ("", "")

    @property
    def mode(self) -> Mode:
        """Whether players bet play money or real money."""
        return Mode.DEMO if self.demo else Mode.REAL

    @property
    def timezone(self) -> str:
        """The operator's time zone, an IANA name."""
        return self.operator_schedule.timezone

    @property
    def gift_minor(self) -> int:
        """Demo money for every full member who registers, in minor units."""
        return DEMO_GIFT_MINOR if self.demo else 0

    @property
    def keys(self) -> Path:
        """The folder of the secret files."""
        return self.data / "keys"

    @property
    def address(self) -> str:
        """The URL of the app."""
        return f"http://{self.host}:{self.port}/vip/"


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Parse the settings. Raises SettingsError if one is invalid, missing or unknown."""
    _refuse_unknown(environment)
    values = {one.name: environment.get(one.name, "") for one in VARIABLES} | _options(arguments)
    demo = not _NO_DEMO.parse(values)
    role = _ROLE.parse(values) or ServerRole.ALL
    _check_role(role, values)
    cosigners, quorum = _cosigning(values)
    witnesses = _WITNESS.parse(values) or ()
    return Settings(
        operator_schedule=_schedule(values, demo=demo),
        data=_DATA.parse(values) or _FOLDER.parse(values) or Path(_DATA.default),
        role=role,
        engine_address=_ENGINE_ADDRESS.parse(values) or FREE_ADDRESS,
        demo=demo,
        host=_HOST.parse(values) or _HOST.default,
        port=_PORT.parse(values) or int(_PORT.default),
        database_url=_DATABASE_URL.parse(values),
        database_owner_url=_DATABASE_OWNER_URL.parse(values),
        witness=witnesses[0] if witnesses else None,
        former_witnesses=witnesses[1:],
        cosigners=cosigners,
        quorum=quorum,
        beacon=_BEACON.parse(values) or BEACON_OFF,
        beacon_relays=_BEACON_RELAYS.parse(values) or PUBLIC_RELAYS,
        operator=_operator(values, demo=demo),
        gateway_page=_GATEWAY_PAGE.parse(values) or (DEMO_GATEWAY_PAGE if demo else ""),
        metrics_token=_METRICS_TOKEN.parse(values) or "",
        rate_factor=_RATE_FACTOR.parse(values) or 1,
        answers_kept_days=_ANSWER_RETENTION.parse(values) or ANSWER_RETENTION_DAYS,
        trusted_proxies=_TRUSTED_PROXIES.parse(values) or (),
        support=_support(values, demo=demo),
        streams=_streams(values),
        lines=_lines(values, demo=demo),
    )


def _refuse_unknown(environment: Mapping[str, str]) -> None:
    """Raises SettingsError for an unknown name: a typo must not leave a setting without effect."""
    names = [one.name for one in VARIABLES]
    for name in sorted(environment):
        if name.startswith(_PREFIX) and name not in {*names, *_ELSEWHERE}:
            (near,) = get_close_matches(name, names, 1, 0)
            raise SettingsError(f"{name} is not a setting: did you mean {near}? See api/README.md")


def _options(arguments: Sequence[str]) -> dict[str, str]:
    parser = argparse.ArgumentParser(prog="python -m api.app", description="Serve Fairdraw.")
    for one in OPTIONS:
        help_text = f"{one.meaning} ({one.default})"
        if one.kind is FLAG:
            parser.add_argument(
                one.name, action="store_const", const="yes", default="", help=help_text
            )
        else:
            parser.add_argument(one.name, metavar="VALUE", default="", help=help_text)
    found = vars(parser.parse_args(arguments))
    return {f"--{name.replace('_', '-')}": words for name, words in found.items()}


def _check_role(role: ServerRole, values: Mapping[str, str]) -> None:
    """Raises SettingsError for settings that have no effect in this role."""
    if role is ServerRole.ALL and values[_ENGINE_ADDRESS.name]:
        raise SettingsError(
            f"{_ENGINE_ADDRESS.name} is where an engine of its own answers: add --role engine"
        )
    for option in (_HOST, _PORT):
        if role is ServerRole.PROJECTOR and values[option.name]:
            raise SettingsError(f"--role projector serves no requests: leave out {option.name}")
    if role is ServerRole.WITNESS and values[_WITNESS.name]:
        raise SettingsError(
            f"--role witness serves the house's own witness, but {_WITNESS.name} names another one:"
            " start that with scripts/witness serve"
        )


def _operator(values: Mapping[str, str], *, demo: bool) -> Operator:
    if demo and not any(values[one.name] for one in _OPERATOR):
        return Operator()
    missing = [one.name for one in _OPERATOR if not values[one.name]]
    if missing:
        which = (
            "the operator is named in part"
            if demo
            else "outside demo mode the operator must be named"
        )
        raise SettingsError(f"{which}: set {', '.join(missing)}")
    return Operator(
        _NAME.parse(values) or "",
        _LICENCE.parse(values) or "",
        _JURISDICTION.parse(values) or "",
        _MINIMUM_AGE.parse(values) or 0,
    )


def _cosigning(values: Mapping[str, str]) -> tuple[tuple[WitnessAddress, ...], int | None]:
    cosigners, quorum = _COSIGNERS.parse(values) or (), _QUORUM.parse(values)
    if quorum is not None and quorum > len(cosigners) + 1:
        raise SettingsError(
            f"{_QUORUM.name} is {quorum}, but there are {len(cosigners) + 1} witnesses"
        )
    return cosigners, quorum


def _lines(values: Mapping[str, str], *, demo: bool) -> tuple[str, str]:
    """Both lines are needed: CORS lets the pages of each line call the other."""
    first, second = _LINE_1.parse(values) or "", _LINE_2.parse(values) or ""
    for one, other, origin in ((_LINE_1, _LINE_2, first), (_LINE_2, _LINE_1, second)):
        if origin and not values[other.name]:
            raise SettingsError(f"{one.name} is set without the other line: set {other.name}")
        if origin.startswith("http://") and not demo:
            raise SettingsError(f"outside demo mode {one.name} must begin with https://")
    if first and first == second:
        raise SettingsError(f"{_LINE_1.name} and {_LINE_2.name} must be two addresses, not one")
    return first, second


def _support(values: Mapping[str, str], *, demo: bool) -> Support:
    """The chat needs its own host: over TLS the stream's cookie goes to every port of a host."""
    page, address = _SUPPORT_PAGE.parse(values) or "", _SUPPORT_SOCKET.parse(values) or ""
    if address.startswith("ws://") and not demo:
        raise SettingsError(f"outside demo mode {_SUPPORT_SOCKET.name} must begin with wss://")
    hosts = {urlsplit(origin).hostname for origin in _lines(values, demo=demo) if origin}
    if address.startswith("wss://") and urlsplit(address).hostname in hosts:
        raise SettingsError(f"{_SUPPORT_SOCKET.name} must be on another host than the lines")
    return Support(page, address)


def _streams(values: Mapping[str, str]) -> StreamLimits:
    usual = StreamLimits()
    return replace(
        usual,
        per_address=_STREAMS_AN_ADDRESS.parse(values) or usual.per_address,
        in_all=_STREAMS.parse(values) or usual.in_all,
    )


def _schedule(values: Mapping[str, str], *, demo: bool) -> Schedule:
    timezone, seconds = (
        _TIMEZONE.parse(values) or schedule.DEFAULT_TIMEZONE,
        _ROUND_SECONDS.parse(values),
    )
    if seconds is not None:
        return schedule.demo(seconds, timezone)
    return schedule.demo(timezone=timezone) if demo else schedule.regular(timezone)
