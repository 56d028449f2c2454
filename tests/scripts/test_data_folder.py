"""FAIRDRAW_DATA names the data folder for every program; `--data` overrides it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from api import settings
from projections.__main__ import _parser as projections
from scripts.audit_tool.__main__ import _parser as audit
from scripts.devtools import start
from scripts.office_cli import cli as office
from scripts.reference_gateway.cli import _options as gateway

Reading = Callable[..., Path]


def _run(*arguments: str) -> Path:
    typed: Path = start._parser().parse_args(arguments).data
    return typed


def _audit(*arguments: str) -> Path:
    typed: Path = audit().parse_args(["check", *arguments]).data
    return typed


def _projections(*arguments: str) -> Path:
    typed: Path = projections().parse_args([*arguments, "status"]).data
    return typed


def _office(*arguments: str) -> Path:
    typed: Path = office.read(["queue", "--as", "ann", *arguments]).data
    return typed


def _gateway(*arguments: str) -> Path:
    typed: Path = gateway(["serve", *arguments]).data
    return typed


@pytest.mark.parametrize("program", [_run, _audit, _projections, _office, _gateway])
def test_the_folder_is_named_once_for_all_programs(
    program: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRDRAW_DATA", "/srv/fairdraw")
    assert program() == Path("/srv/fairdraw")
    assert program("--data", "elsewhere") == Path("elsewhere")
    monkeypatch.delenv("FAIRDRAW_DATA")
    assert program().name == ".data"


def test_the_server_reads_it_too() -> None:
    named = {"FAIRDRAW_DATA": "/srv/fairdraw"}
    assert settings.read([], named).data == Path("/srv/fairdraw")
    assert settings.read(["--data", "elsewhere"], named).data == Path("elsewhere")
    assert settings.read([], {}).data == Path(".data")


def test_the_audit_and_the_rebuild_count_days_in_the_zone_of_the_house(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAIRDRAW_TIMEZONE", "Europe/Berlin")
    assert audit().parse_args(["check"]).timezone.key == "Europe/Berlin"
    assert projections().parse_args(["status"]).timezone == "Europe/Berlin"
    monkeypatch.delenv("FAIRDRAW_TIMEZONE")
    assert audit().parse_args(["check"]).timezone.key == "Asia/Singapore"
    assert projections().parse_args(["status"]).timezone == "Asia/Singapore"
