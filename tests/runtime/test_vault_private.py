"""Private fields: who they belong to, who can read them, and what erasure leaves."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from cryptography.exceptions import InvalidTag
from msgspec.structs import replace

from engine.refusals import Refusal
from engine.runtime.vault import KeysLostError, RegistrationRequest, VaultKeys, VaultRefused
from engine.runtime.vault.private_fields import IDCARD, PRIVATE_FIELDS
from engine.runtime.vault.validation import mask_number
from tests.runtime.vaults import FIRST_KEYS, PASSWORD, Keeper, a_card, a_wallet, revealed

NUMBER = "440102198001021230"
SECOND_KEYS = VaultKeys({1: b"1" * 32, 2: b"2" * 32}, b"p" * 32)
LATER_KEYS = VaultKeys({2: b"2" * 32}, b"p" * 32)


def fill(keeper: Keeper, username: str = "member1") -> int:
    """A player with a value in every private field."""
    player = keeper.join(username)
    assert keeper.vault.save_private_field(player, IDCARD, NUMBER) == "****1230"
    for account in (a_card(), a_card("6222 0200 9999 0000"), a_wallet()):
        assert not isinstance(keeper.vault.save_payout_account(player, account), VaultRefused)
    assert keeper.vault.set_code(player, "839201") is None
    return player


def shared(keeper: Keeper, player: int) -> tuple[tuple[int, str], ...]:
    """The players who gave the same data earlier, and the kind of data."""
    state = keeper.vault.profile_state(player)
    assert state is not None
    return state.shared


@pytest.mark.parametrize("number", ["A", "440102198001021230", "S1234567D", "AB-12 34", "x" * 40])
def test_an_idcard_number_has_no_format(number: str) -> None:
    assert IDCARD.validate(f"  {number}\n") == number


@pytest.mark.parametrize("number", ["", "   ", "x" * 41, "AB\x0012", "--", "12\u202e34"])
def test_an_idcard_number_is_short_printable_and_not_empty(number: str) -> None:
    assert IDCARD.validate(number) == VaultRefused(Refusal.IDCARD_INVALID, "idcard")


def test_an_idcard_number_is_given_once(keeper: Keeper) -> None:
    player = keeper.join()
    save = keeper.vault.save_private_field
    assert save(player, IDCARD, f" {NUMBER} ") == "****1230"
    assert save(player, IDCARD, NUMBER) == "****1230"
    assert save(player, IDCARD, "S1234567D") == VaultRefused(Refusal.IDCARD_ALREADY_SET, "idcard")
    assert revealed(keeper.vault, player, "idcard") == NUMBER


def test_a_malformed_idcard_number_is_not_stored(keeper: Keeper) -> None:
    player = keeper.join()
    refused = VaultRefused(Refusal.IDCARD_INVALID, "idcard")
    assert keeper.vault.save_private_field(player, IDCARD, "-") == refused
    assert revealed(keeper.vault, player, "idcard") is None


@pytest.mark.parametrize("again", ["S1234567D", "s1234567d", "S 123-4567 D", "\uff331234567D"])
def test_one_person_is_found_again_however_the_number_is_written(
    keeper: Keeper, again: str
) -> None:
    first, second = keeper.join("member1"), keeper.join("member2")
    keeper.vault.save_private_field(first, IDCARD, "S1234567D")
    assert keeper.vault.save_private_field(second, IDCARD, again) == mask_number(again)
    assert shared(keeper, second) == ((first, "idcard"),)
    assert shared(keeper, first) == ()
    assert keeper.vault.later_claimants(first) == [second]
    assert keeper.vault.sharing() == [second]


def test_a_field_that_identifies_no_person_is_not_compared(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of a town lives in one postcode."""
    postcode = replace(IDCARD, name="postcode")
    monkeypatch.setitem(PRIVATE_FIELDS, "postcode", postcode)
    players = [keeper.join("member1"), keeper.join("member2")]
    for player in players:
        assert keeper.vault.save_private_field(player, postcode, "S 1234") == mask_number("S 1234")
    assert [shared(keeper, player) for player in players] == [(), ()]
    rotated = keeper.with_keys(SECOND_KEYS)
    assert (rotated.rewrap(), rotated.sharing()) == (2, [])


def test_of_many_players_who_save_one_number_concurrently_one_is_first(keeper: Keeper) -> None:
    players = [keeper.join(f"member{number}") for number in range(8)]
    save = keeper.vault.save_private_field
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda player: save(player, IDCARD, NUMBER), players))
    assert found == ["****1230"] * 8
    assert sorted(len(shared(keeper, player)) for player in players) == list(range(8))


def test_a_claim_waits_while_another_player_saves_the_same_number(keeper: Keeper) -> None:
    first, second = keeper.join("member1"), keeper.join("member2")
    claim = "INSERT INTO vault.blind_indexes (field, hash, player) VALUES ('idcard', %s, %s)"
    lock = "SELECT pg_advisory_xact_lock(hashtextextended(encode(%s, 'hex'), 0))"
    index = FIRST_KEYS.blind_index("idcard", NUMBER)
    with (
        ThreadPoolExecutor(1) as thread,
        psycopg.connect(keeper.conninfos.app) as connection,
    ):
        connection.execute(lock, (index,))
        connection.execute(claim, (index, first))
        keeping = thread.submit(keeper.vault.save_private_field, second, IDCARD, NUMBER)
        while not keeping.done() and not keeper.sql("SELECT pid FROM pg_locks WHERE NOT granted"):
            pass
        connection.commit()
        assert keeping.result() == "****1230"
    assert shared(keeper, second) == ((first, "idcard"),)


def test_what_was_sealed_for_one_member_opens_for_no_other(keeper: Keeper) -> None:
    first, second = keeper.join("member1"), keeper.join("member2")
    keeper.vault.save_private_field(first, IDCARD, "S1234567D")
    keeper.vault.save_private_field(second, IDCARD, "S7654321D")
    keeper.sql(
        "UPDATE vault.private_fields SET sealed = (SELECT sealed FROM vault.private_fields"
        " WHERE player = %s) WHERE player = %s",
        first,
        second,
    )
    with pytest.raises(InvalidTag):
        revealed(keeper.vault, second, "idcard")
    # It does not open with the other player's key in place of the own one either.
    keeper.sql(
        "UPDATE vault.member_keys SET sealed = (SELECT sealed FROM vault.member_keys"
        " WHERE player = %s) WHERE player = %s",
        first,
        second,
    )
    with pytest.raises(InvalidTag):
        revealed(keeper.vault, second, "idcard")


def test_a_key_wrapped_for_one_member_serves_no_other(keeper: Keeper) -> None:
    first, second = keeper.join("member1"), keeper.join("member2")
    keeper.vault.save_private_field(first, IDCARD, "S1234567D")
    keeper.sql(
        "INSERT INTO vault.member_keys SELECT %s, key_version, sealed FROM vault.member_keys",
        second,
    )
    with pytest.raises(InvalidTag):
        keeper.vault.save_private_field(second, IDCARD, "S7654321D")


def test_what_was_sealed_in_one_field_opens_in_no_other(keeper: Keeper) -> None:
    player = keeper.join()
    keeper.vault.save_private_field(player, IDCARD, "S1234567D")
    keeper.sql("UPDATE vault.private_fields SET field = 'legal_name'")
    with pytest.raises(InvalidTag):
        revealed(keeper.vault, player, "legal_name")


def test_a_payout_account_opens_under_its_own_id_only(keeper: Keeper) -> None:
    player = fill(keeper)
    keeper.sql("UPDATE vault.payout_accounts SET id = 'moved' WHERE kind = 1")
    with pytest.raises(InvalidTag):
        keeper.vault.reveal_payout_account(player, "moved")


def test_the_database_alone_reveals_nothing_private(keeper: Keeper) -> None:
    fill(keeper)
    stored = keeper.everything()
    secrets = (NUMBER, a_card().number, "Jane", "ICBC", a_wallet().address, "839201", PASSWORD)
    assert [secret for secret in secrets if secret in stored] == []
    assert "member1" in stored  # proves that the search finds stored values


def test_with_other_keys_nothing_opens(keeper: Keeper) -> None:
    player = fill(keeper)
    stolen = keeper.with_keys(VaultKeys({1: b"x" * 32}, b"x" * 32))
    with pytest.raises(InvalidTag):
        revealed(stolen, player, "idcard")
    assert stolen.verify_code(player, "839201") == VaultRefused(Refusal.SECURITY_CODE_WRONG, "code")


def test_no_key_and_no_account_is_shown_when_printed(tmp_path: Path) -> None:
    assert "1111" not in repr(FIRST_KEYS)
    assert repr(a_card()) == "BankCard(withheld)"
    assert repr(a_wallet()) == "Wallet(withheld)"
    key = FIRST_KEYS.unwrap(1, FIRST_KEYS.new_player_key(1))
    assert repr(key) == "PlayerKey(withheld)"
    assert "b'" not in repr(VaultKeys.at(tmp_path))


def test_erasing_a_member_leaves_unreadable_data(keeper: Keeper) -> None:
    player = fill(keeper)
    token = keeper.sessions.open(player)
    assert keeper.vault.erase(player)
    assert not keeper.vault.erase(player)
    assert keeper.sql("SELECT count(*) FROM vault.payout_accounts") == [(3,)]
    for table in ("members", "member_keys", "blind_indexes", "security_codes", "sessions"):
        assert keeper.sql(f"SELECT count(*) FROM vault.{table}") == [(0,)]
    with pytest.raises(KeyError):
        revealed(keeper.vault, player, "idcard")
    assert keeper.vault.profile_state(player) is None
    assert "member1" not in keeper.everything()
    again = keeper.restarted()
    again.load(token)
    assert again.recognise(token) == "token_unknown"


def test_erasing_one_member_leaves_the_others(keeper: Keeper) -> None:
    first, second = fill(keeper), keeper.join("member2")
    keeper.vault.save_private_field(second, IDCARD, "S1234567D")
    keeper.vault.erase(first)
    assert revealed(keeper.vault, second, "idcard") == "S1234567D"
    # The person may register again, as another player.
    third = fill(keeper)
    assert third not in {first, second}


def test_what_an_excluded_member_gave_is_found_again_after_erasure(keeper: Keeper) -> None:
    player = fill(keeper)
    assert keeper.vault.erase(player, excluded=True)
    assert "member1" not in keeper.everything()
    keeper.with_keys(SECOND_KEYS).rewrap()
    # The key under which the player's own hashes were made is permanently deleted.
    later, newcomer = keeper.with_keys(LATER_KEYS), keeper.join("member2")
    later.save_private_field(newcomer, IDCARD, NUMBER)
    state = later.profile_state(newcomer)
    assert state is not None
    assert state.shared == ((player, "idcard"),)
    assert later.sharing() == [newcomer]


def test_nothing_is_found_of_another_erased_member(keeper: Keeper) -> None:
    assert keeper.vault.erase(fill(keeper))
    newcomer = fill(keeper, "member2")
    state = keeper.vault.profile_state(newcomer)
    assert state is not None
    assert state.shared == ()


def test_a_new_master_key_takes_over_from_the_old(keeper: Keeper) -> None:
    player = fill(keeper)
    both = keeper.with_keys(SECOND_KEYS)
    assert revealed(both, player, "idcard") == NUMBER
    assert both.rewrap() == 1
    assert both.rewrap() == 0
    # The number, two cards and a wallet, and no index under the old key.
    assert keeper.sql("SELECT count(*) FROM vault.blind_indexes") == [(4,)]
    later = keeper.with_keys(LATER_KEYS)
    assert revealed(later, player, "idcard") == NUMBER
    assert later.verify_code(player, "839201") is None
    with pytest.raises(KeyError):
        revealed(keeper.vault, player, "idcard")


@pytest.mark.parametrize("is_moved", [False, True])
def test_one_person_is_found_again_across_master_keys(keeper: Keeper, is_moved: bool) -> None:
    player = fill(keeper)
    both, newcomer = keeper.with_keys(SECOND_KEYS), keeper.join("member2")
    if is_moved:
        both.rewrap()
        both = keeper.with_keys(LATER_KEYS)
    assert both.save_private_field(newcomer, IDCARD, NUMBER) == "****1230"
    # The replaced accounts are found too.
    for account in (a_card(), a_card("6222 0200 9999 0000"), a_wallet()):
        assert not isinstance(both.save_payout_account(newcomer, account), VaultRefused)
    state = both.profile_state(newcomer)
    assert state is not None
    assert state.shared == ((player, "idcard"), (player, "payout"))
    both.rewrap()
    assert keeper.sql("SELECT count(DISTINCT hash) FROM vault.blind_indexes") == [(4,)]


def test_the_keys_are_made_once_in_files_for_their_owner_alone(tmp_path: Path) -> None:
    first = VaultKeys.at(tmp_path / "keys")
    wrapped = first.new_player_key(1)
    files = sorted((tmp_path / "keys").iterdir())
    assert [file.name for file in files] == ["master.key", "pepper.key"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    (tmp_path / "keys" / "master-2.key").write_bytes(b"2" * 32)
    second = VaultKeys.at(tmp_path / "keys")
    assert second.version == 2
    second.unwrap(1, wrapped)
    assert second.peppered(1, "839201") == first.peppered(1, "839201")


def test_a_program_without_the_keys_does_not_start(keeper: Keeper) -> None:
    keeper.vault.check_keys()
    keeper.vault.check_keys()
    for other in (VaultKeys({1: b"x" * 32}, b"p" * 32), VaultKeys({1: b"1" * 32}, b"x" * 32)):
        with pytest.raises(KeysLostError, match="put back the files of the keys folder"):
            keeper.with_keys(other).check_keys()
    with pytest.raises(ValueError, match="32 bytes"):
        VaultKeys({1: b"1" * 31}, b"p" * 32)


def test_an_old_master_key_is_needed_until_everything_is_moved(keeper: Keeper) -> None:
    keeper.vault.check_keys()
    both, later = keeper.with_keys(SECOND_KEYS), keeper.with_keys(LATER_KEYS)
    both.check_keys()
    with pytest.raises(KeysLostError):
        later.check_keys()
    both.rewrap()
    later.check_keys()


def test_nothing_is_stored_for_an_unknown_player(keeper: Keeper) -> None:
    with pytest.raises(KeyError):
        keeper.vault.save_private_field(5, IDCARD, NUMBER)
    with pytest.raises(KeyError):
        keeper.vault.upgrade_guest(5, RegistrationRequest("member5", PASSWORD, 1, None, None))
    assert keeper.vault.profile_state(5) is None
