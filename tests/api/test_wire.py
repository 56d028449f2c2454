from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.http.wire import NotMoneyError, TooMuchError, encode, mask_name, minor_units, money

MINOR = st.integers(-(10**16), 10**16)


@given(MINOR)
def test_money_comes_back_as_it_went_out(minor: int) -> None:
    sent = encode({"money": money(minor)})
    back = msgspec.json.decode(sent, type=dict[str, Decimal])["money"]
    assert minor_units(back) == minor


@given(st.decimals(allow_nan=True, allow_infinity=True))
def test_an_amount_is_exact_minor_units_or_refused(amount: Decimal) -> None:
    try:
        minor = minor_units(amount)
    except NotMoneyError:
        return
    assert Decimal(minor) == amount.scaleb(2)


@pytest.mark.parametrize("amount", ["0.001", "1.005", "NaN", "sNaN", "-Infinity", "1E-999999"])
def test_what_is_no_amount_of_money(amount: str) -> None:
    with pytest.raises(NotMoneyError):
        minor_units(Decimal(amount))


@pytest.mark.parametrize("amount", ["1E999999", "-1E400", "9" * 5000])
def test_amounts_beyond_any_account_are_refused_without_being_computed(amount: str) -> None:
    with pytest.raises(TooMuchError):
        minor_units(Decimal(amount))


@given(st.text(max_size=40))
def test_a_masked_name_shows_at_most_half_of_its_characters(name: str) -> None:
    shown = mask_name(name)
    head, _, tail = shown.rpartition("***")
    assert len(head + tail) <= len(name) / 2
    assert name.startswith(head)
    assert name.endswith(tail)
