"""A pass of the staff says who somebody is, for ninety days and until it is revoked."""

from concurrent.futures import ThreadPoolExecutor

from engine.refusals import Refusal
from engine.runtime.staff_passes import LIFETIME_US, Pass, StaffPasses
from tests.runtime.vaults import Keeper


def passes_of(keeper: Keeper) -> StaffPasses:
    keeper.sql("DELETE FROM vault.staff_passes")
    return StaffPasses(keeper.pool, keeper.clock)


def test_a_pass_is_good_until_its_time_is_over(keeper: Keeper) -> None:
    passes = passes_of(keeper)
    token, until = passes.issue("ann", "machine")
    assert until == keeper.clock.now + LIFETIME_US
    assert passes.good() == {"ann": Pass("ann", until, "machine")}
    keeper.clock.now = until - 1
    assert passes.holder(token) == "ann"
    keeper.clock.now = until
    assert passes.holder(token) is Refusal.PASS_EXPIRED
    assert passes.good() == {}


def test_nobody_holds_a_token_that_was_never_given(keeper: Keeper) -> None:
    passes = passes_of(keeper)
    token, _ = passes.issue("ann", "machine")
    for shown in ("", "x", token[:-1], token.swapcase(), f"{token}=", "\u00e9" * 43, "\0" * 43):
        assert passes.holder(shown) is Refusal.STAFF_UNKNOWN


def test_a_token_has_256_bits_and_only_its_hash_is_stored(keeper: Keeper) -> None:
    """Opaque tokens of at least 128 bits, stored hashed (ASVS 7.2.3)."""
    passes = passes_of(keeper)
    token, _ = passes.issue("ann", "machine")
    assert len(token) * 6 >= 256
    assert passes.issue("ben", "machine")[0] != token
    assert token not in keeper.everything()


def test_a_revoked_pass_stays_revoked(keeper: Keeper) -> None:
    passes = passes_of(keeper)
    token, until = passes.issue("ann", "machine")
    assert passes.end("ann")
    assert not passes.end("ann")
    assert passes.holder(token) is Refusal.PASS_REVOKED
    keeper.clock.now = until
    assert passes.holder(token) is Refusal.PASS_REVOKED


def test_of_many_passes_issued_at_once_for_one_person_one_is_good(keeper: Keeper) -> None:
    passes = passes_of(keeper)
    with ThreadPoolExecutor(8) as threads:
        issued = list(threads.map(lambda _: passes.issue("ann", "machine")[0], range(16)))
    found = [passes.holder(token) for token in issued]
    assert sorted(found) == ["ann", *[Refusal.PASS_REVOKED] * 15]
