"""User names and passwords, which are stored outside the log."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.refusals import Refusal
from engine.runtime.vault import (
    PlayerIdentity,
    RegistrationRefused,
    RegistrationRequest,
    Vault,
    VaultRefused,
)
from tests.runtime.vaults import Keeper

PASSWORD = "secret-enough-1"


@pytest.fixture
def vault(keeper: Keeper) -> Vault:
    return keeper.vault


def request(
    username: str = "name1234", key: str | None = None, **more: bool
) -> RegistrationRequest:
    return RegistrationRequest(username, PASSWORD, 1, None, key, **more)


def register(vault: Vault, request_: RegistrationRequest) -> PlayerIdentity:
    member = vault.register(request_)
    assert isinstance(member, PlayerIdentity)
    return member


def test_player_ids_count_up_from_10001(vault: Vault) -> None:
    assert [register(vault, request(name)).player for name in ("first1", "second2")] == [
        10001,
        10002,
    ]


def test_of_many_registrations_with_one_name_one_succeeds(vault: Vault) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(vault.register, [request() for _ in range(16)]))
    assert sum(isinstance(each, PlayerIdentity) for each in found) == 1
    refusals = {each.refusal for each in found if isinstance(each, RegistrationRefused)}
    assert refusals == {Refusal.USERNAME_TAKEN}


def test_concurrent_registrations_with_one_key_return_the_same_player(vault: Vault) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(vault.register, [request(key="k") for _ in range(16)]))
    assert {each.player for each in found if isinstance(each, PlayerIdentity)} == {10001}
    assert not [each for each in found if isinstance(each, RegistrationRefused)]


def test_a_key_is_for_one_name_and_one_password(vault: Vault) -> None:
    register(vault, request(key="k"))
    assert vault.register(request("other123", "k")) == RegistrationRefused(
        Refusal.KEY_REUSED, "username"
    )
    other = RegistrationRequest("name1234", "another-one", 1, None, "k")
    assert vault.register(other) == RegistrationRefused(Refusal.KEY_REUSED, "password")


def test_a_name_that_may_be_changed_gets_a_suffix_when_it_is_taken(vault: Vault) -> None:
    names = [register(vault, request("visitor1", may_rename=True)).username for _ in range(3)]
    assert names == ["visitor1", "visitor1-2", "visitor1-3"]


def test_members_are_found_by_name_or_by_id(vault: Vault) -> None:
    member = register(vault, request())
    assert vault.find("NAME1234") == member
    assert vault.find(str(member.player)) == member
    assert vault.find("9" * 30) is None
    assert vault.nicknames([member.player, 5]) == {member.player: "name1234"}


def guest(vault: Vault) -> PlayerIdentity:
    return register(vault, RegistrationRequest("visitor1795226700", PASSWORD, 2, None, "guest's"))


def full(username: str = "member1", password: str = "chosen-later-1") -> RegistrationRequest:
    return RegistrationRequest(username, password, 1, None, None)


def test_a_guest_who_turns_member_keeps_the_player_id_and_signs_in_by_the_new_name(
    vault: Vault,
) -> None:
    before = guest(vault)
    turned = vault.upgrade_guest(before.player, full())
    assert isinstance(turned, PlayerIdentity)
    assert (turned.player, turned.username, turned.nickname, turned.group) == (
        *(before.player, "member1", "member1"),
        1,
    )
    assert turned.name_commitment != before.name_commitment
    assert vault.log_in("member1", "chosen-later-1") == turned
    assert vault.log_in(before.username, PASSWORD) is None


def test_a_guest_cannot_take_anothers_name(vault: Vault) -> None:
    register(vault, request("Member1"))
    visitor = guest(vault)
    refused = vault.upgrade_guest(visitor.player, full())
    assert refused == VaultRefused(Refusal.USERNAME_TAKEN, "username")
    assert vault.identity(visitor.player) == visitor


def test_upgrading_a_guest_twice_applies_once(vault: Vault) -> None:
    player = guest(vault).player
    assert vault.upgrade_guest(player, full()) == vault.upgrade_guest(player, full())
    already = VaultRefused(Refusal.ALREADY_MEMBER)
    assert vault.upgrade_guest(player, full("member2")) == already
    assert vault.upgrade_guest(player, full(password="another-one-1")) == already


def test_a_member_shows_one_of_eight_pictures(vault: Vault) -> None:
    player = register(vault, request()).player
    vault.choose_avatar(player, 8)
    found = vault.identity(player)
    assert found is not None
    assert found.avatar == 8
    for unknown in (0, 9):
        with pytest.raises(ValueError, match="1 to 8"):
            vault.choose_avatar(player, unknown)


def test_no_password_is_shown_when_a_registration_is_printed() -> None:
    assert PASSWORD not in repr(request())
