"""The published example of the draw. Node and Chromium test the app's check with the same file."""

import json
from hashlib import sha256
from pathlib import Path

from engine.fairness.draw import OPERATOR, WITNESS, chain, draw
from engine.fairness.merkle import leaf_hash, tree_head

ANSWER = json.loads(Path(__file__).with_name("known_answer.json").read_text())


def _hashed(text: str) -> bytes:
    return sha256(text.encode()).digest()


def _chain(role: str) -> tuple[bytes, ...]:
    tail = _hashed(ANSWER[f"{role}_tail_text"])
    return chain(role, ANSWER["game"], ANSWER["day"], tail, ANSWER["rounds"])


def test_both_chains_have_the_published_anchors_and_links() -> None:
    operator, witness = _chain(OPERATOR), _chain(WITNESS)
    assert (operator[0].hex(), witness[0].hex()) == (ANSWER["c_0"], ANSWER["w_0"])
    assert (operator[7].hex(), witness[7].hex()) == (ANSWER["c_7"], ANSWER["w_7"])


def test_the_bets_have_the_published_head_and_the_record_the_published_hash() -> None:
    head = tree_head([leaf_hash(text.encode()) for text in ANSWER["leaves_text"]])
    assert head.hex() == ANSWER["bets"]
    frozen = sha256(ANSWER["frozen_prefix_text"].encode() + head).hexdigest()
    assert frozen == ANSWER["f"]


def test_the_round_draws_the_published_digits() -> None:
    i, frozen = ANSWER["i"], bytes.fromhex(ANSWER["f"])
    operator, witness = _chain(OPERATOR)[i], _chain(WITNESS)[i]
    digits = draw(operator, witness, ANSWER["game"], ANSWER["day"], i, frozen, None)
    assert list(digits) == ANSWER["digits"]
