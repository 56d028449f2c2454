import ast
import hmac
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice, repeat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine.fairness.draw as draw_module
from engine.fairness.draw import (
    OPERATOR,
    WITNESS,
    chain,
    draw,
    link,
    lp,
    message,
    stream,
    three_digits,
)

GAME, DAY, ROUNDS = "1", "2026-11-21", 274
TAIL = sha256(b"a tail for tests").digest()

Digits = tuple[int, int, int]
Guess = Callable[[bytes, bytes, bytes, int], Digits]
"""A prediction from what is public before the reveal: c_{i-1}, w_{i-1}, f_i and i."""


@dataclass(frozen=True)
class Inputs:
    operator_link: bytes = sha256(b"operator").digest()
    witness_link: bytes = sha256(b"witness").digest()
    game: str = GAME
    day: str = DAY
    index: int = 7
    frozen_hash: bytes = sha256(b"frozen").digest()
    beacon: bytes | None = sha256(b"beacon").digest()


def _block(inputs: Inputs, number: int = 0) -> bytes:
    """A block of the stream, by definition, without the engine's generator and helpers."""
    flag = b"\x00" + bytes(32) if inputs.beacon is None else b"\x01" + inputs.beacon
    text = b"fairdraw/draw/v1\0"
    for part in (inputs.game, inputs.day):
        text += len(part).to_bytes(2, "big") + part.encode()
    text += inputs.index.to_bytes(4, "big") + inputs.witness_link + inputs.frozen_hash + flag
    return hmac.new(inputs.operator_link, text + number.to_bytes(4, "big"), sha256).digest()


def _stream(inputs: Inputs) -> bytes:
    public = message(
        inputs.witness_link,
        inputs.game,
        inputs.day,
        inputs.index,
        inputs.frozen_hash,
        inputs.beacon,
    )
    return bytes(islice(stream(inputs.operator_link, public), 96))


def _flipped(value: bytes, bit: int) -> bytes:
    return (int.from_bytes(value, "big") ^ 1 << bit).to_bytes(len(value), "big")


def test_a_length_prefix_is_two_bytes_over_the_utf8_length() -> None:
    assert lp("") == b"\x00\x00"
    assert lp("é") == b"\x00\x02\xc3\xa9"
    assert len(lp("x" * 65_535)) == 65_537
    with pytest.raises(OverflowError):
        lp("x" * 65_536)


def test_a_chain_runs_from_its_anchor_to_its_tail_by_links() -> None:
    values = chain(OPERATOR, GAME, DAY, TAIL, ROUNDS)
    assert len(values) == ROUNDS + 1
    assert values[-1] == TAIL
    assert all(values[i] == link(OPERATOR, GAME, DAY, i, values[i + 1]) for i in range(ROUNDS))


@pytest.mark.parametrize(
    ("role", "game", "day", "index"),
    [
        (WITNESS, GAME, DAY, 7),
        (OPERATOR, "2", DAY, 7),
        (OPERATOR, GAME, "2026-11-22", 7),
        (OPERATOR, GAME, "2026-11-21/1", 7),
        (OPERATOR, GAME, DAY, 8),
    ],
)
def test_a_link_is_valid_for_no_other_role_game_day_or_index(
    role: str, game: str, day: str, index: int
) -> None:
    values = chain(OPERATOR, GAME, DAY, TAIL, ROUNDS)
    assert link(OPERATOR, GAME, DAY, 7, values[8]) == values[7]
    assert link(role, game, day, index, values[8]) != values[7]


@given(st.integers(0, 255))
def test_a_flipped_bit_of_a_revealed_link_leads_to_another_anchor(bit: int) -> None:
    values = chain(OPERATOR, GAME, DAY, TAIL, 9)
    assert link(OPERATOR, GAME, DAY, 7, _flipped(values[8], bit)) != values[7]


@pytest.mark.parametrize("beacon", [None, sha256(b"beacon").digest()], ids=["off", "on"])
def test_the_stream_is_hmac_blocks_in_counter_order(beacon: bytes | None) -> None:
    inputs = Inputs(beacon=beacon)
    assert _stream(inputs) == _block(inputs, 0) + _block(inputs, 1) + _block(inputs, 2)


@given(st.integers(0, 255))
def test_one_flipped_bit_of_any_input_changes_the_stream(bit: int) -> None:
    honest = Inputs()
    assert honest.beacon is not None
    streams = {
        _stream(honest),
        _stream(replace(honest, operator_link=_flipped(honest.operator_link, bit))),
        _stream(replace(honest, witness_link=_flipped(honest.witness_link, bit))),
        _stream(replace(honest, frozen_hash=_flipped(honest.frozen_hash, bit))),
        _stream(replace(honest, beacon=_flipped(honest.beacon, bit))),
    }
    assert len(streams) == 5


@pytest.mark.parametrize(
    "other",
    [
        Inputs(game="2"),
        Inputs(day="2026-11-22"),
        Inputs(day="2026-11-21/1"),
        Inputs(index=8),
        Inputs(beacon=None),
        Inputs(game="12", day="026-11-21"),
    ],
    ids=["game", "day", "segment", "index", "no beacon", "shifted boundary"],
)
def test_another_game_day_index_or_beacon_mode_changes_the_stream(other: Inputs) -> None:
    assert _stream(other) != _stream(Inputs())


def test_no_beacon_is_not_a_beacon_of_zeros() -> None:
    assert _stream(Inputs(beacon=None)) != _stream(Inputs(beacon=bytes(32)))


def test_of_the_256_bytes_250_are_digits_25_each() -> None:
    digits = Counter(byte % 10 for byte in range(256) if three_digits([byte, 1, 2, 3])[2] == 2)
    assert digits == dict.fromkeys(range(10), 25)


def test_a_byte_is_its_last_digit_or_from_250_on_passed_over() -> None:
    drawn = [three_digits([byte, 7, 8, 9])[0] for byte in range(256)]
    assert drawn == [*range(10)] * 25 + [7] * 6


def test_a_stream_that_begins_with_0xff_draws_from_what_follows() -> None:
    assert three_digits([*repeat(0xFF, 100), 250, 7, 255, 18, 249]) == (7, 8, 9)


def test_the_draw_takes_the_first_three_unbiased_bytes_of_the_stream() -> None:
    for index in range(1, 200):
        block = _block(Inputs(index=index, beacon=None))
        digits = [byte % 10 for byte in block if byte < 250]
        inputs = Inputs()
        drawn = draw(
            inputs.operator_link, inputs.witness_link, GAME, DAY, index, inputs.frozen_hash, None
        )
        assert drawn == tuple(digits[:3])


class Season:
    """3,000 rounds of one day, and how many of their digits a guess gets right."""

    rounds = range(1, 3_001)
    operator = chain(OPERATOR, GAME, DAY, TAIL, 3_000)
    witness = chain(WITNESS, GAME, DAY, sha256(TAIL).digest(), 3_000)

    def frozen(self, i: int) -> bytes:
        return sha256(b"frozen %d" % i).digest()

    def draw(self, i: int) -> Digits:
        return draw(self.operator[i], self.witness[i], GAME, DAY, i, self.frozen(i), None)

    def draw_keyed_with_the_commitment(self, i: int) -> Digits:
        return draw(self.operator[i - 1], self.witness[i - 1], GAME, DAY, i, self.frozen(i), None)

    def hits(self, guess: Guess, drawn: Callable[[int], Digits]) -> int:
        return sum(
            one == other
            for i in self.rounds
            for one, other in zip(
                guess(self.operator[i - 1], self.witness[i - 1], self.frozen(i), i),
                drawn(i),
                strict=True,
            )
        )


def _as_drawn(c: bytes, w: bytes, f: bytes, i: int) -> Digits:
    return draw(c, w, GAME, DAY, i, f, None)


def _with_roles_swapped(c: bytes, w: bytes, f: bytes, i: int) -> Digits:
    return draw(w, c, GAME, DAY, i, f, None)


def _with_links_hashed_on(c: bytes, w: bytes, f: bytes, i: int) -> Digits:
    ahead = link(OPERATOR, GAME, DAY, i, c), link(WITNESS, GAME, DAY, i, w)
    return draw(*ahead, GAME, DAY, i, f, None)


def _as_the_commitments_digits(c: bytes, w: bytes, f: bytes, _: int) -> Digits:
    return three_digits(c + w + f + bytes(3))


@pytest.mark.parametrize(
    "guess", [_as_drawn, _with_roles_swapped, _with_links_hashed_on, _as_the_commitments_digits]
)
def test_what_is_public_before_the_reveal_predicts_no_better_than_chance(guess: Guess) -> None:
    """Of 9,000 digits chance guesses 900, give or take 28; the bounds are five times that."""
    season = Season()
    assert 760 < season.hits(guess, season.draw) < 1_040


def test_a_draw_keyed_with_its_own_commitment_would_be_known_early() -> None:
    """A public casino's mistake: here the guess that fails above gets every digit right."""
    season = Season()
    assert season.hits(_as_drawn, season.draw_keyed_with_the_commitment) == 9_000


def test_digits_and_pairs_of_digits_are_uniform() -> None:
    """Chi-square at 99.9 %: 9,000 digits (9 degrees), 3,000 first pairs (99 degrees)."""
    season = Season()
    drawn = [season.draw(i) for i in season.rounds]
    digits = Counter(digit for triple in drawn for digit in triple)
    pairs = Counter(triple[:2] for triple in drawn)
    every_pair = [(first, second) for first in range(10) for second in range(10)]
    assert sum((digits[digit] - 900) ** 2 / 900 for digit in range(10)) < 27.9
    assert sum((pairs[pair] - 30) ** 2 / 30 for pair in every_pair) < 148.3


def test_the_draw_can_see_neither_bets_nor_balances_nor_a_clock() -> None:
    """Its module imports only hashing, so its arguments are its only inputs."""
    tree = ast.parse(Path(draw_module.__file__).read_text())
    imported = {
        alias.name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert imported == {"hashlib", "hmac", "itertools", "collections.abc"}
