"""Changing a password, and its effect on the player's sessions."""

import pytest

from engine.refusals import Refusal
from engine.runtime.vault import FAILURE_WINDOW_US, VaultRefused
from tests.runtime.vaults import PASSWORD, Keeper

NEW = "chosen-later-1"
WRONG = VaultRefused(Refusal.PASSWORD_WRONG, "old_password")


def change(keeper: Keeper, player: int, old: str = PASSWORD, new: str = NEW) -> VaultRefused | None:
    return keeper.vault.change_password(player, old, new, keeper.sessions, "")


def test_a_new_password_takes_the_place_of_the_old(keeper: Keeper) -> None:
    player = keeper.join()
    assert change(keeper, player) is None
    assert keeper.vault.log_in("member1", PASSWORD) is None
    assert keeper.vault.log_in("member1", NEW) is not None


@pytest.mark.parametrize("new", ["", "7chars-", "x" * 65])
def test_a_password_has_eight_to_sixty_four_characters(keeper: Keeper, new: str) -> None:
    refused = VaultRefused(Refusal.PASSWORD_INVALID, "new_password")
    assert change(keeper, keeper.join(), new=new) == refused


def test_the_new_password_is_another(keeper: Keeper) -> None:
    refused = VaultRefused(Refusal.PASSWORD_UNCHANGED, "new_password")
    assert change(keeper, keeper.join(), new=PASSWORD) == refused


def test_wrong_old_passwords_lock_the_change_and_the_login(keeper: Keeper) -> None:
    player = keeper.join()
    for _ in range(3):
        assert change(keeper, player, old="not-this-one") == WRONG
    assert change(keeper, player) == WRONG
    assert keeper.vault.log_in("member1", PASSWORD) is None
    keeper.clock.now += FAILURE_WINDOW_US
    assert change(keeper, player) is None


def test_failed_logins_lock_the_change(keeper: Keeper) -> None:
    player = keeper.join()
    for _ in range(3):
        keeper.vault.log_in("member1", "not-this-one")
    assert change(keeper, player) == WRONG


def test_a_change_ends_the_members_other_sessions(keeper: Keeper) -> None:
    player, other = keeper.join(), keeper.join("member2")
    own, stolen, others = (keeper.sessions.open(each) for each in (player, player, other))
    assert keeper.vault.change_password(player, PASSWORD, NEW, keeper.sessions, own) is None
    assert keeper.sessions.recognise(stolen) is None  # no longer cached
    for token in (own, stolen, others):
        keeper.sessions.load(token)
    assert keeper.sessions.recognise(own) == player
    assert keeper.sessions.recognise(stolen) is Refusal.TOKEN_REVOKED
    assert keeper.sessions.recognise(others) == other


def test_a_refused_change_ends_no_session(keeper: Keeper) -> None:
    player = keeper.join()
    token = keeper.sessions.open(player)
    change(keeper, player, old="not-this-one")
    assert keeper.sessions.recognise(token) == player
