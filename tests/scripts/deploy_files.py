"""The files of scripts/deploy, as tests read them."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "scripts" / "deploy"
GUIDE = DEPLOY / "README.md"
ALERTS = DEPLOY / "prometheus" / "alerts.yml"
#: What a query names that is no metric of the server: Prometheus makes it itself.
_OWN_METRICS = re.compile(r"\b(?:fairdraw|process)_\w+")


class Alert(Struct, forbid_unknown_fields=True):
    """An alert rule of Prometheus."""

    alert: str
    expr: str
    labels: dict[str, str]
    annotations: dict[str, str]
    for_: str = msgspec.field(default="", name="for")


class _Group(Struct, forbid_unknown_fields=True):
    name: str
    rules: list[Alert]


class _Rules(Struct, forbid_unknown_fields=True):
    groups: list[_Group]


def alerts() -> list[Alert]:
    """The alerts of the rule file."""
    rules = msgspec.yaml.decode(ALERTS.read_bytes(), type=_Rules)
    return [alert for group in rules.groups for alert in group.rules]


def queries_of_the_dashboard() -> list[str]:
    """The queries of all panels."""
    board: dict[str, Any] = json.loads((DEPLOY / "grafana" / "fairdraw.json").read_text())
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def metrics_in(query: str) -> set[str]:
    """The names of the server's metrics in a query."""
    return set(_OWN_METRICS.findall(query))


def headings() -> set[str]:
    """The anchors of the guide's headings, as GitHub makes them."""
    lines = re.findall(r"^#+ (.+)$", GUIDE.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line).lower().replace(" ", "-") for line in lines}
