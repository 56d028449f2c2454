"""The alerts and the dashboard of scripts/deploy name metrics and commands that the server has."""

import re
from typing import get_args

import pytest

from engine.command_handler import Command
from tests.api.support import ApiServer
from tests.scripts.deploy_files import alerts, metrics_in, queries_of_the_dashboard

QUERIES = {alert.alert: alert.expr for alert in alerts()} | {
    query: query for query in queries_of_the_dashboard()
}


@pytest.fixture(scope="module")
def exported(house: ApiServer) -> set[str]:
    """The names of all samples that /metrics can have."""
    text = house.client.get("/metrics").text
    names: set[str] = set()
    for name, kind in re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE):
        of_histogram = {f"{name}_bucket", f"{name}_sum", f"{name}_count"}
        names |= of_histogram if kind == "histogram" else {name}
    return names


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
def test_every_metric_in_a_query_is_exported(exported: set[str], query: str) -> None:
    assert metrics_in(query) <= exported
    assert metrics_in(query) or query.startswith("up{")


def test_every_command_in_a_query_exists() -> None:
    named = {name for query in QUERIES.values() for name in re.findall(r'command="(\w+)"', query)}
    assert {"PlaceBet", "DrawRound"} <= named
    assert named <= {kind.__name__ for kind in get_args(Command)}
