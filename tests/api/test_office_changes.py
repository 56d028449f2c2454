"""Two of the staff reset a forgotten password or erase a player, with the consequences of each."""

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from api.office.players import finish_erasures
from engine.players.facts import MemberErased, PasswordReset
from scripts.audit_tool.__main__ import main as audit
from scripts.audit_tool.draw_audit import stored
from scripts.audit_tool.fairness import audited_draws
from scripts.audit_tool.log import LogAudit
from scripts.audit_tool.log_checkpoints import compared_with
from tests.api.banking import CODE, facts, prepare, raced, set_terms, withdraw
from tests.api.evidence import account_file, bet_file, round_file
from tests.api.staffing import close, decided, deposit, office
from tests.api.support import PASSWORD, SECOND_US, ApiServer, Player, new_key
from tests.api.test_log_tree import seal
from tests.api.test_proofs import findings, proof

REASON = "showed the ID card on a call"
OWN = "a-new-passphrase"
HOUR_US = 3_600 * SECOND_US


def propose(
    about: Player, kind: str = "password_reset", key: str | None = None, **body: Any
) -> dict[str, Any]:
    """Propose a change; `body` replaces fields of the request."""
    values = {"player": about.id, "kind": kind, "reason": REASON, **body}
    answer = office(about.house, "accountChange", key, "ann", **values)
    about.house.catch_up()
    return answer


def proposed(about: Player, kind: str = "password_reset") -> str:
    number: str = propose(about, kind)["data"]["id"]
    return number


def decide(
    house: ApiServer, change: str, key: str | None = None, who: str = "ben", *, approve: bool = True
) -> dict[str, Any]:
    answer = office(house, "accountChangeDecision", key, who, id=change, approve=approve)
    house.catch_up()
    return answer


def reset(about: Player) -> str:
    password: str = decide(about.house, proposed(about))["data"]["password"]
    return password


def erase(about: Player) -> dict[str, Any]:
    return decide(about.house, proposed(about, "erasure"))


def sign_in(about: Player, password: str) -> dict[str, Any]:
    body = {"account": about.username, "password": password}
    answer: dict[str, Any] = about.house.call("user/login", body)
    return answer


def again(about: Player, password: str) -> Player:
    """The same player, signed in with this password."""
    return replace(about, token=sign_in(about, password)["data"]["userinfo"]["token"])


def emptied(house: ApiServer) -> Player:
    """A new player whose play money was removed."""
    member = house.register()
    taken = {"player": member.id, "amount": -1_000, "kind": "goodwill", "reason": "for the test"}
    number = office(house, "adjustment", None, "ann", **taken)["data"]["id"]
    house.catch_up()
    assert decided(house, "adjustment", number, "ben") == "approved"
    return member


def change(signed_in: Player, old: str) -> dict[str, Any]:
    return signed_in.call("user/newPass", {"new_pass": OWN, "after_pass": old}, new_key())


def waiting(house: ApiServer, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = office(house, "queue", None, "ann", kind=kind)["data"]
    return found


def test_a_member_who_forgot_the_password_gets_a_temporary_one_and_sets_their_own(
    house: ApiServer, player: Player
) -> None:
    temporary = reset(player)
    assert player.call("user/userInfo", {})["reason"] == "token_revoked"
    assert sign_in(player, PASSWORD)["reason"] == "credentials_wrong"
    assert change(again(player, temporary), temporary)["code"] == 1
    assert sign_in(player, temporary)["reason"] == "credentials_wrong"
    assert sign_in(player, OWN)["code"] == 1
    house.clock.now += 48 * HOUR_US
    assert sign_in(player, OWN)["code"] == 1


def test_an_unused_temporary_password_ends_after_a_day(house: ApiServer, player: Player) -> None:
    temporary = reset(player)
    house.clock.now += 24 * HOUR_US
    assert sign_in(player, temporary)["reason"] == "credentials_wrong"


def test_a_temporary_password_serves_ten_minutes_from_its_first_use(
    house: ApiServer, player: Player
) -> None:
    temporary = reset(player)
    signed_in = again(player, temporary)
    house.clock.now += 9 * 60 * SECOND_US
    assert sign_in(player, temporary)["code"] == 1
    house.clock.now += 60 * SECOND_US
    assert sign_in(player, temporary)["reason"] == "credentials_wrong"
    assert change(signed_in, temporary)["code"] == 1, "in the session of that password"


def test_a_reset_takes_the_lock_of_wrong_passwords_away(player: Player) -> None:
    for _ in range(4):
        assert sign_in(player, "not-this-one")["reason"] == "credentials_wrong"
    assert sign_in(player, reset(player))["code"] == 1


def test_a_reset_holds_withdrawals_back_and_the_member_is_notified(
    house: ApiServer, player: Player
) -> None:
    set_terms(house, cooling_us=0)
    prepare(player)
    close(player)  # so that turnover due on the gift does not block a withdrawal
    set_terms(house)
    player = again(player, reset(player))
    assert withdraw(player, securityCode=CODE)["reason"] == "payout_cooling"
    message = player.call("user/messages", {"lang": "en"})["data"]["messages"][0]
    assert message["content"].startswith("Customer service gave you a temporary password")
    assert REASON not in message["content"]


def test_one_person_alone_cannot_reset_or_erase(house: ApiServer, player: Player) -> None:
    for kind in ("password_reset", "erasure"):
        number = proposed(emptied(house), kind)
        refused = decide(house, number, who="ann")
        assert refused["reason"] == "second_person_needed"
        assert [it["id"] for it in waiting(house, kind) if it["id"] == number] == [number]
        assert decide(house, number, approve=False)["data"]["status"] == "rejected"
        assert number not in [it["id"] for it in waiting(house, kind)]
        assert decide(house, number)["reason"] == "proposal_unknown"
    assert player.call("user/userInfo", {})["code"] == 1


def test_a_temporary_password_is_shown_once(house: ApiServer, player: Player) -> None:
    number, key = proposed(player), new_key()
    first = decide(house, number, key)["data"]
    assert len(first["password"]) == len("k7qm-2xhd-9rtc")
    assert decide(house, number, key)["data"] == {**first, "password": ""}
    assert sign_in(player, first["password"])["code"] == 1
    assert facts(player, PasswordReset) == 1


def test_a_reset_that_a_crash_broke_off_is_finished_by_the_next_try(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, key = proposed(player), new_key()
    with monkeypatch.context() as crashing:
        crashing.setattr(house.services.vault, "reset_password", lambda *_: 1 // 0)
        assert decide(house, number, key)["reason"] == "internal_error"
    temporary = decide(house, number, key)["data"]["password"]
    assert sign_in(player, temporary)["code"] == 1
    assert facts(player, PasswordReset) == 1


def test_proposing_many_times_at_once_is_done_once(house: ApiServer, player: Player) -> None:
    key = new_key()
    number = raced(lambda: propose(player, key=key))["data"]["id"]
    assert [it["id"] for it in waiting(house, "password_reset")].count(number) == 1


def test_an_erased_member_is_gone_and_the_facts_stay(house: ApiServer) -> None:
    member = emptied(house)
    member.call("user/profile", {"idcard": f"S{member.id}E"}, new_key())
    assert erase(member)["data"]["status"] == "approved"
    assert facts(member, MemberErased) == 1
    assert sign_in(member, PASSWORD)["reason"] == "credentials_wrong"
    assert member.call("user/userInfo", {})["reason"] == "token_unknown"
    assert propose(member)["reason"] == "player_unknown"
    shown = [it for it in waiting(house, "") if it["player"] == member.id]
    assert shown == []
    newcomer = house.register()
    newcomer.call("user/profile", {"idcard": f"S{member.id}E"}, new_key())
    assert newcomer.id not in [
        it["player"] for it in office(house, "identities", every=True)["data"]
    ]


def test_what_an_erased_member_saved_still_verifies(house: ApiServer, tmp_path: Path) -> None:
    member, issue = house.register(), house.issue
    order = member.bet("big", 10)["data"]["orderNo"]
    house.draw_round()
    seal(house)
    before = proof(house, issue, member)
    files = {
        "bet": bet_file(member, issue, order),
        "round": round_file(member, issue),
        "account": account_file(member),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    house.catch_up()
    taken = {
        "player": member.id,
        "amount": -member.balance(),
        "kind": "goodwill",
        "reason": "for the test",
    }
    number = office(house, "adjustment", None, "ann", **taken)["data"]["id"]
    house.catch_up()
    assert decided(house, "adjustment", number, "ben") == "approved"
    assert erase(member)["data"]["status"] == "approved"
    after = proof(house, issue)
    assert after["frozen"] == before["frozen"]
    found = findings({**after, "bets": before["bets"]}, member.id)
    assert [check for check in found if not check.passed] == []
    assert {name: audit(["verify", str(tmp_path / name)]) for name in files} == dict.fromkeys(
        files, 0
    )
    seal(house)
    kept = tmp_path / "note"
    kept.write_text(files["bet"]["log"]["note"])
    known = Namespace(operator_key=None, witness_key=[], checkpoint=[kept])
    with psycopg.connect(house.conninfos.app) as connection:
        draws = audited_draws(connection, stored.last_position(connection))
        tree = LogAudit(compared_with(connection, known).notes)
        tree.read(connection)
    assert (draws.findings, tree.findings) == ([], [])


def test_an_exclusion_is_recognised_after_the_excluded_member_was_erased(house: ApiServer) -> None:
    member = emptied(house)
    member.call("user/profile", {"idcard": f"S{member.id}F"}, new_key())
    assert member.call("user/exclude", {"days": 200}, new_key())["code"] == 1
    erase(member)
    newcomer = house.register()
    newcomer.call("user/profile", {"idcard": f"S{member.id}F"}, new_key())
    pairs = office(house, "identities", every=True)["data"]
    (pair,) = [it for it in pairs if it["player"] == newcomer.id]
    assert (pair["other"], pair["other_username"], pair["excluded"]) == (member.id, "", True)


def test_an_account_with_money_is_not_erased(house: ApiServer) -> None:
    member = emptied(house)
    number = proposed(member, "erasure")
    deposit(member, 5)
    assert decide(house, number)["reason"] == "account_not_empty"
    assert propose(house.register(), "erasure")["reason"] == "account_not_empty"
    assert member.call("user/userInfo", {})["code"] == 1


def test_an_erasure_that_a_crash_broke_off_is_finished_at_the_next_start(
    house: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = emptied(house)
    with monkeypatch.context() as crashing:
        crashing.setattr(house.services.vault, "erase", lambda *_, **__: 1 // 0)
        assert erase(member)["reason"] == "internal_error"
    assert house.services.vault.identity(member.id) is not None
    house.catch_up()
    assert house.on_loop(lambda: finish_erasures(house.services)) == 1
    assert house.services.vault.identity(member.id) is None
    assert house.on_loop(lambda: finish_erasures(house.services)) == 0


def test_changes_that_are_refused(house: ApiServer, player: Player) -> None:
    guest = house.register(username="visitor1795226778", password="QWERTY", group_id=2)
    assert propose(guest)["reason"] == "must_register"
    for answer, refusal, field in (
        (propose(player, player=1), "player_unknown", "player"),
        (propose(player, "rename"), "request_malformed", "kind"),
        (propose(player, reason=" "), "request_malformed", "reason"),
    ):
        assert (answer["reason"], answer["field"]) == (refusal, field)
    assert decide(house, "unknown")["reason"] == "proposal_unknown"
    assert decide(house, "\n")["reason"] == "proposal_unknown"
    proposed(player)
    assert propose(player)["reason"] == "proposal_open"
