"""Ten thousand bodies with random damage: each is decoded or refused by field name.

Tests the decoders directly, with JSON and forms: a handler gets fields of the declared types, or
the caller gets request_malformed.
"""

import json
from collections.abc import Callable
from itertools import product
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from api.http.asgi_app import CALLS
from api.http.call_request import Endpoint, read
from api.http.refusals import CallRefused
from api.http.wire import read_decimal_input
from engine.refusals import Refusal
from tests.probing.scene import Scene
from tests.probing.wishes import WISHES

# The server runs in this process and draws random numbers while hypothesis does. Its warning about
# that names the strategy, of which another warning says that the name is long.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Do not use the .random. module"),
    pytest.mark.filterwarnings("ignore:Generating overly large repr"),
]
BODIES = 10_000
POSTED = {call.path: call for call in CALLS if call.method == "POST"}
NO_SCOPE: Any = {}  # only query parameters are read from it
JSON = {b"content-type": b"application/json"}
FORM = {b"content-type": b"application/x-www-form-urlencoded"}
#: Larger than Python's Decimal supports.
_BOUNDLESS = (b"1e99999999999999999999", b"-1e99999999999999999999", b"1e-99999999999999999999")
#: Inserted garbage: ends of structures, unbounded numbers, parts of characters.
_GARBAGE = st.binary(min_size=1, max_size=6) | st.sampled_from(
    (
        *(b"{", b"}", b"[", b"]", b'"', b",", b":", b"null", b"true", b"-", b"1e999999999", b"NaN"),
        *(b"9" * 400, b"0.1", b"1e-400", b"\\ud800", b"\\u0000", b"\xff\xfe", b"\xed\xa0\x80"),
        *(
            *_BOUNDLESS,
            b"[" * 5_000,
            b'{"a":' * 5_000,
            b"%",
            b"&",
            b"=",
            b"%00",
            b"%ff",
            b"+",
            b"\r\n",
        ),
    )
)
_SPOILS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.just(b"") | _GARBAGE), min_size=1, max_size=3
)


def spoilt(body: bytes, spoils: list[tuple[float, int, bytes]]) -> bytes:
    """The body with some bytes removed and others inserted."""
    for share, cut, garbage in spoils:
        at = round(share * len(body))
        body = body[:at] + garbage + body[at + cut :]
    return body


def check_read(call: Endpoint, headers: dict[bytes, bytes], body: bytes) -> None:
    """The body is decoded into the declared types, or refused with a field name."""
    try:
        decoded = read(call, NO_SCOPE, headers, body)
    except CallRefused as error:
        refused = error.refused
    else:
        assert type(decoded) is call.request_type
        given = msgspec.to_builtins(decoded, enc_hook=str)
        msgspec.convert(given, call.request_type, strict=False, dec_hook=read_decimal_input)
        return
    assert refused.refusal is Refusal.REQUEST_MALFORMED
    assert refused.field in {"", *call.request_type.__struct_fields__}


@pytest.mark.parametrize("path", POSTED)
def test_a_spoilt_body_is_read_or_refused_by_name(scenes: Callable[[], Scene], path: str) -> None:
    call, wish = POSTED[path], WISHES[path](scenes())
    right = ((JSON, json.dumps(wish).encode()), (FORM, urlencode(wish).encode()))

    @settings(
        max_examples=-(-BODIES // len(POSTED)),
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(kind=st.sampled_from(right), spoils=_SPOILS)
    def check(kind: tuple[dict[bytes, bytes], bytes], spoils: list[Any]) -> None:
        headers, body = kind
        check_read(call, headers, spoilt(body, spoils))

    check()


@pytest.mark.parametrize("path", POSTED)
def test_a_number_beyond_all_bounds_is_read_or_refused_in_whatever_field(path: str) -> None:
    call = POSTED[path]
    for field, number in product(call.request_type.__struct_encode_fields__, _BOUNDLESS):
        check_read(call, JSON, b'{"%s":%s}' % (field.encode(), number))
