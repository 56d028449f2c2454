"""The audit of the chat: it moves no money, and every change to it is found."""

import json
from contextlib import closing

import psycopg
import pytest

from engine.runtime.postgres.embedded_postgres import Conninfos
from projections.registry import read_models
from projections.runner.runner import ProjectionRunner
from tests.auditing.conftest import Audit
from tests.projections.history import History
from tests.projections.support import ZONE, a_talk, catch_up

Printed = pytest.CaptureFixture[str]


@pytest.fixture
def talk(stored: Conninfos, history: History) -> History:
    """Two members who wrote messages; the read models are up to date with the log."""
    history.joins(1, 2)
    history.deposits(1, 5_000)
    a_talk(history)
    with closing(ProjectionRunner(stored.owner, read_models(ZONE))) as runner:
        catch_up(runner)
    return history


def test_a_history_lists_chat_messages_and_moves_no_money(
    talk: History, audit: Audit, capsys: Printed
) -> None:
    assert audit("replay", 1, "--json") == 0
    *facts, end = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["topic"] for each in facts][2:] == [
        *["chat-said.1"] * 3,
        "chat-removed.1",
        "chat-muted.1",
    ]
    assert {tuple(each["amounts_minor"].values()) for each in facts[2:]} == {(0, 0, 0, 0)}
    assert end["balances_minor"]["available"] == 5_000
    assert audit("trial-balance") == 0
    assert talk.position == end["as_of"]["position"]


@pytest.mark.usefixtures("talk")
def test_a_message_restored_or_a_mute_removed_by_hand_is_found(
    stored: Conninfos, audit: Audit, capsys: Printed
) -> None:
    assert audit("check", "--patience", 0) == 0
    with psycopg.connect(stored.owner, autocommit=True) as connection:
        connection.execute("UPDATE views.feed_chat SET removed_by = '' WHERE removed_position > 0")
        connection.execute("DELETE FROM views.feed_mutes WHERE player = 1")
    capsys.readouterr()
    assert audit("check", "--patience", 0) == 1
    printed = capsys.readouterr().out
    assert "views.feed_chat" in printed
    assert "views.feed_mutes" in printed
