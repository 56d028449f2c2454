"""Logs: one JSON object a line, with the request's id; warnings on stderr as well."""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

import msgspec
import structlog
from structlog.typing import EventDict, WrappedLogger

from api.lines import SHEAF
from api.transport import REQUEST_ID

_BYTES_A_FILE: Final = 32 * 1024 * 1024
_FILES: Final = 4
_encode: Final = msgspec.json.Encoder(enc_hook=repr).encode
_SHARED: Final = (
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


class _Rotating(RotatingFileHandler):
    """Renders a line once: the library's own handler renders it again to know its length."""

    def shouldRollover(self, record: logging.LogRecord) -> bool:  # noqa: N802 - the library's name
        """Whether the file is full; its last line may reach beyond."""
        del record
        return bool(self.stream and self.stream.tell() >= self.maxBytes)

    def write(self, lines: str) -> None:
        """Lines that are rendered already."""
        self.acquire()
        try:
            if self.stream is None:
                return  # closed: the program is at its end
            if self.stream.tell() >= self.maxBytes:
                self.doRollover()
            self.stream.write(lines)
            self.stream.flush()
        finally:
            self.release()


def set_up(file: Path) -> None:
    """Log to `file` from now on, this program's lines and its libraries' alike."""
    formatter = structlog.stdlib.ProcessorFormatter(
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(_encoded),
        ],
        foreign_pre_chain=[_request_id, *_SHARED],
    )
    everything = _Rotating(file, maxBytes=_BYTES_A_FILE, backupCount=_FILES - 1)
    SHEAF.write = everything.write
    warnings = logging.StreamHandler()
    warnings.setLevel(logging.WARNING)
    for handler in (everything, warnings):
        handler.setFormatter(formatter)
    logging.basicConfig(level=logging.INFO, handlers=[everything, warnings], force=True)
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
