"""The attacks that the protocol of the draws must withstand, each by its name.

Who attacks is the operator, with its own secrets and its own database, or the witness with its own.
"""

from hashlib import sha256

import pytest

from engine.fairness.cosigning import CosignRefusedError, CosignRequest, accept
from engine.fairness.draw import draw, link
from engine.fairness.merkle import tree_head, verify_consistency
from engine.fairness.records import record_hash
from engine.fairness.tiles import consistency_path
from engine.fairness.witness_decisions import LinkReleased
from engine.fairness.witness_state import Declined, DeclineReason
from tests.engine.fairness.parties import (
    DATE,
    GAME,
    STRANGER_KEY,
    by_operator,
    closes_at,
    frozen_set,
    operator_chain,
)
from tests.engine.fairness.test_cosigning import FORK, LOG, PUBLIC
from tests.engine.fairness.test_witness import Witness

ROUND = 7


@pytest.fixture
def witness() -> Witness:
    opened = Witness()
    assert opened.opens() is None
    return opened


def released(witness: Witness) -> bytes:
    """The witness's link of the round, for the set without bets."""
    answer = witness.releases(frozen_set(ROUND))
    assert isinstance(answer, LinkReleased)
    return answer.link


def digits(operator_link: bytes, witness_link: bytes, f: bytes) -> tuple[int, int, int]:
    return draw(operator_link, witness_link, GAME, DATE, ROUND, f, None)


def test_an_operator_that_bets_after_it_has_seen_the_witnesss_link(witness: Witness) -> None:
    """It knows both links. A set with its own bet would be another one, which draws again."""
    witness_link, operator_link = released(witness), operator_chain()[ROUND]
    known = digits(operator_link, witness_link, record_hash(frozen_set(ROUND)))
    with_its_bet = frozen_set(ROUND, bets=tree_head([sha256(b"its bet").digest()]), count=1)
    assert witness.releases(with_its_bet) == Declined(DeclineReason.ROUND_FROZEN_OTHERWISE)
    assert digits(operator_link, witness_link, record_hash(with_its_bet)) != known


def test_an_operator_that_tries_many_sets_until_one_pleases_it(witness: Witness) -> None:
    """Before the release no set tells it anything; after the release there is only one."""
    first = released(witness)
    for attempt in range(50):
        other = frozen_set(ROUND, bets=sha256(b"%d" % attempt).digest(), count=attempt)
        assert witness.releases(other) == Declined(DeclineReason.ROUND_FROZEN_OTHERWISE)
    assert released(witness) == first


def test_an_operator_that_closes_early_to_learn_the_result(witness: Witness) -> None:
    early = witness.releases(frozen_set(ROUND), closes_at(ROUND) - 1)
    assert early == Declined(DeclineReason.ROUND_STILL_OPEN)


def test_an_operator_that_learns_a_link_from_a_later_round(witness: Witness) -> None:
    """A link reveals all before it, so the witness never goes back."""
    later = witness.releases(frozen_set(ROUND + 1))
    assert isinstance(later, LinkReleased)
    known = link("witness", GAME, DATE, ROUND, later.link)
    assert known.hex()
    assert witness.releases(frozen_set(ROUND)) == Declined(DeclineReason.INDEX_PASSED)
    assert witness.cancels(ROUND) == Declined(DeclineReason.INDEX_PASSED)


def test_an_operator_that_voids_a_round_whose_result_it_dislikes(witness: Witness) -> None:
    released(witness)
    assert witness.cancels(ROUND) == Declined(DeclineReason.ROUND_RELEASED)


def test_an_operator_that_withholds_its_own_link_is_exposed_by_the_next_one() -> None:
    """Anyone computes the withheld link, and so the result that it wanted to hide."""
    chain = operator_chain()
    withheld, published = chain[ROUND], chain[ROUND + 1]
    assert link("operator", GAME, DATE, ROUND, published) == withheld


def test_an_operator_that_opens_a_day_twice_to_have_two_chains(witness: Witness) -> None:
    released(witness)
    segment = witness.opens(f"{DATE}/1", first=ROUND)
    assert segment == Declined(DeclineReason.SEGMENT_PASSED)


def test_a_stranger_that_asks_in_the_operators_name(witness: Witness) -> None:
    request = by_operator(frozen_set(ROUND), STRANGER_KEY)
    assert witness.releases(request) == Declined(DeclineReason.SIGNATURE_INVALID)


def test_a_witness_that_answers_twice_is_convicted_by_its_own_signatures(witness: Witness) -> None:
    """A changed witness that releases one round for two sets leaves two signatures of its own."""
    released(witness)
    changed = Witness()
    changed.opens()
    other = changed.releases(frozen_set(ROUND, bets=sha256(b"other").digest(), count=1))
    assert isinstance(other, LinkReleased)
    records = [each for each in (*witness.records, *changed.records) if hasattr(each, "f")]
    assert len({each.f for each in records}) == 2, "two sets of one round, both signed"


def test_an_operator_that_shows_two_phones_two_histories() -> None:
    """Each phone keeps its checkpoint: compared, they are not of one log. One is cosigned."""
    phone_a, phone_b = LOG.checkpoint(30), FORK.checkpoint(40)
    path = consistency_path(FORK, 30, 40)
    assert not verify_consistency(30, phone_a.root, 40, phone_b.root, path)
    path = consistency_path(LOG, 30, 40)
    assert not verify_consistency(30, phone_a.root, 40, phone_b.root, path)
    cosigned = accept(LOG.request(20, 30), LOG.checkpoint(20), PUBLIC)
    with pytest.raises(CosignRefusedError):
        accept(FORK.request(30, 40), cosigned, PUBLIC)


def test_an_operator_that_takes_back_the_end_of_its_log() -> None:
    shorter = CosignRequest(20, (), LOG.note(20))
    with pytest.raises(CosignRefusedError):
        accept(shorter, LOG.checkpoint(30), PUBLIC)
