from typing import get_args

from engine.command_handler import HANDLERS, Command


def test_every_command_has_one_decision() -> None:
    assert set(HANDLERS) == set(get_args(Command))
