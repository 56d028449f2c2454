"""What `scripts/cluster` refuses, and in which sentence: missing tools, and folders in use."""

import os
import subprocess
from pathlib import Path

import pytest

from scripts.cluster_tool import cli, cluster, installation
from scripts.cluster_tool.cluster import ClusterError, ProcessRecord, Settings
from scripts.cluster_tool.drill import cli as drill_cli
from scripts.cluster_tool.drill.record import RecordFile
from scripts.cluster_tool.drill.result import Begun
from scripts.cluster_tool.topology import DEFAULT_NETWORK

_SETTINGS = Settings("t", DEFAULT_NETWORK, fast=False, round_seconds=60, passwords={})


def _created(folder: Path) -> cluster.Cluster:
    with cluster.locked(folder, make=True):
        return cluster.create(folder, _SETTINGS)


def test_another_system_than_linux_is_named_first() -> None:
    assert installation.system_is_unfit("darwin", 0) == installation.NO_LINUX


def test_a_user_who_is_not_root_learns_to_use_sudo() -> None:
    assert "sudo scripts/cluster" in installation.system_is_unfit("linux", 1000)


def test_root_on_linux_may_start_it() -> None:
    assert installation.system_is_unfit("linux", 0) == ""


@pytest.mark.parametrize("tool", installation.TOOLS, ids=lambda tool: tool.program)
def test_each_missing_tool_is_one_sentence_with_its_installation(tool: installation.Tool) -> None:
    (found,) = installation.missing_tools(lambda name: None if name == tool.program else name)
    assert found.sentence().startswith(f"{tool.program} is missing, which ")
    assert found.sentence().endswith(f": apt-get install --no-install-recommends {tool.package}")


def test_a_missing_patroni_names_the_option_that_installs_it() -> None:
    assert "scripts/cluster up --install" in installation.NO_PATRONI


def test_a_second_up_is_refused_while_the_first_runs(tmp_path: Path) -> None:
    first = _created(tmp_path / "c")
    first.record.processes["db1"] = cluster.record_of(os.getpid())
    first.save()
    with pytest.raises(
        ClusterError, match=r"a cluster runs in .*: scripts/cluster status shows it"
    ):
        _created(tmp_path / "c")


def test_what_a_killed_cluster_left_is_removed_by_down(tmp_path: Path) -> None:
    _created(tmp_path / "c")
    with pytest.raises(ClusterError, match="scripts/cluster down removes it"):
        _created(tmp_path / "c")


def test_a_folder_with_files_of_others_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ClusterError, match=r"has other files \(letter\.txt\)"):
        _created(tmp_path)
    assert (tmp_path / "letter.txt").read_text() == "dear"


def test_two_commands_do_not_change_one_cluster_together(tmp_path: Path) -> None:
    _created(tmp_path)
    other = "another scripts/cluster command"
    with cluster.locked(tmp_path), pytest.raises(ClusterError, match=other):
        _created(tmp_path)


def test_nothing_to_end_is_said_with_what_starts_one(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match=r"no cluster in .*: scripts/cluster up starts one"):
        cluster.read(tmp_path)


def test_another_process_with_a_recorded_number_is_not_ours(tmp_path: Path) -> None:
    made = _created(tmp_path)
    own = cluster.record_of(os.getpid())
    made.record.processes["db1"] = ProcessRecord(own.pid, own.started - 1)
    assert made.living() == []


def test_a_process_of_an_earlier_boot_is_not_ours(tmp_path: Path) -> None:
    made = _created(tmp_path)
    made.record.processes["db1"] = cluster.record_of(os.getpid())
    made.record.boot = "an earlier one"
    assert made.living() == []


def test_a_process_that_ended_and_was_not_waited_for_is_not_alive() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        record = cluster.record_of(process.pid)
        assert record.is_alive()
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not record.is_alive()


def test_only_its_own_files_are_deleted_and_the_logs_if_not_kept(tmp_path: Path) -> None:
    made = _created(tmp_path)
    made.log(made.topology.named("db1")).write_text("a line")
    made.forget(keep_logs=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "logs"]
    again = _created(tmp_path)
    assert [*(tmp_path / "logs").iterdir()] == []
    again.forget(keep_logs=False)
    assert not tmp_path.exists()


def _drill(folder: Path, *typed: str) -> int:
    return drill_cli.run(cli.read_options(["drill", *typed, "--dir", str(folder)]))


def test_a_drill_that_the_cluster_cannot_have_is_refused_without_a_record(tmp_path: Path) -> None:
    _created(tmp_path / "c")
    record = tmp_path / "record.jsonl"
    with pytest.raises(ClusterError, match="up --clocks"):
        _drill(tmp_path / "c", "--faults", "clock", "--record", str(record))
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


def test_a_drill_whose_notes_are_gone_is_not_continued(tmp_path: Path) -> None:
    _created(tmp_path / "c")
    record, notes = tmp_path / "record.jsonl", tmp_path / "notes.jsonl"
    RecordFile.begin(record, Begun("long", 5, ["api-kill"], str(notes), 20, 2))
    with pytest.raises(ClusterError, match=f"{notes} is gone"):
        _drill(tmp_path / "c", "--continue", str(record))
    assert not notes.exists()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--plan", "long", "--times", "3"], "--times is for the faults that --faults names"),
        (["--random", "5", "--times", "3"], "--times is for the faults that --faults names"),
        (["--continue", "r.jsonl", "--seed", "5"], "the seed of its record: leave --seed out"),
        (["--continue", "r.jsonl", "--notes", "n"], "the notes of its record: leave --notes out"),
    ],
)
def test_an_option_of_a_drill_that_would_have_no_effect_is_refused(
    typed: list[str], said: str, tmp_path: Path
) -> None:
    _created(tmp_path / "c")
    with pytest.raises(ClusterError, match=said):
        _drill(tmp_path / "c", *typed)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["drill", "--faults", "primary-kil"], "'primary-kil' is no fault; they are primary-kill"),
        (["drill", "--times", "0"], "0 is not a whole number from 1"),
        (["up", "--round-seconds", "5"], "5 is not a whole number from 10 to 210"),
        (["kill"], "NODE"),
        ([], "COMMAND"),
    ],
)
def test_a_typing_error_is_named(
    typed: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exited:
        cli.read_options(typed)
    assert exited.value.code == 2
    assert said in capsys.readouterr().err
