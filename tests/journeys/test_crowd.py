"""Stream clients in several rooms and a steady flow of bets, while the program is killed."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from tests.instruments.load_tests import sse_load
from tests.instruments.load_tests.streams import allow_open_files
from tests.instruments.load_tests.workers import run_worker
from tests.journeys.program import Program, until
from tests.journeys.test_clean_stop import member
from tests.journeys.test_several_processes import House, running

CLIENTS, PER_SECOND, SECONDS = 50, 5.0, 10.0
MORE_THAN_THE_BACKLOG = 1_100
LEFT_MS = 60_000
FIRST_HALLS = (1, 4, 7)


def rooms(program: Program) -> list[tuple[int, int, str]]:
    """Halls of a game whose round is on sale for a while yet."""
    for game in (1, 2, 3, 4):
        issue = program.call("Lottery/heart", {"game_id": game, "plan_id": 9 * (game - 1) + 1})[
            "issue"
        ]
        if issue["closes_at"] - issue["now"] > LEFT_MS:
            return [(game, 9 * (game - 1) + plan, issue["issue"]) for plan in FIRST_HALLS]
    return []


def bets_shown(program: Program, room: tuple[int, int, str]) -> int:
    heart = program.call("Lottery/heart", {"game_id": room[0], "plan_id": room[1]})
    return len(heart["message"])


def test_every_client_receives_every_bet_once_and_in_order_across_a_kill(
    data_dir: Path, tmp_path: Path
) -> None:
    with Program(data_dir, round_seconds=210) as program, ThreadPoolExecutor(1) as load:
        program.start()
        until(lambda: bool(rooms(program)))
        found = rooms(program)
        before = bets_shown(program, found[1])
        tokens = [member(program) for _ in range(3)]
        task = sse_load.SseLoadTask(
            [program.port], CLIENTS, found, tokens, PER_SECOND, SECONDS, "crowd"
        )
        log = tmp_path / "listeners.log"
        coming = load.submit(run_worker, task, sse_load.SseLoadResult, log)
        until(lambda: bets_shown(program, found[1]) >= before + 5)
        program.kill(postgres=False)
        program.start()
        result = coming.result()
        until(lambda: program.http.get("/readyz").status_code == httpx.codes.OK)
    assert (result.fault, result.accepted) == ("", PER_SECOND * SECONDS)
    assert (result.cut_off, result.resumed) == (CLIENTS, CLIENTS)


def test_every_client_receives_every_bet_once_and_in_order_if_its_api_process_is_killed(
    data_dir: Path, tmp_path: Path
) -> None:
    with running(House(data_dir, round_seconds=210)) as house, ThreadPoolExecutor(1) as load:
        house.start()
        killed, left = house.apis
        until(lambda: bool(rooms(left)))
        found = rooms(left)
        before = bets_shown(left, found[1])
        tokens = [member(left) for _ in range(3)]
        ports = [killed.port, left.port]
        task = sse_load.SseLoadTask(ports, CLIENTS, found, tokens, PER_SECOND, SECONDS, "crowd")
        log = tmp_path / "listeners.log"
        coming = load.submit(run_worker, task, sse_load.SseLoadResult, log)
        until(lambda: bets_shown(left, found[1]) >= before + 5)
        killed.kill(postgres=False)
        result = coming.result()
    assert (result.fault, result.accepted) == ("", PER_SECOND * SECONDS)
    assert (result.cut_off, result.resumed) == (CLIENTS / 2, CLIENTS / 2)


def test_a_process_has_more_open_streams_than_its_backlog_is_long(
    data_dir: Path, tmp_path: Path
) -> None:
    allow_open_files(3 * MORE_THAN_THE_BACKLOG)
    with Program(data_dir, round_seconds=210) as program:
        program.start()
        until(lambda: bool(rooms(program)))
        found, tokens = rooms(program), [member(program)]
        clients = MORE_THAN_THE_BACKLOG
        task = sse_load.SseLoadTask([program.port], clients, found, tokens, 3.0, 1.0, "many")
        result = run_worker(task, sse_load.SseLoadResult, tmp_path / "listeners.log")
    assert (result.fault, result.accepted, result.cut_off) == ("", 3, 0)
    assert result.delivered == clients


def test_a_refused_bet_is_the_fault_of_the_load(data_dir: Path, tmp_path: Path) -> None:
    with Program(data_dir, round_seconds=210) as program:
        program.start()
        room, tokens = (1, FIRST_HALLS[0], "unknown"), [member(program)]
        task = sse_load.SseLoadTask([program.port], 1, [room], tokens, 1.0, 1.0, "refused")
        result = run_worker(task, sse_load.SseLoadResult, tmp_path / "listeners.log")
    assert result.fault.startswith("a bet was refused: ")
    assert result.accepted == 0
