"""The check of a draw continues into the log, and a bet's evidence convinces a stranger."""

import json
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Locator, Page, Route, expect

from engine.fairness import checkpoints
from engine.fairness.checkpoints import Checkpoint
from engine.runtime.secret_keys import OperatorKey, secret_file
from tests.browser.conftest import Phones
from tests.browser.house import ROOT, ROUND_MS, Player, RunningServer, game_of
from tests.browser.phone import await_open_round, enter_room
from tests.journeys.program import until

PLAN = 1
CHECKPOINT = "**/api/fair/checkpoint"
ACCOUNT = "**/api/fair/account"
VERIFIER = (sys.executable, "-m", "scripts.audit_tool.verify")


def proof_of(phone: Page, issue: str) -> Locator:
    phone.goto(f"lotteryDetail?game_id={game_of(PLAN)}&name=Singapore&issue={issue}")
    return phone.get_by_role("dialog", name="Proof of a draw")


def verified(file: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [*VERIFIER, str(file), *options]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)


def checkpoint_of(house: RunningServer) -> str:
    """The checkpoint that the house shows."""
    text: str = house.http.get("/api/fair/checkpoint").text
    return text


def forked_checkpoint(house: RunningServer, shown: str) -> str:
    """A checkpoint of the same size that the house signed for other players."""
    key = OperatorKey(secret_file(house.data / "keys" / "operator.key"))
    real = checkpoints.read_note(shown).checkpoint
    forked = Checkpoint(real.origin, real.size, bytes(each ^ 1 for each in real.root))
    return key.sign_checkpoint(forked).text()


def _show(phone: Page, note: str) -> None:
    """The house shows this phone a checkpoint of its choice."""
    phone.unroute_all(behavior="ignoreErrors")
    headers = {"content-type": "text/plain; charset=utf-8", "cache-control": "no-store"}

    def answer(route: Route) -> None:
        route.fulfill(status=200, headers=headers, body=note)

    phone.route(CHECKPOINT, answer)


def test_a_bet_is_followed_into_the_log_and_its_evidence_is_verified_by_a_stranger(
    members_phone: Page, member: Player, tmp_path: Path
) -> None:
    phone = members_phone
    enter_room(phone, PLAN)
    await_open_round(phone, seconds=15)
    bet = member.bet(PLAN, "big", 10)
    sheet = proof_of(phone, str(bet["issue"]))
    log, own = sheet.get_by_test_id("log"), sheet.get_by_test_id("own-bet")
    expect(log).to_have_attribute("data-verdict", "right")
    expect(log).to_contain_text("This phone now keeps that checkpoint")
    expect(own).to_contain_text("in the log of the house.")
    early = _saved(phone, own, tmp_path / "early.json")
    printed = verified(early)
    assert printed.returncode == 1
    assert "missing  The digits follow" in printed.stdout
    assert "FAILED" not in printed.stdout

    verdict = sheet.get_by_test_id("verdict")
    expect(verdict).to_have_text(
        "Checked on this phone: everything matches.", timeout=2 * ROUND_MS + 10_000
    )
    expect(own).to_have_attribute("data-verdict", "right")
    file = _saved(phone, own, tmp_path / "evidence.json")
    evidence = json.loads(file.read_text())
    assert evidence["bet"]["receipt"]["bet"] == bet["orderNo"]
    printed = verified(file, "--operator-key", evidence["operator_key"])
    assert (printed.returncode, printed.stderr) == (0, "")
    assert printed.stdout.endswith("0 failed, 0 missing\nverified\n")
    evidence["bet"]["payout_minor"] += 1
    file.write_text(json.dumps(evidence))
    assert verified(file).returncode == 1

    phone.reload()
    expect(log).to_contain_text("It continues the log that this phone saw on")
    expect(verdict).to_have_attribute("data-verdict", "right")


def _saved(phone: Page, own: Locator, file: Path) -> Path:
    with phone.expect_download() as saved:
        own.get_by_role("button", name="Save the evidence of this bet").click()
    assert saved.value.suggested_filename.startswith("fairdraw-1-")
    saved.value.save_as(file)
    return file


def test_the_evidence_of_an_account_is_verified_by_a_stranger(
    phones: Phones, house: RunningServer, tmp_path: Path
) -> None:
    member = house.member()
    phone = phones(member=member, may_complain=True)
    member.bet(PLAN, "big", 10)
    words = {"en": {"title": "Title", "content": "<p>words</p>"}}
    house.office("message", player=int(member.user_id), texts=words)
    member.bet(PLAN, "odd", 20)
    until(lambda: _sealed_bets(member) == 2)
    phone.goto("capitalDetail")
    phone.get_by_role("button", name="Evidence of the account").click()
    sheet = phone.get_by_role("dialog", name="Evidence of the account")
    expect(sheet).to_contain_text("It does not show who you are.")
    save = sheet.get_by_role("button", name="Save evidence of the account")

    refused = {"code": 0, "msg": "Please wait", "time": 1, "data": None, "reason": "rate_limited"}
    phone.route(ACCOUNT, lambda route: route.fulfill(status=429, json=refused))
    save.click()
    expect(sheet.get_by_role("alert")).to_have_text("Please wait")
    phone.unroute_all(behavior="ignoreErrors")

    with phone.expect_download() as saved:
        save.click()
    name = saved.value.suggested_filename
    assert name.startswith(f"fairdraw-account-{member.user_id}-1-")
    expect(sheet.get_by_role("status")).to_contain_text(f"saved as {name}")
    expect(sheet.get_by_role("alert")).to_have_count(0)
    file = tmp_path / "account.json"
    saved.value.save_as(file)
    evidence = json.loads(file.read_text())
    printed = verified(file, "--operator-key", evidence["operator_key"])
    assert (printed.returncode, printed.stderr) == (0, "")
    assert "2  bet-placed.1" in printed.stdout
    assert "1  not shown" in printed.stdout
    assert "3,000 minor units staked" in printed.stdout
    del evidence["facts"][1]
    file.write_text(json.dumps(evidence))
    assert verified(file).returncode == 1


def _sealed_bets(member: Player) -> int:
    """The number of the player's bets that are in the checkpoint."""
    facts = member.call("fair/account")["facts"]
    shown = [bytes.fromhex(fact["entry"]) for fact in facts if fact["entry"] is not None]
    return sum(b"bet-placed.1" in entry for entry in shown)


def test_two_phones_that_are_shown_different_logs_find_it_out(
    phones: Phones, house: RunningServer
) -> None:
    members = (house.member(), house.member())
    issue, shown = members[0].issue(PLAN), checkpoint_of(house)
    forked = forked_checkpoint(house, shown)
    one, other = (phones(member=member) for member in members)
    _show(one, shown)
    _show(other, forked)
    for phone in (one, other):
        log = proof_of(phone, issue).get_by_test_id("log")
        expect(log).to_contain_text("This phone now keeps that checkpoint")
    log = one.get_by_test_id("log")
    log.get_by_text("Compare with another phone").click()
    compare = log.get_by_label("The checkpoint of the other phone")
    for pasted, said in (
        (shown, "Both phones see the same log."),
        (shown.replace("\n", " "), "This is not a checkpoint that the house signed."),
    ):
        compare.fill(pasted)
        log.get_by_role("button", name="Compare").click()
        expect(log.get_by_role("status")).to_have_text(said)
    compare.fill(forked)
    log.get_by_role("button", name="Compare").click()
    alarm = log.get_by_test_id("log-alarm")
    expect(alarm).to_contain_text("Alarm: the house has changed its history")
    with one.expect_download() as saved:
        alarm.get_by_role("button", name="Save both checkpoints").click()
    file = Path(saved.value.path())
    assert json.loads(file.read_text())["checkpoints"] == [forked, shown]
    assert verified(file).stdout.endswith("verified: the operator forked its log\n")

    # The same house shows the other phone its real log later.
    other.unroute_all(behavior="ignoreErrors")
    other.reload()
    sheet = other.get_by_role("dialog", name="Proof of a draw")
    expect(sheet.get_by_test_id("verdict")).to_have_attribute("data-verdict", "wrong")
    log = sheet.get_by_test_id("log")
    expect(log).to_have_attribute("data-verdict", "wrong")
    expect(log).to_contain_text("The log does not continue the one that this phone saw on")
    alarm = log.get_by_test_id("log-alarm")
    expect(alarm).to_contain_text(forked.split("\n")[2])
    with other.expect_download() as saved:
        alarm.get_by_role("button", name="Save both checkpoints").click()
    assert json.loads(Path(saved.value.path()).read_text())["checkpoints"][0] == forked
    alarm.get_by_role("button", name="Forget what this phone kept").click()
    expect(log).to_contain_text("This phone now keeps that checkpoint")
    expect(log).to_have_attribute("data-verdict", "right")


def test_a_house_that_does_not_answer_is_asked_again(phones: Phones, house: RunningServer) -> None:
    member = house.member()
    phone = phones(member=member, may_complain=True)
    phone.route(CHECKPOINT, lambda route: route.abort())
    log = proof_of(phone, member.issue(PLAN)).get_by_test_id("log")
    expect(log).to_contain_text("The log cannot be reached at the moment.")
    expect(log).to_have_attribute("data-verdict", "later")
    phone.unroute_all(behavior="ignoreErrors")
    expect(log).to_have_attribute("data-verdict", "right")
