"""An operator's settings: read in one place, documented in one table, and refused if invalid."""

from pathlib import Path
from typing import Any

import pytest

from api.setting_types import FLAG, ServerRole, SettingsError
from api.settings import DEMO_GATEWAY_PAGE, SETTINGS, Operator, Settings, read
from engine import schedule
from engine.fairness.beacon import DEFAULT, QUICKNET
from tests.api.support import OPERATOR

README = Path(__file__).resolve().parents[2] / "api" / "README.md"
TOKEN = "a-long-random-word"
WITNESS = next(one.example for one in SETTINGS if one.name == "FAIRDRAW_WITNESS")


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def test_the_page_of_settings_lists_every_one_as_the_program_reads_it() -> None:
    lines = README.read_text().splitlines()
    rows = [
        row(f"`{one.name}`", one.meaning, one.kind.allowed, one.default, f"`{one.example}`")
        for one in SETTINGS
    ]
    first = lines.index(rows[0])
    assert lines[first : first + len(rows)] == rows
    assert not lines[first + len(rows)].startswith("|")


def test_every_example_is_allowed_and_taken() -> None:
    examples = {one.name: one.example for one in SETTINGS}
    for one in SETTINGS:
        assert one.parse(examples) is not None
        assert one.parse({}) is None


def test_unset_settings_have_their_defaults() -> None:
    assert read([], {}) == Settings(schedule.demo(), Path(".data"), gateway_page=DEMO_GATEWAY_PAGE)


def test_what_was_set_is_taken() -> None:
    environment = OPERATOR | {
        "DATABASE_URL": "postgresql://fairdraw_app@db/fairdraw",
        "DATABASE_OWNER_URL": "postgresql://owner@db/fairdraw",
        "FAIRDRAW_TIMEZONE": "Europe/Berlin",
        "FAIRDRAW_GATEWAY_PAGE": "https://pay.example/order",
        "FAIRDRAW_METRICS_TOKEN": TOKEN,
        "FAIRDRAW_API": "http://127.0.0.1:8000",
        "FAIRDRAW_OFFICE_PASS": "x",
        "PATH": "/bin",
    }
    given = read(["--no-demo", "--host", "::1", "--port", "81", "--data", "x"], environment)
    assert given == Settings(
        schedule.regular("Europe/Berlin"),
        Path("x"),
        demo=False,
        host="::1",
        port=81,
        database_url="postgresql://fairdraw_app@db/fairdraw",
        database_owner_url="postgresql://owner@db/fairdraw",
        operator=Operator("Example Ltd", "000-12345", "Malta", 21),
        gateway_page="https://pay.example/order",
        metrics_token=TOKEN,
    )


def test_an_engine_of_its_own_answers_at_the_address_that_was_set() -> None:
    address = {"FAIRDRAW_ENGINE_ADDRESS": "10.0.0.7:8400"}
    assert read(["--role", "engine"], address).engine_address == "10.0.0.7:8400"
    # Processes of other roles may have the same environment.
    assert read(["--role", "api"], address).role is ServerRole.API


def test_rounds_have_the_requested_length_outside_the_demo_too() -> None:
    given = read(["--no-demo", "--round-seconds", "30"], OPERATOR)
    assert given.operator_schedule == schedule.demo(30)


def test_outside_the_demo_online_deposits_take_a_gateway_that_was_named() -> None:
    assert read(["--no-demo"], OPERATOR).gateway_page == ""


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        (["--port", "0"], {}, "--port must be a whole number from 1 to 65535, not '0'"),
        (["--port", "x"], {}, "--port must be a whole number from 1 to 65535, not 'x'"),
        (["--round-seconds", "9"], {}, "--round-seconds must be a whole number from 10 to 210"),
        (["--host", "a b"], {}, "--host must be one word, not 'a b'"),
        ([], {"FAIRDRAW_TIMEZONE": "Mars/Base"}, "FAIRDRAW_TIMEZONE must be the IANA name"),
        ([], {"FAIRDRAW_GATEWAY_PAGE": "javascript:alert(1)"}, "an address that begins with"),
        ([], {"FAIRDRAW_GATEWAY_PAGE": "https://"}, "an address that begins with"),
        ([], OPERATOR | {"FAIRDRAW_OPERATOR_MINIMUM_AGE": "17"}, "from 18 to 99, not '17'"),
        ([], OPERATOR | {"FAIRDRAW_OPERATOR_NAME": "two\nlines"}, "one line of at most 200"),
        ([], {"FAIRDRAW_OPERATOR_NAME": "x"}, "set FAIRDRAW_OPERATOR_LICENCE, FAIRDRAW_OP"),
        (["--no-demo"], {}, "set FAIRDRAW_OPERATOR_NAME, FAIRDRAW_OPERATOR_LICENCE"),
        ([], {"FAIRDRAW_OPERATOR_AGE": "18"}, "did you mean FAIRDRAW_OPERATOR_"),
        ([], {"FAIRDRAW_X": ""}, "FAIRDRAW_X is not a setting"),
        (["--role", "house"], {}, "--role must be all, engine, api, projector or witness, not"),
        (["--role", "projector", "--port", "81"], {}, "projector serves no requests: leave out"),
        (["--role", "witness"], {"FAIRDRAW_WITNESS": WITNESS}, "FAIRDRAW_WITNESS names another"),
        ([], {"FAIRDRAW_ENGINE_ADDRESS": "10.0.0.7:8400"}, "add --role engine"),
        (["--role", "engine"], {"FAIRDRAW_ENGINE_ADDRESS": "0.0.0.0:8400"}, "must be a host and"),
        (
            ["--role", "engine"],
            {"FAIRDRAW_ENGINE_ADDRESS": "10.0.0.7"},
            "must be a host and a port",
        ),
        (["--role", "engine"], {"FAIRDRAW_ENGINE_ADDRESS": "here:0"}, "must be a host and a port"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(
    arguments: list[str], environment: dict[str, str], message: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        read(arguments, environment)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("FAIRDRAW_METRICS_TOKEN", "hunter2"),
        ("FAIRDRAW_METRICS_TOKEN", "a word that is long enough"),
        ("DATABASE_URL", "postgresql://owner:hunter2@db/x?never=heard"),
        ("DATABASE_OWNER_URL", "postgresql://owner:hunter2@db/x?never=heard"),
    ],
)
def test_a_secret_that_is_wrong_is_not_shown(name: str, words: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read([], {name: words})
    assert name in str(refused.value)
    assert words not in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_an_unknown_option_ends_with_the_usage(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        read(["--prot", "8000"], {})
    assert "--prot" in capsys.readouterr().err


def test_options_are_described_by_their_help(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        read(["--help"], {})
    output = capsys.readouterr().out
    assert all(one.name in output for one in SETTINGS if one.name.startswith("--"))
    assert [one.name for one in SETTINGS if one.kind is FLAG] == ["--no-demo"]


def test_customer_service_and_streams_are_as_the_operator_sets_them() -> None:
    given = {
        "FAIRDRAW_SUPPORT_PAGE": "https://help.example/",
        "FAIRDRAW_SUPPORT_SOCKET": "wss://help.example/live",
        "FAIRDRAW_STREAMS": "7",
        "FAIRDRAW_STREAMS_AN_ADDRESS": "3",
    }
    settings = read([], given)
    assert (settings.support.online, settings.support.ws) == (
        "https://help.example/",
        "wss://help.example/live",
    )
    assert (settings.streams.in_all, settings.streams.per_address) == (7, 3)
    for name in given:
        with pytest.raises(SettingsError, match=name):
            read([], {name: "http//nowhere"})


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("wss://Help.Example:443/Live", "wss://help.example/Live"),
        ("ws://127.0.0.1:8101/chat", "ws://127.0.0.1:8101/chat"),
    ],
)
def test_the_socket_of_customer_service_is_kept_as_a_browser_writes_it(
    words: str, kept: str
) -> None:
    assert read([], {"FAIRDRAW_SUPPORT_SOCKET": words}).support.ws == kept


@pytest.mark.parametrize(
    "words",
    [
        "https://help.example/live",
        "wss://",
        "wss://ann:word@help.example/live",
        "wss://help.example",
        "wss://help.example/",
        "wss://help.example/live/",
        "wss://help.example/live?room=1",
        "wss://help.example/live#x",
        "wss://help.example/live; script-src *",
        "wss://help.example/live;script-src",
        "wss://help.example/live,https://evil.example",
        "wss://*.example/live",
        "wss://help.example:0/live",
        "wss://help.example/live\n",
    ],
)
def test_a_socket_that_the_page_s_policy_could_not_name_exactly_is_refused(words: str) -> None:
    with pytest.raises(SettingsError, match="FAIRDRAW_SUPPORT_SOCKET must be wss://"):
        read([], {"FAIRDRAW_SUPPORT_SOCKET": words})


def test_outside_the_demo_customer_service_is_reached_over_tls() -> None:
    given = {**OPERATOR, "FAIRDRAW_SUPPORT_SOCKET": "ws://help.example/live"}
    with pytest.raises(SettingsError, match="FAIRDRAW_SUPPORT_SOCKET must begin with wss://"):
        read(["--no-demo"], given)


def test_customer_service_has_a_host_of_its_own_as_cookies_go_to_every_port_of_one() -> None:
    lines = {"FAIRDRAW_LINE_1": "https://a.example", "FAIRDRAW_LINE_2": "https://b.example"}
    with pytest.raises(SettingsError, match="FAIRDRAW_SUPPORT_SOCKET must be on another host"):
        read([], {**lines, "FAIRDRAW_SUPPORT_SOCKET": "wss://b.example:8443/live"})


def test_the_lines_are_two_origins_as_a_browser_writes_them() -> None:
    given = {"FAIRDRAW_LINE_1": "https://Line1.Example:443", "FAIRDRAW_LINE_2": "http://a:8443"}
    assert read([], given).lines == ("https://line1.example", "http://a:8443")
    assert read([], {}).lines == ("", "")


@pytest.mark.parametrize(
    "words",
    [
        "line1.example",
        "//line1.example",
        "ftp://line1.example",
        "wss://line1.example",
        "https://",
        "https://line1.example/",
        "https://line1.example/vip",
        "https://line1.example?x=1",
        "https://line1.example#x",
        "https://ann@line1.example",
        "https://line1.example:",
        "https://line1.example:0",
        "https://line1.example:65536",
        "https://*.example",
        "https://*",
        "*",
        "null",
        "https://line1.example https://evil.example",
        "https://line1.example;script-src",
        "https://line1.example\n",
        "https://[::1]:8000",
        "https://b\u00fccher.example",
    ],
)
def test_a_line_that_is_no_plain_origin_is_refused(words: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read([], {"FAIRDRAW_LINE_1": words, "FAIRDRAW_LINE_2": "https://line2.example"})
    assert "FAIRDRAW_LINE_1 must be https:// (http:// in a demo too), a host" in str(refused.value)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("https://a.example", "", "FAIRDRAW_LINE_1 is set without the other line: set FAIRDRAW_LI"),
        ("", "https://a.example", "FAIRDRAW_LINE_2 is set without the other line: set FAIRDRAW_LI"),
        ("https://a.example", "HTTPS://A.example:443", "must be two addresses, not one"),
        ("https://a.example", "http://b.example", "FAIRDRAW_LINE_2 must begin with https://"),
        ("http://a.example", "https://b.example", "FAIRDRAW_LINE_1 must begin with https://"),
    ],
)
def test_the_lines_are_refused_where_they_do_not_go_together(
    first: str, second: str, message: str
) -> None:
    given = OPERATOR | {"FAIRDRAW_LINE_1": first, "FAIRDRAW_LINE_2": second}
    with pytest.raises(SettingsError, match=message):
        read(["--no-demo"], given)


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("off", "off"),
        ("quicknet", QUICKNET.chain_hash),
        ("default", DEFAULT.chain_hash),
    ],
)
def test_the_beacon_is_off_or_a_network_by_its_name(text: str, mode: str) -> None:
    assert read([], {"FAIRDRAW_BEACON": text}).beacon == mode


@pytest.mark.parametrize("text", ["on", "Quicknet", "testnet-unchained-3s", QUICKNET.chain_hash])
def test_any_other_beacon_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="FAIRDRAW_BEACON must be off, quicknet or default"):
        read([], {"FAIRDRAW_BEACON": text})


def test_relays_are_asked_in_the_order_given() -> None:
    text = "https://b.example/, http://10.0.0.7:8080/drand"
    relays = read([], {"FAIRDRAW_BEACON_RELAYS": text}).beacon_relays
    assert relays == ("https://b.example", "http://10.0.0.7:8080/drand")
    for wrong in (",", "b.example", "https://b.example/?x=1", "https://b.example/#x"):
        with pytest.raises(SettingsError, match="FAIRDRAW_BEACON_RELAYS must be addresses"):
            read([], {"FAIRDRAW_BEACON_RELAYS": wrong})
