import json
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from engine.fairness.canonical import canonical
from engine.fairness.records import (
    CancelRecord,
    DayRecord,
    FrozenRecord,
    day_parts,
    frozen_record,
    read_record,
    record_hash,
    slot_of,
)
from engine.schedule import demo, slot
from tests.engine.fairness.parties import (
    DATE,
    OPERATOR_PUBLIC,
    SCHEDULE,
    WITNESS_PUBLIC,
    frozen_set,
    opened_day,
    operator_chain,
    witness_chain,
)

FROZEN = frozen_record(
    game="1",
    day=DATE,
    i=7,
    issue="20261121007",
    closes_at=1_795_230_000_000_000,
    count=3,
    stakes={"small": 500, "big": 10_000},
    bets=bytes(32),
    prev=b"\xff" * 32,
)


def test_a_frozen_record_is_these_bytes_and_f_is_their_hash() -> None:
    written_out = (
        f'{{"bets":"{"00" * 32}","closes_at":1795230000000000,"count":3,"day":"2026-11-21",'
        '"game":"1","i":7,"issue":"20261121007",'
        f'"prev":"{"ff" * 32}","stake_minor":10500,"stakes":{{"big":10000,"small":500}},"v":1}}'
    ).encode()
    assert canonical(FROZEN) == written_out
    assert record_hash(FROZEN) == sha256(written_out).digest()


def test_every_field_of_a_frozen_record_is_under_its_hash() -> None:
    hashes = {
        record_hash(msgspec.structs.replace(FROZEN, **{field: "other"}))
        for field in FrozenRecord.__struct_fields__
    }
    assert len(hashes) == len(FrozenRecord.__struct_fields__)
    assert record_hash(FROZEN) not in hashes


def test_a_days_record_names_the_terms_both_chains_and_both_keys() -> None:
    record = json.loads(canonical(opened_day()))
    assert (record["rounds"], record["first"], record["beacon"]) == (274, 1, "off")
    assert record["c_0"] == operator_chain()[0].hex()
    assert record["w_0"] == witness_chain()[0].hex()
    assert record["operator_key"] == OPERATOR_PUBLIC.hex()
    assert record["witness_key"] == WITNESS_PUBLIC.hex()
    assert record["odds_table"] == sha256(b"odds").hexdigest()
    assert record["schedule"]["round_us"] == 210_000_000


def test_a_record_is_read_back_from_its_canonical_bytes() -> None:
    day, cancelled = opened_day(), CancelRecord(DATE, "1", 7)
    assert read_record(FrozenRecord, canonical(FROZEN)) == FROZEN
    assert read_record(DayRecord, canonical(day)) == day
    assert read_record(CancelRecord, canonical(cancelled)) == cancelled


def _altered(**change: Any) -> bytes:
    return canonical({**msgspec.to_builtins(FROZEN), **change})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        canonical(FROZEN) + b"\n",
        canonical(FROZEN).replace(b":7", b": 7"),
        canonical(FROZEN).replace(b"10500", b"1.05e4"),
        _altered(v=2),
        _altered(extra="x"),
        _altered(i="7"),
        canonical(opened_day()),
        json.dumps(dict(reversed(json.loads(_altered()).items()))).encode(),
    ],
)
def test_a_record_in_any_other_form_is_refused(content: bytes) -> None:
    assert read_record(FrozenRecord, _altered()) == FROZEN
    with pytest.raises(ValueError, match="canonical bytes of a FrozenRecord"):
        read_record(FrozenRecord, content)


def test_a_day_with_a_schedule_that_cannot_be_followed_is_refused() -> None:
    fields: dict[str, Any] = msgspec.to_builtins(opened_day())
    fields["schedule"]["round_us"] = 0
    with pytest.raises(ValueError, match="canonical bytes of a DayRecord"):
        read_record(DayRecord, canonical(fields))


def test_a_day_is_named_by_its_date_and_from_the_second_on_its_segment() -> None:
    assert day_parts("2026-11-21") == ("2026-11-21", 0)
    assert day_parts("2026-11-21/1") == ("2026-11-21", 1)
    assert day_parts("2026-11-21/12") == ("2026-11-21", 12)


@pytest.mark.parametrize(
    "day",
    [
        "",
        "20261121",
        "2026-W47-6",
        "2026-11-31",
        "2026-11-21/",
        "2026-11-21/0",
        "2026-11-21/01",
        "2026-11-21/-1",
        "2026-11-21/ 1",
        "2026-11-21/1/1",
        "2026-11-21/\u0661",
        "0001-01-01",
        "9999-12-31",
    ],
)
def test_a_day_has_no_second_spelling(day: str) -> None:
    with pytest.raises(ValueError, match="names no draw day"):
        day_parts(day)


def test_a_segments_rounds_are_shifted_in_its_schedule() -> None:
    segment = msgspec.structs.replace(opened_day(f"{DATE}/1", first=101), shift=98)
    assert slot_of(segment, 101) == slot(SCHEDULE, 1, DATE, 3)


def test_the_length_of_a_segments_chains_includes_its_shift() -> None:
    shifted = msgspec.structs.replace(opened_day(), schedule=demo(), shift=5, rounds=416)
    assert slot_of(shifted, 416) == slot(demo(), 1, DATE, 411)


def test_an_empty_set_is_frozen_under_the_hash_of_nothing() -> None:
    assert frozen_set(7).bets == sha256(b"").hexdigest()
    assert (frozen_set(7).count, frozen_set(7).stake_minor) == (0, 0)
