"""Reading a bank's file: nothing in it is guessed."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.audit_tool import AuditError
from scripts.audit_tool.bank_statements import (
    COLUMNS,
    Form,
    StatementLine,
    minor_units,
    read_statement,
)
from scripts.audit_tool.reconciling import options

HEADER = "date,reference,amount,currency,counterparty\n"
Written = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(text: str | bytes, encoding: str = "utf-8") -> Path:
        path = tmp_path / "statement.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return write


def refusal(path: Path, form: Form | None = None) -> str:
    with pytest.raises(AuditError) as refused:
        read_statement(path, form or Form())
    return str(refused.value)


def test_a_line_keeps_its_number_and_exact_amount(written: Written) -> None:
    path = written(HEADER + '\n2026-11-03, A-1 ,"1,234.50",sgd,"Tan, Mei"\n2026-11-04,,-7,SGD,\n')
    assert read_statement(path, Form()).lines == (
        StatementLine(3, date(2026, 11, 3), "A-1", 123_450, "SGD", "Tan, Mei"),
        StatementLine(4, date(2026, 11, 4), "", -700, "SGD", ""),
    )


def test_a_line_after_a_cell_of_several_lines_keeps_its_number(written: Written) -> None:
    path = written(HEADER + '2026-11-03,"A\nB",1,SGD,\n2026-11-04,C,2,SGD,\n')
    assert [line.number for line in read_statement(path, Form()).lines] == [2, 4]


def test_a_german_file_is_read_with_its_options(written: Written) -> None:
    text = "Konto 1\nBetrag;Buchungstag;Zweck\n1.234,50;03.11.2026;Müller\n-0,05;04.11.2026;\n"
    form = Form(
        columns=dict.fromkeys(COLUMNS)
        | {"date": "buchungstag", "amount": "Betrag", "reference": "Zweck"},
        delimiter=";",
        date_format="%d.%m.%Y",
        decimal_comma=True,
        encoding="cp1252",
        skip=1,
    )
    lines = read_statement(written(text, "cp1252"), form).lines
    assert [(line.number, line.amount_minor, line.reference) for line in lines] == [
        (3, 123_450, "Müller"),
        (4, -5, ""),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_part_of_the_first_column(written: Written, encoding: str) -> None:
    path = written(HEADER + "2026-11-03,Ä,1,SGD,\n", encoding)
    assert read_statement(path, Form()).lines[0].reference == "Ä"


def test_every_bad_line_is_named_with_its_reason_and_the_file_is_refused(
    written: Written,
) -> None:
    rows = ("2026-11-03,A,1,SGD,", "03.11.2026,A,1,SGD,", "2026-11-03,A,12,50,SGD,")
    more = ("2026-11-03,A,abc,SGD,", "2026-11-03,A,1,,", "2026-11-03,A,0.001,SGD,", "2026-11-03,A")
    message = refusal(written(HEADER + "\n".join((*rows, *more))))
    assert "6 of its lines cannot be read" in message
    for reason in (
        "line 3: '03.11.2026' is not a date of the form %Y-%m-%d",
        "line 4: it has 6 columns and the header 5",
        "line 5: 'abc' is not an amount",
        "line 6: it has no currency",
        "line 7: '0.001' has 3 decimals, and money has two",
        "line 8: it has 2 columns and the header 5",
    ):
        assert reason in message


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (HEADER.encode() + b"2026-11-03,\xff\xfe,1,SGD,\n", "line 2: this is not utf-8"),
        (HEADER.encode() + b'2026-11-03,"A,1,SGD,\n', "line 2: unexpected end of data"),
        (b"PK\x00\x00", "is not a text file"),
        (b"Datum,amount\n", "has no column named date for the date and no column named"),
        (b"date;amount\n", "it has: date;amount (that is a single column: --delimiter"),
        (b"Datum,amount,reference,currency,counterparty\n", "(--columns date=NAME names another)"),
        (
            b"date,amount,currency\n",
            "reference=NAME,counterparty=NAME names another, reference=,counterparty= means none)",
        ),
        (
            b"date,amount,reference,counterparty\n",
            "currency=NAME names another, currency= means none, --currency sets it then)",
        ),
        (b"date,amount,Date\n", "has 2 columns named date"),
    ],
)
def test_an_unreadable_file_is_refused(written: Written, content: bytes, reason: str) -> None:
    assert reason in refusal(written(content))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in refusal(tmp_path / "none.csv")
    assert "cannot be read" in refusal(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "-", "1,23", "1,2345", "12,34,567", "1,234'567", "1.", ".5", "1e3", "--1", "1 000", "٣"],
)
def test_an_invalid_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an amount"):
        minor_units(text)


@pytest.mark.parametrize("text", ["1.234", "1.230", "0.005"])
def test_three_decimals_may_be_thousands_and_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="3 decimals"):
        minor_units(text)


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("1'234.5", 123_450),
        ("\N{MINUS SIGN}3", -300),
        ("+0.07", 7),
        ("12.340000", 1_234),
        ("0012", 1_200),
    ],
)
def test_banks_write_amounts_in_many_ways(text: str, minor: int) -> None:
    assert minor_units(text) == minor


def test_a_comma_in_a_file_of_points_is_reported_with_the_option() -> None:
    with pytest.raises(ValueError, match="--decimal-comma"):
        minor_units("12,50")


@given(st.integers(-(10**16), 10**16), st.booleans(), st.booleans())
def test_an_amount_is_read_back_as_it_was_written(
    minor: int, grouped: bool, decimal_comma: bool
) -> None:
    text = format(Decimal(minor).scaleb(-2), ",.2f" if grouped else ".2f")
    if decimal_comma:
        text = text.translate(str.maketrans(",.", ".,"))
    assert minor_units(text, decimal_comma=decimal_comma) == minor


@given(st.text(alphabet="0123456789.,-+ '", max_size=12))
def test_what_is_read_as_an_amount_has_the_digits_that_were_written(text: str) -> None:
    try:
        minor = minor_units(text)
    except ValueError:
        return
    plain = Decimal(text.strip().replace(",", "").replace("'", ""))
    assert minor == plain * 100


@pytest.mark.parametrize("text", ["%d.%m", "%H", "today", "%Y-%j-%Q"])
def test_a_date_format_without_a_whole_day_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError):
        options._date_format(text)


def test_columns_are_mapped_by_name() -> None:
    assert options._columns("amount=Betrag, date=Tag,counterparty=") == {
        "amount": "Betrag",
        "date": "Tag",
        "counterparty": None,
    }
    for wrong in ("amount", "sum=Betrag", "amount=", ""):
        with pytest.raises(ArgumentTypeError):
            options._columns(wrong)
