import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness.canonical import MAX_INTEGER, canonical

texts = st.text(st.characters(exclude_categories=["Cs"]))
integers = st.integers(-MAX_INTEGER, MAX_INTEGER)
records = st.recursive(
    texts | integers,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


def test_names_sort_by_utf16_units_as_in_the_rfc() -> None:
    """RFC 8785 §3.2.3's example: the emoji sorts below the Hebrew letter, unlike in UTF-8."""
    names = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    assert list(json.loads(canonical(names)).values()) == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


def test_strings_are_escaped_as_in_the_rfc() -> None:
    """RFC 8785 §3.2.2's example string."""
    text = '\u20ac$\u000f\nA\'B"\\\\"/'
    assert canonical(text) == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'.encode()


@pytest.mark.parametrize("code", range(0x20))
def test_a_control_character_has_its_short_escape_or_else_four_lower_case_digits(
    code: int,
) -> None:
    short = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r"}
    assert canonical(chr(code)) == b'"' + short.get(code, b"\\u%04x" % code) + b'"'


def test_nothing_else_is_escaped() -> None:
    text = "\x7f\u0080\u2028\u2029\ufeff<>&/"
    assert canonical(text) == f'"{text}"'.encode()


def test_there_is_no_space_between_tokens() -> None:
    assert canonical({"b": [1, "x"], "a": {}}) == b'{"a":{},"b":[1,"x"]}'


@given(records)
def test_a_record_comes_back_as_it_went_in(record: Any) -> None:
    assert json.loads(canonical(record)) == record


@given(st.dictionaries(texts, integers, max_size=8), st.data())
def test_the_order_in_which_a_record_was_built_leaves_no_trace(
    record: dict[str, int], data: st.DataObject
) -> None:
    names = data.draw(st.permutations(list(record)))
    assert canonical({name: record[name] for name in names}) == canonical(record)


def test_integers_are_exact_up_to_2_to_the_53_less_1() -> None:
    assert canonical([MAX_INTEGER, -MAX_INTEGER]) == b"[9007199254740991,-9007199254740991]"


@pytest.mark.parametrize("beyond", [MAX_INTEGER + 1, -MAX_INTEGER - 1])
def test_an_integer_beyond_that_is_refused(beyond: int) -> None:
    with pytest.raises(ValueError, match="2\\^53"):
        canonical({"a": [beyond]})


@pytest.mark.parametrize("value", [1.0, 0.5, True, False, None, b"x", {1, 2}], ids=repr)
def test_what_two_programs_might_write_differently_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical({"a": [value]})


def test_a_name_that_is_no_string_is_refused() -> None:
    record: Any = {1: "x"}
    with pytest.raises(TypeError, match="names"):
        canonical(record)


@pytest.mark.parametrize("record", ["\ud800", {"\udfff": 1}], ids=["value", "name"])
def test_half_a_character_is_refused(record: str | dict[str, int]) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        canonical(record)


class Sample(msgspec.Struct):
    b: int
    a: str


def test_a_struct_is_encoded_as_the_object_of_its_fields() -> None:
    assert canonical({"s": Sample(b=1, a="x")}) == b'{"s":{"a":"x","b":1}}'
