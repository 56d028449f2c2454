"""The security code: at most ten guesses, even in parallel (ASVS 6.6.3)."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.refusals import Refusal
from engine.runtime.vault import VaultRefused
from engine.runtime.vault.password_login import verify_password
from tests.runtime.vaults import Keeper

CODE = "839201"
WRONG = VaultRefused(Refusal.SECURITY_CODE_WRONG, "code")
LOCKED = VaultRefused(Refusal.SECURITY_CODE_LOCKED)
YEAR_US = 365 * 24 * 3600 * 1_000_000


@pytest.fixture
def player(keeper: Keeper) -> int:
    player = keeper.join()
    assert keeper.vault.set_code(player, CODE) is None
    return player


@pytest.fixture
def on_verifying(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """Functions to call whenever a code is compared, before the result is known."""
    happens: list[Callable[[], None]] = []

    def observed(stored: str, given: str) -> bool:
        for each in happens:
            each()
        return verify_password(stored, given)

    monkeypatch.setattr("engine.runtime.vault.security_codes.verify_password", observed)
    return happens


def guess(keeper: Keeper, player: int, code: str = "274915") -> VaultRefused | None:
    return keeper.vault.verify_code(player, code)


def test_the_right_code_opens(keeper: Keeper, player: int) -> None:
    assert guess(keeper, player, CODE) is None
    assert guess(keeper, player) == WRONG


def test_of_fifty_parallel_guesses_at_most_ten_are_compared(
    keeper: Keeper, player: int, on_verifying: list[Callable[[], None]]
) -> None:
    compared: list[int] = []
    on_verifying.append(lambda: compared.append(1))
    with ThreadPoolExecutor(25) as threads:
        found = Counter(threads.map(lambda _: guess(keeper, player), range(50)))
    assert found == {WRONG: 10, LOCKED: 40}
    assert len(compared) == 10


def test_a_try_is_consumed_permanently_before_it_is_compared(
    keeper: Keeper, player: int, on_verifying: list[Callable[[], None]]
) -> None:
    seen: list[object] = []
    on_verifying.append(lambda: seen.extend(keeper.sql("SELECT tries FROM vault.security_codes")))
    guess(keeper, player)
    assert seen == [(1,)]


def test_ten_failures_lock_permanently_even_for_the_right_code(keeper: Keeper, player: int) -> None:
    for _ in range(10):
        assert guess(keeper, player) == WRONG
    keeper.clock.now += YEAR_US
    assert guess(keeper, player, CODE) == LOCKED
    assert keeper.vault.change_code(player, CODE, "604173") == LOCKED
    state = keeper.vault.profile_state(player)
    assert state is not None
    assert state.code_locked
    taken = VaultRefused(Refusal.SECURITY_CODE_ALREADY_SET, "code")
    assert keeper.vault.set_code(player, "604173") == taken


def test_a_new_proof_of_identity_lets_a_first_code_be_set_again(
    keeper: Keeper, player: int
) -> None:
    for _ in range(10):
        guess(keeper, player)
    keeper.vault.remove_code(player, keeper.clock.now)
    assert guess(keeper, player, CODE) == VaultRefused(Refusal.SECURITY_CODE_MISSING)
    assert keeper.vault.set_code(player, "604173") is None
    assert guess(keeper, player, "604173") is None


def test_a_code_that_was_set_later_is_not_removed(keeper: Keeper, player: int) -> None:
    before = keeper.clock.now - 1
    keeper.vault.remove_code(player, before)
    assert guess(keeper, player, CODE) is None


def test_the_right_code_resets_earlier_failures(keeper: Keeper, player: int) -> None:
    for _ in range(2):
        assert [guess(keeper, player) for _ in range(9)] == [WRONG] * 9
        assert guess(keeper, player, CODE) is None


def test_the_right_code_does_not_reset_later_failures(
    keeper: Keeper, player: int, on_verifying: list[Callable[[], None]]
) -> None:
    def guess_meanwhile() -> None:
        on_verifying.clear()
        assert [guess(keeper, player) for _ in range(9)] == [WRONG] * 9

    on_verifying.append(guess_meanwhile)
    assert guess(keeper, player, CODE) is None
    assert [guess(keeper, player) for _ in range(2)] == [WRONG, LOCKED]


@pytest.mark.parametrize(
    "code", ["", "12345", "1234567", "83920a", "\uff1839201", " 83920", "839201\n"]
)
def test_a_code_without_six_digits_does_not_count_as_a_try(
    keeper: Keeper, player: int, code: str
) -> None:
    invalid = VaultRefused(Refusal.SECURITY_CODE_INVALID, "code")
    for _ in range(11):
        assert guess(keeper, player, code) == invalid
    assert keeper.vault.set_code(player, code) == invalid
    assert guess(keeper, player, CODE) is None


def test_a_code_is_set_once_and_changed_by_who_knows_it(keeper: Keeper, player: int) -> None:
    vault = keeper.vault
    assert vault.set_code(player, "604173") == VaultRefused(
        Refusal.SECURITY_CODE_ALREADY_SET, "code"
    )
    assert vault.change_code(player, "274915", "604173") == WRONG
    assert vault.change_code(player, CODE, "111111") == VaultRefused(
        Refusal.SECURITY_CODE_WEAK, "code"
    )
    assert vault.change_code(player, CODE, "604173") is None
    assert guess(keeper, player, CODE) == WRONG
    assert guess(keeper, player, "604173") is None


def test_guessing_the_old_code_of_a_change_counts_as_well(keeper: Keeper, player: int) -> None:
    for _ in range(10):
        assert keeper.vault.change_code(player, "274915", "604173") == WRONG
    assert guess(keeper, player, CODE) == LOCKED


def test_of_two_concurrent_changes_one_takes_effect(keeper: Keeper, player: int) -> None:
    news = ("604173", "274915")
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda new: keeper.vault.change_code(player, CODE, new), news))
    assert sum(each is None for each in found) == 1
    current = news[found.index(None)]
    assert guess(keeper, player, current) is None


def test_of_many_concurrent_first_codes_one_takes_effect(keeper: Keeper) -> None:
    player = keeper.join()
    codes = ("604173", "274915", "839201", "518204")
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda code: keeper.vault.set_code(player, code), codes))
    assert found.count(None) == 1
    assert found.count(VaultRefused(Refusal.SECURITY_CODE_ALREADY_SET, "code")) == 3


def test_a_change_restarts_the_cooling(keeper: Keeper, player: int) -> None:
    keeper.clock.now += 5
    keeper.vault.change_code(player, CODE, "604173")
    state = keeper.vault.profile_state(player)
    assert state is not None
    assert state.code_set_at == keeper.clock.now


def test_without_a_stored_code_every_code_is_refused(keeper: Keeper) -> None:
    missing = VaultRefused(Refusal.SECURITY_CODE_MISSING)
    assert guess(keeper, keeper.join()) == missing
    assert guess(keeper, 5) == missing


def test_a_code_opens_for_its_own_member_alone(keeper: Keeper, player: int) -> None:
    other = keeper.join("member2")
    keeper.vault.set_code(other, "604173")
    stored = keeper.sql("SELECT code_hash FROM vault.security_codes WHERE player = %s", player)
    keeper.sql("UPDATE vault.security_codes SET code_hash = %s", *stored[0])
    assert guess(keeper, other, CODE) == WRONG
