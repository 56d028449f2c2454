"""Starts the server for the old client; the client knows only its address."""

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.contract.client import OldClient
from tests.journeys.program import Program, until

PASSWORD = "pass-word-21"
_numbers = itertools.count(int(time.time()) % 1_000_000_000)
Joining = Callable[..., OldClient]
Freezing = Callable[[OldClient], AbstractContextManager[None]]


@pytest.fixture(scope="module")
def program(module_data_dir: Path) -> Iterator[Program]:
    """A demo server with rounds of ten seconds."""
    with Program(module_data_dir) as started:
        started.start()
        yield started


@pytest.fixture
def phones(program: Program) -> Iterator[Joining]:
    """Opens phones on which no player is signed in."""
    made: list[OldClient] = []

    def phone(*, as_form: bool = False) -> OldClient:
        made.append(OldClient(program.address, as_form=as_form))
        return made[-1]

    yield phone
    for each in made:
        each.close()


@pytest.fixture
def phone(phones: Joining) -> OldClient:
    return phones()


@pytest.fixture
def name() -> str:
    """A user name that is not taken."""
    return f"player{next(_numbers)}"


@pytest.fixture
def member(phone: OldClient, name: str) -> OldClient:
    """A new player's phone."""
    phone.signed_in("user/register", username=name, password=PASSWORD, group_id=1, inviter_id="")
    return phone


@pytest.fixture
def frozen(program: Program) -> Freezing:
    """Delays the answer to a phone's next call until the phone has given up on it once."""

    def go_on_after(attempts: int, phone: OldClient) -> None:
        until(lambda: len(phone.attempts) >= attempts)
        os.kill(program.process.pid, signal.SIGCONT)

    @contextmanager
    def freeze(phone: OldClient) -> Iterator[None]:
        thaw = threading.Thread(target=go_on_after, args=(len(phone.attempts) + 2, phone))
        os.kill(program.process.pid, signal.SIGSTOP)
        thaw.start()
        try:
            yield
        finally:
            os.kill(program.process.pid, signal.SIGCONT)
        thaw.join()

    return freeze
