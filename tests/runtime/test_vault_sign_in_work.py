"""A login costs the same work for every name, so that its duration reveals nothing about it."""

from typing import Any

import pytest
from psycopg import Connection

from engine.players.commands import GUEST
from engine.runtime.vault import PlayerIdentity, RegistrationRequest, password_login
from tests.runtime.vaults import PASSWORD, Keeper

WRONG = "not-this-one"


def work_of(keeper: Keeper, monkeypatch: pytest.MonkeyPatch, name: str) -> list[str]:
    """The statements and hashes of one failed login, in order."""
    seen: list[str] = []
    execute, verifies = Connection.execute, password_login.verify_password

    def executed(connection: Connection[Any], query: Any, *values: Any, **more: Any) -> Any:
        seen.append(str(query))
        return execute(connection, query, *values, **more)

    def verified(stored: str | None, password: str) -> bool:
        seen.append("a hash")
        return verifies(stored, password)

    with monkeypatch.context() as watched:
        watched.setattr(Connection, "execute", executed)
        watched.setattr(password_login, "verify_password", verified)
        assert keeper.vault.log_in(name, WRONG) is None
    return seen


def test_unknown_registered_locked_and_guest_names_take_the_same_steps(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GLI-19 2.5.3d, ASVS 6.3.8: the same message, after the same work."""
    keeper.join()
    guest = RegistrationRequest("visitor1700000000", PASSWORD, GUEST, None, None)
    assert isinstance(keeper.vault.register(guest), PlayerIdentity)
    unknown = work_of(keeper, monkeypatch, "stranger1")
    assert unknown.count("a hash") == 1
    assert work_of(keeper, monkeypatch, "member1") == unknown
    assert work_of(keeper, monkeypatch, guest.username) == unknown
    for _ in range(2):
        keeper.vault.log_in("member1", WRONG)
    assert keeper.vault.log_in("member1", PASSWORD) is None, "locked"
    assert work_of(keeper, monkeypatch, "member1") == unknown


def test_tries_at_one_name_wait_for_each_other_even_if_it_is_unknown(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise two concurrent tries would take twice as long only for a known name."""
    keeper.join()
    for name in ("member1", "stranger1"):
        first = work_of(keeper, monkeypatch, name)[0]
        assert "pg_advisory_xact_lock" in first
