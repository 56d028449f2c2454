"""A record of a reconciliation, written once: whole or not at all, and over nothing."""

import contextlib
import os
from pathlib import Path

from scripts.auditing import AuditError


def refuse_existing(path: Path | None) -> None:
    """Tell before any work is done that a record could not be written; an AuditError says why."""
    if path is None:
        return
    if path.exists() or path.is_symlink():
        raise AuditError(f"{path} exists, and a record is never written over: name another file")
    if not path.absolute().parent.is_dir():
        raise AuditError(f"there is no folder {path.absolute().parent} to record in")


def save_record(path: Path, document: bytes) -> None:
    """Write a new file that only its owner reads; an AuditError when it is there already."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise AuditError(f"{path} exists by now, and a record is never written over") from None
    except OSError as error:
        raise AuditError(f"{path} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(document)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise AuditError(f"{path} cannot be written: {error.strerror}") from None
