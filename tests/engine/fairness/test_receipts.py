import json
from hashlib import sha256
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness import signing
from engine.fairness.canonical import canonical
from engine.fairness.merkle import Tree, leaf_hash
from engine.fairness.receipts import (
    is_owner,
    owner_hash,
    read_receipt,
    sign_head,
    verify_receipt,
)
from tests.engine.fairness.parties import receipt

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = signing.public_bytes(KEY)
SALT = bytes(range(16))
ENTRY = receipt(
    bet="B1",
    game=1,
    issue="20261121007",
    kind="big",
    stake_minor=10_000,
    odds_milli=1_980,
    odds_table="card-21.04.02",
    at=1_795_230_000_000_000,
    player_id=10_001,
    salt=SALT,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
amounts = st.integers(0, 2**53 - 1)


def test_a_receipt_is_its_fields_in_canonical_order() -> None:
    owner = sha256(b"10001" + SALT).hexdigest()
    assert ENTRY.decode() == (
        '{"at":1795230000000000,"bet":"B1","game":"1","issue":"20261121007","kind":"big",'
        '"odds_milli":1980,"odds_table":"card-21.04.02",'
        f'"owner":"{owner}","salt":"000102030405060708090a0b0c0d0e0f","stake_minor":10000,"v":1}}'
    )


@given(
    st.fixed_dictionaries(
        {
            "bet": texts,
            "game": amounts,
            "issue": texts,
            "kind": texts,
            "odds_table": texts,
            "stake_minor": amounts,
            "odds_milli": amounts,
            "at": amounts,
            "player_id": amounts,
            "salt": st.binary(min_size=16, max_size=16),
        }
    )
)
def test_the_fast_encoding_is_the_canonical_one(fields: dict[str, Any]) -> None:
    entry = receipt(**fields)
    expected = {name: value for name, value in fields.items() if name != "player_id"}
    owner = sha256(str(fields["player_id"]).encode() + fields["salt"]).hexdigest()
    expected |= {"v": 1, "game": str(fields["game"]), "salt": fields["salt"].hex(), "owner": owner}
    assert entry == canonical(expected)
    assert is_owner(read_receipt(entry), fields["player_id"])


def test_the_owner_is_identified_only_with_the_salt() -> None:
    fields = read_receipt(ENTRY)
    assert is_owner(fields, 10_001)
    assert not is_owner(fields, 10_002)
    assert owner_hash(10_001, bytes(16)) != fields.owner


def _altered(**change: object) -> bytes:
    return json.dumps({**json.loads(ENTRY), **change}, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"{}",
        ENTRY[:-1],
        ENTRY + b" ",
        ENTRY.replace(b":1980", b": 1980"),
        _altered(v=2),
        _altered(salt="0001"),
        _altered(salt="000102030405060708090A0B0C0D0E0F"),
        _altered(salt="no hex at all, but quite lengthy"),
        _altered(extra=1),
        _altered(stake_minor="10000"),
        _altered(stake_minor=1.5),
        json.dumps(dict(reversed(json.loads(ENTRY).items())), separators=(",", ":")).encode(),
    ],
)
def test_bytes_that_are_no_canonical_receipt_are_refused(entry: bytes) -> None:
    assert read_receipt(_altered()).bet == "B1"
    with pytest.raises(ValueError, match="canonical bytes"):
        read_receipt(entry)


ENTRIES = [ENTRY.replace(b'"B1"', b'"B%d"' % number) for number in range(7)]
TREE = Tree([leaf_hash(entry) for entry in ENTRIES])
SIGNATURE = sign_head(KEY, TREE.size, TREE.head)


@pytest.mark.parametrize("index", range(7))
def test_every_receipt_of_a_batch_is_proved_by_the_one_signature(index: int) -> None:
    path = TREE.path(index)
    assert verify_receipt(PUBLIC, ENTRIES[index], index, 7, TREE.head, path, SIGNATURE)


HONEST: dict[str, Any] = {
    "public_key": PUBLIC,
    "entry": ENTRIES[2],
    "index": 2,
    "size": 7,
    "head": TREE.head,
    "path": TREE.path(2),
    "signature": SIGNATURE,
}
STRANGER = Ed25519PrivateKey.from_private_bytes(bytes(32))


@pytest.mark.parametrize(
    "forged",
    [
        {"entry": ENTRIES[3]},
        {"entry": ENTRIES[2].replace(b"10000", b"90000")},
        {"index": 3},
        {"size": 6},
        {"size": 8, "signature": SIGNATURE},
        {"head": Tree([leaf_hash(ENTRIES[0])]).head},
        {"path": TREE.path(3)},
        {"path": TREE.path(2)[:-1]},
        {"path": [*TREE.path(2), TREE.head]},
        {"signature": bytes(64)},
        {"signature": b"short"},
        {"signature": sign_head(STRANGER, 7, TREE.head)},
        {"signature": sign_head(KEY, 8, TREE.head)},
        {"signature": KEY.sign((7).to_bytes(8, "big") + TREE.head)},
        {"signature": signing.sign(KEY, signing.FROZEN, (7).to_bytes(8, "big") + TREE.head)},
        {"public_key": signing.public_bytes(STRANGER)},
        {"public_key": b"short"},
    ],
    ids=",".join,
)
def test_a_receipt_with_anything_altered_is_not_proved(forged: dict[str, Any]) -> None:
    assert verify_receipt(**HONEST)
    assert not verify_receipt(**{**HONEST, **forged})


def test_the_signed_message_is_the_domain_the_size_and_the_head() -> None:
    message = b"fairdraw/receipts/v1\x00" + (7).to_bytes(8, "big") + TREE.head
    KEY.public_key().verify(SIGNATURE, message)
