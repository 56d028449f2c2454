"""An engine in its own process. It reads commands from standard input, one `key command` a line.

It prints `ready` whenever it becomes leader, and `key answer` for each command. All is JSON.
Usage: program.py conninfo keys-folder clock-offset-in-microseconds
"""

import asyncio
import sys
import time
from pathlib import Path

import msgspec

from engine.players.commands import PlayerCommand
from engine.runtime.engine import Engine
from engine.schedule import demo

decode = msgspec.json.Decoder(tuple[str, PlayerCommand]).decode


def send(*values: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(values) + b"\n")
    sys.stdout.buffer.flush()


async def announce_ready(engine: Engine) -> None:
    while True:
        if engine.ready:
            send("ready", 0)
            while engine.ready:  # noqa: ASYNC110 - the engine has no event for this
                await asyncio.sleep(0.02)
        await asyncio.sleep(0.02)


async def answer(engine: Engine, line: bytes) -> None:
    key, command = decode(line)
    reply = await engine.submit(f"player-{command.player}", key, command)
    send(key, reply.answer)


async def serve(engine: Engine) -> None:
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(engine.run())
        announcing = tasks.create_task(announce_ready(engine))
        async for line in lines:
            tasks.create_task(answer(engine, line))
        engine.stop()
        await running
        announcing.cancel()


async def main(conninfo: str, keys: str, offset: str) -> None:
    offset_us = int(offset)

    def clock() -> int:
        return time.time_ns() // 1_000 + offset_us

    engine = Engine(conninfo, Path(keys), demo(210), "card-21.04.02", clock)
    try:
        await serve(engine)
    finally:
        engine.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
