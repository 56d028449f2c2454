"""Log setup: one JSON object per line, with the request's id; warnings also go to stderr.

`fairdraw.log` keeps the newest 128 MiB. `staff.log` has only the staff calls, and all its files
are kept.
"""

import logging
import sys
from pathlib import Path
from typing import Final

import msgspec
import structlog
from structlog.typing import EventDict, WrappedLogger

from api.http.transport import REQUEST_ID
from api.ops.log_files import LineWriter, LogFile, retain_all, retain_newest
from api.ops.request_log import LOG_BUFFER, STAFF_LOG_BUFFER

_MAX_FILE_BYTES: Final = 32 * 1024 * 1024
_FILES: Final = 4
_FLUSH_TIMEOUT_S: Final = 2.0
_encode: Final = msgspec.json.Encoder(enc_hook=repr).encode
_SHARED: Final = (
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


class _Queued(logging.Handler):
    """Renders a record in its caller's context, and queues it for the writers."""

    def __init__(self, everything: LineWriter, warnings: LineWriter) -> None:
        super().__init__()
        self._everything = everything
        self._warnings = warnings

    def emit(self, record: logging.LogRecord) -> None:
        """Queue the record, a warning also for stderr."""
        try:
            line = self.format(record).encode() + b"\n"
        except Exception:  # noqa: BLE001 - a line that cannot be rendered must not fail a call
            self.handleError(record)
            return
        self._everything.put(line)
        if record.levelno >= logging.WARNING:
            self._warnings.put(line)


class Logs:
    """The logs of this process."""

    def __init__(self) -> None:
        """Nothing is written before `set_up`."""
        self.writers: tuple[LineWriter, ...] = ()

    def set_up(self, folder: Path) -> None:
        """Log to files in `folder` from now on, for this code and its libraries."""
        newest = LogFile(folder / "fairdraw.log", _MAX_FILE_BYTES, retain_newest(_FILES))
        staff = LogFile(folder / "staff.log", _MAX_FILE_BYTES, retain_all, synced=True)
        everything = LineWriter("fairdraw.log", newest.append)
        staff_calls = LineWriter("staff.log", staff.append)
        warnings = LineWriter("stderr", _show)
        self.writers = everything, staff_calls, warnings
        LOG_BUFFER.write, STAFF_LOG_BUFFER.write = everything.put, staff_calls.put
        handler = _Queued(everything, warnings)
        handler.setFormatter(_formatter())
        logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
        _configure()

    def drain(self) -> None:
        """Wait until all lines are written, at most 2 s per log."""
        for writer in self.writers:
            writer.flush(_FLUSH_TIMEOUT_S)

    def close(self) -> None:
        """Write the waiting lines, and stop the writers."""
        LOG_BUFFER.write = STAFF_LOG_BUFFER.write = len
        writers, self.writers = self.writers, ()
        for writer in writers:
            writer.close(_FLUSH_TIMEOUT_S)


LOGS: Final = Logs()


def _show(lines: bytes) -> None:
    sys.stderr.write(lines.decode())
    sys.stderr.flush()


def _formatter() -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(_encoded),
        ],
        foreign_pre_chain=[_request_id, *_SHARED],
    )


def _configure() -> None:
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            _request_id,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def _encoded(event: EventDict, **_: object) -> str:
    return _encode(event).decode()


def _request_id(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    if request_id := REQUEST_ID.get():
        event["request_id"] = request_id
    return event
