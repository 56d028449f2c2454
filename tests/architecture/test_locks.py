"""The lock files satisfy pyproject.toml: scripts/lock was run after the last change."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.sources import ROOT

_PINNED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def _requested_packages(*, dev: bool) -> list[str]:
    run: list[str] = _PROJECT["project"]["dependencies"]
    return run + _PROJECT["dependency-groups"]["dev"] if dev else run


@pytest.mark.parametrize(("lock", "dev"), [("requirements", False), ("requirements-dev", True)])
def test_every_dependency_is_locked(lock: str, dev: bool) -> None:
    pinned = dict(_PINNED.findall((ROOT / "scripts" / f"{lock}.lock").read_text()))
    for line in _requested_packages(dev=dev):
        requirement = Requirement(line)
        assert pinned.get(canonicalize_name(requirement.name), "") in requirement.specifier, line


def test_an_optional_dependency_is_the_one_that_the_tests_use() -> None:
    optional = _PROJECT["project"]["optional-dependencies"].values()
    assert {line for lines in optional for line in lines} <= set(_requested_packages(dev=True))
