"""The staff's command line, in processes as in a shell and within this process."""

import subprocess
import sys
import urllib.error
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from scripts.office_cli import cli
from scripts.office_cli.client import NoResponseError
from scripts.office_cli.client import OfficeClient as Desk
from scripts.office_cli.terminal import hours, money, table
from tests.api.banking import prepare, set_terms, withdraw
from tests.api.staffing import office
from tests.api.support import ApiServer, Player, new_key

ROOT = Path(__file__).resolve().parents[2]


def run(house: ApiServer, *typed: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process, as from a shell."""
    (house.settings.keys / "address").write_text(house.url)
    command = [sys.executable, str(ROOT / "scripts/office"), *typed]
    command += ["--data", str(house.settings.data)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def output_of(house: ApiServer, typed: str, *more: str) -> str:
    """Run a command in this process and return its output."""
    (house.settings.keys / "address").write_text(house.url)
    read = cli.read([*typed.split(), *more, "--data", str(house.settings.data)])
    return cli.run(read)


def deposit(player: Player, amount: str = "250", **fields: str) -> str:
    body = {"amount": amount, "channel": "bank", "reference": f"invoice {player.id}", **fields}
    number: str = player.call("user/deposit", body, new_key())["data"]["id"]
    player.house.catch_up()
    return number


def test_what_waits_is_listed_and_decided(house: ApiServer, player: Player) -> None:
    first, second = deposit(player, reference="\u202einvoice \u001b[31m8"), deposit(player)
    listed = run(house, "queue", "--as", "ann")
    assert listed.returncode == 0, listed.stderr
    titles, *rows = listed.stdout.splitlines()
    assert titles.split("  ")[0] == "requested (Asia/Singapore)"
    (row,) = [row for row in rows if first in row]
    assert f"{player.username} ({player.id})" in row
    assert "250.00" in row
    assert "invoice [31m8" in row

    approved = run(house, "approve-deposit", first, "--as", "ann")
    assert (approved.returncode, approved.stderr) == (0, "")
    assert approved.stdout == f"{first}: approved; player {player.id} has 1,250.00 u\n"
    rejected = run(house, "--as", "ann", "reject-deposit", second, "--reason", "did not come")
    assert rejected.stdout == f"{second}: rejected; player {player.id} has 1,250.00 u\n"
    again = run(house, "approve-deposit", second, "--as", "ann")
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == (
        "deposit_unknown: There is no such pending deposit: rejected by ann,"
        f" {_local(house):%Y-%m-%d %H:%M} (id)\n"
    )


def test_it_reports_that_another_person_is_needed_and_how_they_agree(
    house: ApiServer, player: Player
) -> None:
    number = deposit(player, "6000")
    pending = output_of(house, f"approve-deposit {number} --as ann")
    assert "PENDING" in pending
    assert pending.endswith(f"scripts/office approve-deposit {number}")
    refused = run(house, "approve-deposit", number, "--as", "ann")
    assert refused.stderr.startswith("second_person_needed: ")
    assert "approved; " in output_of(house, f"approve-deposit {number} --as ben")


def test_money_that_goes_back_is_nobodys_to_agree_to(house: ApiServer, player: Player) -> None:
    limit = {"subject": "deposit", "span": "day", "amount": 1_100}
    assert player.call("user/setLimit", limit, new_key())["code"] == 1
    typed = f"enter-deposit {player.id} 200 --channel bank --reference {player.id}-first --as ann"
    assert "RETURNED" in output_of(house, typed)
    assert "another person" not in output_of(house, typed)


def test_why_and_by_whom_a_request_was_refused_can_be_read_later(
    house: ApiServer, player: Player
) -> None:
    """A withdrawal is handled with a recorded reason (GLI-19 A.3.6e)."""
    set_terms(house, cooling_us=0)
    given = deposit(player)
    prepare(player)
    output_of(house, f"close-member {player.id} --as ann --reason", "for the test")
    taken = withdraw(player, 200)["data"]["id"]
    house.catch_up()
    output_of(house, f"reject-withdrawal {taken} --as ben --reason", "another name")
    output_of(house, f"reject-deposit {given} --as ann --reason", "did not come")
    lines = {
        line.split()[2]: line for line in output_of(house, "queue --all --as ann").splitlines()
    }
    assert lines[taken].split()[-4:] == ["ben", "refused:", "another", "name"]
    assert lines[given].split()[-7:] == [
        "ann",
        "invoice",
        f"{player.id};",
        "refused:",
        "did",
        "not",
        "come",
    ]


def test_a_list_that_is_read_no_further_ends_quietly(house: ApiServer, player: Player) -> None:
    deposit(player)
    (house.settings.keys / "address").write_text(house.url)
    typed = f"queue --as ann --data {house.settings.data}"
    script = f"{sys.executable} {ROOT}/scripts/office {typed} | true"
    piped = ["bash", "-o", "pipefail", "-c", script]
    done = subprocess.run(piped, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_withdrawal_is_seen_approved_and_paid(house: ApiServer, player: Player) -> None:
    set_terms(house, cooling_us=0)
    prepare(player)
    output_of(house, f"close-member {player.id} --as ann --reason", "for the test")
    number = withdraw(player, 200)["data"]["id"]
    set_terms(house)
    house.catch_up()
    assert number in output_of(house, "queue --kind withdrawal --as ann")
    details = output_of(house, f"payout-details {number} --as ann")
    assert "card        6222" in details
    assert "amount      200.00" in details
    assert "approved; " in output_of(house, f"approve-withdrawal {number} --as ann")
    paid = output_of(house, f"pay-withdrawal {number} --as ben --reference", "transfer 4711")
    assert paid == f"{number}: paid; player {player.id} has 800.00 u"
    assert "paid" in output_of(house, "queue --kind withdrawal --all --as ann")


_TWICE = "--kind double_entry --channel bank --as ann --reason"


def test_gifts_and_corrections(house: ApiServer, player: Player) -> None:
    given = output_of(house, f"gift {player.username} 5.50 --as ann --reason", "for waiting")
    assert given.endswith(f"player {player.id} has 1,000.00 u and 5.50 u bonus")
    proposed = output_of(house, f"gift {player.username} 5001 --as ann --reason", "a prize")
    gift = proposed.split(":")[0]
    assert proposed.endswith(f"scripts/office agree-gift {gift}")
    assert gift in output_of(house, "queue --kind gift --as ann")
    assert "5,006.50 u bonus" in output_of(house, f"agree-gift {gift} --as ben")
    gift = output_of(house, f"gift {player.username} 5001 --as ann --reason", "a prize").split(":")[
        0
    ]
    assert "rejected" in output_of(house, f"drop-gift {gift} --as ann")
    proposed = output_of(house, f"adjust {player.id} -20 {_TWICE}", "twice")
    number = proposed.split(":")[0]
    assert proposed.endswith(f"scripts/office agree-adjustment {number}")
    assert "has 980.00 u" in output_of(house, f"agree-adjustment {number} --as ben")
    dropped = output_of(house, f"adjust {player.id} 20 {_TWICE}", "twice").split(":")[0]
    assert "rejected" in output_of(house, f"drop-adjustment {dropped} --as ann")


def capital_of(house: ApiServer) -> float:
    """The capital in the printed books; 0 before the first booking."""
    house.catch_up()
    lines = output_of(house, "books --as ann").splitlines()
    shown = [line.split()[-1] for line in lines if "house:capital" in line]
    return float(shown[0].replace(",", "")) if shown else 0


def test_the_houses_own_money_is_booked_and_the_books_are_shown(house: ApiServer) -> None:
    before = capital_of(house)
    fee = output_of(house, f"book fee bank -2.50 --as ann --reference {new_key()}")
    assert fee.endswith(": approved")
    proposed = output_of(house, f"book capital bank 5001 --as ann --reference {new_key()}")
    number = proposed.split(":")[0]
    assert proposed.endswith(f"scripts/office agree-booking {number}")
    shown = output_of(house, "books --as ann")
    assert [line.split()[:2] for line in shown.splitlines() if number in line] == [
        [number, "capital"]
    ]
    assert output_of(house, f"agree-booking {number} --as ben") == f"{number}: approved"
    number = output_of(house, f"book capital bank 5001 --as ann --reference {new_key()}").split(
        ":"
    )[0]
    assert output_of(house, f"drop-booking {number} --as ann") == f"{number}: rejected"
    assert capital_of(house) == before + 5001


def test_switches_terms_and_accounts(house: ApiServer, player: Player) -> None:
    closed = output_of(house, "switch game-3 close --as ann")
    assert [line.split()[1] for line in closed.splitlines() if "game-3" in line] == ["closed"]
    opened = output_of(house, "switch game-3 open --as ann")
    assert [line.split()[1] for line in opened.splitlines() if "game-3" in line] == ["open"]
    figures = "terms --four-eyes 6000 --cooling-hours 1.5 --levels 0,5,10"
    proposed = output_of(house, f"{figures} --as ann").splitlines()
    assert ["four", "eyes", "5,000.00", "u", "6,000.00", "u"] in [line.split() for line in proposed]
    assert proposed[-1].startswith("proposed by ann, 20")
    assert (
        " Asia/Singapore; another manager agrees with: scripts/office agree-setting" in proposed[-1]
    )
    terms = output_of(house, f"{figures} --as ben")
    assert "four eyes           6,000.00 u" in terms
    assert "cooling             1.5 h" in terms
    assert terms.splitlines()[-1] == "set by staff:ben"
    set_terms(house)
    house.catch_up()
    assert "5,000.00 u" in output_of(house, "terms --as ann")
    usdt = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
    typed = f"receiving-accounts --usdt {usdt} --bank"
    assert "proposed by ann" in output_of(house, f"{typed} Tests --as ann")
    accounts = output_of(house, f"{typed} Tests --as ben")
    assert "Tests" in accounts
    assert "proposed" not in accounts
    assert output_of(house, "receiving-accounts --as ben") == accounts
    output = output_of(house, f"close-member {player.username} --as ann --reason", "why")
    assert output == f"player {player.id}: gaming is closed"
    assert "open" in output_of(house, f"open-member {player.id} --as ann --reason", "done")


def test_the_same_key_again_is_the_same_command(house: ApiServer, player: Player) -> None:
    """Money commands are idempotent across retries (GLI-19 B.3.5a)."""
    about = f"--channel bank --reference {player.id}-second"
    typed = f"enter-deposit {player.id} 20 {about} --as ann --key {new_key()}"
    assert output_of(house, typed) == output_of(house, typed)
    assert player.balance() == 1020


def test_a_lost_answer_is_requested_again(
    house: ApiServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[object] = []
    send = Desk._send

    def lossy(self: Desk, call: str, body: dict[str, object]) -> tuple[int, dict[str, object]]:
        answer = send(self, call, body)
        if not lost:
            lost.append(answer)
            raise ConnectionResetError
        return answer

    monkeypatch.setattr(Desk, "_send", lossy)
    monkeypatch.setattr("scripts.office_cli.client._PAUSE_S", 0)
    assert "approved" in output_of(
        house, f"enter-deposit {player.id} 20 --channel bank --reference {player.id}-third --as ann"
    )
    assert lost
    assert player.balance() == 1020


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a server that is no longer running."""
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/office.key").write_bytes(b"\0" * 32)
    (tmp_path / "keys/address").write_text("http://127.0.0.1:9")
    monkeypatch.setattr("scripts.office_cli.client._PAUSE_S", 0)
    return tmp_path


def test_a_house_that_goes_away_leaves_the_key_to_repeat_with(
    away: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def cut_off(*_: object) -> None:
        raise urllib.error.URLError(ConnectionResetError())

    monkeypatch.setattr(Desk, "_send", cut_off)
    with pytest.raises(SystemExit) as left:
        cli.main(["queue", "--as", "ann", "--key", "k-1", "--data", str(away)])
    assert left.value.code == 3
    assert "retry with --key k-1" in capsys.readouterr().err
    with pytest.raises(NoResponseError):
        Desk(away, "ann", "k").request("queue", {})


def test_where_no_house_runs_nothing_was_done(
    away: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["queue", "--as", "ann", "--data", str(away)])
    assert left.value.code == 3
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "no server is running at http://127.0.0.1:9; nothing was changed"


def test_this_machines_server_is_called_at_its_address_with_its_own_secret(
    house: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["--as", "ann", "--data", str(house.settings.data)]
    with pytest.raises(SystemExit) as left:
        cli.main(["terms", *typed, "--address", house.url])
    assert (left.value.code, capsys.readouterr().err) == (0, "")
    with pytest.raises(SystemExit) as left:
        cli.read(["terms", *typed, "--address", "https://server.example"])
    assert left.value.code == 2
    assert "a server on another machine requires a pass" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("quue --as ann", "there is no command quue; did you mean queue?"),
        ("xyzzy --as ann", "there is no command xyzzy"),
        ("queue --as Ann", "argument --as: Ann is not a staff name: use lower case"),
        (f"staff-pass Ben {'0' * 64} --as ann", "argument name: Ben is not a staff name"),
        ("lift-code ann01 --as ann", "the following arguments are required: --reason"),
    ],
)
def test_a_mistake_is_reported_in_two_lines(
    typed: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.read(typed.split())
    mistake, hint = capsys.readouterr().err.splitlines()
    assert expected in mistake
    assert hint.endswith("--help")


def test_a_code_is_taken_away_at_the_desk(house: ApiServer, player: Player) -> None:
    prepare(player)
    done = output_of(house, f"lift-code {player.username} --as ann --reason", "showed the ID card")
    assert done == f"player {player.id} has no security code now, and can set a new one"
    assert player.call("user/safetyInfo", {})["data"]["isTrue"] is False


@pytest.mark.parametrize(
    "typed",
    [
        "queue",
        "",
        "reject-deposit x --as ann",
        "switch all shut --as ann",
        "terms --cooling-hours soon --as ann",
        "terms --cooling-hours 0.0001 --as ann",
        "approve-everything --as ann",
        "enter-deposit ann01 1,50 --channel bank --reference x --as ann",
        "gift ann01 all --reason x --as ann",
        "adjust ann01 1.005 --reason x --as ann",
        "terms --four-eyes lots --as ann",
    ],
)
def test_what_is_wrongly_typed_changes_nothing(typed: str) -> None:
    with pytest.raises(SystemExit) as left:
        cli.read(typed.split())
    assert left.value.code == 2


def test_where_no_server_was_started_it_reports_that(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no server has been started"):
        Desk(tmp_path, "ann", "k")


def test_a_caller_who_cannot_read_the_secret_is_no_staff(house: ApiServer, tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/office.key").write_bytes(b"guessed")
    (tmp_path / "keys/address").write_text(house.url)
    command = [sys.executable, str(ROOT / "scripts/office"), "queue", "--as", "ann"]
    done = subprocess.run(
        [*command, "--data", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("staff_unknown: ")
    assert office(house, "queue")["code"] == 1


def test_tables_line_up_and_strip_control_characters() -> None:
    shown = table(("name", "u"), [["a\u001bb", "1.00"], ["c", "12.00"]], right=("u",))
    assert shown.splitlines() == ["name      u", "a?b    1.00", "c     12.00"]
    assert (money(1234567), money(-5)) == ("1,234,567.00", "-5.00")
    assert [hours(each) for each in (0, 3600, 36_000, 5400)] == ["0 h", "1 h", "10 h", "1.5 h"]


def test_staff_keep_order_in_the_chat(house: ApiServer, player: Player) -> None:
    body = {"plan_id": 4, "game_id": 1, "words": "foul words"}
    number = player.call("Lottery/say", body, new_key())["data"]["id"]
    house.catch_up()
    who = f"{player.username} ({player.id})"
    (_, line) = output_of(house, "chat 4 --as ann").splitlines()
    assert (number in line, who in line, line.endswith("foul words")) == (True, True, True)
    removed = output_of(house, f"chat-remove {number} --as ben --reason", "names a member")
    assert removed == f"{number} of player {player.id} is removed"
    assert output_of(house, "chat 4 --as ann").endswith("foul words  by ben: names a member")
    assert output_of(house, "chat 36 --as ann") == "no messages"

    muted = output_of(house, f"mute {player.username} --hours 1 --as ann --reason abuse")
    assert muted == f"player {player.id} is muted until {_in_an_hour(house)} Asia/Singapore"
    assert player.call("Lottery/say", body, new_key())["reason"] == "muted"
    muted = output_of(house, f"mute {player.id} --as ann --reason abuse")
    assert muted.endswith("muted permanently")
    spoken = output_of(house, f"unmute {player.id} --as ann --reason sorry")
    assert spoken == f"player {player.id} is not muted"
    assert player.call("Lottery/say", body, new_key())["code"] == 1


def _in_an_hour(house: ApiServer) -> str:
    return f"{_local(house) + timedelta(hours=1):%Y-%m-%d %H:%M:%S}"


def _local(house: ApiServer) -> datetime:
    return datetime.fromtimestamp(house.clock.now // 1_000_000, ZoneInfo("Asia/Singapore"))


def test_staff_see_whom_a_comparison_of_identities_cannot_find(house: ApiServer) -> None:
    assert "without an ID card and a payout account" in output_of(house, "identities --as ann")
