"""Payout accounts: in the player's own name, not shared, and immutable once a fact names them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.refusals import Refusal
from engine.runtime.vault import BankCard, Saved, VaultRefused, Wallet
from engine.runtime.vault.private_fields import IDCARD
from engine.runtime.vault.profiles import ShownPayout
from tests.runtime.vaults import Keeper, a_card, a_wallet, revealed

ERC20 = "0xdAC17F958D2ee523a2206206994597C13D831ec7"


def save(keeper: Keeper, player: int, account: BankCard | Wallet) -> Saved:
    saved = keeper.vault.save_payout_account(player, account)
    assert isinstance(saved, Saved)
    return saved


def shared(keeper: Keeper, player: int) -> tuple[tuple[int, str], ...]:
    """The players who gave the same data earlier, and the kind of data."""
    state = keeper.vault.profile_state(player)
    assert state is not None
    return state.shared


def refused(keeper: Keeper, player: int, account: BankCard | Wallet) -> VaultRefused:
    found = keeper.vault.save_payout_account(player, account)
    assert isinstance(found, VaultRefused)
    return found


def test_the_first_cards_holder_becomes_the_legal_name(keeper: Keeper) -> None:
    player = keeper.join()
    save(keeper, player, a_card())
    assert revealed(keeper.vault, player, "legal_name") == "Jane Doe"
    mismatch = VaultRefused(Refusal.HOLDER_MISMATCH, "holder")
    assert refused(keeper, player, a_card("99998888", holder="John Doe")) == mismatch
    save(keeper, player, a_card("99998888", holder="JANE  doe"))
    assert revealed(keeper.vault, player, "legal_name") == "Jane Doe"


def test_a_card_that_another_gave_is_saved_like_any_other(keeper: Keeper) -> None:
    first, second = keeper.join("member1"), keeper.join("member2")
    save(keeper, first, a_card())
    save(keeper, second, a_card(holder="John Roe"))
    assert revealed(keeper.vault, second, "legal_name") == "John Roe"
    assert shared(keeper, second) == ((first, "payout"),)
    assert shared(keeper, first) == ()


def test_a_wallet_has_no_holder_name(keeper: Keeper) -> None:
    player = keeper.join()
    save(keeper, player, a_wallet())
    assert revealed(keeper.vault, player, "legal_name") is None
    save(keeper, player, a_card())
    save(keeper, player, a_wallet(ERC20, "erc20"))


def test_a_wallet_is_one_members_in_whatever_case_it_is_written(keeper: Keeper) -> None:
    first, second = keeper.join("member1"), keeper.join("member2")
    save(keeper, first, a_wallet(ERC20, "erc20"))
    # Base58 addresses are case-sensitive.
    save(keeper, first, Wallet("T" + "a" * 33, "trc20"))
    save(keeper, second, Wallet("T" + "A" * 33, "trc20"))
    assert shared(keeper, second) == ()
    save(keeper, second, a_wallet(ERC20.lower(), "erc20"))
    assert shared(keeper, second) == ((first, "payout"),)


def test_of_many_players_who_save_one_card_concurrently_one_is_first(keeper: Keeper) -> None:
    players = [keeper.join(f"member{number}") for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        found = list(
            threads.map(lambda player: keeper.vault.save_payout_account(player, a_card()), players)
        )
    assert all(isinstance(each, Saved) for each in found)
    assert sorted(len(shared(keeper, player)) for player in players) == list(range(8))


def test_a_pending_withdrawals_account_stays_as_it_was(keeper: Keeper) -> None:
    player = keeper.join()
    old = save(keeper, player, a_card())
    new = save(keeper, player, a_card("99998888"))
    assert keeper.vault.reveal_payout_account(player, old.id) == a_card()
    assert keeper.vault.reveal_payout_account(player, new.id) == a_card("99998888")
    state = keeper.vault.profile_state(player)
    assert state is not None
    assert [account.id for account in state.payout_accounts] == [new.id]
    back = save(keeper, player, a_card())
    assert back.id not in {old.id, new.id}


def test_saving_the_current_account_again_is_no_change(keeper: Keeper) -> None:
    player = keeper.join()
    first = save(keeper, player, a_card())
    keeper.clock.now += 1
    again = save(keeper, player, a_card())
    assert (again.id, again.commitment, again.at) == (first.id, first.commitment, first.at)


def test_many_concurrent_savings_leave_one_current_account(keeper: Keeper) -> None:
    player = keeper.join()
    cards = [a_card(f"9999888{number}") for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        saved = list(threads.map(lambda card: save(keeper, player, card), cards))
    assert len({each.id for each in saved}) == 8
    state = keeper.vault.profile_state(player)
    assert state is not None
    assert len(state.payout_accounts) == 1


def test_a_commitment_binds_to_the_version_and_reveals_nothing(keeper: Keeper) -> None:
    player = keeper.join()
    commitments = [
        save(keeper, player, account).commitment
        for account in (a_card(), a_card("99998888"), a_card())
    ]
    assert len(set(commitments)) == 3
    assert all(len(bytes.fromhex(each)) == 32 for each in commitments)


def test_another_players_account_is_not_found(keeper: Keeper) -> None:
    first, second = keeper.join("member1"), keeper.join("member2")
    saved = save(keeper, first, a_card())
    assert keeper.vault.reveal_payout_account(second, saved.id) is None
    assert keeper.vault.reveal_payout_account(first, "unknown") is None


def test_the_withdrawal_page_knows_what_is_missing(keeper: Keeper) -> None:
    player = keeper.join()
    state = keeper.vault.profile_state(player)
    assert state is not None
    assert not state.base_info_complete
    assert not state.code_is_set
    assert state.payout_accounts == ()


def test_the_withdrawal_page_shows_everything_masked(keeper: Keeper) -> None:
    player = keeper.join()
    keeper.vault.save_private_field(player, IDCARD, "S1234567D")
    card = save(keeper, player, a_card())
    wallet = save(keeper, player, a_wallet(ERC20, "erc20"))
    keeper.vault.set_code(player, "839201")
    state = keeper.vault.profile_state(player)
    assert state is not None
    assert (state.private.get("idcard"), state.base_info_complete) == ("****567D", True)
    assert (state.code_is_set, state.code_locked) == (True, False)
    assert state.payout_accounts == (
        ShownPayout(card.id, 0, "****5678", "Jan****", "ICBC", card.commitment),
        ShownPayout(wallet.id, 1, "0xd****1ec7", "erc20", "", wallet.commitment),
    )
    for private in ("S1234567D", "6222", "Doe", ERC20):
        assert private not in repr(state)


def test_a_code_equal_to_the_cards_last_digits_is_refused_as_weak(keeper: Keeper) -> None:
    player = keeper.join()
    save(keeper, player, a_card("6222 0200 1283 9201"))
    weak = VaultRefused(Refusal.SECURITY_CODE_WEAK, "code")
    assert keeper.vault.set_code(player, "839201") == weak
    assert keeper.vault.set_code(player, "839202") is None
    assert keeper.vault.change_code(player, "839202", "839201") == weak


@pytest.mark.parametrize("kind", [0, 1])
def test_the_current_account_cannot_be_two(keeper: Keeper, kind: int) -> None:
    player = keeper.join()
    save(keeper, player, a_wallet() if kind else a_card())
    doubled = "INSERT INTO vault.payout_accounts SELECT 'b', player, kind, sealed, 0, true FROM"
    with pytest.raises(Exception, match="payout_accounts_current"):
        keeper.sql(f"{doubled} vault.payout_accounts")
