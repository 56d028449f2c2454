"""The server verifies its own code by hash and records the result (GLI-19 2.3.2)."""

import asyncio
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import msgspec
import psycopg
import pytest

from api.office import integrity
from api.ops import jobs
from api.services import Services, wait_until
from engine.facts import TOPICS
from engine.house.facts import ProgramChecked
from engine.runtime.code_manifest import ROOT, IntegrityMonitor, manifest
from tests.api.staffing import office
from tests.api.support import ApiServer

RECORDED = "SELECT state FROM log.facts WHERE topic = %s ORDER BY notification_id"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small code tree for the test."""
    for name in ("engine/odds.py", "api/app.py", "webapp/dist/index.html"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.fixture
def services(house: ApiServer, root: Path) -> Services:
    return msgspec.structs.replace(house.services, program=IntegrityMonitor(house.clock, root))


def recorded(house: ApiServer) -> list[ProgramChecked]:
    with psycopg.connect(house.conninfos.app) as connection:
        rows = connection.execute(RECORDED, (TOPICS[ProgramChecked],)).fetchall()
    return [msgspec.json.decode(bytes(row[0]), type=ProgramChecked) for row in rows]


def test_the_manifest_covers_what_runs_and_nothing_that_running_makes() -> None:
    found = manifest().files
    expected = {"engine/odds.py", "api/app.py", "projections/runner/runner.py", "scripts/office"}
    migration = "engine/runtime/log/migrations/0001_initial_schema.sql"
    assert expected | {"scripts/requirements.lock", migration} <= found.keys()
    assert not [name for name in found if "__pycache__" in name or name.startswith("tests/")]
    assert found["engine/odds.py"] == sha256((ROOT / "engine/odds.py").read_bytes()).hexdigest()


def test_one_digest_covers_all_paths_and_contents(root: Path) -> None:
    digests = {manifest(root).digest}
    (root / "engine/odds.py").write_text("other odds")
    digests.add(manifest(root).digest)
    (root / "engine/odds.py").rename(root / "engine/odd.py")
    digests.add(manifest(root).digest)
    (root / "engine/odd.py").unlink()
    digests.add(manifest(root).digest)
    assert len(digests) == 4


def test_an_untouched_program_is_intact_and_the_check_is_a_fact(
    house: ApiServer, services: Services
) -> None:
    before = recorded(house)
    found = house.on_loop(lambda: integrity.check(services, "start"))
    (fact,) = recorded(house)[len(before) :]
    assert (found.changed, fact.changed, fact.by, fact.files) == ((), (), "start", 3)
    assert fact.digest == found.digest == services.program.started
    assert len(fact.engine) == 64
    house.catch_up()
    assert house.client.get("/readyz").status_code == 200


def test_a_file_changed_added_or_gone_is_named_and_recorded(
    house: ApiServer, services: Services, root: Path
) -> None:
    (root / "engine/odds.py").write_text("better odds")
    (root / "engine/more.py").write_text("")
    (root / "api/app.py").unlink()
    found = house.on_loop(lambda: integrity.check(services, "daily"))
    named = ("api/app.py", "engine/more.py", "engine/odds.py")
    assert (found.changed, services.program.intact) == (named, False)
    assert recorded(house)[-1].changed == named
    assert recorded(house)[-1].digest == manifest(root).digest != services.program.started


def test_a_fact_names_no_more_files_than_there_is_room_for(
    house: ApiServer, services: Services, root: Path
) -> None:
    for number in range(100):
        (root / f"engine/{number:03}.py").touch()
    assert len(house.on_loop(lambda: integrity.check(services, "daily")).changed) == 100
    assert len(recorded(house)[-1].changed) == 20


def test_staff_ask_for_a_check_and_members_cannot(house: ApiServer) -> None:
    before = len(recorded(house))
    answer = office(house, "program")
    assert answer["code"] == 1, answer
    shown = answer["data"]
    assert (shown["intact"], shown["changed"]) == (True, [])
    assert shown["digest"] == shown["started"] == manifest().digest
    assert recorded(house)[before].by == "staff:ann"
    metrics = house.client.get("/metrics").text
    assert "\nfairdraw_program_intact 1.0\n" in metrics
    refused = house.call("office/program", {"staff": "ann"})
    assert refused["reason"] == "staff_unknown"


def test_the_metric_shows_what_a_check_found(
    house: ApiServer, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = IntegrityMonitor(house.clock, root)
    monkeypatch.setattr(house.services.program, "last", program.last)
    (root / "engine/odds.py").write_text("better odds")
    monkeypatch.setattr(house.services.program, "last", program.check())
    assert "\nfairdraw_program_intact 0.0\n" in house.client.get("/metrics").text


def test_it_is_checked_at_the_start_and_once_a_day(
    house: ApiServer, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert integrity.EVERY.days == 1
    monkeypatch.setattr(integrity, "EVERY", timedelta(milliseconds=50))
    before = len(recorded(house))

    async def watch() -> list[str]:
        running = asyncio.create_task(jobs.run(services))
        await wait_until(lambda: len(recorded(house)) >= before + 3)
        running.cancel()
        return [fact.by for fact in recorded(house)[before:]]

    assert {"start", "daily"} == set(house.on_loop(watch))
