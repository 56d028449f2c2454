"""The OpenAPI description: complete, valid, and usable to generate a client."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from schemathesis.specs.openapi import definitions

from api.http.asgi_app import CALLS
from api.http.call_request import ApiRequest, Endpoint
from api.http.envelope import status_of
from api.http.field_types import UNIT
from api.http.openapi.components import NoSchemaError
from api.http.openapi.document import (
    AREAS,
    EXAMPLES_FOLDER,
    Example,
    description,
    refusals_of,
    shared,
)
from api.http.wire import read_decimal_input
from api.realtime.sse import EVENTS
from engine.refusals import Refusal
from tests.api.catalogue import NOT_OVER_HTTP
from tests.api.conformity import document, event_mismatch, mismatch, operations, reasons
from tests.api.support import ApiServer

API = Path(__file__).parents[2] / "api"
EVERY_CALL = pytest.mark.parametrize("call", CALLS, ids=lambda call: call.path)


def operation_of(call: Endpoint) -> dict[str, Any]:
    return operations()[call.method.lower(), call.path]


def test_it_is_served_as_it_is_made(house: ApiServer) -> None:
    assert house.client.get("/schema/openapi.json").json() == msgspec.to_builtins(document())


def test_it_is_a_valid_document() -> None:
    errors = [str(each) for each in definitions.OPENAPI_31_VALIDATOR.iter_errors(document())]
    assert errors == []
    assert list(definitions.OPENAPI_31_VALIDATOR.iter_errors({**document(), "paths": []}))


def test_every_reference_leads_somewhere_and_every_name_is_plain() -> None:
    schemas = document()["components"]["schemas"]
    text = msgspec.json.encode(document()).decode()
    assert set(re.findall(r"#/components/schemas/([^\"]+)", text)) <= set(schemas)
    shared_by_two = [name for name in schemas if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name)]
    assert shared_by_two == [], "two types have the same name: rename one"


def test_every_operation_has_a_name_of_its_own() -> None:
    names = [operation["operationId"] for operation in operations().values()]
    assert sorted(names) == sorted(set(names))
    assert {"userDeposit", "officeDeposit", "lotteryIndex", "indexIndex"} <= set(names)


@EVERY_CALL
def test_a_call_is_described(call: Endpoint) -> None:
    operation = operation_of(call)
    assert operation["tags"][0] in AREAS, "describe this area in api/http/openapi/document.py"
    assert operation["description"], "its handler has no docstring"
    assert operation["summary"]
    headers = [each["name"] for each in operation["parameters"] if each["in"] == "header"]
    timed = ["gateway-timestamp"] if call.path == "/api/gateway/notify" else []
    assert headers == (["Idempotency-Key"] if call.idempotent else timed)


def test_it_describes_who_may_make_a_call() -> None:
    security = {path: operation["security"] for (_, path), operation in operations().items()}
    assert security["/api/user/login"] == []
    assert security["/api/user/userInfo"] == [{"token": []}]
    assert security["/api/Lottery/heart"] == [{"token": []}, {}]
    assert security["/api/office/queue"] == [{"office": []}]
    assert security["/api/gateway/notify"] == [{"gateway": []}]
    assert security["/api/Lottery/stream"] == [{"stream": []}, {}]
    schemes = {name for choices in security.values() for choice in choices for name in choice}
    assert schemes == set(document()["components"]["securitySchemes"])


def test_all_that_is_taken_and_answered_is_described_in_words() -> None:
    schemas = document()["components"]["schemas"]
    silent = [name for name, schema in schemas.items() if not schema.get("description")]
    assert silent == [], "give these a docstring"


def numbers(place: str, schema: Any, unit: str | None = None) -> Iterator[tuple[str, str | None]]:
    """Every number in a schema with its unit; an enumerated number needs none."""
    if isinstance(schema, list):
        for each in schema:
            yield from numbers(place, each, unit)
    if not isinstance(schema, dict):
        return
    unit = schema.get(UNIT, unit)
    kinds = schema.get("type", ())
    if {"number", "integer"} & set([kinds] if isinstance(kinds, str) else kinds):
        yield place, "chosen" if {"enum", "const"} & schema.keys() else unit
    for name, each in schema.get("properties", {}).items():
        yield from numbers(f"{place}.{name}", each)
    for part in ("items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties"):
        yield from numbers(place, schema.get(part), unit)


def all_numbers() -> Iterator[tuple[str, str | None]]:
    for name, schema in document()["components"]["schemas"].items():
        yield from numbers(name, schema)
    for (_, path), operation in operations().items():
        for parameter in operation.get("parameters", ()):
            yield from numbers(f"{path}?{parameter['name']}", parameter["schema"])
        for response in operation["responses"].values():
            for content in response["content"].values():
                yield from numbers(path, content["schema"])


def test_every_number_has_a_unit() -> None:
    assert [place for place, unit in all_numbers() if unit is None] == [], (
        "a number without a unit: give its field a type of api/http/field_types.py"
    )


def test_a_number_without_a_unit_is_found() -> None:
    class Untold(msgspec.Struct):
        money: int
        many: list[int] | None

    assert list(numbers("it", msgspec.json.schema(Untold)["$defs"]["Untold"])) == [
        ("it.money", None), ("it.many", None),
    ]  # fmt: skip


def test_money_is_a_number_in_u_and_a_time_names_its_unit() -> None:
    schemas = document()["components"]["schemas"]
    balance = schemas["WireBalance"]["properties"]["money"]
    assert (balance["type"], balance[UNIT]) == ("number", "u")
    assert "two decimals" in balance["description"]
    issue = schemas["RoundMessage"]["properties"]
    assert (issue["openTime1"][UNIT], issue["closes_at"][UNIT]) == (
        "seconds", "milliseconds since 1970",
    )  # fmt: skip


@EVERY_CALL
def test_the_refusals_of_a_call_are_its_own_and_make_sense(call: Endpoint) -> None:
    assert len(set(call.refusals)) == len(call.refusals)
    doubled = shared(call) & set(call.refusals)
    assert not doubled, f"{doubled} follow from the row's other fields"
    assert not set(call.refusals) & {*NOT_OVER_HTTP, Refusal.ROUTE_UNKNOWN}
    responses = operation_of(call)["responses"]
    for refusal in refusals_of(call):
        assert refusal.value in reasons(responses[str(status_of(refusal))])


def test_statuses_are_those_that_carry_refusals() -> None:
    responses = operations()["post", "/api/Lottery/playOrder"]["responses"]
    assert {"200", "405", "413", "429", "500", "503"} <= set(responses)
    headers_of = {status: set(response["headers"]) for status, response in responses.items()}
    assert {status for status, names in headers_of.items() if "Retry-After" in names} == {
        "429",
        "503",
    }
    assert all("x-request-id" in names for names in headers_of.values())
    assert "engine_busy" in reasons(responses["503"])
    assert reasons(responses["405"]) == ["method_not_allowed"]
    assert "round_closed" in reasons(responses["200"])
    assert "password_wrong" not in reasons(responses["200"])


@EVERY_CALL
def test_a_call_has_an_example_of_its_types(call: Endpoint) -> None:
    example = Example.of(call.path)
    assert example is not None, "write one in api/http/openapi/examples"
    unknown = set(example.request) - set(call.request_type.__struct_encode_fields__)
    assert not unknown
    strict = call.method == "POST"
    msgspec.convert(example.request, call.request_type, strict=strict, dec_hook=read_decimal_input)
    content = operation_of(call)["responses"]["200"]["content"]["application/json"]
    for given in content["examples"].values():
        assert mismatch(call.method, call.path, 200, given["value"]) == ""


def test_no_example_is_left_of_a_call_that_is_gone() -> None:
    found = {
        path
        for file in EXAMPLES_FOLDER.glob("*.json")
        for path in msgspec.json.decode(file.read_bytes())
    }
    assert found == {call.path for call in CALLS}


def with_answer(answer: Any) -> Sequence[Endpoint]:
    return [*CALLS, Endpoint("/api/user/strange", ApiRequest, answer, "Strange")]


def test_a_type_without_a_schema_is_named_before_anything_is_served() -> None:
    with pytest.raises(NoSchemaError, match="Pattern"):
        description(with_answer(list[re.Pattern[str]]), (), {})


@EVERY_CALL
def test_the_answer_to_a_call_is_of_a_known_shape(call: Endpoint) -> None:
    schema = operation_of(call)["responses"]["200"]["content"]["application/json"]["schema"]
    data = schema["oneOf"][0]["properties"]["data"]
    assert data not in ({}, {"type": "object"}), "name what its `data` holds in the row"


def test_the_stream_describes_every_event_that_is_sent() -> None:
    sent = re.compile(r'(?:\bevent\(|(?:send_to_room|RoomEvent)\([^"]*?)\s*"(\w+)"', re.DOTALL)
    names = {name for file in API.rglob("*.py") for name in sent.findall(file.read_text())}
    assert names == set(EVENTS), "name the event in api/realtime/sse.py"


def test_what_is_answered_otherwise_is_noticed() -> None:
    path = "/api/user/logout"
    good = {"code": 1, "msg": "Logged out", "time": 1, "data": None, "request_id": "x"}
    assert mismatch("POST", path, 200, good) == ""
    assert "says 'Bye'" in mismatch("POST", path, 200, {**good, "msg": "Bye"})
    assert "data" in mismatch("POST", path, 200, {**good, "data": 1})
    assert "status 418" in mismatch("POST", path, 418, good)
    refused = {**good, "code": 0, "reason": "round_closed"}
    assert "name it in `refusals`" in mismatch("POST", path, 200, refused)
    assert "in no description" in mismatch("POST", "/api/user/strange", 200, good)
    assert event_mismatch("recall", {"ids": ["a"]}) == ""
    assert "ids" in event_mismatch("recall", {"ids": "a"})
    assert "describe it" in event_mismatch("strange", {})


def test_response_fields_are_required_and_request_fields_may_be_optional() -> None:
    schemas = document()["components"]["schemas"]
    assert "minimum_age" in schemas["Operator"]["required"]
    assert "pay_at" not in schemas["DepositNotice"]["required"]
    assert schemas["RegisterRequest"]["required"] == ["username", "password"]


def test_constraints_are_those_of_the_code() -> None:
    schemas = document()["components"]["schemas"]
    name = schemas["JoinRequest"]["properties"]["username"]
    fits = jsonschema_rs.Draft202012Validator(name).is_valid
    assert [fits(each) for each in ("alice7", "alice", "1234567", "seventeenletters1")] == [
        True, False, False, False,
    ]  # fmt: skip


def test_people_read_it_as_a_page_that_needs_no_script_and_no_other_host(house: ApiServer) -> None:
    answer = house.client.get("/schema")
    assert answer.headers["content-type"].startswith("text/html")
    assert "<script" not in answer.text
    assert not re.search(r"(src|href)=\"(https?:)?//", answer.text)
    for operation in operations().values():
        assert f'id="{operation["operationId"]}"' in answer.text
    style = house.client.get("/schema/page.css")
    assert style.headers["content-type"].startswith("text/css")
    (policy,) = answer.headers.get_list("content-security-policy")
    assert "style-src 'self'" in policy
